package toolchain

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/sumdb/note"
)

// Toolchains of a test.
const platform = "plan9-mips"

var version = module.Version{Path: "golang.org/toolchain", Version: "v0.0.1-" + Version + "." + platform}

// archive returns an archive of a toolchain with a go command.
func archive(t *testing.T, command string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for name, content := range map[string]string{
		"bin/go":                                command,
		"pkg/tool/plan9_mips/compile":           "compiler",
		"lib/wasm/go_js_wasm_exec":              "starter",
		"src/_go.mod":                           "module std\n",
		"src/cmd/_go.mod":                       "module cmd\n",
		"src/fmt/print.go":                      "package fmt\n",
		"go.mod":                                "module golang.org/toolchain\n",
		"src/internal/trace/testdata/_go.mod.x": "",
	} {
		f, err := w.Create(version.Path + "@" + version.Version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func hashOf(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	hash, err := dirhash.HashZip(path, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// A world is a proxy and a checksum database.
type world struct {
	server *httptest.Server
	// content is what the proxy has, and sums the line of the database.
	content []byte
	sums    string
	key     string
	// asked counts downloads of the archive, and looked look-ups in the database.
	asked, looked atomic.Int32
}

func newWorld(t *testing.T, content []byte) *world {
	t.Helper()
	secret, public, err := note.GenerateKey(nil, "sums.example")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{content: content, key: public, sums: hashOf(t, content)}
	database := sumdb.NewServer(sumdb.NewTestServer(secret, func(path, v string) ([]byte, error) {
		w.looked.Add(1)
		return []byte(fmt.Sprintf("%s %s %s\n%s %s/go.mod h1:AAAA\n", path, v, w.sums, path, v)), nil
	}))
	mux := http.NewServeMux()
	mux.HandleFunc("/go/golang.org/toolchain/@v/", func(out http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, version.Version+".zip") || w.content == nil {
			http.NotFound(out, r)
			return
		}
		w.asked.Add(1)
		out.Write(w.content)
	})
	mux.HandleFunc("/go/sumdb/sums.example/supported", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/go/sumdb/sums.example/", http.StripPrefix("/go/sumdb/sums.example", database))
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	return w
}

// store returns a store that knows the real hash, unless it is told another.
func (w *world) store(t *testing.T, environ ...string) *Store {
	system, architecture, _ := strings.Cut(platform, "-")
	return &Store{
		Dir: t.TempDir(), GOOS: system, GOARCH: architecture, hash: hashOf(t, w.content), verifier: w.key,
		Environ: append([]string{"GOENV=off", "GOPROXY=" + w.server.URL + "/go"}, environ...),
	}
}

func TestFetch(t *testing.T) {
	w := newWorld(t, archive(t, "the go command"))
	s := w.store(t)
	if path, ok := s.Path(); ok {
		t.Errorf("there is %s before it is fetched", path)
	}
	var done, total int64
	s.Progress = func(d, n int64) { done, total = d, n }
	for range 2 { // the second time, it is there
		path, err := s.Fetch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != "the go command" {
			t.Errorf("the go command is %q, %v", content, err)
		}
	}
	if done != int64(len(w.content)) || total != done {
		t.Errorf("progress ends at %d of %d, want %d", done, total, len(w.content))
	}
	if w.asked.Load() != 1 || w.looked.Load() != 1 {
		t.Errorf("asked %d times for the archive and %d times for its hash, want once", w.asked.Load(), w.looked.Load())
	}
	path, _ := s.Path()
	root := filepath.Dir(filepath.Dir(path))
	for _, name := range []string{"src/go.mod", "src/cmd/go.mod", "src/fmt/print.go", "src/internal/trace/testdata/_go.mod.x"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]bool{"bin/go": true, "pkg/tool/plan9_mips/compile": true, "lib/wasm/go_js_wasm_exec": true, "src/fmt/print.go": false} {
			info, err := os.Stat(filepath.Join(root, name))
			if err != nil || (info.Mode()&0o111 != 0) != want {
				t.Errorf("%s: mode %v, %v; executable %v expected", name, info.Mode(), err, want)
			}
		}
	}
	if left, err := os.ReadDir(s.Dir); err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, want the toolchain and the state of the database", left)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Errorf("the toolchain cannot be removed: %v", err)
	}
}

// What must not be used is refused, and leaves nothing behind.
func TestFetchRefused(t *testing.T) {
	real, forged := archive(t, "real"), archive(t, "forged")
	dead := httptest.NewServer(nil)
	dead.Close()
	for _, test := range []struct {
		name    string
		environ []string
		change  func(w *world, s *Store)
		want    string
		off     bool
	}{
		{name: "forged by the proxy", change: func(w *world, s *Store) { w.content = forged }, want: "is not the real one"},
		{name: "another hash in the database", change: func(w *world, s *Store) { w.sums = "h1:other" }, want: "the checksum database has h1:other"},
		{name: "a database with another key", change: func(w *world, s *Store) {
			_, s.verifier, _ = note.GenerateKey(nil, "sums.example")
		}, want: "ask the checksum database"},
		{name: "no database and no known hash", environ: []string{"GOSUMDB=off"}, change: func(w *world, s *Store) { s.hash = "" }, want: "wfc knows no hash"},
		{name: "not in the proxy", change: func(w *world, s *Store) { w.content = nil }, want: "404 Not Found"},
		{name: "not an archive", change: func(w *world, s *Store) { w.content = []byte("<html>") }, want: "read the archive"},
		{name: "a dead proxy", environ: []string{"GOPROXY=" + dead.URL}, want: "connection refused"},
		{name: "GOTOOLCHAIN=local", environ: []string{"GOTOOLCHAIN=local"}, want: "GOTOOLCHAIN=local does not allow wfc to download Go", off: true},
		{name: "GOTOOLCHAIN=path", environ: []string{"GOTOOLCHAIN=path"}, want: "GOTOOLCHAIN=path does not allow wfc to download Go", off: true},
		{name: "GOTOOLCHAIN=go1.26.0+path", environ: []string{"GOTOOLCHAIN=go1.26.0+path"}, want: "+path does not allow wfc to download Go", off: true},
		{name: "GOPROXY=off", environ: []string{"GOPROXY=off"}, want: "GOPROXY=off does not allow wfc to download Go", off: true},
		{name: "a faulty proxy", environ: []string{"GOPROXY=" + dead.URL + ",https://me:secret@[x"}, want: "GOPROXY has an address that is not a URL"},
		{name: "GOPROXY=direct", environ: []string{"GOPROXY=direct"}, want: "GOPROXY=direct does not allow wfc to download Go", off: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, real)
			s := w.store(t, test.environ...)
			if test.change != nil {
				test.change(w, s)
			}
			path, err := s.Fetch(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("fetched %s, error %v, want %q", path, err, test.want)
			}
			var off *OffError
			if errors.As(err, &off) != test.off {
				t.Errorf("the error is %T", err)
			}
			if _, ok := s.Path(); ok {
				t.Error("the toolchain is there all the same")
			}
			if left, err := filepath.Glob(filepath.Join(s.Dir, "fetch-*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// The next proxy is asked if one lacks the toolchain, or, behind a bar, after each error.
func TestProxies(t *testing.T) {
	w := newWorld(t, archive(t, "real"))
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusBadGateway) }))
	defer broken.Close()
	good := w.server.URL + "/go"
	for _, test := range []struct {
		list string
		ok   bool
	}{
		{empty.URL + "," + good, true},
		{empty.URL + "," + good + ",direct", true},
		{"direct," + good, true},
		{broken.URL + "," + good, false},
		{broken.URL + "|" + good, true},
		{broken.URL + "|" + empty.URL + "," + good, true},
		{empty.URL + ",off," + good, false},
	} {
		s := w.store(t, "GOPROXY="+test.list)
		if _, err := s.Fetch(t.Context()); (err == nil) != test.ok {
			t.Errorf("GOPROXY=%s: %v", strings.ReplaceAll(test.list, "127.0.0.1", "host"), err)
		}
	}
}

// A proxy may be a folder, and the checksum database may be excepted.
func TestFolder(t *testing.T) {
	w := newWorld(t, archive(t, "real"))
	dir := t.TempDir()
	path := filepath.Join(dir, "golang.org", "toolchain", "@v", version.Version+".zip")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, w.content, 0o644); err != nil {
		t.Fatal(err)
	}
	url := "file://" + filepath.ToSlash(dir)
	if runtime.GOOS == "windows" {
		url = "file:///" + filepath.ToSlash(dir)
	}
	for _, except := range []string{"GOSUMDB=off", "GONOSUMDB=golang.org/*", "GOPRIVATE=golang.org/toolchain"} {
		s := w.store(t, "GOPROXY="+url, except)
		if _, err := s.Fetch(t.Context()); err != nil {
			t.Errorf("%s: %v", except, err)
		}
	}
	if n := w.looked.Load(); n != 0 {
		t.Errorf("the database was asked %d times", n)
	}
}

// A password of a proxy is in no message.
func TestPassword(t *testing.T) {
	w := newWorld(t, archive(t, "real"))
	for _, address := range []string{strings.Replace(w.server.URL, "http://", "http://me:secret@", 1), "http://me:secret@127.0.0.1:1", "http://me:secret@[::bad"} {
		s := w.store(t)
		s.Environ = []string{"GOENV=off", "GOPROXY=" + address + "/nothing"}
		if _, err := s.Fetch(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v", err)
		}
	}
}

// A machine without certificates of authorities is told which package has them.
func TestNoCertificates(t *testing.T) {
	w := newWorld(t, archive(t, "real"))
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s := w.store(t)
	s.Environ = []string{"GOENV=off", "GOPROXY=" + server.URL}
	if _, err := s.Fetch(t.Context()); err == nil || !strings.Contains(err.Error(), "package ca-certificates") {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	w := newWorld(t, archive(t, "real"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.store(t).Fetch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// `go env -w` writes settings to a file; the environment has the last word.
func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("# by hand\nGOPROXY=https://one.example\nGOSUMDB=off\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := readSettings([]string{"GOENV=" + file, "GOSUMDB=sum.golang.org"})
	if got["GOPROXY"] != "https://one.example" || got["GOSUMDB"] != "sum.golang.org" {
		t.Errorf("settings %v", got)
	}
	if got := readSettings([]string{"GOENV=off"}); got["GOPROXY"] != "" {
		t.Errorf("settings %v", got)
	}
	if _, err := os.ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

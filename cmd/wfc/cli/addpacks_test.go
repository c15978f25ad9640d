//go:build unix

package cli

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A packOrigin is a git repository that a hostile author makes with git's plumbing.
type packOrigin struct {
	t   *testing.T
	dir string
}

func newPackOrigin(t *testing.T) *packOrigin {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this test needs git")
	}
	o := &packOrigin{t, filepath.Join(t.TempDir(), "origin")}
	if err := os.Mkdir(o.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	o.git("", "init", "-q", "-b", "main", ".")
	return o
}

func (o *packOrigin) git(input string, args ...string) string {
	o.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir, cmd.Stdin = o.dir, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (o *packOrigin) blob(content string) string {
	return o.git(content, "hash-object", "-w", "--stdin")
}

// tree writes a tree of entries "MODE NAME ID", which git does not check.
func (o *packOrigin) tree(entries ...[3]string) string {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s\x00", e[0], e[1])
		for i := 0; i < len(e[2]); i += 2 {
			var octet byte
			if _, err := fmt.Sscanf(e[2][i:i+2], "%02x", &octet); err != nil {
				o.t.Fatal(err)
			}
			b.WriteByte(octet)
		}
	}
	return o.git(b.String(), "hash-object", "-w", "-t", "tree", "--stdin", "--literally")
}

// tag gives a tree a commit and a tag.
func (o *packOrigin) tag(tag, tree string) {
	o.git("", "tag", tag, o.git("m", "commit-tree", tree))
}

// addPackHere runs `wfc add` in a new project and returns its exit code, its output, and the files of
// the project.
func addPackHere(t *testing.T, env []string, args ...string) (code int, out, files string) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], append([]string{"add"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "WFC_TEST_AS_WFC=1", "PWD="+dir), env...)
	text, _ := cmd.CombinedOutput()
	var list []string
	_ = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		list = append(list, strings.TrimPrefix(name, dir))
		return err
	})
	return cmd.ProcessState.ExitCode(), string(text), strings.Join(list[1:], " ")
}

// Whatever a commit contains, a refused pack leaves no file behind, neither in the project nor
// outside.
func TestHostilePacks(t *testing.T) {
	o := newPackOrigin(t)
	text := o.blob("name: a\ndescription: d\nnodes:\n  - {id: one, bash: echo hi}\n")
	file := func(name string) [3]string { return [3]string{"100644", name, text} }
	folder := func(name, id string) [3]string { return [3]string{"40000", name, id} }
	huge := filepath.Join(o.dir, "huge")
	if f, err := os.Create(huge); err != nil || f.Truncate(17<<20) != nil || f.Close() != nil {
		t.Fatal(err)
	}
	hooks := o.tree([3]string{"100755", "post-checkout", text})
	for i, test := range []struct{ tree, want string }{
		{o.tree(file("a.yaml"), [3]string{"120000", "link", o.blob("/etc/passwd")}), "`link` is a symbolic link"},
		{o.tree(file("a.yaml"), [3]string{"160000", "module", strings.Repeat("12", 20)}), "`module` is a submodule"},
		{o.tree(folder(".git", o.tree(folder("hooks", hooks))), file("a.yaml")), "is data of git"},
		{o.tree(folder("..", o.tree(file("x.yaml"))), file("a.yaml")), "is not a path inside the pack"},
		{o.tree(file("/tmp/x.yaml")), "is not a path inside the pack"},
		{o.tree(file("A.yaml"), file("a.yaml")), "are one file"},
		{o.tree(file("a.yaml"), file("a.yaml")), "exists twice"},
		{o.tree(file("a.yaml"), file("com1.md")), "is the name of a device"},
		{o.tree(file("a.yaml"), [3]string{"100644", "big.bin", o.git("", "hash-object", "-w", huge)}), "`big.bin` is larger than 16 MiB"},
		{o.tree(file("a.yaml"), [3]string{"100644", "lfs.bin", o.blob("version https://git-lfs.github.com/spec/v1\n")}), "is a pointer of Git LFS"},
		{o.tree(), "it has no files"},
	} {
		tag := fmt.Sprint("v", i)
		o.tag(tag, test.tree)
		filters := []string{"false", "true"}
		if !strings.Contains(test.want, "larger") {
			filters = filters[1:]
		}
		for _, filter := range filters {
			o.git("", "config", "uploadpack.allowFilter", filter)
			code, out, files := addPackHere(t, nil, o.dir+"@"+tag, "--yes", "--name", "x")
			if code != ExitUsage || !strings.Contains(out, test.want) || files != "" {
				t.Errorf("%s: exit code %d, files %q\n%s", test.want, code, files, out)
			}
		}
	}
	// A configuration in the pack, and files that start programs elsewhere, stay behind.
	program := [3]string{"100644", ".gitattributes", o.blob("* filter=any\n")}
	o.tag("left", o.tree(program, [3]string{"100644", ".gitmodules", text}, file("WFC.yaml"), file("a.yaml"), file("wfc.lock")))
	code, out, files := addPackHere(t, nil, o.dir+"@left", "--yes", "--name", "x")
	if want := "/packs /packs/x /packs/x/.gitattributes /packs/x/a.yaml /wfc.lock"; code != 0 || files != want {
		t.Errorf("exit code %d, files %q\n%s", code, files, out)
	}
}

// Packs come over https, from servers with and without filters, and never over http.
func TestPackOverHTTPS(t *testing.T) {
	o := newPackOrigin(t)
	paths, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(paths)), "git-http-backend")
	if _, missing := os.Stat(backend); err != nil || missing != nil {
		t.Skip("this test needs git-http-backend")
	}
	o.tag("v1", o.tree([3]string{"100644", "a.yaml", o.blob("name: a\ndescription: d\nnodes:\n  - {id: one, bash: echo hi}\n")}))
	commit := o.git("", "rev-parse", "v1")
	serve := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(o.dir), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER="}, InheritEnv: []string{"PATH"}}
	plainly := httptest.NewServer(serve)
	defer plainly.Close()
	asked := make(chan bool, 1)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		switch {
		case strings.HasPrefix(r.URL.Path, "/silent/"):
			asked <- true
			<-r.Context().Done()
			return
		case strings.HasPrefix(r.URL.Path, "/private/") && password != "secret":
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/private")
		if strings.HasPrefix(r.URL.Path, "/moved/") {
			http.Redirect(w, r, plainly.URL+strings.TrimPrefix(r.URL.String(), "/moved"), http.StatusFound)
			return
		}
		r.Header.Set("Git-Protocol", "version=2")
		serve.ServeHTTP(w, r)
	}))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	trust := []string{"GIT_SSL_CAINFO=" + ca, "HTTPS_PROXY=", "https_proxy=", "GIT_TERMINAL_PROMPT=1"}
	for _, filter := range []string{"false", "true"} {
		o.git("", "config", "uploadpack.allowFilter", filter)
		for _, version := range []string{"v1", commit} {
			code, out, files := addPackHere(t, trust, server.URL+"/origin@"+version, "--yes")
			if want := "/packs /packs/origin /packs/origin/.gitattributes /packs/origin/a.yaml /wfc.lock"; code != 0 || files != want {
				t.Errorf("filter %s, %s: exit code %d, files %q\n%s", filter, version, code, files, out)
			}
		}
	}
	helper := func(password string) []string {
		return append(trust, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.helper", "GIT_CONFIG_VALUE_0=!f() { echo username=a; echo password="+password+"; }; f")
	}
	code, out, files := addPackHere(t, helper("secret"), server.URL+"/private/origin@v1", "--yes")
	if code != 0 || !strings.HasSuffix(files, "/wfc.lock") {
		t.Errorf("a private repository: exit code %d, files %q\n%s", code, files, out)
	}
	for name, test := range map[string]struct {
		env          []string
		source, want string
	}{
		"an unknown certificate": {trust[1:], "/origin@v1", "http.sslCAInfo FILE"},
		"a redirection to http":  {trust, "/moved/origin@v1", ""},
		"an unknown repository":  {trust, "/none@v1", ""},
		"no password":            {trust, "/private/origin@v1", "wfc never asks for a password: give git a credential helper"},
		"a wrong password":       {helper("wrong"), "/private/origin@v1", "give git a credential helper"},
	} {
		code, out, files := addPackHere(t, test.env, server.URL+test.source, "--yes")
		if code != ExitUsage || files != "" || !strings.Contains(out, "wfc: fetch "+server.URL) || !strings.Contains(out, test.want) {
			t.Errorf("%s: exit code %d, files %q\n%s", name, code, files, out)
		}
	}

	// A signal ends the wait for a server that says nothing.
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "add", server.URL+"/silent/origin@v1", "--yes")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "WFC_TEST_AS_WFC=1", "PWD="+dir), trust...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	left, err := os.ReadDir(dir)
	if code := cmd.ProcessState.ExitCode(); code != ExitInterrupted || err != nil || len(left) > 0 {
		t.Errorf("interrupted: exit code %d, files %v, %v", code, left, err)
	}
	server.CloseClientConnections()
}

package build_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/cmd/wfc/build/toolchain"
	"github.com/wfc-lang/wfc/gen"
)

func TestToolchain(t *testing.T) {
	// The oldest release that will do is the one that go.mod asks for.
	mod, err := fs.ReadFile(wfc.Module, "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(mod), "\ngo ")
	minimum, _, _ := strings.Cut(rest, "\n")
	for _, test := range []struct{ name, script, want string }{
		{"none", "", "no `go` on PATH"},
		{"old", `echo go1.20.3`, "is go1.20.3 and cannot download a newer version"},
		{"very old", `echo`, "is older than go1.16"},
		{"broken", `echo the disk is gone >&2; exit 3`, "the disk is gone"},
		{"names the version", `echo go1.2`, "Go " + minimum + " or newer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder(t, smallModule())
			b.GoDirs = []string{}
			b.Environ = append(without(b.Environ, "PATH", "GOROOT", "GOPROXY", "GOTOOLCHAIN"), "PATH=/nonesuch", "GOENV=off", "GOPROXY=off")
			if test.script != "" {
				b.GoDirs = []string{fakeGo(t, test.script)}
			}
			err := b.Build(t.Context(), greeting(`""`), filepath.Join(t.TempDir(), "program"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("building: %v", err)
			}
		})
	}
}

// A builder without Go says why it fetches none.
func TestNoFetch(t *testing.T) {
	for _, test := range []struct {
		environ   string
		installed bool
		want      string
	}{
		{"GOPROXY=off", false, "no `go` on PATH\n  and GOPROXY=off does not allow wfc to download Go\n  Install Go"},
		{"GOTOOLCHAIN=local", false, "GOTOOLCHAIN=local does not allow wfc to download Go"},
		{"GOPROXY=off", true, "`toolchain: local` in wfc.yaml does not allow wfc to download Go"},
	} {
		b := newBuilder(t, smallModule())
		b.GoDirs, b.InstalledOnly = []string{}, test.installed
		b.Environ = append(without(b.Environ, "PATH", "GOROOT", "GOPROXY", "GOTOOLCHAIN"), "PATH=/nonesuch", "GOENV=off", test.environ)
		err := b.Build(t.Context(), greeting(`""`), filepath.Join(t.TempDir(), "program"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.environ, err, test.want)
		}
		if path, _, _, err := b.GoCommand(t.Context()); path != "" || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: found %s, %v", test.environ, path, err)
		}
	}
	b := newBuilder(t, smallModule()) // one that may fetch Go does not do so to look
	b.GoDirs = []string{}
	b.Environ = append(without(b.Environ, "PATH", "GOROOT", "GOPROXY", "GOTOOLCHAIN"), "PATH=/nonesuch", "GOENV=off", "GOPROXY=http://127.0.0.1:1")
	if path, _, _, err := b.GoCommand(t.Context()); path != "" || err != nil {
		t.Errorf("found %s, %v", path, err)
	}
	if err := b.Build(t.Context(), greeting(`""`), filepath.Join(t.TempDir(), "program")); err == nil || !strings.Contains(err.Error(), "\n  and wfc cannot download it: ") || !strings.Contains(err.Error(), "use wfc-full") {
		t.Errorf("building without a network: %v", err)
	}
}

// A Go that was fetched before is used where none is installed, or only an old one, and not
// where the project wants an installed one.
func TestFetched(t *testing.T) {
	real := goCommand(t)
	for _, installed := range []string{"", `echo go1.20.3`} {
		b := newBuilder(t, smallModule())
		fetched := filepath.Join(b.Cache, "toolchain", toolchain.Version+"."+runtime.GOOS+"-"+runtime.GOARCH, "bin", "go")
		if err := os.MkdirAll(filepath.Dir(fetched), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(fakeGo(t, `unset GOROOT; exec '`+real+`' "$@"`), "go"), fetched); err != nil {
			t.Fatal(err)
		}
		b.GoDirs = []string{}
		b.Environ = append(without(b.Environ, "PATH", "GOROOT", "GOPROXY", "GOTOOLCHAIN"), "PATH=/nonesuch", "GOROOT=/old", "GOPROXY=off")
		if installed != "" {
			b.GoDirs = []string{fakeGo(t, installed)}
		}
		if got := output(t, mustBuild(t, b, greeting(`" fetched"`))); got != "hello fetched" {
			t.Errorf("the program prints %q", got)
		}
		if path, found, own, err := b.GoCommand(t.Context()); path != fetched || !own || !strings.HasPrefix(found, "go1.") || err != nil {
			t.Errorf("found %s, %s, own %v, %v", path, found, own, err)
		}
		b.InstalledOnly = true
		if err := b.Build(t.Context(), greeting(`""`), filepath.Join(t.TempDir(), "program")); err == nil {
			t.Error("the fetched Go is used although the project wants an installed one")
		}
	}
}

// An old go command that may get a newer one is used when it does.
func TestToolchainSwitch(t *testing.T) {
	real := goCommand(t)
	b := newBuilder(t, smallModule())
	b.Environ = append([]string{"PATH=" + fakeGo(t, `if [ "$GOTOOLCHAIN" = local ]; then echo go1.24.1; exit; fi
exec '`+real+`' "$@"`)}, without(b.Environ, "PATH", "GOTOOLCHAIN")...)
	if got := output(t, mustBuild(t, b, greeting(`" switch"`))); got != "hello switch" {
		t.Errorf("the program prints %q", got)
	}
}

// Code that does not compile is wfc's fault; the positions are the workflow's.
func TestCompileError(t *testing.T) {
	b := newBuilder(t, smallModule())
	files := []gen.File{{Name: "main.go", Content: []byte("package main\n\nfunc main() {\n//line flow.yaml:7:3\nundefinedName()\n}\n")}}
	err := b.Build(t.Context(), files, filepath.Join(t.TempDir(), "program"))
	var fault *build.CompileError
	if !errors.As(err, &fault) || !strings.HasPrefix(fault.Output, "flow.yaml:7:3: undefined: undefinedName") {
		t.Errorf("building code that does not compile: %v", err)
	}
	if err != nil && !strings.Contains(err.Error(), "internal error") {
		t.Errorf("the message does not take the blame: %v", err)
	}
}

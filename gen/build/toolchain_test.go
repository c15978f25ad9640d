package build_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/gen/build"
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
		{"names the version", `echo go1.2`, "go" + minimum + " or newer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBuilder(t, smallModule())
			b.GoDirs = []string{}
			b.Environ = append(without(b.Environ, "PATH", "GOROOT"), "PATH=/nonesuch")
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
	files := []build.File{{Name: "main.go", Content: []byte("package main\n\nfunc main() {\n//line flow.yaml:7:3\nundefinedName()\n}\n")}}
	err := b.Build(t.Context(), files, filepath.Join(t.TempDir(), "program"))
	var fault *build.CompileError
	if !errors.As(err, &fault) || !strings.HasPrefix(fault.Printed, "flow.yaml:7:3: undefined: undefinedName") {
		t.Errorf("building code that does not compile: %v", err)
	}
	if err != nil && !strings.Contains(err.Error(), "internal error") {
		t.Errorf("the message does not take the blame: %v", err)
	}
}

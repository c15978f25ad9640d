//go:build unix

package program_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// install writes a program for the system's shell into a folder.
func install(t *testing.T, dir, name, script string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"claude", "opencode", "my agent", "mine"} {
		install(t, dir, name, "true")
	}
	environ := []string{"PATH=" + dir}
	for _, test := range []struct {
		choice settings.Agent
		path   string
		args   []string
	}{
		{settings.Agent{Name: "claude", Kind: "claude"}, "claude", nil},
		{settings.Agent{Name: "reviewer", Kind: "claude"}, "claude", nil},
		{settings.Agent{Name: "opencode", Kind: "acp"}, "opencode", []string{"acp"}},
		{settings.Agent{Name: "opencode", Kind: "acp", Args: []string{"-x"}}, "opencode", []string{"-x"}},
		{settings.Agent{Name: "claude", Kind: "claude", Program: "mine -a  b"}, "mine", []string{"-a", "b"}},
		{settings.Agent{Name: "claude", Kind: "claude", Program: "my agent", Args: []string{}}, "my agent", nil},
		{settings.Agent{Name: "opencode", Kind: "acp", Program: filepath.Join(dir, "mine")}, "mine", nil},
		{settings.Agent{Name: "claude", Kind: "claude", Program: "./mine"}, "mine", nil},
	} {
		p, err := program.Find(test.choice, environ, dir)
		if err != nil || p.Path != filepath.Join(dir, test.path) || !slices.Equal(p.Args, test.args) {
			t.Errorf("%+v: got %+v, %v", test.choice, p, err)
		}
	}
}

func TestFindWithout(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "codex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, choice := range map[string]settings.Agent{
		"agent `claude`: the program `claude` is not on PATH; install it with `npm install -g @anthropic-ai/claude-code`, or set its path as `program`": {Name: "claude", Kind: "claude"},
		"agent `opencode`: the program `opencode` is not on PATH; install it with `npm install -g opencode-ai`":                                         {Name: "opencode", Kind: "acp"},
		"agent `c`: the program `./none` does not exist (searched from " + dir + ")":                                                                    {Name: "c", Kind: "claude", Program: "./none"},
		"agent `x`: cannot start `codex`: it is not executable":                                                                                         {Name: "x", Kind: "codex"},
		"agent `x` has no program to start": {Name: "x", Kind: "acp"},
		"agent `y` has no program to start": {Name: "y", Kind: "claude", Program: " "},
	} {
		_, err := program.Find(choice, []string{"PATH=" + dir}, dir)
		var f *flow.Failure
		if !errors.As(err, &f) || f.Class != flow.ClassFatal || f.Reason != "start" || !strings.Contains(f.Message, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestVersionsAreAskedOnce(t *testing.T) {
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	path := install(t, dir, "p", `echo x >>"`+count+`"; echo "p 1.2.3"`)
	p, err := program.Find(settings.Agent{Name: "p", Kind: "claude", Program: path}, os.Environ(), dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := func() int {
		text, _ := os.ReadFile(count)
		return len(text) / 2
	}
	var k program.Versions
	for range 3 {
		v, err := k.Least(t.Context(), p, os.Environ(), dir, program.Version{Major: 1})
		if err != nil || v.String() != "1.2.3" {
			t.Fatal(v, err)
		}
	}
	if asked() != 1 {
		t.Errorf("asked %d times", asked())
	}
	// Another file is another program.
	install(t, dir, "p", `echo x >>"`+count+`"; echo "the new p 1.2.4"`)
	_, err = k.Least(t.Context(), p, os.Environ(), dir, program.Version{Major: 1, Minor: 3})
	var f *flow.Failure
	if asked() != 2 || !errors.As(err, &f) || f.Class != flow.ClassFatal ||
		!strings.Contains(f.Message, "is version 1.2.4, and wfc needs 1.3.0 or newer; update it with `npm install -g @anthropic-ai/claude-code`") {
		t.Errorf("asked %d times: %v", asked(), err)
	}
}

// What a program cannot say of itself keeps nobody from trying it.
func TestWithoutAVersion(t *testing.T) {
	dir := t.TempDir()
	for script, want := range map[string]string{
		"echo hello":           "`p --version` names no version: hello",
		"echo why >&2; exit 3": "`p --version` failed [exit 3]: why",
	} {
		p := &program.Program{Path: install(t, dir, "p", script), Name: "p"}
		if _, _, err := p.Version(t.Context(), os.Environ(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		var k program.Versions
		if v, err := k.Least(t.Context(), p, os.Environ(), dir, program.Version{Major: 9}); err != nil || v != (program.Version{}) {
			t.Errorf("%s: %v %v", script, v, err)
		}
	}
}

func TestArgumentsOfBatchFiles(t *testing.T) {
	batch, exe := &program.Program{Path: `C:\npm\claude.CMD`}, &program.Program{Path: `C:\claude.exe`}
	for arg, safe := range map[string]bool{"--model": true, "a b": true, `{"a":1}`: false, "a&calc": false, "%PATH%": false, "a\nb": false} {
		if err := batch.Guard([]string{"-p", arg}); (err == nil) != safe {
			t.Errorf("%q: %v", arg, err)
		}
		if err := exe.Guard([]string{arg}); err != nil {
			t.Errorf("%q: %v", arg, err)
		}
	}
}

func TestAllow(t *testing.T) {
	for _, test := range [][4]string{
		{"safe", "", "", "Set `permission: edit` or `permission: all` of agent `a` in wfc.yaml"},
		{"edit", "or", "name it", "Set `permission: all` of agent `a` in wfc.yaml, or name it"},
		{"all", "", "", "Its own settings deny it"},
		{"all", "or", "name it", "Its own settings deny it, or name it"},
	} {
		if got := program.Allow("a", test[0], test[2]); got != test[3] {
			t.Errorf("%q: %q", test, got)
		}
	}
}

func TestPermission(t *testing.T) {
	for _, test := range []struct{ kind, written, want string }{
		{"claude", "", "safe"}, {"codex", "edit", "edit"}, {"acp", "all", "all"}, {"claude", "root", ""}, {"anthropic", "safe", ""},
	} {
		got, err := program.Permission(settings.Agent{Kind: test.kind, Permission: test.written})
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v: %q, %v", test, got, err)
		}
	}
}

package install

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestPins(t *testing.T) {
	pins, err := Pins()
	if err != nil || len(pins) == 0 {
		t.Fatalf("%v, %v", pins, err)
	}
	for _, test := range []struct{ text, err string }{
		{"a 1.0.0\n", "agents.txt:1: want a name"},
		{"# a comment\n\na 1.0.0 @scope/a\n", "agents.txt:3: the package @scope/a has no version"},
		{"a 1.0.0 a@1.0.0\na 1.0.0 a@1.0.0\n", "agents.txt:2: a-1.0.0 is pinned twice"},
	} {
		if _, err := parse(test.text); err == nil || !strings.HasPrefix(err.Error(), test.err) {
			t.Errorf("%q: %v, want %s", test.text, err, test.err)
		}
	}
}

// npm puts a program in npm's place on PATH: it writes to standard output, and runs
// the script.
func npm(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("npm is a shell script here")
	}
	dir := t.TempDir()
	text := "#!/bin/sh\nwhile [ \"$1\" != --prefix ]; do shift; done\ndir=$2\n" + script
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

const lock = `mkdir -p $dir/node_modules
echo '{"packages":{"node_modules/@scope/a":{"version":"1.0.0"}}}' >$dir/node_modules/.package-lock.json
`

var pin = Pin{Name: "a", Version: "1.0.0", Packages: []string{"@scope/a@1.0.0"}}

func TestEnsure(t *testing.T) {
	cache := t.TempDir()
	said := 0
	say := func(string, ...any) { said++ }
	npm(t, lock)
	for range 2 {
		if err := pin.Ensure(t.Context(), cache, say); err != nil || !pin.Installed(cache) {
			t.Fatal(err)
		}
	}
	if said != 1 {
		t.Errorf("installed %d times, want once", said)
	}
}

// TestEnsureFails tells a machine without a network from a pin that is wrong. An
// interrupted installation leaves nothing.
func TestEnsureFails(t *testing.T) {
	for _, test := range []struct {
		name, script, err string
		unavailable       bool
	}{
		{"offline", "echo 'npm error code ENOTFOUND'; exit 1\n", "npm cannot reach its registry (ENOTFOUND)", true},
		{"no such version", "echo 'npm error code ETARGET'; exit 1\n", "ETARGET", false},
		{"another version", strings.ReplaceAll(lock, "1.0.0", "1.0.1"), "other versions", false},
		{"interrupted", "mkdir -p $dir/node_modules; kill $$\n", "install a-1.0.0", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache := t.TempDir()
			npm(t, test.script)
			err := pin.Ensure(t.Context(), cache, func(string, ...any) {})
			if err == nil || !strings.Contains(err.Error(), test.err) || errors.Is(err, ErrUnavailable) != test.unavailable {
				t.Errorf("%v, want %s", err, test.err)
			}
			if left, _ := os.ReadDir(cache); len(left) > 0 || pin.Installed(cache) {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestNoNPM(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := pin.Ensure(t.Context(), t.TempDir(), func(string, ...any) {}); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/trust"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stranger is a user that nobody on a test's machine is.
const stranger = 54321

// asRoot skips a test that gives files to others, which only root may.
func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
}

func TestOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o600))
	info, err := os.Stat(path)
	must(t, err)
	if owner, foreign := trust.Owner(info); foreign {
		t.Errorf("an own file belongs to %s", owner)
	}
	asRoot(t)
	must(t, os.Chown(path, stranger, stranger))
	info, err = os.Stat(path)
	must(t, err)
	if owner, foreign := trust.Owner(info); !foreign || owner != "user 54321" {
		t.Errorf("%q %v", owner, foreign)
	}
	t.Setenv("SUDO_UID", "54321")
	if _, foreign := trust.Owner(info); foreign {
		t.Error("what belongs to the caller of sudo is somebody else's")
	}
}

func TestFolder(t *testing.T) {
	for name, test := range map[string]struct {
		make func(dir string) error // dir is not there yet
		want string
		root bool
	}{
		"not there":           {func(string) error { return nil }, "", false},
		"its own":             {func(d string) error { return os.Mkdir(d, 0o700) }, "", false},
		"readable by all":     {func(d string) error { return os.Mkdir(d, 0o755) }, "", false},
		"a link to an own":    {func(d string) error { return os.Symlink(filepath.Dir(d), d) }, "", false},
		"with entries":        {func(d string) error { return os.MkdirAll(filepath.Join(d, "runs"), 0o700) }, "", false},
		"writable by all":     {func(d string) error { _ = os.Mkdir(d, 0o700); return os.Chmod(d, 0o777) }, "others can write to it; run `chmod go-w ", false},
		"a file":              {func(d string) error { return os.WriteFile(d, nil, 0o600) }, "it is not a folder", false},
		"a link that dangles": {func(d string) error { return os.Symlink(d+"-none", d) }, "a broken link", false},
		"an entry is a link":  {func(d string) error { _ = os.Mkdir(d, 0o700); return os.Symlink("/tmp", filepath.Join(d, "runs")) }, "runs is not used: it is a symbolic link", false},
		"somebody else's":     {func(d string) error { _ = os.Mkdir(d, 0o700); return os.Chown(d, stranger, stranger) }, "it belongs to user 54321", true},
		"somebody else's link": {func(d string) error {
			return firstError(os.Symlink(filepath.Dir(d), d), os.Lchown(d, stranger, stranger))
		}, "it belongs to user 54321", true},
		"somebody else's entry": {func(d string) error {
			runs := filepath.Join(d, "runs")
			return firstError(os.MkdirAll(runs, 0o700), os.Chown(runs, stranger, stranger))
		}, "runs is not used: it belongs to user 54321", true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.root {
				asRoot(t)
			}
			dir := filepath.Join(t.TempDir(), "state")
			must(t, test.make(dir))
			err := trust.Folder(dir, "runs")
			if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Fatalf("%v, want %q", err, test.want)
			}
			t.Setenv("WFC_TRUST", "/none"+string(filepath.ListSeparator)+filepath.Dir(dir))
			if err := trust.Folder(dir, "runs"); err != nil {
				t.Errorf("trusted: %v", err)
			}
		})
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestAllowed(t *testing.T) {
	dir := t.TempDir()
	for value, want := range map[string]bool{"": false, "*": true, dir: true, filepath.Join(dir, "a.yaml"): true, filepath.Join(dir, "b.yaml"): false, dir + "x": false, "/": true} {
		t.Setenv("WFC_TRUST", value)
		if got := trust.Trusted(filepath.Join(dir, "a.yaml")); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}

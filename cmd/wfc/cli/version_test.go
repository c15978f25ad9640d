package cli

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/bundle"
	"github.com/wfc-lang/wfc/internal/formats"
)

// The page of each format names the versions that `wfc version` prints.
func TestFormatVersions(t *testing.T) {
	named := map[string]bool{}
	for _, f := range versionsOf(formats.All) {
		named[f.Format] = true
		page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "dialects", f.Format+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), cmp.Or(f.Commit, f.Text)) {
			t.Errorf("docs/dialects/%s.md does not name %s", f.Format, f.origin)
		}
	}
	for _, format := range compiler.Dialects() {
		if !named[format] {
			t.Errorf("no version of %s", format)
		}
	}
}

func TestUpgradeOf(t *testing.T) {
	checkout, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	archive := func(files ...string) string {
		dir := t.TempDir()
		for _, name := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	small := archive("LICENSES.txt", "share/man/man1/wfc.1")
	full := archive("LICENSES.txt", "share/man/man1/wfc.1", "lib/wfc/"+bundle.ManifestFile)
	env := func(name string) string {
		return map[string]string{"GOPATH": filepath.FromSlash("/gopath"), "GOBIN": filepath.FromSlash("/gobin")}[name]
	}
	for path, want := range map[string]string{
		"/opt/lib/node_modules/wfc/bin/wfc":         "npm install",
		"/opt/homebrew/Cellar/wfc/1.0/bin/wfc":      "brew upgrade wfc\n",
		"/opt/homebrew/Cellar/wfc-full/1.0/bin/wfc": "brew upgrade wfc-full",
		"/gopath/bin/wfc":                           "go install ",
		"/gobin/wfc":                                "go install ",
		"/usr/bin/wfc":                              "apt-get install ./wfc_VERSION_" + runtime.GOARCH + ".deb",
		"/srv/tools/wfc":                            "go install ",
		checkout + "/bin/wfc":                       " pull && make -C ",
		small + "/bin/wfc":                          " wfc_VERSION_" + runtime.GOOS + "_" + runtime.GOARCH,
		full + "/bin/wfc":                           " wfc-full_VERSION_" + runtime.GOOS + "_" + runtime.GOARCH,
	} {
		u := upgradeOf(filepath.FromSlash(path), env)
		if !strings.Contains(u.command+"\n", want) {
			t.Errorf("%s, %s: %s, want %q", path, u.installed, u.command, want)
		}
		if u.download != "" && !strings.Contains(u.command, u.download) {
			t.Errorf("%s: the command %s does not use the download %s", path, u.command, u.download)
		}
	}
}

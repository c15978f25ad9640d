package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/bundle"
)

// The page of each format names the versions that `wfc version` prints.
func TestFormatVersions(t *testing.T) {
	named := map[string]bool{}
	for _, f := range formatVersions {
		named[f.Format] = true
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", "dialects", f.Format+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), f.Commit) {
			t.Errorf("docs/dialects/%s.md does not name commit %s", f.Format, f.Commit)
		}
	}
	for _, format := range compiler.Dialects() {
		if !named[format] {
			t.Errorf("no version of %s", format)
		}
	}
}

func TestUpgradeOf(t *testing.T) {
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	unpacked := filepath.Join(t.TempDir(), "wfc")
	if err := os.MkdirAll(filepath.Join(unpacked, "lib", "wfc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(unpacked, "lib", "wfc", bundle.ManifestFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		return map[string]string{"GOPATH": filepath.FromSlash("/gopath"), "GOBIN": filepath.FromSlash("/gobin")}[name]
	}
	for path, want := range map[string]string{
		"/opt/lib/node_modules/wfc/bin/wfc": "npm install",
		"/opt/homebrew/Cellar/wfc/1.0/wfc":  "brew upgrade wfc",
		"/gopath/bin/wfc":                   "go install ",
		"/gobin/wfc":                        "go install ",
		"/usr/bin/wfc":                      "apt-get install",
		"/srv/tools/wfc":                    "go install ",
		checkout + "/bin/wfc":               " pull && make -C ",
		unpacked + "/bin/wfc":               "tar xzf wfc-full.tar.gz -C ",
	} {
		if how, command := upgradeOf(filepath.FromSlash(path), env); !strings.Contains(command, want) {
			t.Errorf("%s, %s: %s", path, how, command)
		}
	}
}

package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// SkipBuild skips tests that build workflows in short mode: the race detector,
// which tests run under in that mode, does not see into the programs.
func SkipBuild(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a workflow")
	}
}

// OutsideModule returns the files go.mod and go.sum of a module example.com/outside that
// requires the module in the folder repository, in which a test runs. Nothing has to be
// fetched for it.
func OutsideModule(t testing.TB, repository string) map[string][]byte {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	const module = "github.com/wfc-lang/wfc"
	mod := bytes.Replace(read("go.mod"), []byte("module "+module), []byte("module example.com/outside"), 1)
	return map[string][]byte{
		"go.mod": append(mod, "\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+repository+"\n"...),
		"go.sum": read("go.sum"),
	}
}

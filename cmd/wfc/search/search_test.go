package search_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
)

// A folder that goes while others are searched, such as a compiler's, is no failure; that the search
// begins at a folder that isn't there is one.
func TestYAMLOfFoldersThatGo(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/one.yaml", "b/two.yaml", "c/three.yaml"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	none := func(string) (bool, error) { return false, nil }
	var found []string
	err := search.YAML(dir, none, func(name string) error {
		found = append(found, filepath.Base(name))
		return os.RemoveAll(filepath.Join(dir, "b"))
	})
	if want := []string{"one.yaml", "three.yaml"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("found %v, %v", found, err)
	}
	if err := search.YAML(filepath.Join(dir, "b"), none, func(string) error { return nil }); err == nil {
		t.Error("a folder that isn't there is searched")
	}
}

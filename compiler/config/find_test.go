package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A wfc.yaml that lies above the repository is not used unless it is trusted.
func TestFind(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"above/repository/.git", "above/repository/flows", "above/plain/flows"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put := func(path string) {
		if err := os.WriteFile(filepath.Join(top, path), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("above/wfc.yaml")
	want := filepath.Join(top, "above/wfc.yaml")
	if got, err := Find(filepath.Join(top, "above/plain/flows")); got != want || err != nil {
		t.Errorf("outside of repositories: %q %v", got, err)
	}
	var foreign *foreignError
	if _, err := Find(filepath.Join(top, "above/repository/flows")); !errors.As(err, &foreign) || foreign.Path != want || !strings.Contains(err.Error(), "is outside the repository "+filepath.Join(top, "above/repository")+"; set WFC_TRUST="+want+" to use it") {
		t.Errorf("%v", err)
	}
	t.Setenv("WFC_TRUST", want)
	if got, err := Find(filepath.Join(top, "above/repository/flows")); got != want || err != nil {
		t.Errorf("trusted: %q %v", got, err)
	}
	t.Setenv("WFC_TRUST", "")
	put("above/repository/wfc.yaml")
	own := filepath.Join(top, "above/repository/wfc.yaml")
	if got, err := Find(filepath.Join(top, "above/repository/flows")); got != own || err != nil {
		t.Errorf("in the repository: %q %v", got, err)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	if err := os.Chown(own, 54321, 54321); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(filepath.Join(top, "above/repository/flows")); err == nil || !strings.Contains(err.Error(), "because it belongs to user 54321; set WFC_TRUST=") {
		t.Errorf("%v", err)
	}
}

package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/internal/explain"
)

// TestDocs keeps docs/checks.md in step with the codes.
func TestDocs(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "checks.md")
	got := []byte(explain.Page())
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/checks.md is stale; `make docs` writes it")
	}
}

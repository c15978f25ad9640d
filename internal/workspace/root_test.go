package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/internal/workspace"
)

func TestRoot(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".archon/commands", "p/.git", "p/sub/dir", "q/.archon/workflows/.git/x", "plain"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ file, home, want string }{
		{"p/sub/dir/a.yaml", top, "p"},
		{"q/.archon/workflows/.git/x/a.yaml", top, "q"},
		{"plain/a.yaml", "/nowhere", "."},
	} {
		if got := workspace.Root(filepath.Join(top, test.file), test.home); got != filepath.Join(top, test.want) {
			t.Errorf("Root(%s) = %s, want %s", test.file, got, test.want)
		}
	}
	if got := workspace.Root(filepath.Join(top, "plain/a.yaml"), top); got == top {
		t.Error("the home folder's .archon marks a project")
	}
}

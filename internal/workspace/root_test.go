package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/internal/workspace"
)

func TestRoot(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{".archon/commands", "p/.git", "p/sub/dir", "q/.archon/workflows/.git/x", "plain", "r/.git", "r/packs/kit/flows", "r/packs/kit/.archon/workflows/a", "s/.git", "s/packs/kit"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "r", "wfc.lock"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, home, want string }{
		{"r/packs/kit/flows/a.yaml", top, "r/packs/kit"},
		{"r/packs/kit/.archon/workflows/a/a.yaml", top, "r/packs/kit"},
		{"r/packs/a.yaml", top, "r"},
		{"r/a.yaml", top, "r"},
		{"s/packs/kit/a.yaml", top, "s"}, // without a lock, it is not a pack
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

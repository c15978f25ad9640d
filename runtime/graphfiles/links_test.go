package graphfiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A step can put links in the place of the task's folder, and of what is in it.
func TestLinksLeadNowhere(t *testing.T) {
	for _, name := range []string{"", "history", "earlier", "lock"} {
		t.Run("link "+name, func(t *testing.T) {
			d := newDesk(t)
			if name == "earlier" {
				d.write("state.json", "{")
			}
			outside := t.TempDir()
			kept := filepath.Join(outside, "kept")
			if err := os.WriteFile(kept, []byte("of a person"), 0o600); err != nil {
				t.Fatal(err)
			}
			link, to := filepath.Clean(d.path(name)), outside
			if name == "lock" {
				to = kept
			}
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, link); err != nil {
				t.Skip(err)
			}
			d.run.Graph = &flow.GraphOptions{Force: true}
			taken := d.take()
			saved := d.save(midway())
			text, err := os.ReadFile(kept)
			list, err2 := os.ReadDir(outside)
			if err != nil || err2 != nil || len(list) != 1 || string(text) != "of a person" {
				t.Errorf("outside: %q, %v, %v, %v", text, list, err, err2)
			}
			if taken == nil && saved.Failure == nil {
				t.Error("nothing fails")
			}
		})
	}
}

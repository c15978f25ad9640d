package artifact_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
)

// A step can put links into the folder for artifacts. What wfc writes there stays there.
func TestLinksInTheFolder(t *testing.T) {
	for _, link := range []string{"nodes", "nodes/a.md", "nodes/a.md.new", "nodes/a.meta.json"} {
		t.Run(link, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "outside")
			dir := t.TempDir()
			info := &flow.RunInfo{ID: "w-1", ArtifactsDir: dir}
			k := artifact.New(info, &flow.Definition{Name: "w", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash", ArtifactType: "report"}}})
			target := outside
			if link == "nodes" {
				if err := os.Mkdir(outside, 0o700); err != nil {
					t.Fatal(err)
				}
				target = filepath.Join(outside, "a.md")
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, link)); err != nil {
				t.Skip(err)
			}
			err := k.Keep(flow.Record{Key: "a", Text: "evil"})
			if _, missing := os.Stat(target); missing == nil {
				t.Errorf("it is written outside: %v", err)
			}
			if text, _ := os.ReadFile(filepath.Join(dir, "nodes", "a.md")); err == nil && string(text) != "evil" {
				t.Errorf("it is not written: %q", text)
			}
		})
	}
}

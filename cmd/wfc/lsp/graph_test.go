package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// TestGraph draws the sample of every dialect: each node in the picture has a range that
// starts with its declaration, also while the text is broken.
func TestGraph(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, s.name)
			c := connect(t, folder, nil)
			draw := func() (g *protocol.Graph) {
				t.Helper()
				c.call("wfc/graph", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(path)}}, &g)
				return g
			}
			if g := draw(); g != nil {
				t.Errorf("a file that is not open has the graph %q", g.Name)
			}
			c.open(path, s.text)
			g := draw()
			if g == nil || g.Stale || !strings.HasPrefix(g.SVG, "<svg ") {
				t.Fatalf("the graph is %+v", g)
			}
			i := slices.IndexFunc(g.Nodes, func(n protocol.GraphNode) bool { return n.Key == s.nodeName })
			if i < 0 || !strings.Contains(g.SVG, `<g data-node="`+s.nodeName+`" `) {
				t.Fatalf("%s is missing in %+v:\n%s", s.nodeName, g.Nodes, g.SVG)
			}
			for _, n := range g.Nodes {
				lines := strings.Split(s.text, "\n")
				if at := n.SelectionRange; !strings.Contains(lines[at.Start.Line], n.Key) || at.Start.Line < n.Range.Start.Line || at.End.Line > n.Range.End.Line {
					t.Errorf("%s is at %+v", n.Key, n)
				}
			}
			c.replace(path, 2, 0, 0, "a: [\n")
			if broken := draw(); broken == nil || !broken.Stale || broken.SVG != g.SVG {
				t.Errorf("the graph of the broken text is %+v", broken)
			}
		})
	}
}

package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// TestMeant checks that each question whether a name was meant has a quick fix, in every kind
// of file.
func TestMeant(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"w.yaml", "name: w\ndescription: d\nnodes:\n  - {id: a, bash: ls}\n  - {id: b, bash: ls, depends_on: [a], trigger_rule: one_sucess}\n", "trigger_rule: one_success"},
		{"w.yaml", "# wfc:ignored[WFC101] x\nname: w\ndescription: d\nnodes:\n  - {id: a, bash: ls}\n", "# wfc:ignore[WFC101] x"},
		{"w.yaml", "# wfc: dialect=archn\nname: w\ndescription: d\nnodes:\n  - {id: a, bash: ls}\n", "# wfc: dialect=archon"},
		{"wfc.yaml", "gates: tokens\n", "gates: token\n"},
		{"wfc.yaml", "storr: sqlite\n", "store: sqlite\n"},
		{"tested.test.yaml", "tests:\n  - name: a\n    expect: {status: complete}\n", "status: completed}"},
		{"tested.test.yaml", "tests:\n  - name: a\n    input: {area: b}\n", "inputs: {area: b}"},
		{"tested.test.yaml", "tests:\n  - name: a\n    expect: {ran: [repord]}\n", "ran: [report]"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "tested.yaml"), tested)
		file := filepath.Join(dir, test.file)
		c := connect(t, dir, nil)
		c.open(file, test.text)
		asked := false
		for _, d := range c.diagnostics(file, 1) {
			if !strings.Contains(d.Message, "did you mean") {
				continue
			}
			asked = true
			var actions []struct {
				Title       string
				Edit        struct{ DocumentChanges []protocol.TextDocumentEdit }
				IsPreferred bool
			}
			c.call("textDocument/codeAction", protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(file)}, Range: d.Range}, &actions)
			if len(actions) == 0 || !strings.HasPrefix(actions[0].Title, "Replace with") || actions[0].IsPreferred {
				t.Errorf("%q: the actions are %+v", d.Message, actions)
			} else if got := applied(t, test.text, actions[0].Edit.DocumentChanges[0].Edits); !strings.Contains(got, test.want) {
				t.Errorf("%q: the fix gives\n%s", d.Message, got)
			}
		}
		if !asked {
			t.Errorf("%s: nothing asks in\n%s", test.file, test.text)
		}
	}
}

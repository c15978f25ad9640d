package lsp_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// broken are faulty workflows of all dialects and a faulty configuration, with the slug,
// the faulty text, and a title of a code action.
var broken = []struct{ name, text, code, at, action string }{
	{"archon.yaml", "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo\n    depends_on: [b]\n  - id: bb\n    bash: echo\n", "WFC203", "b", "Replace with `a`"},
	{"graphloop.yaml", "workflow: w\nnodes:\n  a: {type: checkpoint, outputs: [done]}\nedges:\n  - {from: START, to: a}\n  - {from: aa, to: END}\n", "WFC203", "aa", ""},
	{"lango.yaml", "name: w\ndescription: d\nsteps:\n  - id: a\n    agent: executor\n    prompt: hi\n  - id: c\n    agent: executor\n    prompt: \"{{aa.result}}\"\n    depends_on: [a]\n", "", "", ""},
	{"xprompt.yaml", "steps:\n  - name: a\n    bash: echo\n  - name: b\n    bash: echo {{ aa }}\n", "WFC367", "aa", ""},
	{"wfc.yaml", "agent:\n  a: {use: claude}\n", "WFC125", "agent", ""},
}

func TestPushesDiagnostics(t *testing.T) {
	for _, test := range broken {
		dir := t.TempDir()
		c := connect(t, dir, nil)
		file := filepath.Join(dir, test.name)
		c.open(file, test.text)
		list := c.diagnostics(file, 1)
		if len(list) == 0 {
			t.Errorf("%s: no diagnostics", test.name)
			continue
		}
		d := list[0]
		if test.code != "" && (d.Code != test.code || textOf(t, test.text, d.Range) != test.at) {
			t.Errorf("%s: %s at %q: %s", test.name, d.Code, textOf(t, test.text, d.Range), d.Message)
		}
		var report protocol.DocumentDiagnosticReport
		params := protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(file)}}
		c.call("textDocument/diagnostic", params, &report)
		if report.Kind != "full" || len(report.Items) != len(list) || report.Items[0].Message != d.Message {
			t.Errorf("%s: pulled %+v, want the pushed ones", test.name, report)
		}
		params.PreviousResultID = report.ResultID
		c.call("textDocument/diagnostic", params, &report)
		if report.Kind != "unchanged" {
			t.Errorf("%s: pulled twice, the report is %s", test.name, report.Kind)
		}
		var actions []protocol.CodeAction
		c.call("textDocument/codeAction", protocol.CodeActionParams{TextDocument: params.TextDocument, Range: d.Range}, &actions)
		var titles []string
		for _, a := range actions {
			titles = append(titles, a.Title)
		}
		if test.action != "" && !strings.Contains(strings.Join(titles, "\n"), test.action) {
			t.Errorf("%s: the actions are %q", test.name, titles)
		}
		// An edit that empties the file, and one that restores it.
		c.replace(file, 2, 0, len(test.text), "")
		c.diagnostics(file, 2)
		c.replace(file, 3, 0, 0, test.text)
		if again := c.diagnostics(file, 3); len(again) != len(list) {
			t.Errorf("%s: %d diagnostics after edits, want %d", test.name, len(again), len(list))
		}
	}
}

// TestLinksToDocumentation checks that the page of codes has the anchor of each link.
func TestLinksToDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`<a id="([a-z0-9-]+)">`).FindAllStringSubmatch(string(page), -1) {
		anchors[m[1]] = true
	}
	dir := t.TempDir()
	c := connect(t, dir, nil)
	for _, test := range broken {
		file := filepath.Join(dir, test.name)
		c.open(file, test.text)
		for _, d := range c.diagnostics(file, 1) {
			_, anchor, _ := strings.Cut(d.CodeDescription.Href, "#")
			if !anchors[anchor] {
				t.Errorf("the page of codes has no anchor %s", anchor)
			}
		}
	}
}

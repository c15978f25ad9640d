package graphloop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// ruleCodes are the codes of the format's rules that this package checks. The other
// rules are about reachability, and apply to all graphs.
var ruleCodes = map[string][]string{
	"GL002": {"WFC112"}, "GL003": {"WFC114"}, "GL004": {"WFC112", "WFC116"}, "GL005": {"WFC112", "WFC116"}, "GL006": {"WFC117", "WFC118"},
	"GL007": {"WFC113", "WFC115"}, "GL008": {"WFC220"}, "GL009": {"WFC221"}, "GL010": {"WFC222"}, "GL011": {"WFC202"}, "GL012": {"WFC103"},
	"GL013": {"WFC224"}, "GL101": {"WFC203"}, "GL102": {"WFC226"}, "GL103": {"WFC227"}, "GL104": {"WFC230", "WFC203"}, "GL105": {"WFC202"},
	"GL107": {"WFC300"}, "GL108": {"WFC346"}, "GL109": {"WFC347"}, "GL113": {"WFC322"}, "GL208": {"WFC203"}, "GL210": {"WFC226"},
	"GL212": {"WFC234"}, "GL301": {"WFC227"}, "GL302": {"WFC351"}, "GL303": {"WFC351"}, "GL304": {"WFC352"}, "GL310": {"WFC353"},
	"GL401": {"WFC203"}, "GL402": {"WFC237"}, "GL404": {"WFC227"}, "GL405": {"WFC114"}, "GL407": {"WFC124"}, "GL408": {"WFC238"},
	"GL409": {"WFC238"}, "GL410": {"WFC239"},
}

// Every recorded file gets exactly the findings of this package's rules that it
// is said to have, on their lines.
func TestRecordedFiles(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "..", "shared", "conformance", "graphloop", "validate")
	content, err := os.ReadFile(filepath.Join(dir, "expect.json"))
	if err != nil {
		t.Skip("the recorded files are not there: ", err)
	}
	var cases []struct {
		File        string
		Diagnostics []struct {
			Rule, Severity string
			Line           int
		}
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			yaml, err := os.ReadFile(filepath.Join(dir, c.File))
			if err != nil {
				t.Fatal(err)
			}
			_, list := compile(t, project(nil), string(yaml))
			used := make([]bool, len(list))
			for _, want := range c.Diagnostics {
				codes, ours := ruleCodes[want.Rule]
				if !ours {
					continue
				}
				i := slices.IndexFunc(list, func(d *diag.Diagnostic) bool {
					return slices.Contains(codes, d.Code.ID) && d.Span.Position().Line == want.Line && d.Severity.String() == want.Severity
				})
				if i < 0 || used[i] {
					t.Errorf("line %d: no %s", want.Line, want.Rule)
					continue
				}
				used[i] = true
			}
			for i, d := range list {
				if !used[i] {
					t.Errorf("line %d: unexpected %s: %s", d.Span.Position().Line, d.Code, d.Message)
				}
			}
		})
	}
}

// requirementBlocks are the YAML blocks of the requirement's text.
func requirementBlocks(t *testing.T) []string {
	names, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "..", "shared", "requirements", "004*"))
	if len(names) != 1 {
		t.Skip("the requirement's text is not there")
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(content), "```") {
		if body, ok := strings.CutPrefix(part, "yaml\n"); ok && i%2 == 1 {
			blocks = append(blocks, body)
		}
	}
	return blocks
}

// The requirement's full example has no errors, and no warning but the one that
// text becomes a number.
func TestFullExample(t *testing.T) {
	blocks := requirementBlocks(t)
	i := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "workflow: full-feature") })
	if i < 0 {
		t.Fatal("the full example is not there")
	}
	_, list := compile(t, project(nil), blocks[i])
	if got := findings(list); !slices.Equal(got, []string{"warning converted-text test_coverage"}) {
		t.Errorf("got %q", got)
	}
}

// wrapBlock makes a whole file of an example of one node, one or several edges,
// or another part of a file.
func wrapBlock(block string) (string, bool) {
	switch {
	case strings.HasPrefix(block, "workflow:"):
		return "", false // whole, and a test of its own
	case strings.HasPrefix(block, "node_id:"), strings.Contains(block, ": string "), strings.Contains(block, ": int "):
		return "", false // a scheme, not an example
	case strings.Contains(block, "\n  type:"):
		nodes, edges, found := strings.Cut(block, "\nedges:\n")
		for strings.HasPrefix(nodes, "#") {
			_, nodes, _ = strings.Cut(nodes, "\n")
		}
		first, _, _ := strings.Cut(nodes, ":")
		if !found {
			edges = "  - {from: " + first + ", to: END}\n"
		}
		return "workflow: w\nstate: {variables: {files_changed: [], tests_passed: true, review_score: 0, test_coverage: 0, total_lines: ''}}\nnodes:\n" +
			indent(nodes) + "edges:\n  - {from: START, to: " + first + "}\n" + edges, true
	case strings.HasPrefix(block, "edges:"), strings.Contains(block, "- from:"):
		if !strings.HasPrefix(block, "edges:") {
			block = "edges:\n" + indent(block)
		}
		return "workflow: w\nstate: {variables: {tests_pass: false, lint_pass: false, security_pass: false, approved: false, emergency: false, attempts: 0}}\nnodes:\n" +
			edgeNodes + block, true
	case strings.HasPrefix(block, "state:"), strings.HasPrefix(block, "limits:"):
		return "workflow: w\nnodes:\n  n: {type: checkpoint, outputs: [done]}\n" + straight + block, true
	case strings.HasPrefix(block, "interrupts:"), strings.HasPrefix(block, "completion:"):
		return "workflow: w\nstate: {variables: {all_tests_pass: true}}\nnodes:\n" + edgeNodes + straight + block, true
	}
	return "", false
}

func indent(block string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(block, "\n"), "\n", "\n  ") + "\n"
}

// edgeNodes are nodes with all the names and outputs of the requirement's edges,
// interrupts and conditions of completion.
var edgeNodes = func() string {
	var b strings.Builder
	for _, id := range []string{"node_a", "node_b", "review", "fix", "validation", "proceed", "check", "retry", "gate", "initialize", "process", "deploy", "implement", "expensive_operation", "user_approval", "n"} {
		fmt.Fprintf(&b, "  %s: {type: task, agent: self, prompt: p, outputs: [P0, P1, P2, clean, success, done, approved]}\n", id)
	}
	return b.String()
}()

// Every example of the requirement's text compiles without an error, whatever
// stands around it.
func TestExamplesOfTheRequirement(t *testing.T) {
	wrapped := 0
	for _, block := range requirementBlocks(t) {
		yaml, ok := wrapBlock(block)
		if !ok {
			continue
		}
		wrapped++
		_, list := compile(t, project(nil), yaml)
		for _, d := range list {
			if d.Severity == diag.Error && !isExpected(block, d) {
				t.Errorf("%d: %s %s\n%s", d.Span.Position().Line, d.Code, d.Message, yaml)
			}
		}
	}
	if wrapped < 15 {
		t.Errorf("only %d examples were found", wrapped)
	}
}

// isExpected leaves out that examples of one node name others.
func isExpected(block string, d *diag.Diagnostic) bool {
	fragment := strings.Contains(block, "branches:") || strings.Contains(block, "wait_for:")
	return d.Code.Slug == "unknown-node" && fragment || d.Code.Slug == "unknown-node" && strings.Contains(block, "type: task")
}

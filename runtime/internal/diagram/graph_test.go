package diagram

import (
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

func triage() []flow.NodeInfo {
	return []flow.NodeInfo{
		{Key: "fetch", Kind: "bash"},
		{Key: "classify", Kind: "prompt", Agent: "claude", After: []string{"fetch"}},
		{Key: "fix it", Kind: "prompt", After: []string{"classify"}, When: "$classify.output.kind == 'bug' && \"<x>\""},
		{Key: "note", Kind: "bash", Order: []string{"fetch"}},
		{Key: "end", Kind: "cancel", After: []string{"fix it", "note"}, Rule: "all_done", When: "$a.output == 'x'"},
	}
}

// drawNodes draws a workflow with dependencies.
func drawNodes(t *testing.T, format string, nodes []flow.NodeInfo) string {
	t.Helper()
	return draw(t, format, &Workflow{Name: "triage", Nodes: nodes})
}

func TestText(t *testing.T) {
	want := `1  fetch     bash
2  classify  prompt claude  ← fetch
   note      bash           ← (fetch)
3  fix it    prompt         ← classify      when $classify.output.kind == 'bug' && "<x>"
4  end       cancel         ← fix it, note  all_done, when $a.output == 'x'
`
	if got := drawNodes(t, "text", triage()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestMermaid(t *testing.T) {
	got := drawNodes(t, "mermaid", triage())
	for _, want := range []string{
		"flowchart TD\n",
		`n1(["classify<br/><small>prompt claude</small>"])`,
		"n0 --> n1\n",
		"n0 -.-> n3\n",
		`n1 -->|"$classify.output.kind == 'bug' #38;#38; #34;#60;x#62;#34;"| n2`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestDOT(t *testing.T) {
	got := drawNodes(t, "dot", triage())
	for _, want := range []string{
		`digraph "triage" {`, `n1 [label="classify\nprompt claude"];`, "n0 -> n1;\n", "n0 -> n3 [style=dashed];\n",
		`n1 -> n2 [label="$classify.output.kind == 'bug' && \"<x>\""];`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestCycleIsShownAllTheSame(t *testing.T) {
	nodes := []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash", After: []string{"c", "b"}}, {Key: "c", Kind: "bash", After: []string{"b", "gone"}}}
	for _, format := range Formats() {
		if got := drawNodes(t, format, nodes); !strings.Contains(got, "c") {
			t.Errorf("%s lacks a node:\n%s", format, got)
		}
	}
	if got := Layers(nodes); !reflect.DeepEqual(got, [][]int{{0}}) {
		t.Errorf("layers %v", got)
	}
}

func TestStepsSayWhatIsInside(t *testing.T) {
	nodes := []flow.NodeInfo{
		{Key: "each", Kind: "for", Loop: "name, id", Inside: []flow.NodeInfo{{Key: "each", Kind: "parallel", Inside: []flow.NodeInfo{
			{Key: "a", Kind: "bash"}, {Key: "b", Kind: "prompt", Agent: "claude"},
		}}}},
		{Key: "retry", Kind: "repeat", Loop: "{{ retry.ok }}", Reviewed: true, After: []string{"each"}, Inside: []flow.NodeInfo{{Key: "retry", Kind: "bash"}}},
	}
	got := drawNodes(t, "text", nodes)
	for _, want := range []string{"for name, id: parallel a (bash), b (prompt claude)", "repeat {{ retry.ok }}: bash, reviewed"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The nodes of an include are drawn in a block behind it, and blocks inside blocks.
func TestBlocks(t *testing.T) {
	nodes := []flow.NodeInfo{
		{Key: "a", Kind: "bash"},
		{Key: "i", Kind: "include", Workflow: "review", After: []string{"a"}},
		{Key: "i__one", Kind: "prompt", After: []string{"i"}, Include: "i"},
		{Key: "i__j", Kind: "include", Workflow: "lint", After: []string{"i__one"}, Include: "i"},
		{Key: "i__j__k", Kind: "bash", After: []string{"i__j"}, Include: "i__j"},
		{Key: "z", Kind: "bash", After: []string{"i__j__k"}},
	}
	for format, want := range map[string]string{
		"mermaid": `    n1["i<br/><small>include review</small>"]
    subgraph b1[" "]
        n2(["i__one<br/><small>prompt</small>"])
        n3["i__j<br/><small>include lint</small>"]
        subgraph b3[" "]
            n4["i__j__k<br/><small>bash</small>"]
        end
    end
    n5["z<br/><small>bash</small>"]
`,
		"dot":  "    subgraph cluster_1 {\n        style=dashed;\n        n2 [label=\"i__one\\nprompt\"];\n",
		"text": "2  i        include review  ← a\n",
	} {
		if got := drawNodes(t, format, nodes); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", format, got)
		}
	}
}

// The block of an include inside a loop is inside the group of the loop.
func TestBlocksInsideGroups(t *testing.T) {
	nodes := []flow.NodeInfo{{Key: "fix", Kind: "loop", Inside: []flow.NodeInfo{
		{Key: "i", Kind: "include", Workflow: "review"},
		{Key: "i__one", Kind: "prompt", After: []string{"i"}, Include: "i"},
	}}}
	for format, want := range map[string]string{
		"json":    `"within": "fix.i"`,
		"svg":     `data-node="fix.i" class="w-group w-k-include"`,
		"mermaid": "        subgraph b1[\" \"]\n            n2",
	} {
		if got := drawNodes(t, format, nodes); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q:\n%s", format, want, got)
		}
	}
}

package diagram

import (
	"io"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// feature is a state graph with every kind of node and edge.
func feature() ([]flow.NodeInfo, *flow.GraphInfo) {
	return []flow.NodeInfo{
			{Key: "research", Kind: "parallel", Branches: []string{"a", "b"}, Labels: []string{"all_done"}},
			{Key: "a", Kind: "prompt", Agent: "gemini", Labels: []string{"done"}},
			{Key: "b", Kind: "bash", Labels: []string{"done"}},
			{Key: "meet", Kind: "join", Agent: "self", WaitsFor: []string{"b", "a"}, Labels: []string{"ready"}},
			{Key: "save", Kind: "checkpoint", Labels: []string{"done"}},
			{Key: "work", Kind: "prompt", Agent: "self", Labels: []string{"done", "blocked"}},
			{Key: "good?", Kind: "decision", Labels: []string{"yes", "no"}},
			{Key: "approval", Kind: "human", Labels: []string{"yes", "no"}},
		}, &flow.GraphInfo{Edges: []flow.EdgeInfo{
			{To: "research"}, {From: "research", To: "meet", When: "all_done"}, {From: "meet", To: "save"}, {From: "save", To: "work"},
			{From: "work", To: "work", When: "blocked"}, {From: "work", To: "good?"},
			{From: "good?", To: "approval", When: "yes"}, {From: "good?", To: "work", When: "no && state.n < 3"},
			{From: "good?", When: "\"no\""}, {From: "approval", When: "yes"}, {From: "approval", To: "research", When: "no"},
		}}
}

func drawGraph(t *testing.T, format string) string {
	t.Helper()
	nodes, g := feature()
	return draw(t, format, &Workflow{Name: "the <flow>", Nodes: nodes, Graph: g})
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestGraphAsText(t *testing.T) {
	compare(t, drawGraph(t, "text"), `START
  → research
research      parallel       runs a, b
  → meet                     when all branches have ended
a             prompt gemini  branch of research
b             bash           branch of research
meet          join self      waits for b, a
  → save
save          checkpoint
  → work
work          prompt self    done | blocked
  ↩ work                     when blocked
  → good?
good?         decision       yes | no
  → approval                 when yes
  ↩ work                     when no && state.n < 3
  → END                      when "no"
approval      human          yes | no
  → END                      when yes
  ↩ research                 when no
`)
}

func TestGraphAsMermaid(t *testing.T) {
	compare(t, drawGraph(t, "mermaid"), `flowchart TD
    n0(("START"))
    n1[/"research<br/><small>parallel</small>"\]
    subgraph b1[" "]
        n2(["a<br/><small>prompt gemini</small>"])
        n3["b<br/><small>bash</small>"]
    end
    n4[\"meet<br/><small>join self</small>"/]
    n5[("save<br/><small>checkpoint</small>")]
    n6(["work<br/><small>prompt self</small>"])
    n7{"good?<br/><small>decision</small>"}
    n8{{"approval<br/><small>human</small>"}}
    n9((("END")))
    n1 --> n2
    n1 --> n3
    n3 --> n4
    n2 --> n4
    n0 --> n1
    n4 --> n5
    n5 --> n6
    n6 -.->|"blocked"| n6
    n6 --> n7
    n7 -->|"yes"| n8
    n7 -.->|"no #38;#38; state.n #60; 3"| n6
    n7 -->|"#34;no#34;"| n9
    n8 -->|"yes"| n9
    n8 -.->|"no"| n1
`)
}

func TestGraphAsDOT(t *testing.T) {
	compare(t, drawGraph(t, "dot"), `digraph "the <flow>" {
    rankdir=TB;
    node [shape=box, style=rounded, fontname="sans-serif"];
    n0 [label="START", shape=circle, style=solid];
    n1 [label="research\nparallel", shape=trapezium, style=solid];
    subgraph cluster_1 {
        style=dashed;
        n2 [label="a\nprompt gemini"];
        n3 [label="b\nbash"];
    }
    n4 [label="meet\njoin self", shape=invtrapezium, style=solid];
    n5 [label="save\ncheckpoint", shape=cylinder, style=solid];
    n6 [label="work\nprompt self"];
    n7 [label="good?\ndecision", shape=diamond, style=solid];
    n8 [label="approval\nhuman", shape=hexagon, style=solid];
    n9 [label="END", shape=doublecircle, style=solid];
    n1 -> n2;
    n1 -> n3;
    n3 -> n4;
    n2 -> n4;
    n0 -> n1;
    n4 -> n5;
    n5 -> n6;
    n6 -> n6 [label="blocked", style=dashed, constraint=false];
    n6 -> n7;
    n7 -> n8 [label="yes"];
    n7 -> n6 [label="no && state.n < 3", style=dashed, constraint=false];
    n7 -> n9 [label="\"no\""];
    n8 -> n9 [label="yes"];
    n8 -> n1 [label="no", style=dashed, constraint=false];
}
`)
}

func TestGraphAsSVG(t *testing.T) {
	got := drawGraph(t, "svg")
	for what, want := range map[string]int{
		`class="w-node `: 9, `<g data-node=`: 8, `class="w-group `: 1, ` w-back" `: 6, ">no &amp;&amp; state.n &lt; 3</text>": 1, ">START<": 1, ">END<": 1, ">leads back<": 1,
	} {
		if n := strings.Count(got, what); n != want {
			t.Errorf("%d times %s, want %d", n, what, want)
		}
	}
}

// Nodes that nothing leads to, and edges that lead nowhere, are no reason not to
// draw the rest.
func TestGraphWithFaults(t *testing.T) {
	nodes := []flow.NodeInfo{{Key: "alone", Kind: "bash"}, {Key: "p", Kind: "parallel", Branches: []string{"gone", "p"}}}
	for _, format := range Formats() {
		got := draw(t, format, &Workflow{Name: "w", Nodes: nodes, Graph: &flow.GraphInfo{Edges: []flow.EdgeInfo{{From: "gone", To: "alone"}, {}}}})
		if !strings.Contains(got, "alone") {
			t.Errorf("%s:\n%s", format, got)
		}
	}
	w := Workflow{Name: "w", Graph: &flow.GraphInfo{}}
	if err := w.Write(io.Discard, "png"); err == nil {
		t.Error("png is a format")
	}
	for _, format := range Formats() {
		draw(t, format, &w)
	}
}

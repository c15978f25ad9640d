package cover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
)

// itemsOf returns the items of a workflow as "LINE KIND NAME HITS".
func itemsOf(t *testing.T, dialect, text string, counts cover.Counts) (items []cover.Item, lines []string) {
	t.Helper()
	r := compiler.Compile(source.NewFile("w.yaml", []byte(text)), compiler.Options{Path: "/project/w.yaml", Dialect: dialect})
	if r.HasErrors() {
		t.Fatal(r.Diagnostics[0].Message)
	}
	items = cover.Of(r.Workflow, counts)
	for _, it := range items {
		lines = append(lines, fmt.Sprintf("%d %s: %s (%d)", it.Line, it.Kind, it.Name, it.Hits))
	}
	return items, lines
}

const dag = `name: w
description: d
interactive: true
nodes:
  - id: ask
    prompt: p
    retry: {max_attempts: 2}
    output_format: {type: object, properties: {kind: {enum: [bug, idea]}, more: {type: [boolean, "null"]}}, required: [kind]}
  - id: fix
    depends_on: [ask]
    when: $ask.output.kind == 'bug'
    loop: {prompt: Go, until: DONE, max_iterations: 3}
  - id: gate
    depends_on: [fix, ask]
    trigger_rule: all_done
    approval: {message: Good?}
`

// The items of a program are what tests can cover, in the order of their lines.
func TestItems(t *testing.T) {
	start := strings.Index(dag, "$ask.output.kind")
	place := fmt.Sprintf("%d-%d", start, start+len("$ask.output.kind == 'bug'"))
	counts := cover.Counts{Hits: map[string]int{"node ask": 2, "when fix true": 1}, Terms: map[string][2]uint64{place: {0, 3}, "no place": {1, 1}}}
	_, got := itemsOf(t, "archon", dag, counts)
	want := []string{
		"5 nodes: node ask (2)", "7 retries: retry ask (0)", `8 alternatives: alt ask .kind "bug" (0)`, `8 alternatives: alt ask .kind "idea" (0)`,
		"8 alternatives: alt ask .more true (0)", "8 alternatives: alt ask .more false (0)", "8 alternatives: alt ask .more null (0)",
		"9 nodes: node fix (0)", "9 loops: loop fix done (0)", "9 loops: loop fix limit (0)", "9 loops: loop fix error (0)", "10 edges: edge ask fix (0)",
		"11 conditions: when fix true (1)", "11 conditions: when fix false (0)", "11 terms: term " + place + " false (0)", "11 terms: term " + place + " true (3)",
		"13 nodes: node gate (0)", "13 rules: rule gate skipped (0)", "13 rules: rule gate failed (0)", "13 gates: gate gate approve (0)", "13 gates: gate gate reject (0)",
		"14 edges: edge fix gate (0)", "14 edges: edge ask gate (0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A state graph has its own edges, and no term for a guard of one term.
func TestItemsOfGraphs(t *testing.T) {
	const text = `workflow: w
nodes:
  a: {type: task, agent: self, prompt: p, outputs: [x, y]}
  b: {type: human, prompt: p, outputs: [ok]}
edges:
  - {from: START, to: a}
  - {from: a, to: b, condition: "x"}
  - {from: a, to: END, condition: "y || x"}
  - {from: b, to: END}
`
	at := func(words string) string {
		start := strings.LastIndex(text, words)
		return fmt.Sprintf("%d-%d", start, start+1)
	}
	single := strings.Index(text, `"x"`) + 1
	_, got := itemsOf(t, "graphloop", text, cover.Counts{Terms: map[string][2]uint64{fmt.Sprintf("%d-%d", single, single+1): {1, 1}, at("y ||"): {1, 0}}})
	want := []string{
		"3 nodes: node a (0)", "4 nodes: node b (0)", "4 gates: gate b ok (0)", "6 edges: edge START a (0)", "7 edges: edge a b (0)",
		"8 edges: edge a END (0)", "8 terms: term " + at("y ||") + " false (1)", "8 terms: term " + at("y ||") + " true (0)", "9 edges: edge b END (0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The ways through a sequence of steps are edges: into each step, past it, into its parts and out
// of it.
func TestItemsOfSequences(t *testing.T) {
	_, got := itemsOf(t, "xprompt", `steps:
  - {name: plan, prompt: p, output: {l: [word]}, hitl: true}
  - {name: each, for: {x: "{{ plan.l }}"}, bash: "print {{ x }}"}
  - {name: again, if: "{{ plan.l }}", bash: print, repeat: {until: "{{ again.ok }}", max: 3}}
  - {name: both, parallel: [{name: a, bash: print}, {name: b, if: "{{ plan.l }}", bash: print}]}
  - {name: clean, finally: true, bash: print}
`, cover.Counts{})
	got = slices.DeleteFunc(got, func(line string) bool { return !strings.Contains(line, " edges: ") })
	want := []string{
		"2 edges: way plan run (0)", "2 edges: way plan given (0)", "2 edges: way plan accept (0)", "2 edges: way plan edit (0)", "2 edges: way plan reject (0)", "2 edges: way plan feedback (0)",
		"3 edges: way each run (0)", "3 edges: way each item (0)", "3 edges: way each next (0)", "3 edges: way each empty (0)",
		"4 edges: way again run (0)", "4 edges: way again skip (0)", "4 edges: way again repeat (0)", "4 edges: way again done (0)", "4 edges: way again limit (0)",
		"5 edges: way both run (0)", "5 edges: way both.a run (0)", "5 edges: way both.b run (0)", "5 edges: way both.b skip (0)",
		"6 edges: way clean completed (0)", "6 edges: way clean failed (0)", "6 edges: way END (0)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The reports have the same items: as a table with what is not covered, as a tracefile, and as a
// page with coloured lines.
func TestReports(t *testing.T) {
	files := []*cover.File{
		{Name: "a.yaml", Text: "one\ntwo <b>\nthree\nfour\n", Graph: "<svg/>", Items: []cover.Item{
			{Kind: "nodes", Node: "n", Text: "node `n` runs", Line: 1, Hits: 2}, {Kind: "edges", Node: "n", Text: "edge", Line: 1, Hits: 1},
			{Kind: "edges", Node: "n", Text: "edge `\"x\"`", Line: 2}, {Kind: "terms", Line: 2, Text: "term", Hits: 3}, {Kind: "nodes", Node: "m", Text: "node `m` runs", Line: 3},
		}},
		{Name: "b.yaml", Text: "x", Items: []cover.Item{{Kind: "nodes", Node: "n", Line: 1, Hits: 1}}},
	}
	var table, lcov, page strings.Builder
	if err := cover.Table(&table, files, 0); err != nil {
		t.Fatal(err)
	}
	if want := `coverage  nodes  edges  terms  total
a.yaml    1/2    1/2    1/1    60.0%
b.yaml    1/1    -      -      100.0%
total                          66.7%
` + "a.yaml:2: not covered: edge `\"x\"`\na.yaml:3: not covered: node `m` runs\n"; table.String() != want {
		t.Errorf("%s\nwant\n%s", table.String(), want)
	}
	if err := cover.LCOV(&lcov, files[:1]); err != nil {
		t.Fatal(err)
	}
	if want := "TN:\nSF:a.yaml\nBRDA:1,0,1,1\nBRDA:2,0,2,0\nBRDA:2,0,3,3\nBRF:3\nBRH:2\nDA:1,2\nDA:2,3\nDA:3,0\nLF:3\nLH:2\nend_of_record\n"; lcov.String() != want {
		t.Errorf("%s\nwant\n%s", lcov.String(), want)
	}
	if err := cover.HTML(&page, files); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Coverage: 66.7%", "<tr><th>nodes<td>1 of 2<tr><th>edges<td>1 of 2<tr><th>terms<td>1 of 1</table>", `<div class="graph"><svg/></div>`,
		`<span class="all">   1  one</span>`, "<span class=\"some\" title=\"not covered: edge `&#34;x&#34;`\">   2  two &lt;b&gt;</span>", `<span class="none"`, `<span>   4  four</span>`,
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s:\n%s", want, page.String())
		}
	}
	for node, want := range map[string]string{"n": "some", "m": "none", "other": ""} {
		if got := files[0].NodeState(node); got != want {
			t.Errorf("node %s: %q, want %q", node, got, want)
		}
	}
	if got := files[1].NodeState("n"); got != "all" || cover.Percent(nil) != 100 {
		t.Errorf("%q, %.0f%% of nothing", got, cover.Percent(nil))
	}
}

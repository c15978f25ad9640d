package symbols_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// indexed compiles a workflow and makes its index.
func indexed(t *testing.T, text string) (*symbols.Index, *source.File) {
	t.Helper()
	dir := t.TempDir()
	file := source.NewFile("w.yaml", []byte(text))
	r := compiler.Compile(file, compiler.Options{Path: dir + "/w.yaml", Root: dir})
	if r.Workflow == nil {
		t.Fatalf("the workflow does not compile: %+v", r.Diagnostics)
	}
	return symbols.New(r.Workflow, yamlsrc.Parse(file, nil)), file
}

var roles = map[symbols.Role]string{symbols.Declares: "=", symbols.Reads: "", symbols.Writes: "!", symbols.Names: "'"}

// places lists the references to the symbols of a name, as line:column with a mark for the
// role, = for declarations, ! for writers and ' for mentions.
func places(x *symbols.Index, file *source.File, kind, name string) string {
	var list []string
	for _, s := range x.Symbols {
		if s.Kind.String() != kind || s.Name != name {
			continue
		}
		for _, r := range x.Of(s) {
			at := "?"
			if r.Name.IsValid() && r.Name.File == file {
				p := r.Name.Position()
				at = fmt.Sprintf("%d:%d", p.Line, p.Column)
				if got := r.Name.Text(); got != r.Spelled(name) {
					at += " as " + got
				}
			}
			list = append(list, at+roles[r.Role])
		}
	}
	return strings.Join(list, " ")
}

func TestIndex(t *testing.T) {
	for _, test := range []struct {
		dialect, text string
		want          map[string]string // by kind and name
	}{
		{"archon", `name: w
description: d
inputs:
  top-ic: {default: x}
returns: sum
nodes:
  - id: sum
    prompt: Sum $INPUTS.top-ic
    output_format: {type: object, properties: {n: {type: number}, sum: {type: string}}, required: [n]}
  - id: group
    depends_on: [sum]
    loop_group:
      until_bash: test -n "$INPUTS_TOP_IC"
      max_iterations: 2
      nodes:
        - id: in
          prompt: Go $LOOP_PREV.in.output
        - {id: after, depends_on: [in], bash: 'echo $in.output $sum.output.sum'}
  - id: last
    depends_on: [group, sum]
    when: $sum.output.n > 1 && $sum.output.sum == 'sum'
    bash: echo "$sum.output.n $group.output"
`, map[string]string{
			"input top-ic": "4:3= 8:25 13:29",
			"node sum":     "5:10' 7:9= 11:18' 18:65 20:25' 21:12 21:33 22:18",
			"field n":      "9:48= 9:100' 21:23 22:29",
			"field sum":    "9:67= 18:76 21:44",
			"node in":      "16:15= 17:33 18:36' 18:54",
			"node group":   "10:9= 20:18' 22:32",
			"node nope":    "",
		}},
		{"graphloop", `workflow: tries
state:
  variables: {tries: 0, mood: calm}
nodes:
  work:
    type: task
    agent: bash
    command: "echo (reference state.mood)"
    outputs: [good, bad]
    on_output:
      bad: {set: {tries: 1, mood: output}}
  enough: {type: decision, condition: "state.tries > 2", outputs: [stop, again]}
edges:
  - {from: START, to: work}
  - {from: work, to: END, condition: "good"}
  - {from: work, to: enough, condition: "bad"}
  - {from: enough, to: END, condition: "stop"}
  - {from: enough, to: work, condition: "again"}
limits: {max_iterations: 9}
completion: [work.good]
`, map[string]string{
			"node work": "5:3= 14:23' 15:12' 16:12' 18:24' 20:14'", "node enough": "12:3= 16:22' 17:12' 18:12'", "state variable tries": "3:15= 11:19! 12:46", "state variable mood": "3:25= 8:37 11:29!", "output good": "9:15= 15:39 20:19", "output bad": "9:21= 11:7' 16:42",
		}},
		{"xprompt", `input: {who: {type: word}}
steps:
  - name: one
    prompt: Greet {{ who }}
    output: {text: word}
  - name: two
    for: {item: "{{ [one.text] }}"}
    bash: echo {{ item }} {{ one.text | upper }}
`, map[string]string{
			"input who": "1:9= 4:22", "node one": "3:11= 7:22 8:30", "field text": "5:14= 7:26 8:34", "variable item": "7:11= 8:19", "filter upper": "8:41",
		}},
		{"lango", `name: w
steps:
  - {id: a, agent: x, prompt: Go}
  - id: b
    agent: x
    depends_on: [a]
    prompt: "See {{a.result}}"
`, map[string]string{"node a": "3:10= 6:18' 7:20", "node b": "4:9=", "agent x": "3:20' 5:12'"}},
	} {
		x, file := indexed(t, test.text)
		for name, want := range test.want {
			at := strings.LastIndexByte(name, ' ')
			kind, name := name[:at], name[at+1:]
			if got := places(x, file, kind, name); got != want {
				t.Errorf("%s: %s `%s` is at %s, want %s", test.dialect, kind, name, got, want)
			}
		}
		for i, s := range x.Symbols {
			if i > 0 && s.Def.IsValid() && x.Symbols[i-1].Def.IsValid() && s.Def.Start < x.Symbols[i-1].Def.Start {
				t.Errorf("%s: `%s` is behind a later declaration", test.dialect, s.Name)
			}
		}
		for _, r := range x.References {
			if r.Name.IsValid() && r.Name.File == file && x.At(file, r.Name.Start) == nil {
				t.Errorf("%s: nothing is at the reference to `%s`", test.dialect, r.Symbol.Name)
			}
		}
	}
}

func TestEnclosing(t *testing.T) {
	const text = "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo A\n  - id: g\n    loop_group: {until_bash: 'true', max_iterations: 2, nodes: [{id: in, bash: echo IN}]}\n"
	x, _ := indexed(t, text)
	for mark, want := range map[string]string{"echo A": "a", "echo IN": "g.in", "until_bash": "g", "description": ""} {
		got := ""
		if n := x.Enclosing(strings.Index(text, mark)); n != nil {
			got = n.ID
		}
		if got != want {
			t.Errorf("%q is in %q, want %q", mark, got, want)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	for _, test := range []struct {
		dialect, path string
		kind          symbols.Kind
		ok            bool
	}{
		{"archon", "returns", symbols.Node, true},
		{"archon", "nodes.*.depends_on.*", symbols.Node, true},
		{"archon", "nodes.*.loop_group.nodes.*.depends_on.*", symbols.Node, true},
		{"archon", "nodes.*.loop_group.nodes.*.loop_group.nodes.*.command", symbols.Command, true},
		{"archon", "nodes.*.workflow", symbols.Workflow, true},
		{"archon", "nodes.*.with", 0, false}, // its keys are names
		{"archon", "nodes.*.id", 0, false},
		{"graphloop", "edges.*.to", symbols.Node, true},
		{"lango", "edges.*.to", 0, false},
		{"", "returns", 0, false},
	} {
		kind, ok := symbols.PlaceOf(test.dialect, strings.Split(test.path, "."))
		if kind != test.kind || ok != test.ok {
			t.Errorf("%s %s: %v, %v", test.dialect, test.path, kind, ok)
		}
	}
}

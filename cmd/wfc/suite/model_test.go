package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
)

// The first scenario gives each agent, program and input a value in which everything succeeds: of
// its schema, with the fields that conditions and templates read, and with the word that ends a
// loop.
func TestFirstScenario(t *testing.T) {
	for _, tt := range []struct {
		name    string
		program *ir.Program
		want    string
	}{
		{"archon", compileText(t, `name: w
description: d
interactive: true
nodes:
  - {id: text, prompt: "About $ARGUMENTS"}
  - id: form
    prompt: p
    output_format:
      type: object
      properties: {n: {type: [integer, "null"], minimum: 3}, s: {type: string, minLength: 12}, l: {type: array, items: {enum: [x, y]}}, o: {anyOf: [{type: boolean}, {type: string}]}}
      required: [n]
  - {id: free, bash: ./free}
  - {id: read, depends_on: [free, form], bash: "echo $free.output.name $form.output.n"}
  - {id: python, depends_on: [free], script: "print(1)", runtime: uv}
  - {id: say, loop: {prompt: Go, until: DONE, max_iterations: 3}}
  - {id: test, loop: {prompt: Go, until: DONE, until_bash: ./ok, max_iterations: 3}}
  - {id: gate, depends_on: [say], approval: {message: m, on_reject: {prompt: Again}}}
`), `"agents":{"form":{"json":{"l":["x","x"],"n":3,"o":true,"s":"s of formxxx"}},"gate/rework":"Reply of gate rework.","say":"Reply of say.\nDONE","test":"Reply of test.","text":"Reply of text."},` +
			`"bash":{"free":{"json":{"name":"name of free"}},"read":"Output of read.","test":""},"inputs":{"arguments":"value of arguments","context":"value of context"},"name":"candidate","scripts":{"python":"Output of python."}`},
		{"xprompt", compileSteps(t, `input: { topic: text, count: int, flag: {type: bool, default: true}, doc: path, tag: word, text: {type: text, default: ""} }
steps:
  - {name: plan, prompt: "{{ topic }} {{ count }} {{ tag }} {{ text }} {{ doc }}", output: {title: line, parts: [{n: int}]}}
  - {name: each, for: {x: "{{ plan.parts }}"}, bash: "print {{ x.n }}"}
  - {name: both, parallel: [{name: a, prompt: p}, {name: b, bash: "print {{ flag }}"}]}
`), `"agents":{"both/a":"Reply of both a.","plan":{"json":{"parts":[{"n":1},{"n":1}],"title":"title of plan"}}},` +
			`"bash":{"both/b":"Output of both b.","each":"Output of each."},"inputs":{"count":1,"doc":"doc.txt","tag":"tag","text":"value of text","topic":"value of topic"},"name":"candidate"`},
		{"graphloop", compileGraph(t, asked), `"agents":{"again":"Reply of again."},"bash":{"try":"Output of try."},"name":"candidate"`},
	} {
		s := searchOf(tt.program, nil)
		first := &scenario{lists: map[slot][]give{}}
		for _, at := range s.model.order {
			first.lists[at] = []give{s.model.baseGive(s.model.producers[at])}
		}
		got := strings.TrimSuffix(strings.TrimPrefix(first.candidateJSON(), `{"tests":[{`), `}]}`)
		if got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A node that a run can perform several times has variants of its first gives.
func TestRepeated(t *testing.T) {
	m := newModel(compileSteps(t, `steps:
  - {name: once, bash: print}
  - {name: reviewed, prompt: p, hitl: true}
  - {name: each, for: {x: "[1, 2]"}, bash: "print {{ x }}"}
  - {name: again, bash: print, repeat: {until: "{{ again.ok }}", max: 3}}
  - {name: both, parallel: [{name: a, bash: print}, {name: b, bash: print}]}
`))
	var got []string
	for _, at := range m.order {
		if m.producers[at].repeats {
			got = append(got, at.key)
		}
	}
	if want := []string{"reviewed", "each", "again"}; !slices.Equal(got, want) {
		t.Errorf("repeated: %q, want %q", got, want)
	}
	graph := newModel(compileGraph(t, loopGraph))
	for _, at := range graph.order {
		if !graph.producers[at].repeats {
			t.Errorf("%s of a state graph is not repeated", at.key)
		}
	}
}

// The value of an expression leads to the slot that makes it: through loops, joins, arguments of
// other steps and variables.
func TestSources(t *testing.T) {
	m := newModel(compileSteps(t, `input: {rows: text}
steps:
  - {name: list, bash: print, output: [{n: int}]}
  - {name: each, for: {x: "{{ list }}"}, bash: "print {{ x.n }}", output: {m: int}, join: array}
  - {name: last, for: {x: "{{ rows }}"}, bash: "print {{ x }}", output: {k: int}, join: lastOf}
  - {name: both, parallel: [{name: a, bash: print, output: {n: int}}, {name: b, bash: print}]}
  - name: use
    bash: "print {{ each[0].m }} {{ last.k }} {{ both.a.n }} {{ list | length }} {{ (list | first).n }} {{ rows ~ 'x' }}"
`))
	var got []string
	walkValues(m.top.places["use"].node, func(e expr.Expr) bool {
		for _, src := range m.exprSources(m.top, e, 0) {
			text := src.slot.kind + " " + strings.Join(append([]string{src.slot.key}, src.path...), ".")
			if src.size {
				text += " size"
			}
			if src.inexact {
				text += " inexact"
			}
			got = append(got, text)
		}
		return false
	})
	want := []string{"bash each.m", "bash last.k", "bash both/a.n", "bash list size", "bash list.[].n", "inputs rows inexact"}
	if got = slices.Compact(got); !slices.Equal(got[:min(len(want), len(got))], want) {
		t.Errorf("%q, want %q", got, want)
	}

	graph := newModel(compileGraph(t, asked))
	got = nil
	for _, c := range graph.listConditions() {
		for _, leaf := range conditionTerms(c.expr) {
			for _, src := range graph.exprSources(c.scope, leaf, 0) {
				text := src.slot.kind + " " + src.slot.key
				if src.label {
					text += " label"
				}
				if src.field != nil {
					text += " of " + src.field.Name
				}
				got = append(got, text)
			}
		}
	}
	if want := []string{"bash try label", "bash try label", "answers ask label", "bash try of n"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The changes of a producer are what its schema, its labels, its retries and its loop allow, and
// the values that conditions tell apart.
func TestChangesOfProducers(t *testing.T) {
	steps := newModel(compileSteps(t, `input: { flag: {type: bool, default: true}, n: int }
steps:
  - {name: d, bash: print, output: {ok: bool, n: int}}
  - {name: a, if: "{{ d.n > 3 }}", bash: print}
  - {name: b, if: "{{ flag or n == 1 }}", prompt: p, hitl: true}
`))
	nodes := newModel(compileText(t, `name: w
description: d
nodes:
  - {id: say, loop: {prompt: Go, until: DONE, max_iterations: 3}}
  - {id: test, loop: {prompt: Go, until_bash: ./ok, until: DONE, max_iterations: 3}}
  - {id: slow, bash: ./slow, timeout: 1000}
  - {id: may, prompt: p, output_format: {type: object, properties: {v: {type: [boolean, "null"]}, l: {type: array, items: {enum: [x, y]}}}}}
`))
	graph := newModel(compileGraph(t, asked))
	for _, tt := range []struct {
		m    *model
		at   slot
		want []string
	}{
		{steps, slot{"bash", "d"}, []string{"d n is 2", "d n is 3", "d n is 4", "d n is 5", "d n is 1", "d ok is true", "d ok is false", "d fails"}},
		{steps, slot{"inputs", "flag"}, []string{"flag is true", "flag is false", "flag is absent", "flag is given", "no flag"}},
		{steps, slot{"inputs", "n"}, []string{"n is 1", "n is 2"}},
		{steps, slot{"agents", "b"}, []string{"b fails", "b fails once", "b fails at every attempt"}},
		{nodes, slot{"bash", "slow"}, []string{"slow fails", "slow takes too long"}},
		{nodes, slot{"agents", "say"}, []string{"say does not end its loop", "say fails", "say fails once", "say fails at every attempt"}},
		{nodes, slot{"bash", "test"}, []string{"test never ends"}},
		{graph, slot{"bash", "try"}, []string{
			"try is Output of try.", "try is 2", "try is 3", "try is 4", "try is 5", "try is 1", "try ends with done", "try ends with more",
			"try fails", "try fails once", "try fails at every attempt", "try takes too long",
		}},
	} {
		var got []string
		for _, f := range tt.m.allFlips(tt.m.producers[tt.at]) {
			if !slices.Contains(got, f.text) {
				got = append(got, f.text)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.at, got, tt.want)
		}
	}
}

package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// Each part of a graph has one form, which a reader finds at once.
func TestGraphCode(t *testing.T) {
	check := testkit.TypeChecker[gen.File](t)
	for i, tt := range []struct {
		name, variables, work, edges, rest string
		has, lacks                         []string
	}{
		{"a label alone is tested at the edge", "", "prompt: Do it\n    outputs: [done, again]",
			"  - {from: work, to: work, condition: again}\n  - {from: work, to: END, condition: 'any(done, again)'}", "",
			[]string{"{From: nodeWork, To: nodeWork, On: string(WorkLabelAgain)}", `{From: nodeWork, To: graph.End, When: (*run).workToEnd, Text: "any(done, again)"}`}, []string{"workToWork", "completion"}},
		{"another condition is a method with its text", "    n: 1\n", "prompt: Do it\n    outputs: [done]",
			"  - {from: work, to: work, condition: 'state.n > 1 && done'}\n  - {from: work, to: END}", "",
			[]string{"When: (*run).workToWork, Text: \"state.n > 1 && done\"}", ":13): state.n > 1 && done func"}, nil},
		{"comparisons keep their order", "    n: 1\n    s: a\n", "prompt: Do it\n    outputs: [done]",
			"  - {from: work, to: work, condition: '3.5 < state.n'}\n  - {from: work, to: work, condition: '\"b\" == state.s'}\n  - {from: work, to: work, condition: 'state.n <= 2'}\n  - {from: work, to: END}", "",
			[]string{"return 3.5 < r.State.N", `return "b" == r.State.S`, "return r.State.N <= 2"}, nil},
		{"one handler is an if", "    s: a\n", "prompt: Do it\n    outputs: [done, again]\n    on_output: {again: {set: {s: output}}}",
			"  - {from: work, to: END}", "", []string{"if r.Labels.Work == WorkLabelAgain {"}, []string{"switch r.Labels"}},
		{"two handlers are a switch", "    s: a\n", "prompt: Do it\n    outputs: [done, again]\n    on_output: {again: {set: {s: output}}, done: {set: {s: b}}}",
			"  - {from: work, to: END}", "", []string{"switch r.Labels.Work {", "case WorkLabelDone:"}, nil},
		{"an input is read from its variable", "", "prompt: About (user provides via state.topic) and (reference state.topic)\n    outputs: [done]",
			"  - {from: work, to: END}", "", []string{`"About " + r.State.Topic + " and " + r.State.Topic`}, []string{"r.in", "in := "}},
		{"an input whose variable changes is itself", "", "prompt: About (user provides via state.topic) and (reference state.topic)\n    outputs: [done]\n    on_output: {done: {set: {topic: output}}}",
			"  - {from: work, to: END}", "", []string{`"About " + r.in.Topic + " and " + r.State.Topic`, "r := &run{in: in}", "r.State = State{Topic: in.Topic}"}, nil},
		{"labels are constants", "", "command: 'true'\n    outputs: [pass, fail]", "  - {from: work, to: END}", "",
			[]string{"TimeoutLabel: string(WorkLabelFail)", "Labels: graph.LabelsOf(WorkLabelPass, WorkLabelFail)"}, []string{`TimeoutLabel: "`}},
		{"a goal on a label needs no method", "", "prompt: Do it\n    outputs: [done]", "  - {from: work, to: END}", "completion: [work.done]\n",
			[]string{"{Node: nodeWork, Label: \"done\"}"}, []string{"completion()"}},
		{"the end that asks for a label is broken", "", "prompt: |\n      a\n      b\n      c\n      d\n    outputs: [first, second, third, fourth]", "  - {from: work, to: END}", "",
			[]string{"\"d\\n\\n\\n\" + ", "\"End your answer with one line"}, nil},
	} {
		agent := "self"
		if strings.HasPrefix(tt.work, "command") {
			agent = "bash"
		}
		state := ""
		if tt.variables != "" {
			state = "state:\n  variables:\n" + tt.variables
		}
		yaml := fmt.Sprintf("workflow: w%d\n%snodes:\n  work:\n    type: task\n    agent: %s\n    %s\nedges:\n  - {from: START, to: work}\n%s\nlimits: {max_iterations: 9}\n%s", i, state, agent, tt.work, tt.edges, tt.rest)
		files := gen.Generate(compile(tt.name+".yaml", yaml, nil), gen.Options{})
		check(tt.name, files...)
		code := squeeze(string(files[0].Content))
		for _, part := range tt.has {
			if !strings.Contains(code, part) {
				t.Errorf("%s: there is no %q in\n%s", tt.name, part, code)
			}
		}
		for _, part := range tt.lacks {
			if strings.Contains(code, part) {
				t.Errorf("%s: there is %q in\n%s", tt.name, part, code)
			}
		}
		check(tt.name, gen.Generate(compile(tt.name+".yaml", yaml, nil), gen.Options{LineDirectives: true})...)
	}
}

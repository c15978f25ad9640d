package gen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

// A setting that the file leaves to the format is marked where it stands; one that the file
// sets is not.
func TestDefaultsAreMarked(t *testing.T) {
	const graph = "workflow: w\nnodes:\n  work:\n    type: %s\n    outputs: [done, timeout]\n%s\nedges:\n  - {from: START, to: work}\n  - {from: work, to: END}\nlimits: {max_iterations: 9}\n"
	for _, tt := range []struct {
		name, yaml  string
		has, hasNot string
	}{
		{"checkout", "name: w\ndescription: d\nnodes:\n  - {id: a, bash: 'true'}\n", "ExclusiveCheckout: true, // the format's default", ""},
		{"checkout in the file", "name: w\ndescription: d\nmutates_checkout: true\nnodes:\n  - {id: a, bash: 'true'}\n", "ExclusiveCheckout: true,", "the format's default"},
		{"label of a timeout", fmt.Sprintf(graph, "task\n    agent: self\n    prompt: Go", ""), "TimeoutLabel: string(WorkLabelTimeout), // the format's default", ""},
		{"label in the file", fmt.Sprintf(graph, "human\n    prompt: Go?", "    timeout_minutes: 5\n    default_output: done\n"), "TimeoutLabel: string(WorkLabelDone)", "the format's default"},
		{"retries", fmt.Sprintf(graph, "task\n    agent: self\n    prompt: Go", "    retry_on_failure: true\n"), "All: true}, // the default number of retries", ""},
		{"retries in the file", fmt.Sprintf(graph, "task\n    agent: self\n    prompt: Go", "    retry_on_failure: true\n    max_retries: 2\n"), "Retries: 2,", "the default number of retries"},
		{"flow", "name: w\ndescription: d\nnodes:\n  - {id: a, bash: 'true'}\n", "// workflow runs each node when those before it are settled, if its rule and its condition allow it.\n", ""},
	} {
		code := string(gen.Generate(compile("w.yaml", tt.yaml, nil), gen.Options{})[0].Content)
		lines := strings.Split(code, "\n")
		for i, line := range lines { // without the columns that gofmt makes
			lines[i] = strings.Join(strings.Fields(line), " ")
		}
		code = strings.Join(lines, "\n")
		if !strings.Contains(code, tt.has) || tt.hasNot != "" && strings.Contains(code, tt.hasNot) {
			t.Errorf("%s: the code lacks %q or has %q:\n%s", tt.name, tt.has, tt.hasNot, code)
		}
	}
}

// A step that only loops is a statement of the flow's function. It has a function of its own if it
// needs several statements, or if the flow is cut into several functions.
func TestLoopsAreInTheFlow(t *testing.T) {
	const step = "  - {name: said, for: {one: '[1, 2]'}, bash: 'echo {{ one }}'}\n"
	steps := func(before int) string {
		var b strings.Builder
		b.WriteString("name: w\nsteps:\n")
		for i := range before {
			fmt.Fprintf(&b, "  - {name: s%d, bash: echo 1}\n", i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, yaml string
		inline     bool
	}{
		{"alone", steps(1) + step, true},
		{"a flow that is cut", steps(120) + step, false},
		{"several statements", steps(1) + "  - {name: said, for: {one: '[1, 2]', two: '[3, 4]'}, bash: 'echo {{ one }}{{ two }}'}\n", false},
	} {
		code := string(gen.Generate(compile("w.yml", tt.yaml, nil), gen.Options{})[0].Content)
		if function := strings.Contains(code, "\nfunc runSaid("); function == tt.inline {
			t.Errorf("%s: runSaid is there: %v\n%s", tt.name, function, code)
		}
	}
}

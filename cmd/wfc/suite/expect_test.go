package suite

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// expected has a node for each kind of expectation.
const expected = `name: w
description: d
nodes:
  - id: ask
    prompt: Ask
  - id: once
    depends_on: [ask]
    bash: echo $ask.output
  - id: twice
    depends_on: [ask]
    bash: echo $ask.output $ask.output
  - id: fix
    depends_on: [once, twice]
    loop_group:
      max_iterations: 3
      until: DONE
      nodes:
        - {id: change, prompt: Change}
`

// searchOf returns the search for tests of a program, before it ran anything.
func searchOf(p *ir.Program, run Runner) *search {
	return newSearch(newModel(p), run)
}

// trialOf returns the trial of a run in which nodes get gives.
func trialOf(p *testjob.Run, lists map[slot][]give) *trial {
	return &trial{scenario: &scenario{lists: lists}, probe: p}
}

// part returns the value of a key of an object as JSON, or "".
func part(t *testing.T, of any, key string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(encodeJSON(of)), &all); err != nil {
		t.Fatal(err)
	}
	return string(all[key])
}

var (
	long   = "First line.\n" + strings.Repeat("x", longestText) + "\nIt says Hello world."
	manyLn = "A heading\n" + strings.Repeat("Hello world, ten times\n", mostLines)
)

// The expectations are what the run did.
func TestExpectations(t *testing.T) {
	s := searchOf(compileText(t, expected), nil)
	said := map[slot][]give{{"agents", "ask"}: {{data: "Hello world"}}}
	step := func(node, kind string, more testjob.Step) testjob.Step {
		more.Node, more.Name, more.Kind = node, node, kind
		return more
	}
	for _, tt := range []struct {
		name, key string
		probe     testjob.Run
		want      string
	}{
		{"a completed run", "status", testjob.Run{Status: "completed"}, ""},
		{"a failed run", "status", testjob.Run{Status: "failed"}, `"failed"`},
		{"why it ended", "reason", testjob.Run{Reason: "node_failed"}, `"node_failed"`},
		{"no reason", "reason", testjob.Run{}, ""},
		{"its error", "error", testjob.Run{Error: "no"}, `"no"`},
		{"a long error", "error", testjob.Run{Error: long}, `{"contains":["First line.","Hello world"]}`},

		{"outputs", "outputs", testjob.Run{Outputs: []byte(`{"b":2,"a":"x","c":{"d":1},"e":null,"f":false}`)}, `{"a":"x","b":2,"c":{"equals":{"d":1}},"f":false}`},
		{"no outputs", "outputs", testjob.Run{Outputs: []byte(`{}`)}, ""},

		{"nodes that ran", "ran", testjob.Run{Nodes: []testjob.Node{{Key: "a", Status: "completed"}, {Key: "b", Status: "failed"}, {Key: "c", Status: "skipped"}, {Key: "d", Status: "pending"}}}, `{"only":["a","b"]}`},
		{"nodes that failed", "failed", testjob.Run{Nodes: []testjob.Node{{Key: "a", Status: "completed"}, {Key: "b", Status: "failed"}}}, `{"only":["b"]}`},
		{"nodes that were skipped", "skipped", testjob.Run{Nodes: []testjob.Node{{Key: "a", Status: "completed"}, {Key: "c", Status: "skipped"}}}, `{"only":["c"]}`},
		{"nothing failed", "failed", testjob.Run{Nodes: []testjob.Node{{Key: "a", Status: "completed"}}}, ""},
		{"the nodes of each iteration once", "ran", testjob.Run{Nodes: []testjob.Node{{Key: "a", Status: "completed"}, {Key: "a", Status: "completed"}}}, `{"only":["a"]}`},

		{"dependencies that both ran", "before", testjob.Run{Ended: map[string]int{"ask": 2}, Started: map[string]int{"once": 3, "twice": 4}}, `{"ask":["once","twice"]}`},
		{"one dependency", "before", testjob.Run{Ended: map[string]int{"ask": 2, "once": 9}, Started: map[string]int{"once": 3, "fix": 8}}, `{"ask":"once"}`},
		{"no node before", "before", testjob.Run{Started: map[string]int{"once": 3}}, ""},

		{"an output", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "once", Status: "completed", Text: "made"}}}, `{"once":{"output":"made"}}`},
		{"a structured output", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "once", Status: "completed", Text: `{"a": [1]}`}}}, `{"once":{"output":{"equals":{"a":[1]}}}}`},
		{"an output that only looks structured", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "once", Status: "completed", Text: "[1] is a note"}}}, `{"once":{"output":"[1] is a note"}}`},
		{"the reply of the test", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "ask", Status: "completed", Text: "Hello world\n"}}}, ""},
		{"another node with the reply", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "once", Status: "completed", Text: "Hello world"}}}, `{"once":{"output":"Hello world"}}`},
		{"a failure", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "ask", Status: "failed", Reason: "timeout", Error: "late", Attempts: 2}}}, `{"ask":{"reason":"timeout","error":"late","attempts":2}}`},
		{"one attempt", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "ask", Status: "completed", Attempts: 1}}}, ""},
		{"a node that waits", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "ask", Status: "paused"}}}, `{"ask":{"status":"paused"}}`},
		{"the first end of a node", "nodes", testjob.Run{Nodes: []testjob.Node{{Key: "once", Text: "1"}, {Key: "once", Text: "2"}}}, `{"once":{"status":"","output":"1"}}`},

		{"prompts by node", "prompts", testjob.Run{Steps: []testjob.Step{step("ask", "prompt", testjob.Step{Prompts: []string{"A", "B"}}), step("fix.change", "prompt", testjob.Step{Prompts: []string{"C"}}), step("ask", "prompt", testjob.Step{Prompts: []string{"D"}})}},
			`{"ask":[{"equals":"A"},{"equals":"B"},{"equals":"D"}],"fix.change":[{"equals":"C"}]}`},
		{"a long prompt", "prompts", testjob.Run{Steps: []testjob.Step{step("ask", "prompt", testjob.Step{Prompts: []string{long}})}}, `{"ask":[{"contains":["First line.","Hello world"]}]}`},
		{"a prompt of many lines", "prompts", testjob.Run{Steps: []testjob.Step{step("ask", "prompt", testjob.Step{Prompts: []string{manyLn}})}}, `{"ask":[{"contains":["A heading","Hello world"]}]}`},

		{"values of scripts", "values", testjob.Run{Steps: []testjob.Step{step("once", "bash", testjob.Step{Values: "A = 1"}), step("once", "bash", testjob.Step{}), step("twice", "script", testjob.Step{}), step("ask", "prompt", testjob.Step{Values: "no"})}},
			`{"once":[{"equals":"A = 1"},{"equals":""}]}`},
		{"programs that read a value twice", "programs", testjob.Run{Steps: []testjob.Step{step("once", "bash", testjob.Step{Program: "one"}), step("twice", "bash", testjob.Step{Program: "two"})}}, `{"twice":[{"equals":"two"}]}`},
		{"questions, but no waits", "questions", testjob.Run{Steps: []testjob.Step{step("ask", kindQuestion, testjob.Step{Message: "Good?"}), step("ask", kindQuestion, testjob.Step{Message: "until", Wait: "time"})}}, `{"ask":[{"equals":"Good?"}]}`},

		{"iterations of loops", "iterations", testjob.Run{Iterations: map[string]int{"fix": 2, "ask": 1}}, `{"fix":2}`},
		{"variables", "state", testjob.Run{State: map[string]json.RawMessage{"b": []byte(`[1]`), "a": []byte(`"x"`), "c": []byte(`null`)}}, `{"a":"x","b":{"equals":[1]}}`},
		{"deliveries by target", "delivered", testjob.Run{Messages: []testjob.Message{{Targets: []string{"slack:b", "slack:a"}, Text: "Hi"}, {Targets: []string{"slack:a"}, Text: "Ho"}}}, `{"slack:a":[{"equals":"Hi"},{"equals":"Ho"}],"slack:b":[{"equals":"Hi"}]}`},
	} {
		if got := part(t, s.buildExpectations(trialOf(&tt.probe, said), false), tt.key); got != tt.want {
			t.Errorf("%s: %s %s, want %s", tt.name, tt.key, got, tt.want)
		}
	}
	brief := s.buildExpectations(trialOf(&testjob.Run{Status: "failed", Error: "no", Iterations: map[string]int{"fix": 2}}, said), true)
	if got := encodeJSON(brief); got != `{"status":"failed"}` {
		t.Errorf("a brief test expects %s", got)
	}
}

// In a state graph, each node has iterations.
func TestExpectedIterationsOfGraphs(t *testing.T) {
	s := searchOf(compileGraph(t, loopGraph), nil)
	e := s.buildExpectations(trialOf(&testjob.Run{Iterations: map[string]int{"write": 2, "review": 2}}, nil), false)
	if got := part(t, e, "iterations"); got != `{"write":2,"review":2}` {
		t.Error(got)
	}
}

// A long string is expected by its first line, and by the strings of the test and of outputs in
// it, the longest first. Strings that are too short or too long say nothing.
func TestMarks(t *testing.T) {
	trial := trialOf(&testjob.Run{Nodes: []testjob.Node{{Text: "of a node"}}}, map[slot][]give{
		{"inputs", "a"}:    {{data: map[string]any{"b": []any{"in a list", "abc"}}}},
		{"answers", "q"}:   {{choice: "reject", text: " Please change it. "}},
		{"agents", "long"}: {{data: strings.Repeat("x", longestText+1)}, {data: "in a list"}},
	})
	if got := trial.markStrings(); !slices.Equal(got, []string{"Please change it.", "in a list", "of a node"}) {
		t.Errorf("%q", got)
	}
	marks := []string{"Hello world", "Hello"}
	for text, want := range map[string]string{
		"\n\n A line \nHello world":     `["A line","Hello world"]`, // not Hello again
		"Hello world\nHello world":      `["Hello world"]`,
		"Hello there":                   `["Hello there","Hello"]`,
		strings.Repeat("é", 130) + "\n": `["` + strings.Repeat("é", 120) + `"]`,
	} {
		if got := encodeJSON(textParts(text, marks)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A test has the gives that its run used, each as often as the run used it, and the files that
// its inputs name.
func TestTestsHaveWhatTheRunUsed(t *testing.T) {
	s := searchOf(compileText(t, expected), nil)
	trial := trialOf(&testjob.Run{Status: "completed", Steps: []testjob.Step{
		{Name: "ask", Node: "ask", Kind: "prompt", Prompts: []string{"A", "B"}},
		{Name: "once", Node: "once", Kind: "bash"},
		{Name: "fix.change/2", Node: "fix.change", Kind: "prompt", Prompts: []string{"C"}},
		{Name: "gate", Node: "gate", Kind: kindQuestion},
	}}, map[slot][]give{
		{"inputs", "doc"}:          {{data: "doc.txt"}},
		{"inputs", "none"}:         {{absent: true}},
		{"agents", "ask"}:          {{data: "1"}, {data: "2"}, {data: "3"}},
		{"agents", "fix.change"}:   {{data: "never"}},
		{"agents", "fix.change/2"}: {{data: "own"}},
		{"bash", "once"}:           {{data: "x", exit: 3}, {data: "y"}},
		{"bash", "twice"}:          {{data: "not used"}},
		{"answers", "gate"}:        {{choice: "approve"}},
	})
	trial.files = map[string]string{"doc.txt": "Content.", "other.txt": "Content."}
	const want = `{"name":"it runs","inputs":{"doc":"doc.txt"},"files":{"doc.txt":"Content."},` +
		`"agents":{"ask":["1","2"],"fix.change/2":"own"},"bash":{"once":{"exit":3,"output":"x"}},"answers":{"gate":"approve"}}`
	if got := encodeJSON(s.testItem(trial, "it runs", true)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The keys of an object are in the order in which they were added, without those of empty
// objects.
func TestObjects(t *testing.T) {
	o, inner := newObject(), newObject()
	inner.add("x", nil)
	o.add("z", 1)
	o.add("empty", newObject())
	o.add("a", inner)
	if got := testFileJSON("../w.yaml", o); got != `{"workflow":"../w.yaml","tests":[{"z":1,"a":{"x":null}}]}` {
		t.Error(got)
	}
	if got := testFileJSON("", newObject()); got != `{"tests":[{}]}` {
		t.Error(got)
	}
	if !o.hasKey("a") || o.hasKey("empty") {
		t.Error("has")
	}
	if _, err := json.Marshal(&object{keys: []string{"f"}, values: []any{func() {}}}); err == nil {
		t.Error("a function has JSON")
	}
}

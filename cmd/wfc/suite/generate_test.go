package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// searched is a workflow with an agent, a condition, a retry, a gate and a script, and a node
// that never runs.
const searched = `name: searched
description: d
interactive: true
nodes:
  - id: ask
    prompt: Ask
    retry: {max_attempts: 2}
    output_format: {type: object, properties: {kind: {type: string, enum: [bug, idea]}, size: {type: integer}}, required: [kind, size]}
  - id: gate
    depends_on: [ask]
    approval: {message: "Do it?"}
  - id: fix
    depends_on: [gate]
    when: $ask.output.kind == 'bug' && $ask.output.size > 3
    bash: ./fix
  - id: gone
    command: missing
  - id: never
    depends_on: [gone]
    prompt: p
`

// A fakeTest is a candidate for searched, as its runner reads it.
type fakeTest struct {
	Agents, Bash, Answers map[string]any
}

// nth returns the n-th give of a slot; the last one repeats.
func nth(give any, n int) any {
	if list, ok := give.([]any); ok {
		return list[min(n, len(list)-1)]
	}
	return give
}

// runSearched runs a candidate for searched, as the simulated engine would.
func runSearched(f fakeTest, terms []string) *testjob.Run {
	p := &testjob.Run{Status: "failed", Hits: map[string]int{"node gone": 1}, Terms: map[string][2]uint64{}, Iterations: map[string]int{}}
	for _, place := range terms {
		p.Terms[place] = [2]uint64{}
	}
	end := func(key, status string) { p.Nodes = append(p.Nodes, testjob.Node{Key: key, Status: status}) }
	skip := func(keys ...string) *testjob.Run {
		for _, key := range keys {
			end(key, "skipped")
		}
		return p
	}
	var reply map[string]any
	for attempt := range 2 {
		p.Hits["node ask"]++
		p.Steps = append(p.Steps, testjob.Step{Name: "ask", Node: "ask", Kind: "prompt", Attempt: attempt + 1, Prompts: []string{"Ask"}})
		if attempt == 1 {
			p.Hits["retry ask"]++
		}
		give, _ := nth(f.Agents["ask"], attempt).(map[string]any)
		if reply, _ = give["json"].(map[string]any); reply != nil || give["class"] != "transient" {
			break
		}
	}
	if reply == nil {
		end("ask", "failed")
		return skip("gate", "fix")
	}
	end("ask", "completed")
	p.Hits["alt ask .kind "+encodeJSON(reply["kind"])]++
	p.Steps = append(p.Steps, testjob.Step{Name: "gate", Node: "gate", Kind: kindQuestion, Message: "Do it?", Choices: []string{"approve", "reject"}})
	if f.Answers["gate"] == nil {
		p.Problems = append(p.Problems, "no answer for `gate`")
		return p
	}
	p.Hits["node gate"]++
	p.Hits["edge ask gate"]++
	switch {
	case f.Answers["gate"] == "none":
		p.Status = "paused"
		return p
	case f.Answers["gate"] != "approve":
		p.Hits["gate gate reject"]++
		p.Status = "cancelled"
		end("gate", "completed")
		return skip("fix")
	}
	p.Hits["gate gate approve"]++
	end("gate", "completed")
	count := func(place string, holds bool) bool {
		n := p.Terms[place]
		n[map[bool]int{true: 1}[holds]]++
		p.Terms[place] = n
		return holds
	}
	size, _ := reply["size"].(float64)
	holds := count(terms[0], reply["kind"] == "bug") && count(terms[1], size > 3)
	p.Hits[fmt.Sprintf("when fix %t", holds)]++
	p.Status = "failed" // by `gone`
	if !holds {
		return skip("fix")
	}
	p.Hits["node fix"]++
	p.Hits["edge gate fix"]++
	p.Steps = append(p.Steps, testjob.Step{Name: "fix", Node: "fix", Kind: "bash"})
	if give, failed := f.Bash["fix"].(map[string]any); failed && give["exit"] != nil {
		end("fix", "failed")
	} else {
		end("fix", "completed")
	}
	return p
}

// searchedRunner runs candidates for searched.
func searchedRunner(t *testing.T) (run Runner, m *model) {
	m = newModel(compileText(t, searched))
	var terms []string
	for _, e := range conditionTerms(m.top.places["fix"].node.When) {
		terms = append(terms, fmt.Sprintf("%d-%d", e.Span().Start, e.Span().End))
	}
	return func(candidates []string) (probes []*testjob.Run, err error) {
		for _, text := range candidates {
			var file struct{ Tests []fakeTest }
			if err := json.Unmarshal([]byte(text), &file); err != nil {
				return nil, err
			}
			probes = append(probes, runSearched(file.Tests[0], terms))
		}
		return probes, nil
	}, m
}

// The search covers each item of a workflow, with few tests, whose names say the way. What no
// run covers has its proof.
func TestGenerate(t *testing.T) {
	run, m := searchedRunner(t)
	s, err := Generate(m.program, "../w.yaml", run)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Workflow string
		Tests    []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(s.JSON), &file); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, test := range file.Tests {
		names = append(names, test.Name)
	}
	want := []string{ // `gone` lets each run fail
		"the run fails", "ask size is 4: the run fails", "ask kind is idea: the run fails", "gate gets reject: the run is cancelled",
		"ask fails once: the run fails", "ask fails: the run fails", "gate gets no answer: the run waits", "no arguments: the run fails",
		"no context: the run fails", "ask size is 2: the run fails", "ask size is 3: the run fails", "ask size is 5: the run fails",
	}
	if !slices.Equal(names, want) || file.Workflow != "../w.yaml" || s.Tests != len(names) {
		t.Errorf("tests of %s:\n%s", file.Workflow, strings.Join(names, "\n"))
	}
	for _, it := range s.Items {
		if missing := slices.ContainsFunc(s.Missing, func(m Missing) bool { return m.Name == it.Name }); missing == (it.Hits > 0) {
			t.Errorf("%s has %d hits; missing: %t", it.Name, it.Hits, missing)
		}
	}
	for _, missing := range s.Missing {
		if !missing.Proven || missing.Reason != "`gone` always fails: unknown command `missing`" {
			t.Errorf("%s: %s", missing.Name, missing.Reason)
		}
	}
	if len(s.Missing) != 2 || s.Percent("") != 100 || s.Percent("edges") != 100 {
		t.Errorf("%v, %.0f%% of all, %.0f%% of edges", s.Missing, s.Percent(""), s.Percent("edges"))
	}
}

// A test that does something else when it runs again keeps only its status; one that then still
// cannot run is left out.
func TestGenerateKeepsTestsThatPass(t *testing.T) {
	run, m := searchedRunner(t)
	expects := func(candidate string) bool { return strings.Contains(candidate, `"expect":{"status":"failed",`) }
	s, err := Generate(m.program, "", func(candidates []string) ([]*testjob.Run, error) {
		probes, err := run(candidates)
		for i, p := range probes {
			switch {
			case expects(candidates[i]) && strings.Contains(candidates[i], `"kind":"idea"`):
				p.Problems = []string{"another prompt"}
			case strings.Contains(candidates[i], `"expect"`) && strings.Contains(candidates[i], `"class":"fatal"`):
				p.Problems = []string{"another status"}
			}
		}
		return probes, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.JSON, `"agents":{"ask":{"json":{"kind":"idea","size":1}}},"answers":{"gate":"approve"},"expect":{"status":"failed"}}`) {
		t.Errorf("the test of an idea expects more than its status:\n%s", s.JSON)
	}
	if strings.Contains(s.JSON, "fatal") || s.Tests != 11 {
		t.Errorf("%d tests:\n%s", s.Tests, s.JSON)
	}
}

// Errors of the test program end the search, and so do candidates that all have a problem: the
// error names the most frequent one.
func TestGenerateFails(t *testing.T) {
	_, m := searchedRunner(t)
	for want, run := range map[string]Runner{
		"it died":                                func([]string) ([]*testjob.Run, error) { return nil, errors.New("it died") },
		"the test program ran 0 of 1 candidates": func([]string) ([]*testjob.Run, error) { return nil, nil },
		"no test of workflow `searched` can run: often": func(candidates []string) (probes []*testjob.Run, err error) {
			for i := range candidates {
				probes = append(probes, &testjob.Run{Problems: []string{map[bool]string{true: "once", false: "often"}[i == 0]}})
			}
			return probes, nil
		},
	} {
		if _, err := Generate(m.program, "", run); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Package testmake writes tests of workflows: from a recording of a run.
package testmake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// FromRecording returns the entry of a test file, a list item of YAML, that repeats a
// recorded run with the replies of its agents; and remarks about what the recording does
// not tell. The test compares its transcript with a golden one.
func FromRecording(def *flow.Definition, path string, project testrun.Project) (test []byte, notes []string, err error) {
	r, err := recording.Read(path, def.Name)
	if err != nil {
		return nil, nil, err
	}
	m := &maker{definition: def, recorded: r}
	if r.Fingerprint() != def.Fingerprint {
		m.note("the workflow has changed since the recording")
	}
	if len(r.Inputs()) == 0 && len(def.Inputs) > 0 {
		m.note("the recording has no inputs, so the test uses the defaults; add `inputs`")
	}
	dir, err := os.MkdirTemp("", "wfc-record-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the run: %w", err)
	}
	defer os.RemoveAll(dir)
	// The answers of people are not in a recording: each question that leaves the run
	// paused gets one, until the run ends.
	for round := 0; ; round++ {
		t, err := m.parse()
		if err != nil {
			return nil, nil, err
		}
		own := filepath.Join(dir, fmt.Sprint(round))
		o, problems := testrun.Simulate(t, testrun.Options{Definition: def, Dir: own, Source: filepath.Dir(path), Project: project, Tools: testrun.NewTools(own)})
		if o == nil {
			return nil, nil, errors.New(strings.Join(problems, "; "))
		}
		m.status = o.End.Status
		if o.End.Status == flow.Paused && m.answer(o) {
			continue
		}
		for _, problem := range problems {
			m.note("%s", problem)
		}
		break
	}
	test, err = m.yaml()
	return test, m.notes, err
}

type maker struct {
	definition *flow.Definition
	recorded   *recording.Recording
	answers    []answered
	status     flow.Status
	notes      []string
}

// answered are the choices at a gate, in order.
type answered struct {
	node    string
	choices []string
}

func (m *maker) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// answer adds an answer to a question that the run waits for. Steps that rework a rejected
// output are in the recording, so they tell how often a person rejected it.
func (m *maker) answer(o *sim.Outcome) bool {
	for _, r := range o.Steps {
		if r.Status != flow.Waiting || r.Question == nil || r.Question.Wait != "" {
			continue
		}
		node := gateOf(r.Key)
		if slices.ContainsFunc(m.answers, func(a answered) bool { return a.node == node }) {
			continue
		}
		var choices []string
		for _, step := range m.recorded.Steps() {
			if strings.HasPrefix(step, node+"/rework#") || strings.HasPrefix(step, node+"/make") {
				choices = append(choices, kernel.ChoiceReject)
			}
		}
		last := "Continue."
		if len(r.Question.Choices) > 0 {
			last = r.Question.Choices[0]
		}
		m.answers = append(m.answers, answered{node, append(choices, last)})
		m.note("the recording has no answers of people; the test answers `%s` at `%s`", strings.Join(append(choices, last), "`, `"), node)
		return true
	}
	return false
}

// gateOf is the key of the node that asks a question.
func gateOf(step string) string {
	if i := strings.LastIndexAny(step, "#@"); i >= 0 {
		step = step[:i]
	}
	return strings.TrimSuffix(strings.TrimSuffix(step, "/gate"), "/review")
}

// parse returns the test as test files are read.
func (m *maker) parse() (*testfile.Test, error) {
	text, err := m.yaml()
	if err != nil {
		return nil, err
	}
	f, faults := testfile.Parse("test", append([]byte("tests:\n"), text...))
	if len(faults) > 0 || len(f.Tests) != 1 {
		return nil, fmt.Errorf("the made test is not valid: %v", faults)
	}
	return f.Tests[0], nil
}

// yaml returns the test as an item of a list, indented by two spaces.
func (m *maker) yaml() ([]byte, error) {
	test := testfile.NewObject("name", "the recorded run "+m.recorded.Run())
	var inputs map[string]any
	if text := m.recorded.Inputs(); len(text) > 0 {
		d := json.NewDecoder(bytes.NewReader(text))
		if err := d.Decode(&inputs); err != nil {
			return nil, fmt.Errorf("the inputs of the recording: %w", err)
		}
	}
	given := testfile.NewObject()
	for _, in := range m.definition.Inputs {
		value, ok := inputs[in.Name]
		text, err := json.Marshal(value)
		if ok && err == nil && !(in.Default != nil && bytes.Equal(text, in.Default)) {
			given.Add(in.Name, value)
		}
	}
	test.AddObject("inputs", given)
	agents := testfile.NewObject()
	for _, step := range m.recorded.Steps() {
		agents.Add(step, repliesOf(m.recorded.Turns(step)))
	}
	test.AddObject("agents", agents)
	answers := testfile.NewObject()
	for _, a := range m.answers {
		list := make([]any, len(a.choices))
		for i, choice := range a.choices {
			list[i] = choice
			if choice == kernel.ChoiceReject {
				list[i] = map[string]string{"reject": "no"}
			}
		}
		answers.Add(a.node, list)
	}
	test.AddObject("answers", answers)
	if m.status != "" && m.status != flow.Completed {
		expect := testfile.NewObject("status", string(m.status))
		test.AddObject("expect", expect)
	}
	test.Add("snapshot", true)
	return test.Item()
}

// repliesOf returns the replies to the turns of a step.
func repliesOf(turns []recording.Turn) any {
	list := make([]any, len(turns))
	for i, t := range turns {
		reply := map[string]any{}
		switch {
		case t.Failure != nil:
			reply["fail"] = t.Failure.Message
			switch t.Failure.Class {
			case flow.ClassTransient, flow.ClassFatal:
				reply["class"] = string(t.Failure.Class)
			}
		case len(t.Structured) > 0:
			reply["json"] = testfile.InOrder(t.Structured)
		default:
			reply["text"] = t.Text
		}
		if t.CostUSD > 0 {
			reply["cost"] = t.CostUSD
		}
		list[i] = reply
		if len(reply) == 1 && reply["text"] != nil {
			list[i] = t.Text
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

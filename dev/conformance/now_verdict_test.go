package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// judge compares the report with the recorded dry run.
func (f *fixture) judge() (diffs []difference) {
	c, want := f.c, f.c.dry
	switch faults := f.report.Faults; {
	case want.Refused == "stubs" && len(faults) == 0:
		return []difference{{"fixture", "refused", "accepted"}}
	case want.Refused == "stubs":
		return same("faults of stubs", fmt.Sprint(len(want.Keys)), fmt.Sprint(len(faults)))
	case len(faults) > 0:
		return []difference{{"fixture", "accepted", "invalid: " + faults[0].Message}}
	}
	got := f.report.Tests[0]
	switch {
	case want.Refused == "inputs":
		return same("fixture", "", got.Status)
	case got.Status == "":
		return []difference{{"fixture", want.Outcome, "not run: " + got.Failures[0].Message}}
	}
	add := func(what, want, got string) { diffs = append(diffs, same(what, want, got)...) }
	add("outcome", want.Outcome, got.Status)
	if want.Outcome == got.Status && got.Status == string(flow.Completed) {
		add("summary", deref(want.Summary), got.Summary)
	}
	add("missing", join(want.Missing), join(got.Stubs.Missing))
	unused := slices.DeleteFunc(slices.Clone(got.Stubs.Unused), func(id string) bool { return f.invented[id] != nil && !c.hasStub(id) })
	add("unused", join(want.Unused), join(unused))
	diffs = append(diffs, f.judgeSteps(got.Steps)...)
	if failures := got.Failures; len(failures) > 0 {
		what, isText := strings.CutPrefix(failures[0].Message, "resolved text of node ")
		switch what = "text of " + strings.Trim(what, "`"); {
		case isText && !slices.ContainsFunc(diffs, func(d difference) bool { return d.what == what }):
			diffs = append(diffs, difference{what, failures[0].Expected, failures[0].Happened})
		case len(diffs) == 0:
			diffs = append(diffs, difference{"verdict", "passes", failures[0].Message})
		}
	}
	if c.in.DefaultStubs {
		diffs = append(diffs, optionMissing(defaultStubsOption))
	}
	return diffs
}

// Options of the engine's dry run that wfc does not have.
const (
	defaultStubsOption = "default stubs"
	stubFileOption     = "a stub file with invented outputs"
)

// optionMissing is the difference of a dry run with an option that wfc does not have.
func optionMissing(name string) difference { return difference{"option", name, "none"} }

// hasStub reports whether the case has a stub of its own for a node.
func (c *nowCase) hasStub(id string) bool { return c.stubs()[id] != nil }

// stubs are the stubs of the case by id, or nil if they are no object.
func (c *nowCase) stubs() (stubs map[string]json.RawMessage) {
	if json.Unmarshal(c.in.Stubs, &stubs) != nil {
		return nil
	}
	return stubs
}

// join writes ids in order.
func join(ids []string) string { return strings.Join(slices.Sorted(slices.Values(ids)), " ") }

// judgeSteps compares the ends of nodes, those in bodies by iteration, with their prompts
// and agents.
func (f *fixture) judgeSteps(steps []fixtureStep) (diffs []difference) {
	kinds := nodeKinds(f.program)
	ended, texts, turns, iterations := map[string][]stepOrder{}, map[string][]string{}, map[string]fixtureStep{}, map[string]int{}
	for _, s := range steps {
		id := s.Node[strings.LastIndex(s.Node, ".")+1:]
		if s.Agent != "" {
			turns[id] = s
			texts[id] = append(texts[id], s.Texts...)
		}
		if loop, n, ok := iterationOf(s.Step); ok {
			iterations[loop] = max(iterations[loop], n)
		}
		body, order, inBody := bodyNode(s.Step)
		if inBody {
			group, _, _ := strings.Cut(s.Step, "#")
			iterations[group] = max(iterations[group], order[0])
		}
		if s.Step != s.Node && body != s.Node || s.Kind == "include" || kinds[s.Node] == "include" {
			continue
		}
		form, ok := endOf(flow.Record{Status: flow.Status(s.Status), Kind: kindOfNode(kinds[s.Node], s.Kind), Text: s.Output, Reason: s.Reason})
		if ok {
			ended[id] = append(ended[id], stepOrder{order, form, s.Reason})
		}
	}
	expected := map[string][]string{}
	for _, t := range f.c.dry.Trace {
		state := strings.Replace(t.State, "stubbed", "completed", 1)
		// The engine records no cancelled node and the text of each that ends the run.
		if t.Type == "cancel" {
			continue
		}
		expected[t.Node] = append(expected[t.Node], nodeForm(state, deref(t.Output), strings.TrimSuffix(t.Cause, "_false")))
		i := len(expected[t.Node]) - 1
		if list := ended[t.Node]; t.Fault != "" && i < len(list) && list[i].form == failedStatus && !slices.Contains(nowReasons[t.Fault], list[i].reason) {
			diffs = append(diffs, difference{"fault of " + t.Node, t.Fault, list[i].reason})
		}
		if t.Iterations > 0 {
			diffs = append(diffs, same("iterations of "+t.Node, fmt.Sprint(t.Iterations), fmt.Sprint(iterations[t.Node]))...)
		}
		isTurn := t.Type == "prompt" || t.Type == "command" || t.Type == "loop"
		if isTurn && t.Text != nil && len(texts[t.Node]) > 0 && !slices.Contains(texts[t.Node], *t.Text) {
			diffs = merged(diffs, []difference{{"text of " + t.Node, *t.Text, strings.Join(texts[t.Node], "\n")}})
		}
		if s, ok := turns[t.Node]; ok && t.Provider != "" {
			effort := ""
			for _, name := range []string{"effort", "modelReasoningEffort"} {
				_ = json.Unmarshal(s.Options[name], &effort) // an agent has one of them, or none
			}
			diffs = append(diffs, same("settings of "+t.Node, join([]string{t.Provider, t.Model, loweredEffort(t.Provider, t.Effort)}), join([]string{s.Agent, s.Model, effort}))...)
		}
	}
	got := map[string][]string{}
	for id, list := range ended {
		slices.SortStableFunc(list, func(a, b stepOrder) int { return slices.Compare(a.order, b.order) })
		for _, e := range list {
			got[id] = append(got[id], e.form)
		}
	}
	for _, id := range keysOf(expected, got) {
		diffs = append(diffs, same("node "+id, strings.Join(expected[id], ", "), strings.Join(got[id], ", "))...)
	}
	return diffs
}

// A stepOrder is how a step ended, in which iterations.
type stepOrder struct {
	order  []int
	form   string
	reason string
}

// kindOfNode is the kind of a node of the program, or that of its step.
func kindOfNode(node, step string) string {
	if node != "" {
		return node
	}
	return step
}

// judgeScaffold compares the outputs that wfc invents with those of a stub file that the
// engine writes. wfc writes none.
func (c *nowCase) judgeScaffold(r *compiler.Result) []difference {
	diffs := []difference{optionMissing(stubFileOption)}
	if c.dry.Refused != "" {
		return diffs
	}
	got := invented(r.Workflow, false)
	for _, id := range slices.Sorted(maps.Keys(c.dry.Scaffold)) {
		want := jsonText(c.dry.Scaffold[id])
		if !slices.ContainsFunc(got[id], func(text string) bool { return jsonText(stubValue(text)) == want }) {
			diffs = append(diffs, difference{"placeholder of " + id, want, strings.Join(got[id], " or ")})
		}
		delete(got, id)
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		diffs = append(diffs, difference{"placeholder of " + id, "none", got[id][0]})
	}
	return diffs
}

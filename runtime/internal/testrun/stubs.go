package testrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/script"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// A fixture of archon is a run in which stubs replace outputs of any schema; gates
// approve by themselves, and waits pause the run. The files in ../testfile have its keys.
// The rules are those of archon's dry run.

// missingStub is the reason of a failure that only fixtures have, besides
// kernel.NotSimulated.
const missingStub = "missing_stub"

// stubOf returns the stub of a node: by its key, or by its id inside the outer node.
func (w *world) stubOf(node flow.NodeInfo) (stub testfile.Entry[string], ok bool) {
	for _, e := range w.test.Stubs.Nodes {
		if isNamed(node, e.Key) {
			return e, true
		}
	}
	return stub, false
}

// bareID is the id of a node without that of the group around it.
func bareID(key string) string { return key[strings.LastIndexAny(key, "./")+1:] }

// isNamed reports whether a name in a fixture is that of a node. archon joins the id of an
// included node and that of the include by two underscores.
func isNamed(node flow.NodeInfo, name string) bool {
	return name == node.Key || name == bareID(node.Key) || name == strings.NewReplacer(".", "__", "/", "__").Replace(node.Key)
}

// A StubUse is the use of the stubs of a fixture. The lists are sorted.
type StubUse struct {
	// Missing are the ids of nodes that failed because they have no stub, Tolerated those
	// of nodes with an invented output instead, and Unused the keys of stubs without use.
	Missing   []string `json:"missing"`
	Tolerated []string `json:"tolerated"`
	Unused    []string `json:"unused"`
}

func (w *world) stubUse() *StubUse {
	once := func(ids []string) []string {
		slices.Sort(ids)
		return append([]string{}, slices.Compact(ids)...)
	}
	return &StubUse{once(w.missing), once(w.tolerated), once(w.unusedStubs)}
}

// performStubbed performs an action of a fixture.
func (a *action) performStubbed() flow.Result {
	w := a.world
	node, _ := w.names.nodeOf(a.address)
	stub, given := w.stubOf(node)
	if _, child := a.Payload.(flow.Child); child || isItem(a.address) {
		return stubFailure(kernel.NotSimulated, "Dry-run does not execute reachable workflow nodes")
	}
	switch p := a.Payload.(type) {
	case flow.Prompt:
		a.entry.addTurn(w.cleanText(p.Text))
	case flow.Bash:
		if p.Test {
			// An until_bash is assumed to hold, unless the stub has decided the loop before.
			return flow.Result{Status: flow.Completed, Text: "true"}
		}
		if !given && w.test.Stubs.Exec {
			return a.executeReal(func() flow.Result {
				return (&shell.Performer{}).Perform(context.Background(), a.engineAttempt(a.Action, w.folder.scriptEnviron(true)))
			})
		}
	case flow.Script:
		if !given && w.test.Stubs.Exec {
			return a.executeReal(func() flow.Result {
				return (script.Performer{}).Perform(context.Background(), a.engineAttempt(a.Action, w.folder.scriptEnviron(true)))
			})
		}
	default:
		return flow.Result{Status: flow.Completed} // such as a delivery
	}
	if !given {
		placeholder, tolerated := w.opt.Placeholders[node.Key]
		if !tolerated {
			w.missing = append(w.missing, bareID(node.Key))
			return stubFailure(missingStub, "Missing reachable stub for node '%s'", bareID(node.Key))
		}
		w.tolerated = append(w.tolerated, bareID(node.Key))
		w.addNote("node `%s` has no stub; a placeholder replaces it, because the node runs however the nodes before it end", bareID(node.Key))
		stub.Value = placeholder
	}
	w.used["stubs "+stub.Key]++
	if n := len(a.entry.Turns); n > 0 {
		a.entry.Turns[n-1].Reply = stub.Value
	}
	return flow.Result{Status: flow.Completed, Text: stub.Value, Meta: flow.Meta{Session: sessionName(1)}}
}

// addNote adds a note once.
func (w *world) addNote(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(w.notes, note) {
		w.notes = append(w.notes, note)
	}
}

func stubFailure(reason, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Reason: reason, Class: flow.ClassFatal, ExitCode: -1, Message: fmt.Sprintf(format, args...)}}
}

// executeReal runs a program in the copy of the repository. It is not retried.
func (a *action) executeReal(run func() flow.Result) flow.Result {
	if _, err := a.world.folder.prepareScript(); err != nil {
		return stubFailure(kernel.NotSimulated, "%v", err)
	}
	a.entry.Real = true
	r := run()
	if r.Failure != nil {
		f := *r.Failure
		f.Class = flow.ClassFatal
		r.Failure = &f
	}
	return r
}

// approveQuestion answers a question of a fixture: it approves. The gate of a loop gets no words,
// which would ask for another iteration.
func approveQuestion(q flow.Question) flow.Result {
	r := flow.Result{Status: flow.Completed, Text: "approved", Meta: flow.Meta{By: "tester", From: "test"}}
	if strings.HasSuffix(q.Key, "/gate") {
		r.Text = ""
	}
	for _, choice := range []string{kernel.ChoiceApprove, kernel.ChoiceAccept} {
		if slices.Contains(q.Choices, choice) {
			r.Meta.Choice = choice
			return r
		}
	}
	if len(q.Choices) > 0 {
		r.Meta.Choice = q.Choices[0]
	}
	return r
}

// compareFixture compares the run with the fixture, in archon's order: the first rule that does
// not hold is the failure.
func (w *world) compareFixture() []Failure {
	s, o := w.test.Stubs, w.observed
	fail := func(at testfile.Place, what, expected, happened string) []Failure {
		return []Failure{{Place: at, What: what, Expected: expected, Happened: happened}}
	}
	failed := w.failedNodes()
	if got := string(o.End.Status); got != s.Status.Name {
		happened := got
		for _, detail := range []string{o.End.Reason, o.End.Error} {
			if detail != "" {
				happened += ": " + detail
			}
		}
		return fail(s.Status.Place, "outcome", s.Status.Name, happened)
	}
	if s.Status.Name == string(flow.Failed) {
		var want []string
		for _, name := range s.Failing {
			want = append(want, name.Name)
		}
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(want, failed) {
			return fail(s.Failing[0].Place, "nodes that fail", quotedList(want), quotedList(failed))
		}
	}
	for _, name := range s.Reached {
		if got := w.endOf(name.Name); got != string(flow.Completed) {
			return fail(name.Place, fmt.Sprintf("node `%s` was reached", name.Name), string(flow.Completed), got)
		}
	}
	for _, e := range s.Resolved {
		if got := w.endOf(e.Key); got != string(flow.Completed) && got != string(flow.Waiting) {
			return fail(e.Place, fmt.Sprintf("resolved text of node `%s`", e.Key), "a string", got)
		}
		texts := w.resolvedTexts(e.Key)
		if !slices.ContainsFunc(texts, func(r resolved) bool { return r.containsText(e.Value) }) {
			var shown []string
			for _, r := range texts {
				shown = append(shown, r.String())
			}
			return fail(e.Place, fmt.Sprintf("resolved text of node `%s`", e.Key), "contains "+e.Value, strings.Join(shown, "\n---\n"))
		}
	}
	if missing := w.stubUse().Missing; len(missing) > 0 && s.Status.Name != string(flow.Failed) {
		return fail(w.test.Place, "missing stubs", "none", quotedList(missing))
	}
	return nil
}

// failedNodes returns the ids of the nodes that failed, sorted.
func (w *world) failedNodes() (failed []string) {
	for _, r := range w.observed.Steps {
		node, ok := w.names.nodeOf(r.Key)
		if ok && r.Status == flow.Failed && isOwnStep(node, r.Key) && !isItem(r.Key) {
			failed = append(failed, bareID(node.Key))
		}
	}
	slices.Sort(failed)
	return slices.Compact(failed)
}

// isItem reports whether a step is part of an item of a list: of a run, or of a block. A dry
// run of archon does not simulate them.
func isItem(key string) bool { return strings.Contains(key, "[") }

// isOwnStep reports whether a step is the node itself, in some iteration, and not a part
// of it.
func isOwnStep(node flow.NodeInfo, key string) bool { return staticKey(key) == node.Key }

// endOf returns how a node ended: completed in some iteration, or else its last status.
func (w *world) endOf(name string) string {
	end := "the node did not run"
	for _, r := range w.observed.Steps {
		node, ok := w.names.nodeOf(r.Key)
		switch {
		case !ok || !isNamed(node, name):
		case r.Status == flow.Waiting: // also of its question
			return string(flow.Waiting)
		case !isOwnStep(node, r.Key):
		case r.Status == flow.Completed:
			return string(flow.Completed)
		default:
			end = statusOf(r)
		}
	}
	return end
}

// resolvedTexts returns the prompts, scripts and questions of a node, with their values.
func (w *world) resolvedTexts(name string) (texts []resolved) {
	for _, e := range w.observed.Entries {
		if node, ok := w.names.nodeOf(e.Step); !ok || !isNamed(node, name) {
			continue
		}
		if r := resolvedOf(e); r != nil {
			texts = append(texts, r.mapForms(w.cleanText))
		}
	}
	return texts
}

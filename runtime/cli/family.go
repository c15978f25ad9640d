package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A family is a run at the top, its root, and the runs that its steps began, and theirs.
// One process works on all of them, so they are resumed, cancelled and removed together,
// and have the same gates.
type family struct {
	root *local.RunStatus
	// children come behind their parents.
	children []*local.RunStatus
}

// loadFamily returns the family of a run.
func (s *session) loadFamily(ctx context.Context, id string) (*family, error) {
	root, err := s.engine.Root(ctx, id)
	if err != nil {
		return nil, failedError(err)
	}
	f := &family{}
	if f.root, err = s.engine.Status(ctx, root); err != nil {
		return nil, failedError(err)
	}
	if f.children, err = s.engine.Children(ctx, root); err != nil {
		return nil, failedError(err)
	}
	if f.findRun(id) == nil {
		return nil, failedError(fmt.Errorf("run %s: %w", id, store.ErrNotFound)) // it was removed meanwhile
	}
	return f, nil
}

// allRuns are the runs of the family, parents first.
func (f *family) allRuns() []*local.RunStatus {
	return append([]*local.RunStatus{f.root}, f.children...)
}

// findRun returns a run of the family.
func (f *family) findRun(id string) *local.RunStatus {
	for _, r := range f.allRuns() {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// onlyAnswered reports whether the family is paused with answers to all its questions, and is not of a
// Go program, which continues it itself.
func (f *family) onlyAnswered() bool {
	open := func(r *local.RunStatus) bool { return len(r.Questions) > 0 }
	answered := func(r *local.RunStatus) bool {
		return unreadAnswer(r, func(*flow.Question) bool { return true }) != nil
	}
	all := f.allRuns()
	return f.root.Status == flow.Paused && local.EmbeddedIn(f.root.Settings) == "" && !slices.ContainsFunc(all, open) && slices.ContainsFunc(all, answered)
}

// cancelledBelow returns the node of the root that failed because a run below it was cancelled, for
// example as a person rejected a question, or "". Only a new run below it can end in another way.
func (s *session) cancelledBelow(f *family) string {
	for _, r := range f.children {
		up, step := r.Parent()
		newer := func(other *local.RunStatus) bool {
			up2, step2 := other.Parent()
			return up2 == up && step2 == step && other.Created.After(r.Created)
		}
		if r.Status != flow.Cancelled || slices.ContainsFunc(f.children, newer) {
			continue
		}
		for above := f.findRun(up); above != nil && above.Status == flow.Failed; above = f.findRun(up) {
			node := s.showRun(f.root).nodeOf(step)
			if up == f.root.ID && slices.ContainsFunc(f.root.Steps, func(s flow.Record) bool { return s.Key == node && s.Status == flow.Failed }) {
				return node
			}
			up, step = above.Parent()
		}
	}
	return ""
}

// costOf is what a run of the family has cost, with the runs below it that its steps don't count:
// those that are not over, or were cut off.
func (s *session) costOf(f *family, r *local.RunStatus) flow.Meta {
	sum := totalCost(s.runDisplay(r.Workflow).def, r.Steps)
	for _, child := range f.children {
		run, step := child.Parent()
		counts := func(s flow.Record) bool { return s.Key == step && s.Meta.Usage() != flow.Usage{} }
		if run == r.ID && !slices.ContainsFunc(r.Steps, counts) {
			sum = sum.Plus(s.costOf(f, child))
		}
	}
	return sum
}

// resumeLine is the command that continues the root of a family, with the flags of a raised limit.
// It repeats the step that would only fail again.
func (s *session) resumeLine(f *family, limitFlags string) string {
	line := s.commandLine("resume", f.root.ID)
	if node := s.cancelledBelow(f); node != "" {
		line += " --from " + plain.ShellWord(node)
	}
	return line + s.stateHint() + limitFlags
}

// descendantRuns returns the runs that steps of a run began, and theirs.
func (f *family) descendantRuns(id string) []*local.RunStatus {
	parents := map[string]bool{id: true}
	var list []*local.RunStatus
	for _, r := range f.children {
		if up, _ := r.Parent(); parents[up] {
			parents[r.ID] = true
			list = append(list, r)
		}
	}
	return list
}

// gatekeeper records the answers to the session's runs.
func (s *session) gatekeeper() *actions.Gatekeeper {
	return &actions.Gatekeeper{Engine: s.engine, Store: s.store, Folder: s.folder, Gates: s.program.Defaults.Gates.Mode}
}

// gate is a question of a run of the family.
func (f *family) gate(r *local.RunStatus, q engine.Question) actions.Gate {
	return actions.Gate{Root: f.root, Run: r, Family: f.allRuns(), Question: q}
}

// listItems returns the items of lists for which steps of a run began children, by the key of
// the step: the inputs by which the children of one list differ.
func (f *family) listItems(run string) map[string]string {
	lists := map[string][]map[string]json.RawMessage{} // the inputs of the children of a list
	steps := map[string]map[string]json.RawMessage{}
	for _, child := range f.children {
		up, step := child.Parent()
		var inputs map[string]json.RawMessage
		if list, ok := stepkey.ListOf(step); ok && up == run && json.Unmarshal(child.Inputs, &inputs) == nil {
			lists[list], steps[step] = append(lists[list], inputs), inputs
		}
	}
	items := map[string]string{}
	for step, inputs := range steps {
		list, _ := stepkey.ListOf(step)
		var values []string
		for _, name := range slices.Sorted(maps.Keys(inputs)) {
			others := lists[list]
			if len(others) > 1 && !slices.ContainsFunc(others, func(o map[string]json.RawMessage) bool { return !bytes.Equal(o[name], inputs[name]) }) {
				continue
			}
			var text string
			if json.Unmarshal(inputs[name], &text) != nil {
				text = string(inputs[name])
			}
			if !slices.Contains(values, text) {
				values = append(values, text)
			}
		}
		items[step] = strings.Join(values, ", ")
	}
	return items
}

// childDocuments are the runs below a run in a family. by says who continues it.
func (s *session) childDocuments(f *family, id, by string) []document.Child {
	var list []document.Child
	for _, r := range f.descendantRuns(id) {
		v := s.showRun(r)
		d := v.runDocument(r, s.folder.LogFile(r.ID), totalCost(v.def, r.Steps))
		s.addRules(f, r, d.Questions)
		list = append(list, document.Child{
			ID: d.ID, Workflow: d.Workflow, Parent: *d.Parent, Status: d.Status, Reason: d.Reason, Error: d.Error, Summary: d.Summary,
			Created: d.Created, Finished: d.Finished, CostUSD: d.CostUSD, LogFile: d.LogFile,
			Questions: d.Questions, Waits: v.waitDocuments(r.Questions, by), Counts: d.Counts,
		})
	}
	return list
}

// noteParent says of a child, on standard error, that a command is about its root.
func (c *call) noteParent(id, root, what string) {
	if id != root {
		fmt.Fprintf(c.streams.Err, "%s: run %s is a part of run %s, %s\n", c.name, id, root, what)
	}
}

// asksBelow says which runs below one have a question of a kind, when that has none.
func (s *session) asksBelow(f *family, r *reply, id string) string {
	var b strings.Builder
	for _, child := range f.descendantRuns(id) {
		names := namesOf(child.Questions)
		for _, q := range r.matchingQuestions(child.Questions) {
			for _, l := range s.showRun(child).answerLines(q, names) {
				if r.namedChoice() == "" || l.choice == choiceOf(q, r.namedChoice()) {
					b.WriteString("\n  " + l.command)
				}
			}
		}
	}
	return b.String()
}

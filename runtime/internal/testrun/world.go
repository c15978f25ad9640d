package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/internal/artifact"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// A world is everything around the run of a test.
type world struct {
	test     *testfile.Test
	opt      *Options
	names    *naming
	info     *flow.RunInfo
	folder   *folder
	observed *Observed
	agents   *agents
	// kept writes the typed artifacts of the run.
	kept *artifact.Keeper

	// used counts the uses of stand-ins: of the list of a node, by kind and key.
	used map[string]int
	// killed are the steps during which the process was killed.
	killed map[string]bool
	// cancelled are the steps during which a person cancelled the run.
	cancelled map[string]bool

	failures []Failure
	// absent are the files that prompts needed and did not find.
	absent []string
	notes  []string
	// results are the results of actions by address, in order, without those of programs
	// that ran; ends counts the committed ones. disturbed is nil in the first run.
	results   map[string][]played
	ends      map[string]int
	disturbed *disturbance
	// steps counts actions and commits.
	steps int
	// missing are the ids of nodes for which a fixture of archon has no stub, tolerated those
	// with a placeholder instead, and unusedStubs the keys of stubs that no node used.
	missing, tolerated, unusedStubs []string
}

// shownDir is the test's folder as transcripts and expectations see it.
const shownDir = "/test"

func newWorld(t *testfile.Test, opt *Options) (*world, error) {
	w := &world{
		test: t, opt: opt, names: newNaming(opt.Definition),
		used: map[string]int{}, killed: map[string]bool{}, cancelled: map[string]bool{},
		results: map[string][]played{}, ends: map[string]int{},
		info: &flow.RunInfo{
			ID: opt.Definition.Name + "-test00", BaseBranch: cmp.Or(opt.Project.BaseBranch, "main"), DocsDir: cmp.Or(opt.Project.DocsDir, "docs/"),
			WorkDir: filepath.Join(opt.Dir, "work"), ArtifactsDir: filepath.Join(opt.Dir, "artifacts"),
			LogDir: filepath.Join(opt.Dir, "log"), SharedDir: filepath.Join(opt.Dir, "state"),
		},
	}
	w.kept = artifact.New(w.info, opt.Definition)
	w.folder = &folder{dir: opt.Dir, source: opt.Source, test: t, tools: opt.Tools}
	w.observed = newObserved(opt.Definition, w.names, w.cleanText)
	w.agents = &agents{world: w}
	if opt.Definition.Uses.ArtifactList {
		if err := errors.Join(w.folder.ensureReady(), w.kept.List()); err != nil {
			return nil, err
		}
	}
	if t.Fixture != "" || t.Git || len(t.Files) > 0 || t.Stubs != nil && t.Stubs.Exec {
		if err := w.folder.ensureReady(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// cleanText replaces the test's folder in a text, so that transcripts are always the same.
func (w *world) cleanText(text string) string {
	if w.opt.Dir == "" {
		return text
	}
	return strings.ReplaceAll(text, w.opt.Dir, shownDir)
}

func (w *world) addFailure(at testfile.Place, format string, args ...any) {
	w.failures = append(w.failures, Failure{Place: at, What: fmt.Sprintf(format, args...)})
}

// failUnplayable is the result of an action for which the test has no stand-in.
func (w *world) failUnplayable(at testfile.Place, format string, args ...any) flow.Result {
	message := fmt.Sprintf(format, args...)
	w.addFailure(at, "%s", message)
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Reason: "test", Class: flow.ClassFatal, ExitCode: -1, Message: message}}
}

// performAction performs an action of the run, or of a child run.
func (w *world) performAction(c sim.Attempt) sim.Performance {
	run, a := c.Run, c.Action
	w.countStep()
	address := path.Join(run, a.Key)
	entry := w.observed.addEntry(address, a, c.Number)
	if w.isInterrupted(address) {
		entry.Killed = true
		return sim.Performance{Dies: true}
	}
	if w.cancelledAt(address) {
		entry.Result = flow.Result{Status: flow.Cancelled}
		return sim.Performance{Result: flow.Result{Status: flow.Completed}, Takes: 2 * beforeCancel, Cancel: byTester()}
	}
	if w.disturbed != nil {
		if p, ok := w.replayedResult(address); ok {
			entry.Result, entry.Takes = p.Result, p.Takes
			if err := w.writeFiles(p.files); err != nil {
				return sim.Performance{Result: w.failUnplayable(w.test.Place, "%v", err)}
			}
			return p.Performance
		}
	}
	call := &action{Action: a, world: w, info: c.Info, address: address, attempt: c.Number, entry: entry}
	result := call.failIfChanged(call.stubOrPerform)
	if timeout := a.Timeout; timeout > 0 && call.takes > timeout {
		result = flow.Result{Status: flow.Failed, Meta: result.Meta, Failure: &flow.Failure{
			Reason: "timeout", Class: flow.ClassTransient, ExitCode: -1,
			Message: fmt.Sprintf("%s timed out after %dms", describeAction(a), timeout.Milliseconds()),
		}}
		call.takes = timeout
	}
	entry.Result, entry.Takes = result, call.takes
	p := sim.Performance{Result: result, Takes: call.takes}
	if !entry.Real && !ownEffect(a.Payload) {
		w.results[address] = append(w.results[address], played{p, call.files})
	}
	return p
}

// describeAction names an action in messages, as its performer does.
func describeAction(a flow.Action) string {
	what := "Node"
	switch a.Payload.(type) {
	case flow.Bash:
		what = "Bash node"
	case flow.Script:
		what = "Script node"
	}
	return fmt.Sprintf("%s '%s'", what, a.Key)
}

// writeFiles writes the files of an agent, if there are any.
func (w *world) writeFiles(files testfile.Entries[string]) error {
	if len(files) == 0 {
		return nil
	}
	if err := w.folder.ensureReady(); err != nil {
		return err
	}
	return w.folder.writeFiles(files)
}

// ownEffect reports whether an action has an effect in the test's world that a repeated
// run must have, too.
func ownEffect(p flow.Payload) bool {
	switch p.(type) {
	case graphstate.State, flow.Delivery, kernel.Evidence:
		return true
	}
	return false
}

// commitBatch takes a batch of the journal.
func (w *world) commitBatch(run string, at time.Time, b flow.Batch) {
	w.countStep()
	for _, r := range b.Steps {
		w.countAttempt(path.Join(run, r.Key), r)
		if run == "" && r.Status == flow.Completed {
			if err := w.kept.Keep(r); err != nil {
				w.addFailure(w.test.Place, "keep the artifact of step `%s`: %v", r.Key, err)
			}
		}
	}
	w.observed.recordBatch(run, at, b)
}

// beforeCancel is the time from the start of a step until a person cancels the run, on the
// virtual clock: time for all other steps to end.
const beforeCancel = 10 * time.Minute

func byTester() *sim.Cancel { return &sim.Cancel{At: beforeCancel, Reason: "cancelled by tester"} }

// cancelledAt reports whether a person cancels the run during a step.
func (w *world) cancelledAt(address string) bool {
	return w.markNamed(w.test.Cancel, w.cancelled, address, true)
}

// isInterrupted reports whether the test kills the process during a step.
func (w *world) isInterrupted(address string) bool {
	return w.markNamed(w.test.Interrupt, w.killed, address, false)
}

// markNamed reports whether a list names a step, and marks the name. A marked name counts only if
// it may count again.
func (w *world) markNamed(list []testfile.Name, marked map[string]bool, address string, again bool) bool {
	node, _ := w.names.nodeOf(address)
	for _, name := range list {
		if (again || !marked[name.Name]) && (name.Name == address || name.Name == node.Key) {
			marked[name.Name] = true
			return true
		}
	}
	return false
}

// An action is an attempt at an action.
type action struct {
	flow.Action
	world   *world
	info    *flow.RunInfo
	address string
	attempt int
	entry   *Entry
	// takes is the duration on the virtual clock.
	takes time.Duration
	// files are the files that its agent wrote.
	files testfile.Entries[string]
	// quota is the time until the reset of its agent's quota; see testfile.Reply.
	quota time.Duration
}

// stubOrPerform is the result of the action: a stub's, or that of a stand-in.
func (a *action) stubOrPerform() flow.Result {
	if a.world.test.Stubs != nil {
		return a.performStubbed()
	}
	return a.performStandIn()
}

func (a *action) performStandIn() flow.Result {
	switch p := a.Payload.(type) {
	case flow.Prompt:
		return a.performPrompt(p)
	case flow.Bash:
		return a.performBash(p)
	case flow.Script:
		return a.performScript(p)
	case flow.Delivery:
		a.world.observed.Messages = append(a.world.observed.Messages, p)
		return flow.Result{Status: flow.Completed}
	case graphstate.State:
		a.world.observed.recordState(p)
		if a.world.keepsState() {
			return a.keepState()
		}
		return flow.Result{Status: flow.Completed}
	case kernel.Evidence:
		if err := a.world.folder.ensureReady(); err != nil {
			return a.world.failUnplayable(a.world.test.Place, "%v", err)
		}
		return artifact.CheckEvidence(a.info)
	}
	return a.world.failUnplayable(a.world.test.Place, "a test has no stand-in for actions of kind `%s` (step `%s`)", a.Payload.Kind(), a.address)
}

// keepsState reports whether the files of a state graph's state can make a difference: they
// are what agents with a memory remember, and a test may expect them.
func (w *world) keepsState() bool {
	if slices.Contains(w.opt.Definition.Agents, "self") {
		return true
	}
	for _, e := range w.test.Expect.Files {
		if strings.HasPrefix(path.Clean(e.Key), ".graph-loop/") {
			return true
		}
	}
	return false
}

func (a *action) keepState() flow.Result {
	if err := a.world.folder.ensureReady(); err != nil {
		return a.world.failUnplayable(a.world.test.Place, "%v", err)
	}
	return graphfiles.New().Perform(context.Background(), a.engineAttempt(a.Action, nil))
}

// engineAttempt describes the action for a performer.
func (a *action) engineAttempt(action flow.Action, environ []string) *engine.Attempt {
	return &engine.Attempt{
		Info: a.info, Workflow: a.world.opt.Definition, Action: action, Number: a.attempt,
		RunDir: a.world.folder.runDir(), Environ: environ, Log: slog.New(slog.DiscardHandler),
		Warn: func(message string) { a.world.observed.addWarning(message) },
	}
}

// missingFileFailure returns the failure of a prompt that needs a file that does not exist.
func (a *action) missingFileFailure(p flow.Prompt) *flow.Failure {
	for _, file := range p.Requires {
		if !input.Exists(file.Path, a.info.WorkDir) {
			a.world.absent = append(a.world.absent, file.Path)
			return &flow.Failure{Reason: "template", Message: file.Missing}
		}
	}
	return nil
}

// failMissedEvents fails the test for an interrupt or a cancellation that never happened: otherwise
// it would not test its claim.
func (w *world) failMissedEvents() {
	for _, name := range w.test.Interrupt {
		if !w.killed[name.Name] {
			w.addFailure(name.Place, "the run never performed step `%s`, so it was not interrupted there", name.Name)
		}
	}
	for _, name := range w.test.Cancel {
		if !w.cancelled[name.Name] {
			w.addFailure(name.Place, "the run never performed step `%s`, so it was not cancelled there", name.Name)
		}
	}
}

// noteUnusedStandIns notes stand-ins that the run did not come to.
func (w *world) noteUnusedStandIns() {
	w.failMissedEvents()
	note := func(what string, keys []string) {
		for _, key := range keys {
			if key != "*" && w.used[what+" "+key] == 0 {
				w.notes = append(w.notes, fmt.Sprintf("the stand-in for `%s` in `%s` was not used", key, what))
			}
		}
	}
	if s := w.test.Stubs; s != nil {
		for _, key := range keysOf(s.Nodes) {
			if w.used["stubs "+key] == 0 {
				w.unusedStubs = append(w.unusedStubs, key)
				w.addNote("the stub of `%s` was not used", key)
			}
		}
		for _, key := range s.Ignored {
			w.addNote("line %d: unknown key `%s` in `fixture` has no effect", key.Line, key.Name)
		}
	}
	note("agents", keysOf(w.test.Agents))
	note("bash", keysOf(w.test.Bash))
	note("scripts", keysOf(w.test.Scripts))
	note("answers", keysOf(w.test.Answers))
}

// standIn returns the list of stand-ins for a step: those of its own address, else those of
// the address without iterations, else those of its node.
func standIn[T any](w *world, what, address string, es testfile.Entries[[]T]) (key string, list []T) {
	node, _ := w.names.nodeOf(address)
	for _, key := range []string{address, stepkey.Unnumbered(address), node.Key} {
		if list, ok := es.Get(key); ok {
			return what + " " + key, list
		}
	}
	return what + " " + address, nil
}

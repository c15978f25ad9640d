package recording

import (
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runid"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

// A Turn is a recorded turn, for readers that do not replay it.
type Turn struct {
	Text       string
	Structured json.RawMessage
	Failure    *flow.Failure
	CostUSD    float64
	Tokens     int64
}

// Run returns the id of the recorded run.
func (r *Recording) Run() string { return r.head.Run }

// Fingerprint returns the fingerprint of the recorded workflow.
func (r *Recording) Fingerprint() string { return r.head.Fingerprint }

// Inputs returns the inputs of the recorded run, a JSON object; nil if it is not known.
func (r *Recording) Inputs() json.RawMessage { return r.head.Inputs }

// Begun returns the time at which the run began; zero if it is not known.
func (r *Recording) Begun() time.Time { return r.head.Time }

// Complete reports whether the recording has more than turns of agents: the results of
// programs, the answers of people and the end of the run.
func (r *Recording) Complete() bool { return r.head.Version > tape.OnlyTurns }

// End returns the last end of the run; nil if it is not known.
func (r *Recording) End() *tape.End { return r.end }

// Address returns the path to a step: the steps that began its run, and its key.
func (r *Recording) Address(at tape.Step) string {
	for range r.children {
		origin, ok := r.origins[at.Run]
		if !ok {
			break
		}
		at = tape.Step{Run: origin.Run, Step: path.Join(origin.Step, at.Step)}
	}
	return at.Step
}

// Steps returns the steps with turns in the order of their first ones.
func (r *Recording) Steps() []tape.Step { return r.order }

// Turns returns the turns of a step, in order, without those of a failed step that a later
// process repeated.
func (r *Recording) Turns(step tape.Step) (turns []Turn) {
	list := r.steps[step]
	for i, t := range list {
		if i > 0 && list[i-1].process < t.process && list[i-1].Attempt >= t.Attempt {
			turns = nil
		}
		turns = append(turns, Turn{
			Text: t.Text, Structured: t.Structured, Failure: t.Failure, CostUSD: t.Meta.CostUSD,
			Tokens: t.Meta.InputTokens + t.Meta.OutputTokens,
		})
	}
	return turns
}

// Programs returns the steps with results of programs in the order of their first ones.
func (r *Recording) Programs() []tape.Step { return r.programOrder }

// Results returns the results of the program of a step, in order.
func (r *Recording) Results(step tape.Step) (results []tape.Program) {
	for _, p := range r.programs[step] {
		results = append(results, p.Program)
	}
	return results
}

// Answers calls yield with each answer and its step, in order.
func (r *Recording) Answers(yield func(step tape.Step, a tape.Answer)) {
	for _, a := range r.answers {
		yield(a.step, a.Answer)
	}
}

// counterpart returns the recorded run that a run replays: the one that the same steps began.
// The caller holds the lock.
func (p *Player) counterpart(id, step string) string {
	root, _, child := strings.Cut(id, runid.ChildMark)
	if !child || len(p.children) == 0 {
		return ""
	}
	if run, ok := p.taken[id]; ok {
		return run
	}
	ids := map[string]string{"": root}
	for _, run := range p.children {
		origin := p.origins[run]
		ids[run] = runid.Child(ids[origin.Run], origin.Step)
		if ids[run] == id {
			p.taken[id] = run
			return run
		}
	}
	// The id of a long run, or of one with another name, does not tell the root.
	taken := map[string]bool{}
	for _, run := range p.taken {
		taken[run] = true
	}
	for _, run := range p.children {
		if !taken[run] && len(p.steps[tape.Step{Run: run, Step: step}]) > 0 {
			p.taken[id] = run
			return run
		}
	}
	return ""
}

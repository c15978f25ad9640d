package actions_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

const pausedRun = "ship-000001"

// asks is the record of a gate that asks a question.
func asks(message string) flow.Record {
	return flow.Record{Key: "gate#1", Kind: "question", Status: flow.Waiting, Question: &flow.Question{
		Key: "gate#1", Message: message, Choices: []string{"staging", "production"},
	}}
}

// office has a run that waits for the same answer of two people.
type office struct {
	t     *testing.T
	store store.Store
	*actions.Gatekeeper
}

func newOffice(t *testing.T) *office {
	st, dir := memory.New(), t.TempDir()
	run := store.Run{
		RunInfo: flow.RunInfo{ID: pausedRun, Workflow: "ship", Fingerprint: "f1"}, Status: flow.Paused,
		Settings: json.RawMessage(`{"gate_rules":{"gate":{"Approvals":2}}}`),
	}
	if err := st.CreateRun(t.Context(), run, []flow.Record{asks("Where to?")}); err != nil {
		t.Fatal(err)
	}
	e, err := local.New(local.Config{Store: st, State: dir})
	if err != nil {
		t.Fatal(err)
	}
	return &office{t, st, &actions.Gatekeeper{Engine: e, Store: st, Folder: state.Folder{Path: dir}}}
}

// sees is the gate as a person sees it now.
func (o *office) sees() actions.Gate {
	o.t.Helper()
	run, err := o.Engine.Status(o.t.Context(), pausedRun)
	if err != nil || len(run.Questions) != 1 {
		o.t.Fatalf("%v, %+v", err, run)
	}
	return actions.Gate{Root: run, Run: run, Family: []*local.RunStatus{run}, Question: run.Questions[0]}
}

// answers gives the answer of a person to a gate, and wants that many people to have given it.
func (o *office) answers(g actions.Gate, name, choice string, want int) {
	o.t.Helper()
	p := actions.Person{Name: name, Roles: actions.AllRoles()}
	_, done, err := o.Answer(o.t.Context(), g, p, actions.Proof{}, store.Answer{Choice: choice})
	if err != nil || done != (actions.Outcome{Approvals: want, Needed: 2}) {
		o.t.Fatalf("%s says %s: %v, %v; want %d of 2", name, choice, done, err, want)
	}
}

// recorded wants the answers that the run gets.
func (o *office) recorded(want ...store.Answer) {
	o.t.Helper()
	list, err := o.store.Answers(o.t.Context(), pausedRun)
	if err != nil || len(list) != len(want) {
		o.t.Fatalf("%v, %+v; want %+v", err, list, want)
	}
	for i, a := range list {
		if a.Choice != want[i].Choice || a.By != want[i].By {
			o.t.Errorf("%+v, want %+v", a, want[i])
		}
	}
}

// Only people who say the same count together.
func TestDifferentAnswersCountApart(t *testing.T) {
	o := newOffice(t)
	o.answers(o.sees(), "ann", "staging", 1)
	o.answers(o.sees(), "ben", "production", 1)
	o.recorded()
	o.answers(o.sees(), "cyd", "production", 2)
	o.recorded(store.Answer{Choice: "production", By: "ben, cyd"})
}

// An approval of a question that has changed since doesn't count for the new one.
func TestApprovalsBelongToAQuestion(t *testing.T) {
	o := newOffice(t)
	old := o.sees()
	o.answers(old, "ann", "staging", 1)
	if err := o.store.Commit(t.Context(), pausedRun, flow.Batch{Steps: []flow.Record{asks("Where to, with the other commit?")}}); err != nil {
		t.Fatal(err)
	}
	ben := actions.Person{Name: "ben", Roles: actions.AllRoles()}
	_, _, err := o.Answer(t.Context(), old, ben, actions.Proof{}, store.Answer{Choice: "staging"})
	if _, changed := errors.AsType[*actions.ChangedError](err); !changed {
		t.Errorf("an answer to the old question: %v", err)
	}
	o.answers(o.sees(), "ben", "staging", 1)
	o.recorded()
	o.answers(o.sees(), "ann", "staging", 2)
	o.recorded(store.Answer{Choice: "staging", By: "ben, ann"})
}

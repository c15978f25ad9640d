package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Gatekeeper records the answers of people to the runs in a store, if the runs take them.
type Gatekeeper struct {
	Engine *local.Engine
	Store  store.Store
	Folder state.Folder
	// Gates is the mode of the program.
	Gates settings.Gates
	// Ready may refuse an answer that the gate permits, before it is recorded; nil refuses none.
	Ready func() error
}

// A Gate is an open question or wait. Root is the run at the top of the family of Run, and Family
// are all its runs.
type Gate struct {
	Root, Run *local.RunStatus
	Family    []*local.RunStatus
	Question  engine.Question
}

// A Proof is what a person can give besides the answer, if the run's gates ask for it.
type Proof struct {
	// Token is the gate token that the person gives, or "".
	Token string
	// Confirm and AskToken have the person confirm the answer, or give the token, at a terminal;
	// they are nil without one.
	Confirm  func(ctx context.Context) error
	AskToken func(ctx context.Context, is func(token string) bool) error
	// TerminalWay and TokenWay say how to give a proof that is missing.
	TerminalWay, TokenWay string
}

// Answer records the answer of a person to a question, or counts it as an approval of one that
// several people have to give. It sets who answers, from where and when. A person whom the run does
// not let answer gets a *RefusedError.
func (k *Gatekeeper) Answer(ctx context.Context, g Gate, p Person, proof Proof, a store.Answer) (store.Answer, Outcome, error) {
	a.Key, a.By, a.From, a.Given = g.Question.Key, p.Name, p.From, time.Now()
	terms := TermsOf(g.Root.Settings, k.Gates)
	rule := terms.Rule(g.Run, g.Question.Question)
	if err := terms.Refuse(rule, g.Question.Key, g.Run.ID, p); err != nil {
		return a, Outcome{}, err
	}
	if g.Question.Wait != flow.WaitEvent { // any program may report an event
		if err := k.CheckProcess(g); err != nil {
			return a, Outcome{}, err
		}
		if err := k.checkProof(ctx, g.Root.ID, &terms, p, proof); err != nil {
			return a, Outcome{}, err
		}
	}
	if k.Ready != nil {
		if err := k.Ready(); err != nil {
			return a, Outcome{}, err
		}
	}
	return k.count(ctx, g, rule, a)
}

// MayAnswer says why the rule of a gate refuses a person, or returns nil.
func (k *Gatekeeper) MayAnswer(g Gate, p Person) error {
	terms := TermsOf(g.Root.Settings, k.Gates)
	return terms.Refuse(terms.Rule(g.Run, g.Question.Question), g.Question.Key, g.Run.ID, p)
}

// CheckProcess says why this process may not answer a question of the family, or returns nil. Answer
// calls it, too; the question of the gate does not matter.
func (k *Gatekeeper) CheckProcess(g Gate) error {
	name, pid := k.Engine.Holder(g.Root.ID)
	proven := TermsOf(g.Root.Settings, k.Gates).Gates == string(settings.GatesToken)
	for _, r := range g.Family {
		err := human.Refuse(human.Run{
			ID: r.ID, Holder: pid, Name: name, Mark: filelock.LastMark(k.Folder.LeaseFile(r.ID)), Dir: k.Folder.RunDir(r.ID), Proven: proven,
		})
		if err != nil {
			return &RefusedError{err.Error()}
		}
	}
	return nil
}

// checkProof has the person prove what the mode of the run's gates needs.
func (k *Gatekeeper) checkProof(ctx context.Context, root string, t *Terms, p Person, proof Proof) error {
	switch settings.Gates(t.Gates) {
	case settings.GatesTerminal:
		if proof.Confirm == nil {
			return &RefusedError{fmt.Sprintf("refused: run %s takes answers at a terminal only (`gates: terminal`): %s", root, proof.TerminalWay)}
		}
		return proof.Confirm(ctx)
	case settings.GatesToken:
		is := func(token string) bool { return TryToken(k.Folder, root, t.GateToken, token, p) }
		switch {
		case t.GateToken == nil:
			return &RefusedError{fmt.Sprintf("refused: the gates of run %s need a token (`gates: token`), but nobody saw one when it started: cancel it, and start another run at a terminal or with WFC_GATE_TOKEN_FILE set", root)}
		case proof.Token == "" && proof.AskToken != nil:
			return proof.AskToken(ctx, is)
		case proof.Token == "":
			return &RefusedError{fmt.Sprintf("refused: an answer to run %s needs its gate token (`gates: token`): %s", root, proof.TokenWay)}
		case !is(proof.Token):
			return &RefusedError{fmt.Sprintf("refused: this is not the gate token of run %s; the attempt is noted", root)}
		}
	}
	return nil
}

// Hash identifies a question with all that a person can see of it.
func Hash(q engine.Question) string { return outbox.QuestionHash(q) }

// takeTimeout is how long a process that works on a run has to take an answer.
// Usually it does so within a second; one that was stopped takes it later.
const takeTimeout = 10 * time.Second

// AwaitTaken waits until the process that works on a run has taken the answer to a question, has
// gone, or has had its time; it does not wait when there is no hurry. If it returns no holder, the
// caller continues the run. root is the run at the top of the run's family.
func (k *Gatekeeper) AwaitTaken(ctx context.Context, root, run, key string, noHurry bool) (taken bool, holder string, err error) {
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(takeTimeout); ; <-poll.C {
		// Before the steps: a holder that goes away has committed what it took.
		holder, _ = k.Engine.Holder(root)
		steps, err := k.Store.Steps(ctx, run)
		if err != nil {
			return false, holder, err
		}
		for _, step := range steps {
			if step.Key == key {
				taken = step.Status != flow.Waiting
			}
		}
		if taken || holder == "" || noHurry || time.Now().After(deadline) {
			return taken, holder, nil
		}
	}
}

package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// alone are the choices that one person makes for all: they send the work back or end it.
var alone = []string{kernel.ChoiceReject, kernel.ChoiceFeedback, kernel.ChoiceRerun}

// count records an answer once enough people have given it. Until then, the approvals are in the
// store, bound to the question as each person saw it.
func (k *Gatekeeper) count(ctx context.Context, g Gate, rule settings.GateRule, a store.Answer) (store.Answer, Outcome, error) {
	done := Outcome{Approvals: 1, Needed: 1}
	if rule.Approvals > 1 && !slices.Contains(alone, a.Choice) {
		done.Needed = rule.Approvals
		list, err := k.approve(ctx, g, rule.Approvals, a)
		if err != nil {
			return a, Outcome{}, err
		}
		if done.Approvals = len(list); !done.Answered() {
			return a, done, nil
		}
		a = runstore.Joined(a, list)
		if _, itself := k.Store.(runstore.Approver); itself {
			return a, done, nil
		}
	}
	return a, done, k.Engine.Answer(ctx, g.Run.ID, a)
}

// approve records an answer as an approval, and returns all with the same answer.
func (k *Gatekeeper) approve(ctx context.Context, g Gate, needed int, a store.Answer) ([]store.Answer, error) {
	status, err := k.Engine.Status(ctx, g.Run.ID)
	if err != nil {
		return nil, err
	}
	if err := status.CheckAnswer(a); err != nil {
		return nil, err
	}
	hash := Hash(g.Question)
	if !slices.ContainsFunc(status.Questions, func(q engine.Question) bool { return Hash(q) == hash }) {
		return nil, &ChangedError{}
	}
	added, err := k.keep(ctx, g.Run, runstore.Approval{Hash: hash, Vote: voteOf(a), Needed: needed, Answer: a})
	if err != nil {
		return nil, err
	}
	list, err := Approvals(ctx, k.Store, g.Question)
	list = slices.DeleteFunc(list, func(other store.Answer) bool { return voteOf(other) != voteOf(a) })
	if added && !slices.ContainsFunc(list, func(other store.Answer) bool { return strings.EqualFold(other.By, a.By) }) {
		list = append(list, a) // the store has it, and shows it later
	}
	if err == nil && !added && len(list) < needed {
		return nil, &RefusedError{fmt.Sprintf("%s has already given this answer to `%s` of run %s, and %s", a.By, a.Key, g.Run.ID, Outcome{len(list), needed})}
	}
	return list, err
}

// keep has the store keep an approval, and reports whether it is new.
func (k *Gatekeeper) keep(ctx context.Context, r *local.RunStatus, a runstore.Approval) (bool, error) {
	if counts, ok := k.Store.(runstore.Approver); ok {
		return counts.Approve(ctx, r.ID, a)
	}
	box, ok := k.Store.(runstore.Mailbox)
	if !ok {
		return false, errors.New("the store of this run can't count approvals")
	}
	body, err := json.Marshal(a.Answer)
	if err != nil {
		return false, err
	}
	added, err := box.AddMessages(ctx, []runstore.Message{{Box: runstore.BoxApproval, RunID: r.ID, Message: flow.Message{
		Key: strings.Join([]string{a.Hash, a.Vote, strings.ToLower(a.Answer.By)}, " "), Workflow: r.Workflow, Event: a.Hash, Body: body, Created: a.Answer.Given, Due: a.Answer.Given,
	}}})
	return len(added) == 1 && added[0], err
}

// voteOf identifies what an answer says: the choice, and the words where they are the answer. A
// remark to a choice is not a part of it.
func voteOf(a store.Answer) string {
	text := ""
	if a.Choice == "" || a.Choice == kernel.ChoiceEdit {
		text = a.Text
	}
	return runid.Hash(64, a.Choice, text)
}

// Approvals returns the approvals of an open question that need more of them.
func Approvals(ctx context.Context, from store.Store, q engine.Question) ([]store.Answer, error) {
	var list []store.Answer
	if counts, ok := from.(runstore.Approver); ok {
		given, err := counts.Approvals(ctx, q.RunID)
		for _, a := range given {
			if a.Hash == Hash(q) {
				list = append(list, a.Answer)
			}
		}
		return list, err
	}
	box, ok := from.(runstore.Mailbox)
	if !ok {
		return nil, nil
	}
	messages, err := box.Messages(ctx, runstore.MessageFilter{Box: runstore.BoxApproval, RunID: q.RunID})
	for _, m := range messages {
		var a store.Answer
		if m.Event == Hash(q) && json.Unmarshal(m.Body, &a) == nil {
			list = append(list, a)
		}
	}
	return list, err
}

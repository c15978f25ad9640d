package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// isForeign reports whether a run is one of another workflow, whose program shares the store.
func (l *listener) isForeign(ctx context.Context, id string) bool {
	run, err := runstore.Brief(ctx, l.session.store, id)
	return err == nil && !l.backend.program.reaches(run.Workflow)
}

// answerQuestion records the answer of a user of a chat or a forge, tells the user what became of it,
// and continues the run.
func (l *listener) answerQuestion(ctx context.Context, item inbox.Item) error {
	a := item.Answer
	given, text, err := l.recordAnswer(ctx, item)
	if _, later := errors.AsType[*inbox.Later](err); later {
		return err
	}
	if err != nil {
		text = err.Error()
	}
	if receiver, ok := l.backend.program.Webhooks.(inbox.Receiver); ok && a.ReplyURL != "" {
		if err := receiver.Reply(ctx, a.ReplyURL, l.backend.maskSecrets(text), given != nil); err != nil {
			l.log.Warn("the user was not told what became of the answer", "run", plain.Line(a.Run), "error", plain.Line(err.Error()))
		}
	}
	if err != nil || given == nil {
		return err
	}
	l.log.Info("answered", "run", given.Run, "node", given.Key, "by", given.By, "from", given.From)
	return l.continueAnswered(ctx, []replied{*given})
}

// recordAnswer records an answer. It returns nil if more people have to give it, and what to tell the
// user. A *inbox.Later is for another attempt; other errors are for the user.
func (l *listener) recordAnswer(ctx context.Context, item inbox.Item) (*replied, string, error) {
	a := item.Answer
	person, err := l.personOf(item)
	if err != nil {
		return nil, "", err
	}
	f, err := l.session.loadFamily(ctx, a.Run)
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", fmt.Errorf("run %s is gone, so your answer was not recorded", plain.Line(plain.Clip(a.Run, 80)))
	} else if err != nil {
		return nil, "", &inbox.Later{Reason: err}
	}
	r := f.findRun(a.Run)
	for _, earlier := range r.Answers { // an earlier attempt at this delivery
		if earlier.By == person.Name && earlier.From == person.From && !earlier.Given.Before(item.Received) {
			return &replied{Answer: earlier, Run: r.ID, Root: f.root.ID}, describeAnswer(earlier, r), nil
		}
	}
	q, err := shownQuestion(r, a.Code)
	if err != nil {
		return nil, "", err
	}
	choice, words := readChoice(a, q)
	if words == "" && (choice == "" || choice == kernel.ChoiceEdit || choice == kernel.ChoiceFeedback) {
		return nil, "", fmt.Errorf("your answer to `%s` of run %s has no words, so it was not recorded", q.Key, r.ID)
	}
	k := l.session.gatekeeper()
	if (answering{f.root, q.Wait, choice}).continues(l.session) {
		k.Ready = func() error {
			return l.backend.checkAgents(ctx, l.begins.flags, l.prompts, l.session.agentsToAsk(ctx, l.begins.flags, f.root.ID))
		}
	}
	given, done, err := k.Answer(ctx, f.gate(r, q), person, actions.Proof{
		TerminalWay: "answer there", TokenWay: "use the page or a terminal, because a chat keeps what you write",
	}, store.Answer{Choice: choice, Text: words})
	switch {
	case err != nil:
		return nil, "", err
	case !done.Answered():
		return nil, fmt.Sprintf("your answer to `%s` of run %s counts: %s", q.Key, r.ID, done), nil
	}
	return &replied{Answer: given, Run: r.ID, Root: f.root.ID}, describeAnswer(given, r), nil
}

// describeAnswer is what takes the place of a question that is answered.
func describeAnswer(a store.Answer, r *local.RunStatus) string {
	return fmt.Sprintf("`%s` of run %s of %s: %s by %s", a.Key, r.ID, r.Workflow, cmp.Or(runerr.Words(a), "answered"), a.By)
}

// personOf returns the person who gives an answer. Roles and names come from the configuration alone.
func (l *listener) personOf(item inbox.Item) (actions.Person, error) {
	i := slices.IndexFunc(l.backend.program.Triggers, func(t trigger.Trigger) bool { return t.Name() == item.Trigger && len(t.Answer) > 0 })
	if i < 0 {
		return actions.Person{}, fmt.Errorf("nobody may answer here any more")
	}
	u, known := item.Answer.Find(l.backend.program.Triggers[i].Answer)
	if !known {
		return actions.Person{}, fmt.Errorf("refused: %s is nobody who may answer here; `answer` in wfc.yaml lists who may", plain.Line(strings.Trim(strings.Join(item.Answer.Users, " "), " ")))
	}
	p := actions.Person{Name: cmp.Or(u.Name, u.User), From: item.Answer.Place}
	for _, role := range u.Roles {
		p.Roles = append(p.Roles, actions.Role(role))
	}
	if len(p.Roles) == 0 {
		p.Roles = []actions.Role{actions.Approver}
	}
	return p, nil
}

// shownQuestion returns the open question of a run whose hash begins with a code.
func shownQuestion(r *local.RunStatus, code string) (engine.Question, error) {
	for _, q := range r.Questions {
		if q.Wait == "" && strings.HasPrefix(actions.Hash(q), code) {
			return q, nil
		}
	}
	for _, s := range r.Steps {
		if s.Question == nil {
			continue
		}
		q := engine.Question{Question: *s.Question, RunID: r.ID, Since: s.Started, Deadline: s.Deadline}
		if strings.HasPrefix(actions.Hash(q), code) {
			by := s.Meta.By
			if a := unreadAnswer(r, func(q *flow.Question) bool { return q == s.Question }); a != nil {
				by = a.By
			}
			return q, fmt.Errorf("`%s` of run %s was answered before%s", s.Key, r.ID, prefixNonEmpty(", by ", by))
		}
	}
	if r.Status.Ended() {
		return engine.Question{}, fmt.Errorf("run %s is %s and waits for no answer", r.ID, r.Status)
	}
	return engine.Question{}, &actions.ChangedError{}
}

// readChoice returns the choice and the words of an answer. A comment with /answer gives a choice if
// its first line is one.
func readChoice(a *trigger.Answer, q engine.Question) (choice, words string) {
	switch {
	case a.Exact:
		return a.Words, ""
	case a.Verb != "answer":
		return a.Verb, a.Words
	}
	first, rest, _ := strings.Cut(a.Words, "\n")
	if i := slices.IndexFunc(q.Choices, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(first)) }); i >= 0 {
		return q.Choices[i], strings.TrimSpace(rest)
	}
	return "", a.Words
}

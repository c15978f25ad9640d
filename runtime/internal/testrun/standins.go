package testrun

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// agents answers the prompts of a test. The performer of real runs asks it, so that schemas,
// corrections and budgets hold as in real runs.
type agents struct {
	world *world
	mu    sync.Mutex
	// current is the action that asks; a test performs one at a time.
	current  *action
	sessions int
}

// Capabilities implements agent.Agent: replies are text, and the performer reads JSON from
// it and checks that. A session is only a name, so a copy of one is, too.
func (*agents) Capabilities() agent.Capabilities { return agent.Capabilities{Forks: true} }

// performPrompt performs a prompt.
func (a *action) performPrompt(p flow.Prompt) flow.Result {
	if f := a.missingFileFailure(p); f != nil {
		return flow.Result{Status: flow.Failed, Failure: f}
	}
	w := a.world
	w.agents.current = a
	name := cmp.Or(p.Agent, "claude")
	all := map[string]agent.Agent{name: w.agents}
	for next := w.quotaPolicy(name).Use; next != "" && all[next] == nil; next = w.quotaPolicy(next).Use {
		all[next] = w.agents
	}
	performer := agent.New(agent.Options{Agents: all, Default: name, CheckReply: structured.Check, OnQuota: w.quotaPolicy,
		Local:   func(string) bool { return true }, // turns cost what the test says
		Environ: func(_ string, environ []string) (given, withheld []string) { return environ, nil }})
	own := a.Action
	own.Timeout = 0 // the virtual clock decides
	r := performer.Perform(context.Background(), a.engineAttempt(own, nil))
	if r.Failure != nil && r.Failure.Quota != nil {
		// The virtual clock counts from the end of the action; the real one says nothing.
		r.Failure.RetryAfter, r.Failure.Quota.Reset, r.Failure.Quota.Delay = max(0, a.quota), time.Time{}, 1
	}
	return r
}

// quotaPolicy is what happens to a prompt whose agent's quota is used up.
func (w *world) quotaPolicy(name string) settings.Quota {
	return w.opt.Project.AgentQuotas[name].Or(w.opt.Project.OnQuota)
}

// Turn implements agent.Agent.
func (as *agents) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	a, w := as.current, as.world
	turn := a.entry.addTurn(w.cleanText(r.Text))
	reply, f := as.nextReply(a, turn.Prompt)
	if f != nil {
		turn.Failure = f.Message
		return nil, f
	}
	as.sessions++
	session := cmp.Or(reply.Session, sessionName(as.sessions))
	meta := flow.Meta{CostUSD: reply.Cost, OutputTokens: reply.Tokens, Turns: 1, Session: session, Model: r.Model}
	a.takes += reply.Delay
	a.files = append(a.files, reply.Files...)
	if err := w.writeFiles(reply.Files); err != nil {
		return nil, w.failUnplayable(reply.Place, "%v", err).Failure
	}
	if reply.Quota != 0 {
		reply.Fail = cmp.Or(reply.Fail, "the agent's quota is used up")
	}
	if reply.Fail != "" {
		turn.Failure = reply.Fail
		f := failures.New(reply.Class, failures.ReasonAgent, "%s", reply.Fail)
		if a.quota = reply.Quota; a.quota != 0 {
			failures.OutOfQuota(f, time.Time{})
		}
		return &agent.Reply{Meta: meta}, f
	}
	turn.Reply = reply.Text
	return &agent.Reply{Text: reply.Text, Meta: meta}, nil
}

// nextReply returns the next reply for a prompt: the first unused one whose pattern matches,
// else the last one whose pattern matches.
func (as *agents) nextReply(a *action, prompt string) (reply testfile.Reply, f *flow.Failure) {
	w := as.world
	key, list := standIn(w, "agents", a.address, w.test.Agents)
	if list == nil {
		if all, ok := w.test.Agents.Get("*"); ok {
			list = all
		}
	}
	if list == nil {
		r := w.failUnplayable(w.test.Place, "step `%s` asks an agent, but the test has no reply; add `agents: {%s: …}`", a.address, stepkey.Unnumbered(a.address))
		return reply, r.Failure
	}
	w.used[key]++
	last := -1
	for i, candidate := range list {
		if candidate.Prompt != nil && !candidate.Prompt.MatchString(prompt) {
			continue
		}
		last = i
		if mark := markOf(key, i); w.used[mark] == 0 {
			w.used[mark]++
			return candidate, nil
		}
	}
	if last < 0 {
		r := w.failUnplayable(list[0].Place, "no reply matches the prompt of step `%s`", a.address)
		return reply, r.Failure
	}
	return list[last], nil
}

func sessionName(n int) string { return "session-" + strconv.Itoa(n) }

func markOf(key string, i int) string { return key + "\x00" + strconv.Itoa(i) }

// answerQuestion answers a question with the next answer of the test; the last one repeats.
func (w *world) answerQuestion(run string, q flow.Question) (sim.Answer, bool) {
	if w.test.Stubs != nil {
		return sim.Answer{Result: approveQuestion(q)}, q.Wait == ""
	}
	address := path.Join(run, q.Key)
	if w.cancelledAt(address) {
		return sim.Answer{Cancel: byTester()}, true
	}
	key, list := standIn(w, "answers", address, w.test.Answers)
	if list == nil || q.Wait == flow.WaitTime || q.Wait == flow.WaitQuota || q.Wait == flow.WaitBudget {
		return sim.Answer{}, false
	}
	n := w.used[key]
	w.used[key]++
	if n >= maxAnswers {
		w.addFailure(list[len(list)-1].Place, "step `%s` asked %d times, and the last answer of the test did not end that", address, n)
		return sim.Answer{}, false
	}
	a := list[min(n, len(list)-1)]
	if a.Choice == "" && a.Text == "" {
		return sim.Answer{}, false
	}
	choice, problem := resolveChoice(a, q)
	if problem != "" {
		w.addFailure(a.Place, "the answer to step `%s`: %s", address, problem)
		return sim.Answer{}, false
	}
	return sim.Answer{After: a.After, Result: flow.Result{
		Status: flow.Completed, Text: a.Text, Meta: flow.Meta{Choice: choice, By: "tester", From: "test"},
	}}, true
}

// leavesOpen reports whether the test leaves a wait without an answer, so that the run stays paused.
func (w *world) leavesOpen(run, step string) bool {
	_, list := standIn(w, "answers", path.Join(run, step), w.test.Answers)
	return len(list) > 0 && list[0].Choice == "" && list[0].Text == ""
}

// maxAnswers bounds the answers of one list: an answer that a step refuses is asked for
// again.
const maxAnswers = 100

// resolveChoice returns the choice of a question that an answer means.
func resolveChoice(a testfile.Answer, q flow.Question) (choice, problem string) {
	choice = a.Choice
	switch {
	case len(q.Choices) == 0 && a.Text != "":
		return "", ""
	case len(q.Choices) == 0:
		return "", "the question takes words; write {text: …}"
	case slices.Contains(q.Choices, choice):
		return choice, ""
	case choice == kernel.ChoiceApprove && slices.Contains(q.Choices, kernel.ChoiceAccept):
		return kernel.ChoiceAccept, ""
	}
	said := cmp.Or(choice, a.Text)
	if match, ok := kernel.MatchQuestion(q.Key, said, q.Choices); ok {
		return match, ""
	}
	return "", plain.UnknownName("choice", said, q.Choices)
}

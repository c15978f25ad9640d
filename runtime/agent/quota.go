package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// followQuota applies the policy to the result of a prompt whose agent's quota is used up: it
// lets the engine wait, or asks another agent. Other results stay as they are.
func (p *Performer) followQuota(ctx context.Context, call *engine.Attempt, name string, prompt flow.Prompt, result flow.Result) flow.Result {
	var asked []string
	var wait *flow.Quota // of the first agent for which the engine may wait
	for isUsedUp(result) {
		asked = append(asked, name)
		reset := failures.ResetOf(result.Failure, time.Now())
		policy := p.quotaPolicy(name)
		if longest := policy.LongestWait(); wait == nil && longest > 0 {
			wait = &flow.Quota{Agent: name, Reset: reset, MaxWait: longest, FirstWait: policy.FirstWait, MaxWaits: policy.MaxWaits}
		}
		if policy.Policy != settings.QuotaUse || slices.Contains(asked, policy.Use) {
			break
		}
		until := ""
		if !reset.IsZero() {
			until = " until " + reset.Local().Format(time.DateTime)
		}
		warn(call, fmt.Sprintf("`%s` answers in place of `%s`, whose quota is used up%s", policy.Use, name, until))
		name = policy.Use
		spent := result.Meta
		result = p.askAgent(ctx, call, name, forOtherAgent(prompt))
		result.Meta = spent.Plus(result.Meta)
	}
	if isUsedUp(result) {
		failure := *result.Failure
		if failure.Quota = wait; wait != nil {
			failure.Message += "; then the prompt is sent again " + sessionText(prompt)
			if queue := p.queueFor(call); queue != nil && !call.Action.Retry.Allows(call.Number, &failure) {
				wait.Delay = queue.Delay(ctx, wait.Agent, slices.MaxFunc([]time.Time{wait.Reset, time.Now()}, time.Time.Compare))
			}
		}
		if len(asked) > 1 {
			failure.Message += "; no agent that may answer has quota left: `" + strings.Join(asked, "`, `") + "`"
		}
		result.Failure = &failure
	}
	return result
}

// isUsedUp reports whether an agent refused because its quota is used up.
func isUsedUp(r flow.Result) bool {
	return r.Status == flow.Failed && r.Failure != nil && r.Failure.Reason == failures.ReasonQuota
}

func (p *Performer) quotaPolicy(name string) settings.Quota {
	if p.settings.OnQuota == nil {
		return settings.Quota{}
	}
	return p.settings.OnQuota(name)
}

// forOtherAgent returns a prompt without what only the agent that it names knows: its models
// and its sessions.
func forOtherAgent(prompt flow.Prompt) flow.Prompt {
	prompt.Model, prompt.Session, prompt.Fork, prompt.FreshSession = "", "", false, true
	return prompt
}

// sessionText says in which session a prompt is sent again after a wait: an agent may have none, or
// the prompt may not continue one.
func sessionText(prompt flow.Prompt) string {
	if prompt.Session == "" || prompt.FreshSession {
		return "in a new session"
	}
	return "in the session that it continues"
}

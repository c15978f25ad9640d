package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// longestQuotaWait is the longest wait of a prompt for its agent's quota unless the settings say
// otherwise.
const longestQuotaWait = 24 * time.Hour

// followQuota applies the policy to the result of a prompt whose agent's quota is used up: it
// lets the engine wait, or asks another agent. Other results stay as they are.
func (p *Performer) followQuota(ctx context.Context, call *engine.Attempt, name string, prompt flow.Prompt, result flow.Result) flow.Result {
	asked := []string{name}
	for result.Status == flow.Failed && result.Failure.Reason == failures.ReasonQuota {
		failure := *result.Failure
		reset := failures.ResetOf(&failure, time.Now())
		failure.Quota, result.Failure = nil, &failure
		var policy settings.Quota
		if p.settings.OnQuota != nil {
			policy = p.settings.OnQuota(name)
		}
		switch policy.Policy {
		case settings.QuotaWait:
			failure.Quota = &flow.Quota{Agent: name, Reset: reset, MaxWait: cmp.Or(policy.MaxWait, longestQuotaWait)}
			return result
		case settings.QuotaUse:
			if slices.Contains(asked, policy.Use) {
				failure.Message += fmt.Sprintf("; the agent `%s`, which should answer instead, has no quota left either", policy.Use)
				return result
			}
			message := fmt.Sprintf("`%s` answers in place of `%s`, whose quota is used up%s", policy.Use, name, resetText(reset))
			call.Warn(message)
			name = policy.Use
			asked = append(asked, name)
			spent := result.Meta
			result = p.askAgent(ctx, call, name, forOtherAgent(prompt))
			result.Meta = spent.Plus(result.Meta)
		default:
			return result
		}
	}
	return result
}

// forOtherAgent returns a prompt without what only the agent that it names knows: its models
// and its sessions.
func forOtherAgent(prompt flow.Prompt) flow.Prompt {
	prompt.Model, prompt.Session, prompt.Fork, prompt.FreshSession = "", "", false, true
	return prompt
}

func resetText(reset time.Time) string {
	if reset.IsZero() {
		return ""
	}
	return " until " + reset.Local().Format(time.DateTime)
}

package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const refusal = `{"a":[{"throw":"usage limit reached, resets in 2h","class":"fatal","quotaMs":0,"cost":0.5}]}`

// performQuota performs a prompt of agent bot with further agents, each by its replies, and
// returns the warnings, too.
func performQuota(t *testing.T, replies map[string]string, policies map[string]settings.Quota) (flow.Result, []string) {
	t.Helper()
	var warnings []string
	agents := map[string]agent.Agent{}
	for name, text := range replies {
		a, err := scripted.New([]byte(text), scripted.Options{})
		if err != nil {
			t.Fatal(err)
		}
		agents[name] = a
	}
	s := newStage(t, `{}`, false)
	call := s.call(flow.Prompt{Text: "x", Model: "opus", Session: "s1"})
	call.Warn = func(message string) { warnings = append(warnings, message) }
	p := agent.New(agent.Options{Agents: agents, Default: "bot", OnQuota: func(name string) settings.Quota { return policies[name] }})
	return p.Perform(t.Context(), call), warnings
}

func TestQuotaPolicies(t *testing.T) {
	t.Run("fail", func(t *testing.T) {
		got, _ := performQuota(t, map[string]string{"bot": refusal}, nil)
		if got.Status != flow.Failed || got.Failure.Quota != nil || got.Failure.Reason != "quota" {
			t.Errorf("%+v", got.Failure)
		}
	})
	t.Run("wait", func(t *testing.T) {
		before := time.Now()
		got, _ := performQuota(t, map[string]string{"bot": refusal}, map[string]settings.Quota{"bot": {Policy: settings.QuotaWait}})
		q := got.Failure.Quota
		if !strings.HasSuffix(got.Failure.Message, "; then the prompt is sent again in the session that it continues") {
			t.Errorf("%q", got.Failure.Message)
		}
		if q == nil || q.Agent != "bot" || q.MaxWait != 24*time.Hour || q.Reset.Before(before.Add(2*time.Hour)) || q.Reset.After(time.Now().Add(2*time.Hour)) {
			t.Errorf("%+v", q)
		}
	})
	t.Run("use", func(t *testing.T) {
		got, warnings := performQuota(t, map[string]string{"bot": refusal, "other": `{"a":[{"text":"mine","cost":1}]}`},
			map[string]settings.Quota{"bot": {Policy: settings.QuotaUse, Use: "other"}})
		if got.Status != flow.Completed || got.Text != "mine" || got.Meta.CostUSD != 1.5 {
			t.Errorf("%+v %v", got, got.Failure)
		}
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "`other` answers in place of `bot`, whose quota is used up until ") {
			t.Errorf("%q", warnings)
		}
	})
	t.Run("both used up", func(t *testing.T) {
		got, _ := performQuota(t, map[string]string{"bot": refusal, "other": refusal}, map[string]settings.Quota{
			"bot": {Policy: settings.QuotaUse, Use: "other"}, "other": {Policy: settings.QuotaUse, Use: "bot"},
		})
		if got.Status != flow.Failed || got.Failure.Quota != nil || !strings.Contains(got.Failure.Message, "no agent that may answer has quota left: `bot`, `other`") {
			t.Errorf("%+v", got.Failure)
		}
	})
	t.Run("the other one waits", func(t *testing.T) {
		got, _ := performQuota(t, map[string]string{"bot": refusal, "other": refusal}, map[string]settings.Quota{
			"bot": {Policy: settings.QuotaUse, Use: "other"}, "other": {Policy: settings.QuotaWait, MaxWait: time.Minute},
		})
		if q := got.Failure.Quota; q == nil || q.Agent != "other" || q.MaxWait != time.Minute {
			t.Errorf("%+v", q)
		}
	})
	t.Run("both used up, then wait", func(t *testing.T) {
		got, _ := performQuota(t, map[string]string{"bot": refusal, "other": refusal}, map[string]settings.Quota{
			"bot": {Policy: settings.QuotaUse, Use: "other", MaxWait: time.Hour},
		})
		if q := got.Failure.Quota; q == nil || q.Agent != "bot" || q.MaxWait != time.Hour {
			t.Errorf("%+v", q)
		}
	})
	t.Run("another failure", func(t *testing.T) {
		got, warnings := performQuota(t, map[string]string{"bot": `{"a":[{"throw":"401 unauthorized"}]}`, "other": `{}`},
			map[string]settings.Quota{"bot": {Policy: settings.QuotaUse, Use: "other"}})
		if got.Status != flow.Failed || len(warnings) > 0 {
			t.Errorf("%+v %q", got, warnings)
		}
	})
}

// line puts waits in order.
type line struct{ resets []time.Time }

func (*line) Take(context.Context, string, int, func()) (func(), error) { return func() {}, nil }

func (l *line) Delay(_ context.Context, _ string, reset time.Time) time.Duration {
	l.resets = append(l.resets, reset)
	return time.Duration(len(l.resets)) * time.Second
}

// Waits for the same reset end in the order in which they began. One that follows retries gets its
// place when it begins, and a reset that is over counts from now.
func TestQuotaWaitsInOrder(t *testing.T) {
	l := &line{}
	for i, text := range []string{"usage limit reached, resets in 2h", "usage limit reached|1000000000", "usage limit reached"} {
		s := newStage(t, `{"a":[{"throw":"`+text+`","class":"transient","quotaMs":0}]}`, false)
		p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s.agent}, Default: "bot", OnQuota: func(string) settings.Quota { return settings.Quota{Policy: settings.QuotaWait} }})
		for number := 1; number <= 2; number++ {
			call := s.call(flow.Prompt{Text: "x"})
			call.Number, call.Queue, call.Action.Retry = number, l, flow.Retry{Retries: 1}
			got := p.Perform(t.Context(), call).Failure
			if want := time.Duration(i+1) * time.Second; number == 2 && got.Quota.Delay != want || number == 1 && got.Quota.Delay != 0 {
				t.Errorf("%s, attempt %d: %v", text, number, got.Quota.Delay)
			}
			if !strings.HasSuffix(got.Message, "; then the prompt is sent again in a new session") {
				t.Errorf("%q", got.Message)
			}
		}
	}
	now := time.Now()
	if l.resets[0].Before(now.Add(time.Hour)) || l.resets[1].Before(now.Add(-time.Minute)) || l.resets[2].Before(now.Add(-time.Minute)) {
		t.Errorf("%v", l.resets)
	}
}

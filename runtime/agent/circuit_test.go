package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// service answers once it is up again.
type service struct {
	mu    sync.Mutex
	up    time.Time
	asked []time.Time
	takes time.Duration // how long a turn takes that answers
	fails *flow.Failure
}

func (*service) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (s *service) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, time.Now())
	up := !time.Now().Before(s.up)
	s.mu.Unlock()
	if !up {
		time.Sleep(time.Second / 2)
		return nil, s.fails
	}
	r.Output([]byte("I "))
	time.Sleep(s.takes)
	return &agent.Reply{Text: "I am back"}, nil
}

func down(reason string, after time.Duration) *flow.Failure {
	f := failures.New(flow.ClassTransient, reason, "connection refused")
	f.RetryAfter = after
	return f
}

// fanOut performs prompts side by side, and returns their results and what they showed as waits.
func fanOut(t *testing.T, p *agent.Performer, n int, prompt flow.Prompt, timeout time.Duration) (results []flow.Result, waits map[string]int) {
	t.Helper()
	results, waits = make([]flow.Result, n), map[string]int{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			results[i] = p.Perform(t.Context(), &engine.Attempt{
				Info: &flow.RunInfo{ID: "w-abc123"}, Action: flow.Action{Key: fmt.Sprint("n", i), Payload: prompt, Timeout: timeout}, Number: 1,
				Log: slog.New(slog.DiscardHandler), Output: func(string, []byte) {},
				Waits: func(what string) {
					mu.Lock()
					defer mu.Unlock()
					waits[what]++
				},
			})
		})
		time.Sleep(time.Second) // so that all of them begin in order
	}
	wait.Wait()
	return results, waits
}

// A fan-out of 100 asks a dead service a few times, waits while the service is down, and continues
// with the first probe that is answered, before that is over.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{up: time.Now().Add(10 * time.Minute), fails: down(failures.ReasonAgent, 0), takes: 20 * time.Minute}
		p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s}, Default: "bot"})
		begin := time.Now()
		results, waits := fanOut(t, p, 100, flow.Prompt{Text: "x"}, time.Hour)
		asked, failed := 0, 0
		for _, at := range s.asked {
			if at.Before(s.up) {
				asked++
			}
		}
		for _, r := range results {
			if r.Status == flow.Failed {
				failed++
			}
		}
		if asked > 20 || failed != asked || time.Since(begin) > 35*time.Minute {
			t.Errorf("asked %d times, %d failed, after %v", asked, failed, time.Since(begin))
		}
		shown := 0
		for what, n := range waits {
			if strings.HasPrefix(what, "waits until agent `bot` answers again; it failed ") && strings.HasSuffix(what, " times in a row: connection refused") {
				shown += n
			}
		}
		if shown < 100-asked || waits[""] != shown {
			t.Errorf("%v", waits)
		}
	})
}

// A step waits for a dead service only as long as it may take, counted from the outage, and says
// that it wasn't asked.
func TestOutageThatLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{up: time.Now().Add(10 * time.Hour), fails: down(failures.ReasonAgent, 0)}
		p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s}, Default: "bot"})
		begin := time.Now()
		results, _ := fanOut(t, p, 100, flow.Prompt{Text: "x"}, 5*time.Minute)
		if took := time.Since(begin); took > 6*time.Minute || len(s.asked) > 20 {
			t.Errorf("asked %d times in %v", len(s.asked), took)
		}
		var unasked *flow.Failure
		for i, r := range results {
			if r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient {
				t.Errorf("%d: %+v", i, r)
			}
			if r.Failure.Reason == failures.ReasonOutage {
				unasked = r.Failure
			}
		}
		if unasked == nil || !strings.HasPrefix(unasked.Message, "agent `bot` was not asked: it has not answered since 2000-01-01T00:00:02Z; the last of ") ||
			!strings.HasSuffix(unasked.Message, "failures in a row: connection refused") || unasked.RetryAfter > time.Minute {
			t.Errorf("%+v", unasked)
		}
		if got := results[2].Failure.Message; got != "connection refused; agent `bot` failed 3 times in a row, so further turns wait for a probe" {
			t.Errorf("%q", got)
		}
		if got := results[1].Failure.Message; got != "connection refused" {
			t.Errorf("%q", got)
		}
	})
}

// Only outages count, one after another. Each agent has its own circuit, and one that asks no
// service has none. A service may say when it can be asked again.
func TestOutageIsAnOutage(t *testing.T) {
	for name, test := range map[string]struct {
		fails *flow.Failure
		local bool
		asked int
		fifth time.Duration // when the fifth turn begins, after the first
	}{
		"outage":        {fails: down(failures.ReasonAgent, 0), asked: 5, fifth: 18 * time.Second},
		"with a time":   {fails: down(failures.ReasonAgent, 30*time.Second), asked: 5, fifth: 63 * time.Second},
		"another class": {fails: failures.New(flow.ClassUnknown, failures.ReasonAgent, "odd"), asked: 5, fifth: 4 * time.Second},
		"a quota":       {fails: down(failures.ReasonQuota, 0), asked: 5, fifth: 4 * time.Second},
		"a timeout":     {fails: down(failures.ReasonTimeout, 0), asked: 5, fifth: 4 * time.Second},
		"a file":        {fails: down(failures.ReasonAgent, 0), local: true, asked: 5, fifth: 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{up: time.Now().Add(time.Hour), fails: test.fails}
				p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s}, Default: "bot", Local: func(string) bool { return test.local }})
				fanOut(t, p, 5, flow.Prompt{Text: "x"}, time.Hour)
				if got := s.asked[4].Sub(s.asked[0]); len(s.asked) != test.asked || (got-test.fifth).Abs() > time.Second {
					t.Errorf("asked %d times, the fifth time after %v", len(s.asked), got)
				}
			})
		})
	}
}

// A turn that is cancelled while it waits ends at once, and a probe that is cancelled leaves the
// next turn to ask.
func TestOutageAndCancelling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{up: time.Now().Add(time.Minute), fails: down(failures.ReasonAgent, time.Hour)}
		p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s}, Default: "bot"})
		fanOut(t, p, 3, flow.Prompt{Text: "x"}, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		st := &stage{t: t}
		begin := time.Now()
		if r := p.Perform(ctx, st.call(flow.Prompt{Text: "x"})); r.Status != flow.Cancelled || time.Since(begin) != time.Minute {
			t.Errorf("%+v after %v", r, time.Since(begin))
		}
		if !strings.Contains(st.logged.String(), "waits until agent") {
			t.Errorf("log: %s", st.logged.String())
		}
	})
}

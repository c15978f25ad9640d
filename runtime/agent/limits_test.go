package agent_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// talker gives a sign of life every minute, five times, and then its answer.
type talker struct{ sign func(*agent.Request) }

func (talker) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (a talker) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	for range 5 {
		select {
		case <-time.After(time.Minute):
			a.sign(r)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &agent.Reply{Text: "done"}, nil
}

func TestSignsOfLifePutOffTheIdleTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		sign func(*agent.Request)
		want flow.Status
	}{
		"output": {func(r *agent.Request) { r.Output([]byte("x")) }, flow.Completed},
		"empty":  {func(r *agent.Request) { r.Output(nil) }, flow.Completed},
		"notes":  {func(r *agent.Request) { r.Notes([]byte("x")) }, flow.Completed},
		"none":   {func(*agent.Request) {}, flow.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{t: t, agent: talker{test.sign}}
				got := s.perform(t.Context(), flow.Prompt{Text: "x", IdleTimeout: 90 * time.Second})
				if got.Status != test.want {
					t.Errorf("got %s, %+v", got.Status, got.Failure)
				}
			})
		})
	}
}

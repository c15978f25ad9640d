package codex_test

import (
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// An agent that says nothing any more is ended, and so is one that takes too
// long.
func TestTimeouts(t *testing.T) {
	b := answers
	b.Fault = fakeagent.Stalled
	for name, test := range map[string]struct {
		total, idle time.Duration
		want        string
	}{
		"idle":  {0, time.Second, "Node `n` timed out: its agent sent nothing for 1s"},
		"total": {time.Second, time.Minute, "Node `n` timed out after 1000ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := converse(t, fakeagent.Program(t, "codex", b)).perform(test.total, test.idle)
			if r.Status != flow.Failed || r.Failure.Message != test.want || r.Failure.Class != flow.ClassTransient || r.Failure.Reason != "timeout" {
				t.Errorf("got %+v %v", r, r.Failure)
			}
		})
	}
}

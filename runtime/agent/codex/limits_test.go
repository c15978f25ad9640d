package codex_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
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

// TestTurnsWithoutUsageKeepTheirTokens reads the tokens of a turn that was interrupted, or
// that failed, in the file of its session; a turn that continues the session has the rest.
func TestTurnsWithoutUsageKeepTheirTokens(t *testing.T) {
	count := func(input, output string) string {
		return `{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":` + input + `,"cached_input_tokens":0,"output_tokens":` + output + `,"total_tokens":1},"last_token_usage":{"input_tokens":1}}}}`
	}
	path := script(t, `mkdir -p "$CODEX_HOME/sessions/2026/11/23"
echo '{"type":"thread.started","thread_id":"s1"}'
cat >"$CODEX_HOME/sessions/2026/11/23/rollout-2026-11-23T10-00-00-s1.jsonl" <<'END'
{"type":"session_meta","payload":{"id":"s1"}}
`+count("10", "5")+`
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":null}}
`+count("1000", "500")+`
{"type":"response_item","payload":{"type":"message","text":"about \"token_count\""}}
END
echo '{"type":"turn.started"}'
case $MODE in
fail) echo '{"type":"turn.failed","error":{"message":"stream disconnected"}}'; exit 1;;
next) echo '{"type":"turn.completed","usage":{"input_tokens":1010,"cached_input_tokens":0,"output_tokens":505}}'; exit;;
esac
echo '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}'
sleep 1000 & wait`)
	for _, mode := range []string{"interrupt", "fail"} {
		t.Run(mode, func(t *testing.T) {
			c := converse(t, path)
			c.choice.Price = &settings.Price{Input: 1000, Output: 1000}
			environ := append(os.Environ(), "CODEX_HOME="+filepath.Join(t.TempDir(), "home"))
			c.request.Environ = append(environ, "MODE="+mode)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.request.Output = func(piece []byte) {
				if len(piece) > 0 {
					cancel()
				}
			}
			reply, err := c.askIn(ctx)
			if err == nil || errors.Is(err, context.Canceled) != (mode == "interrupt") {
				t.Errorf("got %v", err)
			}
			if m := reply.Meta; m.InputTokens != 1000 || m.OutputTokens != 500 || m.CostUSD != 1.5 || c.spent != m {
				t.Errorf("got %+v, told %+v", m, c.spent)
			}
			c.request.Environ, c.request.Session, c.request.Output = append(environ, "MODE=next"), "s1", nil
			if reply, err := c.ask(); err != nil || reply.Meta.InputTokens != 10 || reply.Meta.OutputTokens != 5 {
				t.Errorf("next: got %+v, %v", reply, err)
			}
		})
	}
}

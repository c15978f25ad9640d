//go:build unix

package claude_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// An agent that says nothing any more is ended, and so is one that takes too
// long; what it said until then is kept.
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
			c := converse(t, fakeagent.Program(t, "claude", b))
			r := c.perform(test.total, test.idle)
			if r.Status != flow.Failed || r.Failure.Message != test.want || r.Failure.Class != flow.ClassTransient || r.Failure.Reason != "timeout" {
				t.Errorf("got %+v %v", r, r.Failure)
			}
			// How far it came depends on the machine.
			if !strings.HasPrefix(answers.Text, r.Text) {
				t.Errorf("kept %q", r.Text)
			}
		})
	}
}

// TestInterruptedTurnsKeepTheirCost ends turns whose program reports its cost when it gets
// SIGINT, as claude does, and loses it by SIGTERM.
func TestInterruptedTurnsKeepTheirCost(t *testing.T) {
	path := script(t, `trap 'echo "$RESULT"; exit 0' INT
sleep 1000 &
echo '`+begin+`'; echo '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}}'
wait`)
	interrupted := result("error_during_execution", true, `,"usage":{"input_tokens":7,"output_tokens":3},"terminal_reason":"aborted_streaming"`)
	t.Run("cancelled", func(t *testing.T) {
		c := converse(t, path)
		c.request.Environ = append(c.request.Environ, "RESULT="+interrupted)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c.request.Output = func(piece []byte) {
			if len(piece) > 0 {
				cancel()
			}
		}
		reply, err := c.askIn(ctx)
		if !errors.Is(err, context.Canceled) || reply == nil || reply.Meta.CostUSD != 0.5 || reply.Meta.InputTokens != 7 || c.spent != reply.Meta {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
	t.Run("silent", func(t *testing.T) {
		c := converse(t, path)
		c.request.Environ = append(c.request.Environ, "RESULT="+interrupted)
		if r := c.perform(0, time.Second); r.Failure == nil || r.Failure.Reason != "timeout" || r.Meta.CostUSD != 0.5 {
			t.Errorf("got %+v, %+v", r, r.Failure)
		}
	})
	t.Run("done at the same time", func(t *testing.T) {
		c := converse(t, path)
		c.request.Environ = append(c.request.Environ, "RESULT="+result("success", false, `,"result":"done"`))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c.request.Output = func(piece []byte) {
			if len(piece) > 0 {
				cancel()
			}
		}
		if reply, err := c.askIn(ctx); err != nil || reply.Text != "done" || reply.Meta.CostUSD != 0.5 {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
}

// What the program started ends with it.
func TestTheGroupIsEnded(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c := converse(t, script(t, `exec 9>"$PIPE"; sleep 1000 & echo '`+begin+`'; echo '{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"x"}}}'; wait`))
	c.request.Environ = append(c.request.Environ, "PIPE="+pipe)
	ended := make(chan error, 1)
	go func() {
		// Reading comes to an end when nobody has the other end.
		f, err := os.Open(pipe)
		if err == nil {
			_, err = io.Copy(io.Discard, f)
			f.Close()
		}
		ended <- err
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.request.Output = func(piece []byte) {
		if len(piece) > 0 {
			cancel()
		}
	}
	if _, err := c.askIn(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A long turn prints far more than is kept.
func TestABigStream(t *testing.T) {
	c := converse(t, script(t, `line=$(head -c 100000 /dev/zero | tr '\0' x)
echo '`+begin+`'
yes '{"type":"user","message":{"content":"'"$line"'"}}' 2>/dev/null | head -n 700
echo '`+result("success", false, `,"result":"done"`)+`'`))
	if testing.Short() {
		t.Skip("it takes a second")
	}
	reply, err := c.ask()
	if err != nil || reply.Text != "done" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

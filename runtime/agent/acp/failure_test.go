package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func chmod(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		fault  fakeagent.Fault
		args   string
		prompt string
		class  flow.Class
		reason string
		parts  []string
	}{
		{"killed", fakeagent.Killed, "", "", flow.ClassUnknown, "signal", []string{"was ended by SIGKILL in the middle of its turn"}},
		{"garbled", fakeagent.Garbled, "", "", flow.ClassUnknown, "output", []string{`printed a line that is not a message: `, `upd\x00`, "ate"}},
		{"truncated", fakeagent.Truncated, "", "", flow.ClassTransient, "output", []string{"ended in the middle of a message", `{"sess`, "standard error: going away"}},
		{"rate limited", fakeagent.RateLimited, "", "", flow.ClassTransient, "quota", []string{"failed: Internal error: 429 Too Many Requests: slow down [error -32603]"}},
		{"no credit", fakeagent.None, "", `!send {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Your credit balance is too low"}}` + "\n!wait", flow.ClassFatal, "credit", []string{"credit balance is too low", "resume the run"}},
		{"signed out", fakeagent.SignedOut, "", "", flow.ClassFatal, "agent", []string{"is not signed in: Authentication required", "under `environment`"}},
		{"signed out, with ways", fakeagent.None, "--auth=browser", "", flow.ClassFatal, "agent", []string{"it offers: Browser (Run `fake login`)"}},
		{"another version", fakeagent.None, "--protocol=2", "", flow.ClassFatal, "agent", []string{"speaks version 2 of the Agent Client Protocol, and wfc speaks version 1"}},
		{"no protocol", fakeagent.None, "--other", "", flow.ClassUnknown, "output", []string{"before it said that it speaks the Agent Client Protocol", "it printed `Welcome! Type /help.`"}},
		{"exit", fakeagent.None, "", "!exit 3", flow.ClassTransient, "exit", []string{"failed [exit 3] in the middle of its turn", "HTTP 503"}},
		{"silent end", fakeagent.None, "", "!exit 0", flow.ClassTransient, "output", []string{"ended without an answer"}},
		{"max_tokens", fakeagent.None, "", "!stop max_tokens", flow.ClassUnknown, "agent", []string{"token limit"}},
		{"max_turn_requests", fakeagent.None, "", "!stop max_turn_requests", flow.ClassUnknown, "agent", []string{"maximum of requests"}},
		{"refusal", fakeagent.None, "", "!stop refusal", flow.ClassFatal, "agent", []string{"refused to answer"}},
		{"cancelled by itself", fakeagent.None, "", "!stop cancelled", flow.ClassUnknown, "agent", []string{"cancelled its turn by itself"}},
		{"new reason", fakeagent.None, "", "!stop tired", flow.ClassUnknown, "output", []string{"for an unknown reason: `tired`"}},
		{"a piece that cannot be read", fakeagent.None, "", `!send {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":"x"}}}` + "\n!wait",
			flow.ClassUnknown, "output", []string{"a piece of its reply that cannot be read: `\"x\"`"}},
		{"an update that cannot be read", fakeagent.None, "", `!send {"jsonrpc":"2.0","method":"session/update","params":[1]}` + "\n!wait", flow.ClassUnknown, "output", []string{"an update that cannot be read"}},
		{"a message that says nothing", fakeagent.None, "", `!send {"jsonrpc":"2.0"}` + "\n!wait", flow.ClassUnknown, "output", []string{"is not a request, a notification or an answer"}},
		{"our message was not read", fakeagent.None, "", `!send {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}` + "\n!wait", flow.ClassUnknown, "output", []string{"could not read a message from wfc: Parse error"}},
		{"an answer of another form", fakeagent.None, "", `!send {"jsonrpc":"2.0","id":3,"result":"x"}` + "\n!wait", flow.ClassUnknown, "output", []string{"gave an invalid answer to `session/prompt`"}},
		{"an error without words", fakeagent.None, "", `!send {"jsonrpc":"2.0","id":"3","error":{"code":-32000,"message":"","data":{"x":[1]}}}` + "\n!wait", flow.ClassFatal, "agent", []string{`error -32000: {"x":[1]}`}},
		{"an error with the code of signing in", fakeagent.None, "", `!send {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Server overloaded"}}` + "\n!wait", flow.ClassTransient, "agent", []string{"Server overloaded [error -32000]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, fakeagent.Behaviour{Text: "x", Fault: test.fault}, strings.Fields(test.args)...)
			w.request.Text = test.prompt
			reply, err := w.turn()
			fails(t, err, test.class, test.reason, test.parts...)
			if test.fault != fakeagent.None && test.fault != fakeagent.SignedOut && reply.Text != "I begin. " {
				t.Errorf("the reply so far is %q", reply.Text)
			}
		})
	}
}

// TestFailuresOfServices has the errors that the real programs report when their service
// fails, as recorded by dev/agentlab.
func TestFailuresOfServices(t *testing.T) {
	const internal = -32603
	for _, test := range []struct {
		program, name string
		code          int
		message, data string
		class         flow.Class
	}{
		{"gemini", "broken answer", 500, "terminated", "", flow.ClassTransient},
		{"gemini", "lasting 500", 500, "internal server error (INTERNAL, code 500)", "", flow.ClassTransient},
		{"gemini", "without words", 503, "x", "", flow.ClassTransient},
		{"gemini", "rate limit", 429, "Rate limit exceeded. Try again later.", "", flow.ClassTransient},
		{"gemini", "not implemented", 501, "x", "", flow.ClassFatal},
		{"gemini", "invalid request", 400, "x", "", flow.ClassFatal},
		{"opencode", "broken answer", internal, "Internal error: Cannot connect to API: The socket connection was closed unexpectedly. For more information, pass `verbose: true` in the second argument to fetch()", `{"service":"session","errorName":"APIError"}`, flow.ClassTransient},
		{"opencode", "lasting 500", internal, "Internal error: internal server error", `{"service":"session","errorName":"APIError"}`, flow.ClassTransient},
		{"opencode", "invalid request", internal, "Internal error: bad thing", `{"service":"session","errorName":"APIError"}`, flow.ClassUnknown},
		{"claude-agent-acp", "broken answer", internal, "Internal error: API Error: Unable to connect to API (ECONNRESET)", `{"errorKind":"unknown"}`, flow.ClassTransient},
		{"claude-agent-acp", "lasting 500", internal, "Internal error: API Error: 500 x", `{"errorKind":"server_error"}`, flow.ClassTransient},
		{"claude-agent-acp", "rate limit", internal, "Internal error: API Error: Request rejected (429) · slow", `{"errorKind":"rate_limit"}`, flow.ClassTransient},
		{"claude-agent-acp", "token limit", internal, "Internal error: API Error: Claude's response exceeded the 64000 output token maximum.", `{"errorKind":"max_output_tokens"}`, flow.ClassUnknown},
		{"codex-acp", "broken answer", internal, "Internal error: stream disconnected before completion: Transport error: network error: error decoding response body", "", flow.ClassTransient},
		{"codex-acp", "no answer", internal, "Internal error: stream disconnected before completion: error sending request for url (http://127.0.0.1:1/v1/responses)", "", flow.ClassTransient},
		{"codex-acp", "lasting 500", internal, "Internal error: We're currently experiencing high demand, which may cause temporary errors.", "", flow.ClassTransient},
		{"codex-acp", "token limit", internal, "Internal error: stream disconnected before completion: Incomplete response returned, reason: max_output_tokens", "", flow.ClassUnknown},
	} {
		t.Run(test.program+"/"+test.name, func(t *testing.T) {
			w := as(t, test.program, fakeagent.Behaviour{Text: "x"})
			refusal := map[string]any{"code": test.code, "message": test.message}
			if test.data != "" {
				refusal["data"] = json.RawMessage(test.data)
			}
			w.request.Text = "!send " + string(marshal(t, map[string]any{"jsonrpc": "2.0", "id": 3, "error": refusal})) + "\n!wait"
			_, err := w.turn()
			reason := "agent"
			if test.name == "rate limit" {
				reason = "quota"
			}
			fails(t, err, test.class, reason, fmt.Sprintf("[error %d]", test.code))
		})
	}
	for message, class := range map[string]flow.Class{ // copilot ends its turn as a success
		"Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed native model HTTP request: error decoding response body: error reading a body from connection: unexpected EOF during chunk size line":                     flow.ClassTransient,
		"Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed native model HTTP request: error sending request for url (http://127.0.0.1:1/v1): client error (SendRequest): connection closed before message completed": flow.ClassTransient,
		"Failed to get response from the AI model; retried 5 times (total retry wait time: 17.69 seconds) Last error: 500 internal server error":                                                                                                                                      flow.ClassTransient,
		"400 bad thing": flow.ClassUnknown,
	} {
		w := as(t, "copilot", fakeagent.Behaviour{Text: "x"})
		w.request.Text = "!quit " + message
		_, err := w.turn()
		fails(t, err, class, "agent", message)
	}
}

// TestRepetition explains the limit that gemini also reports when its model repeats itself.
func TestRepetition(t *testing.T) {
	w := as(t, "gemini", fakeagent.Behaviour{Text: "x"})
	w.request.Text = "!stop max_turn_requests"
	_, err := w.turn()
	fails(t, err, flow.ClassUnknown, "agent", "its model repeated itself, or reached the maximum of requests")
}

func TestBudgetWithoutCost(t *testing.T) {
	for cost, want := range map[float64]bool{0: true, 0.25: false} {
		w := newWorld(t, fakeagent.Behaviour{Text: "x", CostUSD: cost})
		setOption(w.request, "maxBudgetUsd", "1")
		w.ask("hello")
		if got := strings.Contains(w.notes.String(), "`maxBudgetUsd` did not limit this turn"); got != want {
			t.Errorf("a cost of %v: %s", cost, w.notes.String())
		}
	}
}

func TestFailuresMaskSecrets(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	w.request.Environ = append(w.request.Environ, "MY_TOKEN=hunter2-hunter2")
	w.request.Text = "!send {hunter2-hunter2\n!wait"
	_, err := w.turn()
	fails(t, err, flow.ClassUnknown, "output", "`{***`")
}

func TestNotInstalled(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{})
	w.choice = engineChoice("opencode", "")
	w.request.Environ = []string{"PATH=" + t.TempDir()}
	_, err := w.turn()
	fails(t, err, flow.ClassFatal, "start", "the program `opencode` is not on PATH", "npm install -g opencode-ai")
}

func TestOverBudgetIsTold(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Fault: fakeagent.OverBudget})
	ctx, cancel := context.WithCancelCause(t.Context())
	tooMuch := errors.New("too much")
	w.request.ReportCost = func(m flow.Meta) {
		if m.CostUSD > 100 {
			cancel(tooMuch)
		}
	}
	reply, err := w.agent().Turn(ctx, w.request)
	if !errors.Is(err, context.Canceled) || !errors.Is(context.Cause(ctx), tooMuch) || reply.Meta.CostUSD != 1000 {
		t.Errorf("got %+v, %v", reply, err)
	}
	w.gone()
}

// A cancelled turn is cancelled in the program first.
func TestCancel(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.request.Text = "!say ready\n!wait"
	w.request.Output = func(piece []byte) {
		if len(piece) > 0 {
			cancel()
		}
	}
	if _, err := w.agent().Turn(ctx, w.request); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(w.notes.String(), "cancelled") {
		t.Errorf("the program was not told: %q", w.notes.String())
	}
	w.gone()
}

// Programs that do not care are ended in whatever they are.
func TestCancelOfProgramsThatDoNotListen(t *testing.T) {
	for name, args := range map[string]string{"deaf": "--deaf", "mute": "--mute"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fakeagent.Behaviour{}, args)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := w.agent().Turn(ctx, w.request); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			w.gone()
		})
	}
	t.Run("stalled in its turn", func(t *testing.T) {
		w := newWorld(t, fakeagent.Behaviour{Fault: fakeagent.Stalled})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.request.Text = strings.Repeat("long ", 1<<20) // more than a pipe holds
		w.request.Output = func(piece []byte) {
			if len(piece) > 0 {
				cancel()
			}
		}
		if _, err := w.agent().Turn(ctx, w.request); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		w.gone()
	})
}

// A program that speaks no protocol is not silent: the message shows what it says.
func TestStartLimitOfAnotherProgram(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{})
	w.choice.Program, w.choice.Args = "sh", []string{"-c", "echo stuck in a shell; exec cat >/dev/null"}
	clock := &wall{t: t, w: w}
	w.request.Notes = clock.stuck
	a := w.agent()
	a.Clock = clock
	_, err := a.Turn(t.Context(), w.request)
	fails(t, err, flow.ClassTransient, "timeout", "that it speaks the Agent Client Protocol; it printed `stuck in a shell`")
}

func TestStartLimit(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{}, "--mute")
	a := w.agent()
	a.StartLimit = 20 * time.Millisecond
	_, err := a.Turn(t.Context(), w.request)
	fails(t, err, flow.ClassTransient, "timeout", "did not say within 20ms that it speaks the Agent Client Protocol")
	w.gone()
}

// A program that goes on after its turn is ended.
func TestAProgramThatStays(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--stay")
	if text := w.ask("hello"); text != "x" {
		t.Errorf("got %q", text)
	}
}

func TestNoEndOfNoise(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	w.request.Text = strings.Repeat("!print "+strings.Repeat("blah ", 2000)+"\n", 150) + "!wait"
	_, err := w.turn()
	fails(t, err, flow.ClassUnknown, "output", "printed more than 1 MiB outside the Agent Client Protocol, starting with `blah")
}

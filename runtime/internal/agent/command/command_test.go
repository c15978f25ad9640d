//go:build unix

package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/command"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// program writes a program for the system's shell and returns its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func request(t *testing.T) *agent.Request {
	return &agent.Request{
		Prompt: flow.Prompt{Agent: "claude", Text: "say <hi>"},
		RunID:  "w-abc123", Key: "fix#3", Attempt: 2,
		Environ: os.Environ(), RunDir: t.TempDir(), WorkDir: t.TempDir(),
	}
}

func TestRequest(t *testing.T) {
	r := request(t)
	r.Model, r.Session, r.FreshSession = "big", "s1", true
	r.Schema = json.RawMessage(`{"type":"object"}`)
	r.Options = []flow.Option{{Name: "effort", Value: `"high"`}}
	// The answer is the request, as text: cat would give it back as an envelope.
	reply, err := command.New(program(t, "printf 'got '; cat; pwd -P; echo $WFC_RUN_ID $WFC_STEP_KEY")).Turn(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	body, ok := strings.CutPrefix(reply.Text, "got ")
	line, rest, _ := strings.Cut(body, "\n")
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil || !ok {
		t.Fatalf("%v: %q", err, reply.Text)
	}
	for key, want := range map[string]any{
		"wfc": 1.0, "run_id": "w-abc123", "step": "fix#3", "attempt": 2.0, "agent": "claude", "model": "big",
		"session": "s1", "fresh_session": true, "work_dir": r.WorkDir,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if prompt := got["prompt"].(string); !strings.HasPrefix(prompt, "say <hi>\n\n") || !strings.HasSuffix(prompt, `{"type":"object"}`) {
		t.Errorf("prompt %q", prompt)
	}
	if options := got["options"].(map[string]any); options["effort"] != "high" {
		t.Errorf("options %v", options)
	}
	real, err := filepath.EvalSymlinks(r.WorkDir)
	if err != nil || rest != real+"\nw-abc123 fix#3" {
		t.Errorf("the program ran with %q, %v", rest, err)
	}
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name, script string
		want         agent.Reply
		shown        string
	}{
		{"text", `echo "  hi"; echo`, agent.Reply{Text: "  hi\n"}, "  hi\n\n"},
		{"JSON without the marker", `echo '{"t":1}'`, agent.Reply{Text: `{"t":1}`}, `{"t":1}`},
		{"not quite an envelope", `printf '{"wfc'`, agent.Reply{Text: `{"wfc`}, `{"wfc`},
		{"envelope", `echo '{"wfc":1,"text":"hi","structured":{"b":1,"a":2},"session":"s","model":"m","cost_usd":0.5,"input_tokens":1,"output_tokens":2,"turns":3}'`,
			agent.Reply{Text: "hi", Structured: json.RawMessage(`{"b":1,"a":2}`), Meta: flow.Meta{Session: "s", Model: "m", CostUSD: 0.5, InputTokens: 1, OutputTokens: 2, Turns: 3}}, "hi"},
		{"null payload", `echo '{"wfc":1,"text":"x","structured":null}'`, agent.Reply{Text: "x"}, "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request(t)
			var shown strings.Builder
			r.Output = func(piece []byte) { shown.Write(piece) }
			reply, err := command.New(program(t, "cat >/dev/null\n"+test.script)).Turn(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Text != test.want.Text || string(reply.Structured) != string(test.want.Structured) || reply.Meta != test.want.Meta {
				t.Errorf("got %+v, want %+v", reply, test.want)
			}
			if shown.String() != test.shown {
				t.Errorf("shown %q, want %q", shown.String(), test.shown)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name, script, want string
		class              flow.Class
	}{
		{"exit 1", "echo why >&2; exit 1", "failed [exit 1]: why", flow.ClassUnknown},
		{"silent exit", "exit 2", "failed [exit 2]: it printed nothing on standard error", flow.ClassUnknown},
		{"words on standard output", "echo why; exit 2", "failed [exit 2]: why", flow.ClassUnknown},
		{"exit 75", "echo 401 >&2; exit 75", "failed for now [exit 75]: 401", flow.ClassTransient},
		{"exit 77", "echo timeout >&2; exit 77", "may not do this [exit 77]: timeout", flow.ClassFatal},
		{"by its words", "echo 'HTTP 429' >&2; exit 1", "failed [exit 1]: HTTP 429", flow.ClassTransient},
		{"signal", "kill -KILL $$", "was ended by SIGKILL", flow.ClassUnknown},
		{"error", `echo '{"wfc":1,"error":{"message":"busy","class":"transient"}}'; exit 77`, "busy", flow.ClassTransient},
		{"error without class", `echo '{"wfc":1,"error":{"message":"invalid token"}}'`, "invalid token", flow.ClassFatal},
		{"unknown class", `echo '{"wfc":1,"error":{"message":"x","class":"bad"}}'`, "unknown class `bad`", flow.ClassFatal},
		{"error without message", `echo '{"wfc":1,"error":{}}'`, "its error has no message", flow.ClassFatal},
		{"other version", `echo '{"wfc":2,"text":"x"}'`, `its "wfc" is not 1`, flow.ClassFatal},
		{"misspelt key", `echo '{"wfc":1,"txt":"x"}'`, "unknown key `txt`", flow.ClassFatal},
		{"two objects", `echo '{"wfc":1}{"wfc":1}'`, "something follows", flow.ClassFatal},
		{"torn", `printf '{"wfc":1,"text":"x'`, "cannot be read", flow.ClassFatal},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := command.New(program(t, "cat >/dev/null\n"+test.script)).Turn(t.Context(), request(t))
			if err == nil || !strings.Contains(err.Error(), test.want) || failures.Classify(err) != test.class {
				t.Errorf("got %v of class %q, want %q of %q", err, failures.Classify(err), test.want, test.class)
			}
		})
	}
	_, err := command.New("no-such-agent-program").Turn(t.Context(), request(t))
	if err == nil || !strings.Contains(err.Error(), "agent `claude`: cannot start `no-such-agent-program`: the program does not exist") || failures.Classify(err) != flow.ClassFatal {
		t.Errorf("got %v", err)
	}
}

func TestCostOfAFailureIsReported(t *testing.T) {
	reply, err := command.New(program(t, `echo '{"wfc":1,"cost_usd":2,"error":{"message":"x"}}'`)).Turn(t.Context(), request(t))
	if err == nil || reply == nil || reply.Meta.CostUSD != 2 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestCancelEndsTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := request(t)
	r.Notes = func([]byte) { cancel() }
	_, err := command.New(program(t, "echo ready >&2; while :; do sleep 0.01; done")).Turn(ctx, r)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHiddenPiecesAreSignsOfLife(t *testing.T) {
	r := request(t)
	var pieces []string
	r.Output = func(piece []byte) { pieces = append(pieces, string(piece)) }
	_, err := command.New(program(t, `cat >/dev/null; echo '{"wfc":1,'; echo '"text":"hi"}'`)).Turn(t.Context(), r)
	if err != nil || len(pieces) < 2 || pieces[0] != "" || pieces[len(pieces)-1] != "hi" {
		t.Errorf("got %q, %v", pieces, err)
	}
}

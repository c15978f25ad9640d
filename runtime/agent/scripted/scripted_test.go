package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// process is one process of a run: an agent that remembers nothing but what the
// run's folder says.
type process struct {
	t     *testing.T
	agent agent.Agent
	dir   string
}

func start(t *testing.T, dir, replies string) *process {
	t.Helper()
	a, err := scripted.New([]byte(replies), scripted.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &process{t, a, dir}
}

// ask returns the answer to one turn, or its error's text.
func (p *process) ask(key string, attempt int) string {
	p.t.Helper()
	r := &agent.Request{Prompt: flow.Prompt{Text: "prompt"}, Key: key, Attempt: attempt, RunDir: p.dir}
	reply, err := p.agent.Turn(p.t.Context(), r)
	if err != nil {
		return "error: " + err.Error()
	}
	return reply.Text
}

func (p *process) expect(key string, attempt int, want string) {
	p.t.Helper()
	if got := p.ask(key, attempt); got != want {
		p.t.Errorf("%s, attempt %d: got %q, want %q", key, attempt, got, want)
	}
}

func TestOrderOfReplies(t *testing.T) {
	p := start(t, "", `{"a":["1","2"],"fix":["f1","f2","f3"],"fix#9":["nine"],"items/ask":["i"],"*":["s1","s2"]}`)
	p.expect("a", 1, "1")
	p.expect("a", 2, "2")
	p.expect("a", 3, "2")
	p.expect("fix#1", 1, "f1")
	p.expect("fix#9", 1, "nine")
	p.expect("fix#2", 1, "f2")
	p.expect("fix/attempt2#1", 1, "f3")
	p.expect("fix/attempt2/more", 1, "f3") // a part of fix
	p.expect("b/attempts", 1, "s1")
	p.expect("items[0]/ask@2", 1, "i")
	p.expect("group#2.a", 1, "2") // shares the replies of a
	p.expect("b", 1, "s1")
	p.expect("c", 1, "s1")
	p.expect("b", 2, "s2")
	start(t, "", `{}`).expect("x", 1, "ECHO[prompt]")
	start(t, "", "\ufeff"+`{"x": ["with a byte order mark"]}`).expect("x", 1, "with a byte order mark")
}

// Replies use the words of test files, and those of older files of replies.
func TestWordsOfTestFiles(t *testing.T) {
	for replies, want := range map[string]string{
		`{"a": [{"json": {"kind": "bug"}}]}`:       `{"kind": "bug"}`,
		`{"a": [{"structured": {"kind": "bug"}}]}`: `{"kind": "bug"}`,
		`{"a": [{"fail": "rate limit"}]}`:          "error: rate limit",
		`{"a": [{"throw": "rate limit"}]}`:         "error: rate limit",
	} {
		p := start(t, "", replies)
		reply, err := p.agent.Turn(t.Context(), &agent.Request{Key: "a", Attempt: 1})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = string(reply.Structured)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", replies, got, want)
		}
	}
}

// The echo of a prompt that lists outputs would choose the last one.
func TestAnEchoChoosesNoOutput(t *testing.T) {
	for replies, want := range map[string]string{
		`{}`:                           "missing replies for step `write@3`",
		`{"read": ["x"]}`:              "add `write` to the file of replies",
		`{"write": ["[OUTPUT:done]"]}`: "[OUTPUT:done]",
		`{"*": ["[OUTPUT:again]"]}`:    "[OUTPUT:again]",
	} {
		p := start(t, "", replies)
		got := ""
		r := &agent.Request{Prompt: flow.Prompt{Text: "Write.\n[OUTPUT:again]\n[OUTPUT:done]"}, Key: "write@3", Attempt: 1}
		if reply, err := p.agent.Turn(t.Context(), r); err != nil {
			got = err.Error()
		} else {
			got = reply.Text
		}
		if !strings.Contains(got, want) {
			t.Errorf("with %s: %q lacks %q", replies, got, want)
		}
	}
}

func TestAResumedRunGoesOn(t *testing.T) {
	const replies = `{"fix":["f1","f2","f3","f4"],"a":["",{"throw":"no"},"good"]}`
	dir := t.TempDir()
	first := start(t, dir, replies)
	first.expect("fix#1", 1, "f1")
	first.expect("fix#2", 1, "f2")
	// The first process is killed before fix#2 is committed: the second asks
	// for it again, and then goes on.
	second := start(t, dir, replies)
	second.expect("fix#2", 1, "f2")
	second.expect("fix#3", 1, "f3")
	// A run that failed begins the step anew and gets the next reply.
	start(t, dir, replies).expect("a", 1, "")
	start(t, dir, replies).expect("a", 1, "error: no")
	start(t, dir, replies).expect("a", 1, "good")
	start(t, dir, replies).expect("a", 1, "good")
	// Other runs begin at the beginning.
	start(t, t.TempDir(), replies).expect("fix#1", 1, "f1")
}

func TestCancelledTurnIsGivenAgain(t *testing.T) {
	dir := t.TempDir()
	const replies = `{"a":[{"text":"late","delayMs":3600000},"next"]}`
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := start(t, dir, replies).agent.Turn(ctx, &agent.Request{Key: "a", Attempt: 1, RunDir: dir})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	start(t, dir, strings.ReplaceAll(replies, "3600000", "0")).expect("a", 1, "late")
}

func TestParallelTurns(t *testing.T) {
	p := start(t, t.TempDir(), `{"items":["0","1","2","3","4","5","6","7"]}`)
	answers := make([]string, 8)
	var work sync.WaitGroup
	for i := range answers {
		work.Go(func() { answers[i] = p.ask("items["+strconv.Itoa(i)+"]", 1) })
	}
	work.Wait()
	seen := map[string]bool{}
	for _, answer := range answers {
		seen[answer] = true
	}
	if len(seen) != 8 {
		t.Errorf("replies were given twice: %v", answers)
	}
}

func TestReplyFields(t *testing.T) {
	var transcript strings.Builder
	a, err := scripted.New([]byte(`{"a":[{"chunks":["x","y"],"structured":{"k":1},"cost":0.25,"session":"s","delayMs":1}]}`), scripted.Options{Transcript: &transcript})
	if err != nil {
		t.Fatal(err)
	}
	var pieces []string
	reply, err := a.Turn(t.Context(), &agent.Request{
		Prompt: flow.Prompt{Agent: "claude", Text: "p", Session: "before"}, Key: "a", Attempt: 3,
		Output: func(piece []byte) { pieces = append(pieces, string(piece)) },
	})
	if err != nil || reply.Text != "xy" || string(reply.Structured) != `{"k":1}` || reply.Meta.CostUSD != 0.25 || reply.Meta.Session != "s" || strings.Join(pieces, "|") != "x|y" {
		t.Errorf("got %+v, %q, %v", reply, pieces, err)
	}
	var turn struct {
		Step, Agent, Prompt, Session string
		Attempt                      int
	}
	if err := json.Unmarshal([]byte(transcript.String()), &turn); err != nil || turn.Step != "a" || turn.Attempt != 3 || turn.Prompt != "p" || turn.Session != "before" || turn.Agent != "claude" {
		t.Errorf("transcript %q, %v", transcript.String(), err)
	}
}

func TestInvalidReplies(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":["x"]}`:                         "",
		`{"a":[]}`:                            "the list of `a` is empty",
		`{"a":[{"txt":"x"}]}`:                 "unknown key `txt`",
		`{"a":[{"class":"bad"}]}`:             "unknown class `bad`",
		`{"a":[{"text":"x","chunks":["y"]}]}`: "both text and chunks",
		`{"a":"x"}`:                           "a",
		`{"a":["x"]} {}`:                      "something follows",
		``:                                    "it is empty",
	} {
		_, err := scripted.New([]byte(text), scripted.Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzNew looks for replies that are accepted and cannot answer.
func FuzzNew(f *testing.F) {
	f.Add([]byte(`{"a":["x",{"throw":"y"}],"*":[{"chunks":["z"]}]}`))
	f.Add([]byte(`{"a":[null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := scripted.New(text, scripted.Options{})
		if err != nil || strings.Contains(string(text), "delayMs") {
			return
		}
		if reply, err := a.Turn(t.Context(), &agent.Request{Key: "a"}); reply == nil && err == nil {
			t.Errorf("%s gives neither a reply nor an error", text)
		}
	})
}

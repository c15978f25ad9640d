package human_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/store"
)

// terminal is a terminal at which a test types: a line for each time that one
// is read. It tells the test when it waits.
type terminal struct {
	typed   chan string
	waiting chan string // what was shown since the last line

	mu    sync.Mutex
	shown strings.Builder
}

func newTerminal() *terminal {
	return &terminal{typed: make(chan string), waiting: make(chan string)}
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shown.Write(p)
}

func (t *terminal) Discard() { t.Write([]byte("<discard>")) }

// take returns what was shown since it was last called.
func (t *terminal) take() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.shown.String()
	t.shown.Reset()
	return text
}

func (t *terminal) ReadLine(ctx context.Context) (string, error) {
	t.waiting <- t.take()
	select {
	case line, ok := <-t.typed:
		if !ok {
			return "", io.EOF
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// replies takes the answers to one question.
type replies struct {
	answers chan store.Answer
	left    chan bool
	err     error
}

func newReplies() *replies {
	return &replies{answers: make(chan store.Answer, 1), left: make(chan bool, 1)}
}

func (r *replies) Answer(a store.Answer) error {
	r.answers <- a
	return r.err
}

func (r *replies) Leave() { r.left <- true }

func gate(key string) engine.Question {
	return engine.Question{RunID: "demo-1", Question: flow.Question{Key: key, Message: "pass?", Choices: []string{"approve", "reject"}}}
}

func newAsker(t *testing.T, term *terminal) *human.Asker {
	a := human.NewAsker(human.Config{Terminal: term, By: "ann", From: "here", Hold: func() func() {
		term.Write([]byte("<hold>"))
		return func() { term.Write([]byte("<release>")) }
	}})
	t.Cleanup(a.Close)
	return a
}

func TestChoices(t *testing.T) {
	for typed, want := range map[string]store.Answer{
		"a|":                        {Choice: "approve"},
		" A | looks good ":          {Choice: "approve", Text: "looks good"},
		"Approve|":                  {Choice: "approve"},
		"r|not yet":                 {Choice: "reject", Text: "not yet"},
		"||x|yes|a looks good|r|no": {Choice: "reject", Text: "no"},
		"a few things are missing|approve of nothing|reject|": {Choice: "reject"},
	} {
		term, r := newTerminal(), newReplies()
		newAsker(t, term).Ask(context.Background(), gate("gate#1"), r)
		if shown := <-term.waiting; shown != "<hold>\n? gate#1 of run demo-1 asks:\n\n  │ pass?\n\n<discard>? gate#1 of run demo-1: [a]pprove or [r]eject (Ctrl-D leaves the question open): " {
			t.Errorf("shown: %q", shown)
		}
		lines := strings.Split(typed, "|")
		for i, line := range lines {
			term.typed <- line
			if i == len(lines)-1 {
				break
			}
			shown := <-term.waiting
			if i < len(lines)-2 && !strings.HasPrefix(shown, "please answer with one of these words or letters alone; the next question asks for your words\n<discard>? gate#1 of run demo-1: [a]pprove") {
				t.Errorf("after %q: %q", line, shown)
			}
			if i == len(lines)-2 && shown != "anything to say? (Enter for nothing): " {
				t.Errorf("after %q: %q", line, shown)
			}
		}
		want.By, want.From = "ann", "here"
		if got := <-r.answers; got != want {
			t.Errorf("%q gives %+v, want %+v", typed, got, want)
		}
	}
}

// What is neither a choice nor its letter may mean one all the same.
func TestChoicesInOtherWords(t *testing.T) {
	term, r := newTerminal(), newReplies()
	a := human.NewAsker(human.Config{Terminal: term, Choose: func(q engine.Question, line string) (string, bool) {
		if q.Key == "gate#1" && line == "proceed" {
			return "approve", true
		}
		return "", false
	}})
	t.Cleanup(a.Close)
	a.Ask(context.Background(), gate("gate#1"), r)
	<-term.waiting
	term.typed <- "go"
	if shown := <-term.waiting; !strings.HasPrefix(shown, "please answer with one of these words") {
		t.Errorf("%q", shown)
	}
	term.typed <- "proceed"
	<-term.waiting
	term.typed <- ""
	if got := <-r.answers; got.Choice != "approve" || got.Text != "" {
		t.Errorf("%+v", got)
	}
}

func TestChoicesOfOneBeginning(t *testing.T) {
	term, r := newTerminal(), newReplies()
	q := gate("x")
	q.Choices = []string{"rerun", "reject", "fail", "rerun all", "örtlich", "öffentlich"}
	newAsker(t, term).Ask(context.Background(), q, r)
	if shown := <-term.waiting; !strings.Contains(shown, "[rerun] or [rej]ect or [f]ail or [rerun ]all or [ör]tlich or [öf]fentlich (") {
		t.Errorf("%q", shown)
	}
	term.typed <- "re" // could be more than one
	<-term.waiting
	term.typed <- "rerun"
	<-term.waiting
	term.typed <- ""
	if a := <-r.answers; a.Choice != "rerun" {
		t.Errorf("%+v", a)
	}
}

func TestWordsAlone(t *testing.T) {
	term, r := newTerminal(), newReplies()
	q := gate("ask")
	q.Choices = nil
	q.Since, q.Deadline = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	newAsker(t, term).Ask(context.Background(), q, r)
	shown := <-term.waiting
	for _, part := range []string{", since " + q.Since.Format(time.DateTime), ", until " + q.Deadline.Format(time.DateTime), "your answer (Ctrl-D"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q lacks %q", shown, part)
		}
	}
	term.typed <- "  "
	<-term.waiting
	term.typed <- "the red one"
	if a := <-r.answers; a.Text != "the red one" || a.Choice != "" {
		t.Errorf("%+v", a)
	}
}

// Another process's answer ends the prompt, and the next question is asked.
func TestAnsweredElsewhere(t *testing.T) {
	term, first, second := newTerminal(), newReplies(), newReplies()
	a := newAsker(t, term)
	ctx, settle := context.WithCancelCause(context.Background())
	a.Ask(ctx, gate("gate#1"), first)
	a.Ask(context.Background(), gate("other#1"), second)
	<-term.waiting
	settle(errors.New("answered by bob\x1b[2J"))
	if shown := <-term.waiting; !strings.HasPrefix(shown, "\nanswered by bob␛[2J\n<release><hold>\n? other#1 of run demo-1 asks:") {
		t.Errorf("%q", shown)
	}
	term.typed <- "a"
	<-term.waiting
	second.err = errors.New("too late")
	term.typed <- ""
	<-second.answers
	if len(first.answers) > 0 {
		t.Error("the first question got an answer")
	}
	a.Close()
	if shown := term.take(); shown != "too late\n<release>" {
		t.Errorf("%q", shown)
	}
	// A question that was settled before its turn is not shown.
	a = newAsker(t, term)
	a.Ask(ctx, gate("gate#1"), first)
	a.Ask(context.Background(), gate("third#1"), second)
	if shown := <-term.waiting; strings.Contains(shown, "gate#1") {
		t.Errorf("%q", shown)
	}
}

func TestLeaving(t *testing.T) {
	term := newTerminal()
	a := newAsker(t, term)
	var all []*replies
	for range 3 {
		r := newReplies()
		a.Ask(context.Background(), gate("gate#1"), r)
		all = append(all, r)
	}
	<-term.waiting
	close(term.typed)
	for _, r := range all {
		<-r.left
	}
	later := newReplies()
	a.Ask(context.Background(), gate("later#1"), later)
	<-later.left
}

func TestClosing(t *testing.T) {
	term, r := newTerminal(), newReplies()
	a := newAsker(t, term)
	a.Ask(context.Background(), gate("gate#1"), r)
	<-term.waiting
	a.Close()
	if len(r.answers)+len(r.left) > 0 {
		t.Error("a closed asker replies")
	}
	if shown := term.take(); shown != "\n<release>" {
		t.Errorf("%q", shown)
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\tb":                            "a\n\tb",
		"\x1b[31mred\x1b[0m\x1b[2J":         "␛[31mred␛[0m␛[2J",
		"\rover\b\a":                        "␍over␈␇",
		"\x1b]0;title\a":                    "␛]0;title␇",
		"\u009b31mC1":                       "\uFFFD31mC1",
		"safe \u202etxet":                   "safe \uFFFDtxet",
		"cut \x1b[3":                        "cut ␛[3",
		"日本 👩\u200d💻 ok":                    "日本 👩\u200d💻 ok",
		"\x1b[1A\x1b[2Kapprove this please": "␛[1A␛[2Kapprove this please",
	} {
		if got := human.Printable(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

//go:build unix

package agentlab

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/wfc-lang/wfc/internal/agentlab/model"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// idle has the model fall silent in its first answer: the turn ends when its time
// is up, and the next attempt gets another answer. A program says nothing while
// it starts, so a turn before tells how long it may be silent on this machine.
func idle(l *lab) {
	limit := 15 * time.Second
	if !l.program.mute {
		l.model.Script("warm", model.Step{Say: "Here I am."})
		l.build("safe", `
  - id: warm
    prompt: Say something. `+model.Mark("warm")+`
`)
		began := time.Now()
		l.run(0, "run").wants("warm", "Here I am.")
		limit = max(limit, 3*time.Since(began)).Round(time.Second)
	}
	l.model.Script("idle", model.Step{Say: "partial words", Hang: true, Times: 1}, model.Step{Say: "After the silence."})
	l.build("safe", fmt.Sprintf(`
  - id: idle
    idle_timeout: %d
    retry: {max_attempts: 1}
    prompt: Say something. %s
`, limit.Milliseconds(), model.Mark("idle")))
	if l.program.mute {
		if n := l.run(1, "run").node("idle"); n.Error == nil || n.Error.Reason != "timeout" || !strings.Contains(n.Error.Message, "15s") {
			l.Errorf("the node is %s: %+v", n.Status, n.Error)
		}
		l.gone()
		return
	}
	r := l.run(0, "run")
	if n := r.wants("idle", "After the silence."); n.Meta.Attempts != 2 || len(l.model.Requests("idle")) != 2 {
		l.Errorf("the node took %d attempts: %s", n.Meta.Attempts, l.requests())
	}
	if logs := l.logs(); !strings.Contains(logs, "sent nothing for") {
		l.Errorf("the log does not say that the time was up:\n%s", logs)
	}
	l.gone()
}

// resume kills the run in the turn of its second node, and continues it.
func resume(l *lab) {
	l.model.Script("first", model.Step{Say: "The first answer."})
	l.model.Script("slow", model.Step{Say: "partial words", Hang: true, Times: 1}, model.Step{Say: "The second answer."})
	l.build("safe", `
  - id: first
    prompt: Begin. `+model.Mark("first")+`
  - id: slow
    depends_on: [first]
    prompt: Continue. `+model.Mark("slow")+`
`)
	cmd := l.command(l.binary(), "run")
	_, errs, code := l.end(cmd, func() {
		if _, err := l.model.Await(l.Context(), "slow", 0); err != nil {
			l.Error(err)
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			l.Error(err)
		}
	})
	if code != -1 {
		l.Fatalf("the run ended with %d: %s", code, errs)
	}
	r := l.run(0, "resume")
	r.wants("first", "The first answer.")
	r.wants("slow", "The second answer.")
	l.asked("first", 1)
	q := l.asked("slow", 2)[1]
	// Most programs keep the prompt of the interrupted turn in the session.
	most := 2
	if l.program.forks {
		most = 1
	}
	if n := q.Count(model.User, model.Mark("slow")); q.Count(model.User, model.Mark("first")) != 1 || n < 1 || n > most {
		l.Errorf("the resumed turn's conversation is %q", q.Said(model.User))
	}
	l.gone()
}

// signIn are the words of the ways to sign in.
var signIn = regexp.MustCompile(`(?i)sign in|log ?in|_KEY\b|API key`)

// refusedKey has the service refuse the program's key.
func refusedKey(l *lab) {
	refusal := &model.Refusal{Status: http.StatusUnauthorized, Type: "authentication_error", Message: "invalid x-api-key"}
	if l.program.Name == "gemini" {
		refusal = &model.Refusal{Status: http.StatusBadRequest, Type: "invalid_argument", Message: "API key not valid. Please pass a valid API key."}
	}
	l.model.Script("refused", model.Step{Refuse: refusal})
	l.build("safe", `
  - id: refused
    prompt: Say something. `+model.Mark("refused")+`
`)
	n := l.run(1, "run").node("refused")
	if n.Status != flow.Failed || n.Error == nil || n.Error.Class != flow.ClassFatal || !signIn.MatchString(n.Error.Message) {
		l.Fatalf("the node is %s: %+v", n.Status, n.Error)
	}
	if lines := strings.Count(n.Error.Message, "\n"); lines > 8 {
		l.Errorf("the failure has %d lines: %s", lines, n.Error.Message)
	}
	// Some programs ask again on their own; that must not take minutes.
	if list := l.model.Requests("refused"); len(list) == 0 || len(list) > 6 {
		l.Errorf("the model was asked %d times", len(list))
	}
}

// rateLimit has the service refuse the first request with a rate limit.
func rateLimit(l *lab) {
	limit := &model.Refusal{Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "slow down", Header: http.Header{"Retry-After": {"1"}}}
	if l.program.Name == "gemini" {
		limit.Type = "resource_exhausted"
	}
	l.model.Script("limited", model.Step{Refuse: limit, Times: 1}, model.Step{Say: "After the limit."})
	l.build("safe", `
  - id: limited
    prompt: Say something. `+model.Mark("limited")+`
`)
	l.run(0, "run").wants("limited", "After the limit.")
	l.asked("limited", 2)
}

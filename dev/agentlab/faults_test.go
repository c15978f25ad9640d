//go:build unix

package agentlab

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/wfc-lang/wfc/dev/agentlab/model"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// idle has the model fall silent in its first answer: the turn ends when its time
// is up, and the next attempt gets another answer. A program says nothing while
// it starts, so a turn before tells how long it may be silent on this machine.
func idle(l *lab) {
	l.model.Script("warm", model.Step{Say: "Here I am."})
	l.build("safe", `
  - id: warm
    prompt: Say something. `+model.Mark("warm")+`
`)
	began := time.Now()
	l.run(0, "run").wants("warm", "Here I am.")
	limit := max(15*time.Second, 3*time.Since(began)).Round(time.Second)
	l.model.Script("idle", model.Step{Say: "partial words", Hang: true, Times: 1}, model.Step{Say: "After the silence."})
	l.build("safe", fmt.Sprintf(`
  - id: idle
    idle_timeout: %d
    retry: {max_attempts: 1}
    prompt: Say something. %s
`, limit.Milliseconds(), model.Mark("idle")))
	r := l.run(0, "run")
	if n := r.wants("idle", "After the silence."); n.Meta.Attempts != 2 || len(l.model.Requests("idle")) != 2 {
		l.Errorf("the node took %d attempts: %s", n.Meta.Attempts, l.requests())
	}
	if logs := l.logs(); !strings.Contains(logs, "sent nothing for") {
		l.Errorf("the log does not say that the time was up:\n%s", logs)
	}
	l.gone()
}

// resume kills the run in the turn of its second node, which must end the program too, and
// continues it.
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
	l.gone()
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

// brokenAnswer has the model's first answer break off.
func brokenAnswer(l *lab) {
	l.model.Script("broken", model.Step{Say: "The first half is here.\nAnd here is the second half.", Drop: true, Times: 1}, model.Step{Say: "The whole answer."})
	l.build("safe", `
  - id: broken
    retry: {max_attempts: 1, delay_ms: 1000}
    prompt: Say something. `+model.Mark("broken")+`
`)
	l.run(0, "run").wants("broken", "The whole answer.")
	l.asked("broken", 2)
}

// outage has the service be down for one node, and out of order for another one. Loops do
// not retry, which would take minutes: the programs themselves retry.
func outage(l *lab) {
	fault := &model.Refusal{Status: http.StatusInternalServerError, Type: "api_error", Message: "internal server error"}
	if l.program.Name == "gemini" {
		fault.Type = "internal"
	}
	l.model.Script("down", model.Step{Drop: true})
	l.model.Script("fault", model.Step{Refuse: fault})
	l.environ = append(l.environ, "CLAUDE_CODE_MAX_RETRIES=2")
	l.build("safe", `
  - id: down
    loop: {max_iterations: 1, until: DONE, prompt: "Say DONE. `+model.Mark("down")+`"}
  - id: fault
    depends_on: [down]
    trigger_rule: all_done
    loop: {max_iterations: 1, until: DONE, prompt: "Say DONE. `+model.Mark("fault")+`"}
`)
	r := l.run(1, "run")
	for _, id := range []string{"down", "fault"} {
		if n := r.node(id); n.Error == nil || n.Error.Class != flow.ClassTransient || n.Error.Reason != "agent" || len(l.model.Requests(id)) == 0 {
			l.Errorf("%s is %s: %+v", id, n.Status, n.Error)
		}
	}
}

// interrupt ends a run by SIGINT in the second answer of a turn.
func interrupt(l *lab) {
	l.model.Script("slow", model.Step{Calls: []model.Call{l.program.write("made.txt", "content")}, Usage: model.Usage{Input: 1000, Output: 500}},
		model.Step{Say: "partial words", Hang: true, Usage: model.Usage{Input: 2000, Output: 300}})
	l.build("edit", `
  - id: slow
    prompt: Make a file. `+model.Mark("slow")+`
`)
	cmd := l.command(l.binary(), "run")
	_, errs, code := l.end(cmd, func() {
		if _, err := l.model.Await(l.Context(), "slow", 1); err != nil {
			l.Error(err)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			l.Error(err)
		}
	})
	if code != 128+int(syscall.SIGINT) {
		l.Fatalf("the run ended with %d: %s", code, errs)
	}
	n := l.run(0, "status").node("slow")
	if known := n.Meta.CostUSD > 0 || n.Meta.InputTokens >= 1000 && n.Meta.OutputTokens >= 500; known == l.program.forgets {
		l.Errorf("the interrupted turn cost %+v", n.Meta)
	}
	l.gone()
}

//go:build unix

package crash

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/e2e/program"
)

// gatesText is a workflow with a gate that is reworked and a loop that talks to a
// person, beside something that continues while they wait.
func gatesText() string {
	return `name: gated
description: Gates that leave traces.
nodes:
  - id: build
    ` + block("bash", "printf built") + `
  - id: side
    ` + block("bash", "sleep 0.15; printf aside") + `
  - id: gate
    depends_on: [build]
    approval:
      message: publish what was $build.output?
      capture_response: true
      on_reject: {prompt: 'rework, $REJECTION_REASON', max_attempts: 3}
  - id: talk
    loop: {prompt: 'said [$LOOP_USER_INPUT]; the word is DONE', until: DONE, max_iterations: 3, interactive: true, gate_message: go on?}
  - id: last
    depends_on: [side, gate, talk]
    ` + block("bash", `printf '%s|' $side.output $gate.output $talk.output`)
}

const gatesAgent = `#!/bin/bash
read -r request
` + preamble + `
prompt=${request#*'"prompt":"'}; prompt=${prompt%%';'*}; prompt=${prompt%%'"'*}
case $WFC_STEP_KEY in talk#2) printf '<promise>DONE</promise> ' ;; esac
echo "$WFC_STEP_KEY $prompt"
`

// gateVerdicts are the answers to the questions: commands, with their further
// arguments.
var gateVerdicts = map[string][]string{"gate#1": {"reject"}, "gate#2": {"approve"}, "talk#1/gate": {"approve"}}

// A gated is a run that people answer, each in a separate process.
type gated struct {
	*episode
	verdicts map[string][]string
	random   *rand.Rand
	took     time.Duration
	kills    int
	raced    int // questions that two answered at once
}

// people runs the workflow until it has ended, killing processes as long as there are
// kills left.
func (g *gated) people(kills int) {
	g.t.Helper()
	for !g.over && !g.t.Failed() {
		var open []string
		if g.exists || g.generation > 0 && g.look() {
			for _, q := range g.status().Questions {
				open = append(open, q.ID)
			}
		}
		calm := g.kills >= kills
		switch g.random.IntN(6) {
		case 0:
			if len(open) > 0 {
				g.answerTwice(open[g.random.IntN(len(open))])
				continue
			}
		case 1, 2:
			if len(open) > 0 {
				g.answer(open[g.random.IntN(len(open))], calm)
				continue
			}
		case 3:
			if len(open) > 0 {
				g.answer(open[g.random.IntN(len(open))], true, "--no-resume")
				continue
			}
		}
		command := append([]string{"run"}, g.args...)
		if g.exists {
			command = []string{"resume"}
		}
		g.ended(g.process(calm, command...))
	}
}

// process runs a command in the next generation, and kills it unless it is
// left alone. It returns the exit code, -1 when it was killed.
func (g *gated) process(calm bool, command ...string) (errs string, code int) {
	g.t.Helper()
	g.generation++
	after := time.Duration(g.random.Int64N(int64(g.took)))
	if calm {
		after = limit
	}
	_, errs, code = g.kill(after, g.generation, command...)
	if code != -1 {
		g.exists = true
		return errs, code
	}
	if calm {
		g.t.Fatalf("generation %d: %v did not end within %v", g.generation, command, limit)
	}
	g.kills++
	if g.random.IntN(2) == 0 {
		g.look()
	}
	return errs, code
}

// ended takes over how a process ended that worked on the run.
func (g *gated) ended(errs string, code int) {
	g.t.Helper()
	switch {
	case code == 0, strings.Contains(errs, "nothing to resume"):
		g.over = true
	case code != -1 && code != 3:
		g.t.Errorf("generation %d ended with %d: %s", g.generation, code, errs)
	}
}

// answer answers a question, in a process that then works on the run. Who killed
// it cannot know whether the answer counts.
func (g *gated) answer(question string, calm bool, flags ...string) {
	g.t.Helper()
	errs, code := g.process(calm, append(g.verdict(question, g.generation+1), flags...)...)
	if code == 1 && strings.Contains(errs, "was answered already: ") {
		return // by one who was killed
	}
	if len(flags) > 0 && code == 0 {
		return
	}
	g.ended(errs, code)
}

// verdict is the command that answers a question, in the words of a generation.
func (g *gated) verdict(question string, generation int) []string {
	v := g.verdicts[question]
	if v == nil {
		g.t.Fatalf("nobody knows an answer to %s", question)
	}
	command := slices.Concat([]string{v[0], "latest", "--node", question}, v[1:])
	if v[len(v)-1] == "rerun" {
		return command // no process is told
	}
	return append(command, "-m", fmt.Sprintf("word %d", generation))
}

// answerTwice answers a question from two processes at once: one answer counts, and
// the other process is told.
func (g *gated) answerTwice(question string) {
	g.t.Helper()
	g.raced++
	type end struct {
		errs string
		code int
	}
	ends := make(chan end, 2)
	for range cap(ends) {
		g.generation++
		go func(generation int) {
			_, errs, code := g.kill(limit, generation, g.verdict(question, generation)...)
			ends <- end{errs, code}
		}(g.generation)
	}
	told := 0
	for range cap(ends) {
		e := <-ends
		if e.code == 1 && strings.Contains(e.errs, "was answered already: ") {
			told++
			continue
		}
		g.ended(e.errs, e.code)
	}
	// Both are told if the answer of a killed process counts.
	if told == 0 {
		g.t.Errorf("generation %d: both answers to %s count", g.generation, question)
	}
}

// want compares the run with the result that its answers require.
func (g *gated) want() {
	g.t.Helper()
	d := g.status()
	done := d.completed()
	want := map[string]string{
		"gate#1":        done["gate#1"],
		"gate/rework#1": "gate/rework#1 rework, " + done["gate#1"],
		"gate":          done["gate#2"],
		"talk":          "talk#2 said [" + done["talk#1/gate"] + "]",
		"last":          "aside|" + done["gate#2"] + "|talk#2 said [" + done["talk#1/gate"] + "]|",
	}
	for key, w := range want {
		if done[key] != w || w == "" {
			g.t.Errorf("`%s` is %q, want %q", key, done[key], w)
		}
	}
	for _, question := range slices.Sorted(maps.Keys(g.verdicts)) {
		if !strings.HasPrefix(done[question], "word ") {
			g.t.Errorf("the answer to %s is %q", question, done[question])
		}
	}
	if d.Status != "completed" || len(d.Questions) > 0 {
		g.t.Errorf("the run is %s and asks %v", d.Status, d.Questions)
	}
	effects := slices.Sorted(maps.Keys(g.check(d)))
	if got := strings.Join(effects, " "); got != "build gate/rework#1 last side talk#1 talk#2" {
		g.t.Errorf("these steps ran: %s", got)
	}
}

// Whenever processes are killed that wait for people or carry their answers, an
// answer counts once and for good, and nothing but an answer passes a gate.
func TestGatesKilledAndAnswered(t *testing.T) {
	killAndAnswer(t, program.Build(t, "gated", gatesText()), gatesAgent, gateVerdicts, quota(20), (*gated).want)
}

// killAndAnswer kills runs, and the processes that answer their questions, until
// there were enough kills; want checks each run that has ended.
func killAndAnswer(t *testing.T, binary, agent string, verdicts map[string][]string, kills int, want func(*gated)) {
	random := rand.New(rand.NewPCG(*seed, 3))
	began := time.Now()
	runs, cut, raced := 0, 0, 0
	for cut < kills && !t.Failed() {
		e := newEpisode(t, binary, agent)
		e.pauses = true
		g := &gated{episode: e, verdicts: verdicts, random: random, took: 350 * time.Millisecond}
		g.people(kills - cut)
		want(g)
		runs, cut, raced = runs+1, cut+g.kills, raced+g.raced
	}
	t.Logf("%d kills and %d questions with two answers at once in %d runs, in %v", cut, raced, runs, time.Since(began).Round(time.Millisecond))
}

package browser

import (
	"strings"
	"testing"
	"time"
)

// The workflows of three formats, each of which asks a person.
var shop = map[string]string{
	"ship.yaml": `name: ship
description: Publish a release after a person agrees.
nodes:
  - {id: build, bash: "echo built version 2.4.1; echo 412 tests passed"}
  - {id: notes, prompt: "Write release notes for 2.4.1.", depends_on: [build]}
  - id: gate
    approval: {message: "Publish this release to production?\n\nNotes:\n$notes.output"}
    depends_on: [notes]
  - {id: publish, bash: "echo published > published", depends_on: [gate]}
`,
	"review.yml": `input: { topic: text }
steps:
  - name: draft
    prompt: Write a headline and a text about {{ topic }}
    output: { headline: line, body: text }
    hitl: true
  - name: save
    bash: echo "{{ draft.headline }}" > headline.txt
`,
	"talk.yaml": `name: talk
description: The agent asks until it knows enough.
nodes:
  - id: refine
    loop:
      prompt: "Ask about the plan, or say <promise>DONE</promise>. Answer: $LOOP_USER_INPUT"
      until: DONE
      max_iterations: 3
      interactive: true
      gate_message: "The agent needs an answer."
  - {id: save, bash: "printf '%s' \"$refine.output\" > plan", depends_on: [refine]}
`,
	"replies.json": `{"notes": ["- Faster lists\n- Fixes a crash when a folder is empty"],
 "draft": [{"structured": {"headline": "Bees return", "body": "After ten years, bees are back."}}, {"structured": {"headline": "Bees are back", "body": "Short."}}],
 "refine": ["Which database should the plan use: PostgreSQL or SQLite?", "<promise>DONE</promise> It uses the one that you named."]}`,
}

// An operator who has only the page finds the run that waits, understands why, sees exactly what
// they approve, and answers, all in less than a minute.
func TestOperator(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		why    []string // what the first page says about the run
		shown  []string // what the question shows
		answer func(p *tab)
		result func(w *world) string
		want   string
	}{
		{
			"gate", []string{"ship.yaml"}, []string{"Publish this release to production?"}, []string{"Faster lists", "Fixes a crash when a folder is empty"},
			func(p *tab) { p.leave("#questions button", "approve") }, func(w *world) string { return w.file("published") }, "published",
		},
		{
			"review", []string{"review.yml", "bees"}, []string{"draft"}, []string{"headline: Bees return", "After ten years"},
			func(p *tab) { p.leave("#questions button", "accept") }, func(w *world) string { return w.file("headline.txt") }, "Bees return",
		},
		{
			"talk", []string{"talk.yaml"}, []string{"The agent needs an answer."}, []string{"Which database should the plan use"},
			func(p *tab) {
				p.write("#questions textarea[name=text]", "SQLite")
				p.leave("#questions button", "approve")
			},
			func(w *world) string { return w.file("plan") }, "It uses the one that you named.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, shop)
			id := w.start(c.args...)
			w.serve().stop() // the first start builds the server
			begin := time.Now()
			p := w.serve().signIn(t)
			for _, text := range c.why {
				p.find("#waiting .card", text)
			}
			p.shoot("operator-" + c.name + "-1-first")
			p.leave("#waiting a", id)
			for _, text := range c.shown {
				p.find("#questions", text)
			}
			if top := eval[float64](p, `document.querySelector("#questions h2").getBoundingClientRect().top`); top < 0 || top > 700 {
				t.Errorf("the question is at %v, outside of the window", top)
			}
			p.shoot("operator-" + c.name + "-2-question")
			c.answer(p)
			if got := c.result(w); !strings.Contains(got, c.want) {
				t.Errorf("the run wrote %q, want %q", got, c.want)
			}
			p.find("#state .status", "completed") // by itself
			took := time.Since(begin)
			p.shoot("operator-" + c.name + "-3-answered")
			p.checkFaults("the pages")
			if t.Logf("answered after %s", took); took > time.Minute {
				t.Errorf("an answer took %s", took)
			}
		})
	}
}

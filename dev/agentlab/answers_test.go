//go:build unix

package agentlab

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/dev/agentlab/model"
)

// odd is a text that breaks if texts are quoted, cut or decoded.
const odd = "Hello wörld 😀\n  indented \"quoted\" 'line' with \\ and $HOME and `code`\n\ttab <b>&amp;</b>"

// plain asks one prompt.
func plain(l *lab) {
	l.model.Script("plain", model.Step{Say: odd, Usage: model.Usage{Input: 1000, Output: 500}})
	l.build("safe", `
  - id: plain
    prompt: |
      Say "hello", ünïcödé 😀, \n and $5. `+model.Mark("plain")+`
`)
	r := l.run(0, "run")
	n := r.wants("plain", odd)
	if n.Meta.Session == "" || n.Meta.Turns != 1 {
		l.Errorf("the node had %d turns in session %q", n.Meta.Turns, n.Meta.Session)
	}
	q := l.asked("plain", 1)[0]
	if q.Count(model.User, `Say "hello", ünïcödé 😀, \n and $5. `+model.Mark("plain")) != 1 {
		l.Errorf("the prompt is %q", q.Said(model.User))
	}
	if n.Meta.InputTokens > 0 && (n.Meta.InputTokens != 1000 || n.Meta.OutputTokens != 500) {
		l.Errorf("the node has %d and %d tokens", n.Meta.InputTokens, n.Meta.OutputTokens)
	}
	if logs := l.logs(); !strings.Contains(logs, "Hello wörld 😀") {
		l.Errorf("the reply is not in the log:\n%s", logs)
	}
}

// typed asks for an object and reads its fields.
func typed(l *lab) {
	l.model.Script("typed", l.program.typed(object{"kind": "bug", "n": 3})...)
	l.build("safe", `
  - id: typed
    prompt: Classify it. `+model.Mark("typed")+`
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature]}
        n: {type: integer}
        note: {type: string}
      required: [kind, n]
  - id: show
    depends_on: [typed]
    bash: echo "kind=$typed.output.kind n=$typed.output.n"
`)
	r := l.run(0, "run")
	r.wants("typed", `{"kind":"bug","n":3}`)
	r.wants("show", "kind=bug n=3")
	q := l.model.Requests("typed")[0]
	if schema := string(q.Schema) + strings.Join(q.Said(model.User), " "); !strings.Contains(schema, "feature") || !strings.Contains(schema, "integer") {
		l.Errorf("the model is not told the schema: %s, %q", q.Schema, q.Said(model.User))
	}
}

// session continues the session of a node in the next one.
func session(l *lab) {
	l.model.Script("first", model.Step{Say: "The first answer."})
	l.model.Script("second", model.Step{Say: "The second answer."})
	l.model.Script("apart", model.Step{Say: "The third answer."})
	l.build("safe", `
  - id: first
    prompt: Begin. `+model.Mark("first")+`
  - id: second
    depends_on: [first]
    prompt: Continue. `+model.Mark("second")+`
  - id: apart
    depends_on: [second]
    context: fresh
    prompt: Begin again. `+model.Mark("apart")+`
`)
	r := l.run(0, "run")
	r.wants("first", "The first answer.")
	r.wants("second", "The second answer.")
	r.wants("apart", "The third answer.")
	q := l.asked("second", 1)[0]
	if q.Count(model.User, model.Mark("first")) != 1 || q.Count(model.Assistant, "The first answer.") != 1 || q.Count(model.User, model.Mark("second")) != 1 {
		l.Errorf("the second turn's conversation is %q, %q", q.Said(model.User), q.Said(model.Assistant))
	}
	if q := l.asked("apart", 1)[0]; q.Count(model.User, model.Mark("first")) > 0 || r.node("apart").Meta.Session == r.node("second").Meta.Session {
		l.Errorf("a node with a fresh context continued a session: %q", q.Said(model.User))
	}
}

// large wants a long reply to arrive whole. No line repeats: some programs stop a
// model that repeats itself.
func large(l *lab) {
	var b strings.Builder
	for i := 0; b.Len() < 1_000_000; i++ {
		fmt.Fprintf(&b, "%d %x äöü€😀\n", i, sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	text := b.String() + "the end"
	l.model.Script("large", model.Step{Say: text})
	l.build("safe", `
  - id: large
    prompt: Write a book. `+model.Mark("large")+`
`)
	l.run(0, "run").wants("large", text)
	l.asked("large", 1)
}

//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// stepFiles are files of steps that the workflows below use.
var stepFiles = testkit.Memory{
	"/project/xprompts/steps/shared/look.yml": "bash: cat {{ build._artifact }}\noutput: { lines: int }\n",
	"/project/.xprompts/steps/clean.yaml":     "bash: echo \"cleaned {{ build.status if build is defined else 'nothing' }}\" >>clean.log\n",
	"/project/xprompts/ask.md":                "---\ninput: { who: word, query: text }\n---\n{{ who }}: {{ query }}",
}

// release has a key of the successor in every step.
const release = `
description: Builds a release.
tags: "release, nightly"
input:
  target: word
  code: { type: int, default: 0 }
environment:
  DEPLOY_TARGET: "{{ target }}"
  GREETING: "{% if code %}bad{% else %}good{% endif %} {{ target | upper }}"
  PLAIN: a  b
steps:
  - name: build
    bash: |
      printf 'status=%s\n' "$DEPLOY_TARGET"
      printf 'note=%s\n\n' "$GREETING"
      echo >>built
      exit {{ code }}
    artifact: stdout
    output: { status: line, note: line }
  - name: look
    use: shared/look
    output: { status: line, note: line }
  - name: each
    for: { part: [1, 2] }
    python: |
      import os
      print("v=%d%s" % ({{ part }}, os.environ["PLAIN"]))
    artifact: stdout
  - name: ask
    agent: |
      #ask({{ target }}): how is
      {{ each[1]._artifact }}?
  - name: clean
    finally: true
    use: clean
  - name: report
    finally: true
    if: "{{ build.status }}"
    bash: printf 'r=%s %s' "$DEPLOY_TARGET" {{ build.note }}
`

// paused asks a person before it cleans up.
const paused = `
environment: { WHERE: here }
steps:
  - name: plan
    bash: echo p=1
    hitl: true
  - name: work
    bash: echo "$WHERE" >>worked
  - name: clean
    finally: true
    bash: echo "$WHERE" >>cleaned
`

// Workflows with the keys of the format's successor, from the command line.
func TestSuccessor(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on PATH")
	}
	s := newSuite(t)
	s.add(t, release, stepFiles)
	s.add(t, paused, nil)
	s.build(t)
	t.Run("completed", func(t *testing.T) {
		t.Parallel()
		p := s.site(t, release, echoes())
		hostile := `$(touch\x20x)'"`
		r := p.run(0, hostile)
		const built = `"status": "$(touch\\x20x)'\"", "note": "good $(TOUCH\\X20X)'\""`
		p.gives(r, "look", `{`+built+`}`)
		p.gives(r, "report", `{"r": "$(touch\\x20x)'\" good $(TOUCH\\X20X)'\""}`)
		_, build, _ := r.node("build")
		path := strings.TrimSuffix(build[strings.LastIndex(build, `:"`)+2:], `"}`)
		if text, err := os.ReadFile(path); err != nil || !strings.HasSuffix(path, "/build.stdout") || string(text) != "status="+hostile+"\nnote=good $(TOUCH\\X20X)'\"\n\n" {
			t.Errorf("%s has %q, %v", path, text, err)
		}
		second := strings.Replace(path, "build.stdout", "each.1.stdout", 1)
		p.gives(r, "each", `[{"v": "1a  b", "_artifact": "`+strings.Replace(second, ".1.", ".0.", 1)+`"}, {"v": "2a  b", "_artifact": "`+second+`"}]`)
		if _, asked, _ := r.node("ask"); !strings.Contains(asked, `: how is\n`+second+`?`) {
			t.Errorf("it asked %s", asked)
		}
		if p.content("clean.log") != "cleaned "+hostile+"\n" || p.content("x") != "" {
			t.Errorf("it left %q", p.content("clean.log"))
		}
	})
	t.Run("failed", func(t *testing.T) {
		t.Parallel()
		p := s.site(t, release, echoes())
		r := p.run(1, "x", "--code=3")
		p.fails(r, "build", "3")
		p.skips(r, "look")
		p.skips(r, "report")
		if p.content("clean.log") != "cleaned nothing\n" {
			t.Errorf("it cleaned up %q", p.content("clean.log"))
		}
		p.json(1, append([]string{"resume", r.RunID}, p.agents...)...)
		if p.content("clean.log") != "cleaned nothing\n" || p.content("built") != "\n\n" {
			t.Errorf("it cleaned up %q and built %q", p.content("clean.log"), p.content("built"))
		}
	})
	t.Run("rejected", func(t *testing.T) {
		t.Parallel()
		p := s.site(t, paused, nil)
		r := p.run(3)
		p.json(4, "reject", r.RunID)
		if p.content("worked")+p.content("cleaned") != "here\n" {
			t.Errorf("it worked %q and cleaned up %q", p.content("worked"), p.content("cleaned"))
		}
	})
	t.Run("cancelled while paused", func(t *testing.T) {
		t.Parallel()
		p := s.site(t, paused, nil)
		r := p.run(3)
		if p.content("cleaned") != "" {
			t.Error("a paused run cleaned up")
		}
		p.call(0, "cancel", r.RunID)
		if p.content("worked")+p.content("cleaned") != "here\n" {
			t.Errorf("it worked %q and cleaned up %q", p.content("worked"), p.content("cleaned"))
		}
		p.call(1, "cancel", r.RunID) // it has ended
		if p.content("cleaned") != "here\n" || !strings.Contains(p.stderr, "cancelled") {
			t.Errorf("it cleaned up %q: %s", p.content("cleaned"), p.stderr)
		}
	})
}

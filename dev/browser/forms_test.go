package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// openRun opens the page of a run from the first page.
func (p *tab) openRun(id string) {
	p.t.Helper()
	p.visit("/")
	p.leave(`main a[href^="/runs/"]`, id)
}

func TestForms(t *testing.T) {
	w := newWorld(t, shop)
	w.write("ask.yml", "input: {topic: text, times: {type: int, default: 2}}\nsteps:\n  - {name: say, bash: 'echo \"{{ topic }} {{ times }}\"', output: {_output: text}, hitl: true}\n")
	edited, reworked, rejected := w.start("review.yml", "bees"), w.start("review.yml", "bees"), w.start("ship.yaml")
	p := w.serve().signIn(t)

	t.Run("edit", func(t *testing.T) {
		p.openRun(edited)
		p.press("#questions summary", "Edit the output")
		eval[string](p, `document.querySelector("#questions textarea[name=output]").value = "headline: Bees stay\nbody: Edited\n"`)
		p.leave("#questions button", "Send the edit")
		if got := w.file("headline.txt"); got != "Bees stay\n" {
			t.Errorf("the run wrote %q", got)
		}
		p.find("#state .status", "completed")
	})
	t.Run("feedback", func(t *testing.T) {
		p.openRun(reworked)
		p.leave("#questions button", "feedback")
		p.find("main", "feedback needs words")
		p.leave("main a", "Back to the run")
		p.write("#questions textarea[name=text]", "shorter")
		p.leave("#questions button", "feedback")
		p.find("#questions", "Bees are back") // by itself
		p.leave("#questions button", "accept")
		p.find("#state .status", "completed")
	})
	t.Run("reject", func(t *testing.T) {
		p.openRun(rejected)
		p.write("#questions textarea[name=text]", "not on a Friday")
		p.leave("#questions button", "reject")
		p.find("#state .status", "cancelled")
		p.find("#state", "not on a Friday")
		if _, err := os.Stat(filepath.Join(w.dir, "published")); err == nil {
			t.Error("a rejected run has published")
		}
	})
	t.Run("start", func(t *testing.T) {
		w.run(3, "run", "ask.yml", "bees", "--no-ask")
		p.visit("/start")
		p.leave("main a", "ask")
		p.write("form.start [name='input.topic']", "wolves")
		p.write("form.start [name='input.times']", "2.5")
		if eval[bool](p, `document.querySelector("form.start").checkValidity()`) {
			t.Error("the browser takes 2.5 for an int")
		}
		p.write("form.start [name='input.times']", "3")
		p.leave("form.start button", "Start")
		p.find("#questions", "wolves 3")
		if !strings.Contains(eval[string](p, `location.pathname`), "/runs/") {
			t.Errorf("the form leads to %s", p.text())
		}
	})
	t.Run("cancel", func(t *testing.T) {
		p.press("#state summary", "Cancel")
		p.leave("#state button", "Cancel the run")
		p.find("#state .status", "cancelled")
	})
	p.checkFaults("the forms")
}

const slowWorkflow = `name: slow
description: Waits for a file.
nodes:
  - {id: first, bash: "echo words of the first; until [ -e go ]; do sleep 0.05; done"}
  - {id: second, bash: "test -e good && echo fine", depends_on: [first]}
`

// A page follows a run, from its begin to a failure, and after a resume to its end.
func TestLiveUpdates(t *testing.T) {
	w := newWorld(t, map[string]string{"slow.yaml": slowWorkflow})
	p := w.serve().signIn(t)
	p.find("#runs", "No run yet")
	ended := w.background("run", "slow.yaml", "--no-ask")
	p.find("#runs", "running")
	eval[bool](p, `window.kept = true`)
	p.leave("#runs a", "slow-")
	p.find("#steps .status", "running")
	p.press("details summary", "Output and events")
	p.find(".log", "words of the first")
	p.shoot("live-running")
	eval[bool](p, `window.kept = true`)
	w.write("go", "")
	p.find("#state .status", "failed")
	ended()
	p.find("#steps", "second")
	if !eval[bool](p, `window.kept`) {
		t.Error("the page was loaded again")
	}
	w.write("good", "")
	p.leave("#state button", "Resume")
	p.find("#state .status", "completed")
	p.visit("/")
	p.find("#waiting", "Nothing waits for you.")
	p.checkFaults("a live page")
}

// write makes a file of the project.
func (w *world) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Without JavaScript, every page and every form works; only its updates are missing.
func TestWithoutScripts(t *testing.T) {
	w := newWorld(t, shop)
	id := w.start("ship.yaml")
	p := newTab(t, "")
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	s := w.serve()
	p.base = s.base
	p.visit(s.entry)
	p.find("#waiting", "Publish this release")
	p.leave("#waiting a", id)
	p.find("#questions", "Fixes a crash")
	p.press("#log-title + details summary", "Output and events")
	p.leave("#log-title + details a", "Show the log")
	p.find("main", "built version 2.4.1")
	p.leave("main a", id)
	p.press("#steps summary", "part")
	p.leave("#steps details a", "Show the parts of gate")
	p.find("main", "gate#1")
	p.leave("main a", id)
	p.leave("#questions button", "approve")
	if got := w.file("published"); got != "published\n" {
		t.Errorf("the run wrote %q", got)
	}
	await(t, "the end of the run", func() bool {
		p.visit(eval[string](p, `location.pathname`))
		return eval[string](p, `document.querySelector("#state .status").innerText`) == "✓ completed"
	})
	for _, path := range []string{"/totals", "/compare", "/start", "/nowhere"} {
		p.visit(path)
		p.find("main h1", "")
	}
	p.checkFaults("pages without scripts")
}

// With gates that need a token, the page takes an answer only with it.
func TestGateToken(t *testing.T) {
	w := newWorld(t, shop)
	w.write("wfc.yaml", "gates: token\n")
	w.write("token", "correct-horse-battery\n")
	t.Setenv("WFC_GATE_TOKEN_FILE", filepath.Join(w.dir, "token"))
	id := w.start("ship.yaml")
	p := w.serve().signIn(t)
	p.openRun(id)
	p.write("#questions [name=gate_token]", "battery-horse-correct")
	p.leave("#questions button", "approve")
	p.find("main", "not the gate token")
	p.leave("main a", "Back to the run")
	p.write("#questions [name=gate_token]", "correct-horse-battery")
	p.leave("#questions button", "approve")
	if got := w.file("published"); got != "published\n" {
		t.Errorf("the run wrote %q", got)
	}
	p.find("#state .status", "completed")
	p.checkFaults("a gate with a token")
}

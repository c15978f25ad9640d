package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

const reviewPrompt = `\[a\]ccept or \[e\]dit or \[r\]eject or \[f\]eedback \(Ctrl-D leaves the question open\): $`

// A person at the terminal has an output made again, edits it wrongly, goes on with
// what that was, and is done. Ctrl-C in the editor is the editor's.
func TestReviewedAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, []string{"VISUAL=", "EDITOR=editor"}, "draft", "run")
	if text := s.Sees(reviewPrompt); !strings.Contains(text, "\n  │ text: draft 1 []\n  │ n: 1\n") {
		t.Errorf("shown: %q", text)
	}
	s.Types("f\n")
	s.Sees(`what should be different\?.*: $`)
	s.Types("more detail\n")
	if text := s.Sees(reviewPrompt); !strings.Contains(text, "\n  │ text: draft 2 [more detail]\n  │ n: 2\n") {
		t.Errorf("shown: %q", text)
	}
	s.Types("e\n")
	s.Sees(`editing # is the output of step 'plan' right\?~# What you save is the output.*~text: draft 2 \[more detail\]~n: 2~`)
	s.Types("\x03")
	await(t, filepath.Join(dir, "signals"))
	s.Types("n: 2/n: two\n")
	s.Sees("what was written cannot be taken: .*`n` must be a whole number(.|\n)*" + reviewPrompt)
	s.Types("e\n")
	s.Sees(`editing .*~n: two~`)
	s.Types("two/3\n")
	s.Exits(0)
	if got := s.stdout.String(); got != `{"text":"draft 2 [more detail]","n":3,"approved":true}`+"\n" {
		t.Errorf("standard output: %q", got)
	}
}

// An editor that ends by Ctrl-C is all that ends by it.
func TestEditorInterrupted(t *testing.T) {
	s := sit(t, t.TempDir(), []string{"VISUAL=editor quits"}, "draft", "run")
	s.Sees(reviewPrompt)
	s.Types("e\n")
	s.Sees("editing .*~\n")
	s.Types("\x03")
	s.Sees("the editor `editor quits`: exit status 1\n(.|\n)*" + reviewPrompt)
	s.Types("r\n\n")
	s.Exits(4)
}

// `answer RUN edit` opens an editor for the person who calls it.
func TestEditedByAnAnswer(t *testing.T) {
	dir := t.TempDir()
	s := sit(t, dir, nil, "draft", "run", "--no-ask")
	s.Sees("is paused:")
	s.Exits(3)
	s = sit(t, dir, []string{"VISUAL=sed -i s/draft/final/"}, "draft", "answer", "latest", "edit")
	s.Sees("answered: edit")
	s.Exits(0)
	if got := s.stdout.String(); got != `{"text":"final 1 []","n":1,"approved":true}`+"\n" {
		t.Errorf("standard output: %q", got)
	}
	s = sit(t, dir, nil, "draft", "run", "--no-ask")
	s.Exits(3)
	s = sit(t, dir, []string{"VISUAL=true"}, "draft", "answer", "latest", "edit")
	s.Sees("nothing is changed, so nothing is answered; `approve` accepts the output as it is")
	s.Exits(1)
}

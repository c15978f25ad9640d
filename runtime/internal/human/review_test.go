package human_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/store"
)

func reviewed(choices ...string) engine.Question {
	return engine.Question{RunID: "demo-1", Question: flow.Question{
		Key: "plan/review#1", Message: "is the output of step `plan` right?", Output: `{"plan":"a\nb","n":1}`, Speakers: []flow.Speaker{{Node: "plan", Length: 20}},
		Choices: append([]string{kernel.ChoiceAccept, kernel.ChoiceEdit, kernel.ChoiceReject}, choices...),
	}}
}

// writing is an editor that puts a text in the place of what it finds.
func writing(found *string, write func(before string) (string, error)) human.Editor {
	return func(_ context.Context, path string) error {
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		*found = filepath.Ext(path) + ":" + string(before)
		after, err := write(string(before))
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(after), 0o600)
	}
}

const head = "# is the output of step `plan` right?\n# The saved file is the output. An empty file changes nothing.\n"

func TestReviewsAtTheTerminal(t *testing.T) {
	replace := func(before string) (string, error) { return strings.Replace(before, "n: 1", "n: 2", 1), nil }
	for _, c := range []struct {
		name, typed string
		question    engine.Question
		write       func(string) (string, error)
		want        store.Answer
		said        string
	}{
		{"accept", "a", reviewed(kernel.ChoiceFeedback), nil, store.Answer{Choice: "accept"}, ""},
		{"reject", "r|it is wrong", reviewed(kernel.ChoiceFeedback), nil, store.Answer{Choice: "reject", Text: "it is wrong"}, "anything to say?"},
		{"feedback", "f||shorter", reviewed(kernel.ChoiceFeedback), nil, store.Answer{Choice: "feedback", Text: "shorter"}, "feedback needs words"},
		{"rerun", "r|rer", reviewed(kernel.ChoiceRerun), nil, store.Answer{Choice: "rerun"}, "please answer with one of these words or letters alone"},
		{"edit", "e", reviewed(kernel.ChoiceRerun), replace, store.Answer{Choice: "edit", Text: "plan: |-\n  a\n  b\nn: 2\n"}, ""},
		{"edit nothing", "edit", reviewed(kernel.ChoiceRerun), func(s string) (string, error) { return s, nil }, store.Answer{Choice: "accept"}, "the edit changes nothing: the output is accepted"},
		{"edit to nothing", "e|a", reviewed(kernel.ChoiceRerun), func(string) (string, error) { return "# only this\n\n", nil }, store.Answer{Choice: "accept"}, "the file is empty, so nothing changes"},
		{"the editor fails", "e|a", reviewed(kernel.ChoiceRerun), func(string) (string, error) { return "", errors.New("no such editor") }, store.Answer{Choice: "accept"}, "no such editor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			term, r := newTerminal(), newReplies()
			found := ""
			cfg := human.Config{Terminal: term, By: "ann", From: "here"}
			if c.write != nil {
				cfg.Edit = writing(&found, c.write)
			}
			a := human.NewAsker(cfg)
			t.Cleanup(a.Close)
			a.Ask(context.Background(), c.question, r)
			shown := <-term.waiting
			if !strings.Contains(shown, "\n  `plan` says:\n  │ plan: |-\n  │   a\n  │   b\n  │ n: 1\n\n  the workflow asks:\n  │ is the output of step `plan` right?\n\n<discard>? plan/review#1 of run demo-1: [a]ccept or [e]dit or ") {
				t.Errorf("shown: %q", shown)
			}
			lines := strings.Split(c.typed, "|")
			all := ""
			for i, line := range lines {
				term.typed <- line
				if i < len(lines)-1 {
					all += <-term.waiting
				}
			}
			got := <-r.answers
			c.want.By, c.want.From = "ann", "here"
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if all += term.take(); !strings.Contains(all, c.said) {
				t.Errorf("said %q, want %q", all, c.said)
			}
			if c.write != nil && found != ".yaml:"+head+"plan: |-\n  a\n  b\nn: 1\n" {
				t.Errorf("the editor got %q", found)
			}
		})
	}
}

// After a rejected edit, the editor opens that edit; an unchanged edit isn't accepted.
func TestEditOfADraft(t *testing.T) {
	q := reviewed(kernel.ChoiceFeedback)
	q.LastEdit = "n: x\n"
	found := ""
	text, changed, err := human.Edit(context.Background(), t.TempDir(), q.Question, writing(&found, func(s string) (string, error) { return s, nil }))
	if text != "n: x\n" || changed || err != nil || found != ".yaml:"+head+"n: x\n" {
		t.Errorf("%q, %v, %v, %q", text, changed, err, found)
	}
	q.LastEdit, q.Output = "", "plain # text"
	_, _, err = human.Edit(context.Background(), t.TempDir(), q.Question, writing(&found, func(string) (string, error) { return " \n", nil }))
	if !errors.Is(err, human.ErrNoEdit) || found != ".txt:plain # text" {
		t.Errorf("%v, %q", err, found)
	}
}

func TestRunEditor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a file.yaml")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	environ := append(os.Environ(), "EDITOR=false", "VISUAL=sed -i s/before/after/")
	if err := human.RunEditor(context.Background(), environ, null, os.Stderr, path); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "after\n" {
		t.Errorf("%q", text)
	}
	err = human.RunEditor(context.Background(), append(environ, "VISUAL= "), null, os.Stderr, path)
	if err == nil || !strings.Contains(err.Error(), "the editor `false`: exit status 1") {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := human.RunEditor(ctx, append(environ, "VISUAL=sleep 60 #"), null, os.Stderr, path); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The file of an edit is in the folder of the run, so that it goes with the run if the process
// is killed meanwhile. A run of another machine has no such folder.
func TestPlaceOfAnEdit(t *testing.T) {
	folder, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for given, want := range map[string]string{folder: folder, filepath.Join(folder, "gone"): temporary, "": temporary} {
		at := ""
		_, _, err := human.Edit(context.Background(), given, reviewed(kernel.ChoiceFeedback).Question, func(_ context.Context, path string) error {
			at = filepath.Dir(path)
			return nil
		})
		left, readErr := os.ReadDir(want)
		if err != nil || readErr != nil || at != want || len(left) > 0 {
			t.Errorf("for %q, the file is in %q, want %q; %v stays (%v, %v)", given, at, want, left, err, readErr)
		}
	}
}

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// said is the choice that a call names, or "".
func (r *reply) said() string {
	if r.choice == "" && r.edit != "" {
		return kernel.ChoiceEdit
	}
	return r.choice
}

// choiceOf is the choice of a question that a word means: to approve of an output
// is to accept it.
func choiceOf(q engine.Question, word string) string {
	if word == kernel.ChoiceApprove && q.Question.IsReview() {
		return kernel.ChoiceAccept
	}
	return word
}

// judge finds out what a call says to the review of an output, and returns the
// words that go with it: those of the person, or the text of an edit.
func (a *app) judge(ctx context.Context, r *reply, q engine.Question, words string) (string, error) {
	if r.choice = choiceOf(q, r.said()); r.choice == "" {
		r.choice, words, _ = strings.Cut(strings.TrimSpace(words), " ")
		r.choice, words = choiceOf(q, r.choice), strings.TrimSpace(words)
	}
	switch {
	case r.choice == "":
		return "", usage("say what you answer to `%s`: %s", q.Key, strings.Join(q.Choices, ", "))
	case !slices.Contains(q.Choices, r.choice):
		return "", usage("`%s` is no answer to `%s`; the choices are: %s", r.choice, q.Key, strings.Join(q.Choices, ", "))
	case r.edit != "" && r.choice != kernel.ChoiceEdit:
		return "", usage("`--edit` and the choice `%s` are two answers: give one of them", r.choice)
	case r.choice == kernel.ChoiceFeedback && strings.TrimSpace(words) == "":
		return "", usage("feedback needs some words: give them behind `feedback` or by --message")
	case r.choice == kernel.ChoiceRerun && words != "":
		return "", usage("nobody would be told %q: what is run again is the same program", words)
	case r.choice == kernel.ChoiceEdit:
		return a.edited(ctx, r, q, words)
	}
	return words, nil
}

// edited returns what takes the place of an output: the content of the file that is
// named, or what the person at the terminal makes of it.
func (a *app) edited(ctx context.Context, r *reply, q engine.Question, words string) (string, error) {
	if words != "" {
		return "", usage("an edit takes no words, but %q is given: write the output to a file and give it by --edit FILE", words)
	}
	if r.edit != "" {
		text, err := editFile(r.edit)
		if err != nil {
			return "", usage("--edit: %v", err)
		}
		return text, nil
	}
	if _, ok := human.Open(a.streams.In, a.streams.Err); !ok {
		return "", usage("write the output as YAML or JSON to a file and give it by --edit FILE; at a terminal, an editor is opened without that")
	}
	text, changed, err := human.Edit(ctx, q.Question, a.editor(nil))
	switch {
	case err != nil:
		return "", failed(err)
	case !changed && q.Draft != "":
		return "", failed(errors.New("nothing is changed in what could not be taken; nothing is answered"))
	case !changed:
		return "", failed(errors.New("nothing is changed, so nothing is answered; `approve` accepts the output as it is"))
	}
	return text, nil
}

// maxEdit is how long an edited output may be.
const maxEdit = 16 << 20

// editFile reads the file that takes the place of an output. It must be a regular
// one: what is piped in passes no gate.
func editFile(path string) (string, error) {
	if path == "-" {
		return "", errors.New("standard input does not pass a gate: name a file")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("`" + path + "` is no regular file")
	case info.Size() > maxEdit:
		return "", errors.New("`" + path + "` is larger than 16 MiB")
	}
	text, err := io.ReadAll(io.LimitReader(file, maxEdit))
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", errors.New("`" + path + "` is empty")
	}
	return string(text), nil
}

package human

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/store"
)

// reviewOutput has the person decide about an output.
func (a *Asker) reviewOutput(ctx context.Context, q engine.Question) (store.Answer, error) {
	menu, letters := choiceMenu(q.Choices)
	for {
		answer := store.Answer{By: a.cfg.By, From: a.cfg.From}
		err := a.promptUntilTaken(ctx, answerPrompt(q)+menu+" (Ctrl-D leaves the question open): ", func(line string) string {
			answer.Choice = parseChoice(line, q.Choices, letters)
			return answer.Choice
		}, "please answer with one of these words or letters alone")
		if err != nil {
			return answer, err
		}
		switch answer.Choice {
		case kernel.ChoiceEdit:
			done, err := a.editOutput(ctx, q, &answer)
			if done || err != nil {
				return answer, err
			}
		case kernel.ChoiceFeedback:
			err := a.promptUntilTaken(ctx, answerPrompt(q)+"which changes do you want? (Ctrl-D leaves the question open): ", func(line string) string {
				answer.Text = line
				return line
			}, "feedback needs words")
			return answer, err
		case kernel.ChoiceReject:
			return a.addRemark(ctx, answer)
		default:
			return answer, nil
		}
	}
}

// editOutput has the person edit an output. It is done unless the person is to choose
// again.
func (a *Asker) editOutput(ctx context.Context, q engine.Question, answer *store.Answer) (done bool, err error) {
	if a.cfg.Edit == nil {
		a.printMessage("this terminal cannot open an editor: answer from another one\n")
		return false, nil
	}
	folder := ""
	if a.cfg.Folder != nil {
		folder = a.cfg.Folder(q.RunID)
	}
	text, changed, err := Edit(ctx, folder, q.Question, a.cfg.Edit)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, ErrNoEdit):
		a.printMessage("%v\n", err)
	case err != nil:
		a.printMessage("%s\n", Line(err.Error()))
	case !changed && q.LastEdit != "":
		a.printMessage("the edit changes nothing\n")
	case !changed:
		a.printMessage("the edit changes nothing: the output is accepted\n")
		answer.Choice = kernel.ChoiceAccept
		return true, nil
	default:
		answer.Text = text
		return true, nil
	}
	return false, nil
}

// An Editor has a person edit a file, and returns when that is done.
type Editor func(ctx context.Context, path string) error

// Edit lets a person edit the output that a question is about, or an earlier edit of it.
// changed is false if the person left it unchanged. A person who empties the file, or
// leaves only comments, takes the edit back: that is ErrNoEdit. The file is in a folder
// of its run, which is removed with the run even if this process is killed during the
// edit; without such a folder it is among temporary files.
func Edit(ctx context.Context, folder string, q flow.Question, edit Editor) (text string, changed bool, err error) {
	before, head, suffix := Readable(q.Output), "", ".txt"
	if isData(q.Output) {
		head, suffix = headerComment(q), ".yaml"
	}
	if q.LastEdit != "" {
		before = q.LastEdit
	}
	file, err := os.CreateTemp(folder, "review-*"+suffix)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.CreateTemp("", "review-*"+suffix) // the run began on another machine
	}
	if err != nil {
		return "", false, err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(head + before)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", false, err
	}
	if err := edit(ctx, file.Name()); err != nil {
		return "", false, err
	}
	raw, err := wholefile.Source.Read(file.Name())
	if err != nil {
		return "", false, err
	}
	text = strings.TrimPrefix(string(raw), head)
	if nothingIn(text, head != "") {
		return "", false, ErrNoEdit
	}
	return text, text != before, nil
}

// ErrNoEdit says that a person took an edit back.
var ErrNoEdit = errors.New("the file is empty, so nothing changes")

// nothingIn reports whether a file has only white space and, if comments is true,
// comments.
func nothingIn(text string, comments bool) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !(comments && strings.HasPrefix(line, "#")) {
			return false
		}
	}
	return true
}

// headerComment is the comment that describes a YAML file at its top.
func headerComment(q flow.Question) string {
	var b strings.Builder
	for line := range strings.Lines(Printable(q.Message)) {
		b.WriteString("# " + strings.TrimRight(line, "\n") + "\n")
	}
	b.WriteString("# The saved file is the output. An empty file changes nothing.\n")
	return b.String()
}

// RunEditor edits a file with the program that VISUAL or EDITOR names in an
// environment, which may be nil for the process's own, at a terminal. When ctx
// ends, so does the program.
func RunEditor(ctx context.Context, environ []string, in, out *os.File, path string) error {
	if environ == nil {
		environ = os.Environ()
	}
	program := editorOf(environ)
	words := strings.Fields(program)
	if strings.ContainsAny(program, "|&;<>()$`\\\"'*?[#~=%") {
		words = []string{"sh", "-c", program + ` "$1"`, "sh"}
		if runtime.GOOS == "windows" {
			words = []string{"cmd", "/c", program}
		}
	}
	// Without a shell where none is needed: that would end by an interrupt that is
	// meant for the editor.
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, in, out, out
	cmd.Cancel = func() error { return terminateProcess(cmd.Process) }
	cmd.WaitDelay = 2 * time.Second
	restore := keepTerminal(in)
	defer restore()
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the editor `%s`: %w", program, err)
	}
	return nil
}

// editorOf returns the editor of an environment, or the one of every system.
func editorOf(environ []string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := process.Variable(environ, name); strings.TrimSpace(editor) != "" {
			return editor
		}
	}
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}

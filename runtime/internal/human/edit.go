package human

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// An Editor has a person edit a file, and returns when that is done.
type Editor func(ctx context.Context, path string) error

// Edit has a person edit the output that a question is about, or what was written
// in its place before. changed is false when it was left as it was. A person who
// empties the file, or leaves it with comments only, takes the edit back: that is
// ErrNoEdit.
func Edit(ctx context.Context, q flow.Question, edit Editor) (text string, changed bool, err error) {
	before, head, suffix := Readable(q.Output), "", ".txt"
	if isData(q.Output) {
		head, suffix = header(q), ".yaml"
	}
	if q.Draft != "" {
		before = q.Draft
	}
	file, err := os.CreateTemp("", "review-*"+suffix)
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
	raw, err := os.ReadFile(file.Name())
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
var ErrNoEdit = errors.New("nothing is in the file, so nothing is changed")

// nothingIn reports whether a file has nothing but blanks and, when it may have
// some, comments.
func nothingIn(text string, comments bool) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !(comments && strings.HasPrefix(line, "#")) {
			return false
		}
	}
	return true
}

// header says at the top of a YAML file what it is.
func header(q flow.Question) string {
	var b strings.Builder
	for line := range strings.Lines(Printable(q.Message)) {
		b.WriteString("# " + strings.TrimRight(line, "\n") + "\n")
	}
	b.WriteString("# What you save is the output. An empty file changes nothing.\n")
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
	cmd.Cancel = func() error { return terminate(cmd.Process) }
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

// editorOf is the editor that an environment names, or the one that every system
// has.
func editorOf(environ []string) string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		for i := len(environ) - 1; i >= 0; i-- {
			value, ok := strings.CutPrefix(environ[i], name+"=")
			if ok && strings.TrimSpace(value) != "" {
				return value
			}
			if ok {
				break // of several the last one counts
			}
		}
	}
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}

// Package runerr has the errors with which an engine refuses an operation on a run, for the
// commands that explain them, and the commands' exit codes.
package runerr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A NotOpenError says that the answered question is not open in the run.
type NotOpenError struct {
	Run string
	// Status is the run's.
	Status flow.Status
	// Key is of the step that was answered, or "" for any.
	Key string
	// Open are the questions that the run does ask.
	Open []engine.Question
}

func (e *NotOpenError) Error() string {
	switch {
	case e.Status.Ended():
		return fmt.Sprintf("run %s has ended: it is %s", e.Run, e.Status)
	case len(e.Open) == 0:
		return fmt.Sprintf("run %s asks nothing: it is %s", e.Run, e.Status)
	}
	keys := make([]string, len(e.Open))
	for i, q := range e.Open {
		keys[i] = "`" + q.Key + "`"
	}
	return fmt.Sprintf("`%s` is not an open question of run %s: use one of %s", e.Key, e.Run, strings.Join(keys, ", "))
}

// Is makes errors.Is(err, store.ErrAnswered) hold for a run that has ended: the answer is too late.
func (e *NotOpenError) Is(target error) bool {
	return target == store.ErrAnswered && e.Status.Ended()
}

// An AnsweredError says that a question has its answer.
type AnsweredError struct {
	Run string
	// Answer is the one that counts.
	Answer store.Answer
}

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("`%s` of run %s was answered already: %s", e.Answer.Key, e.Run, Words(e.Answer))
}

// Is makes errors.Is(err, store.ErrAnswered) hold.
func (e *AnsweredError) Is(target error) bool { return target == store.ErrAnswered }

// Words returns an answer for people: who, when, from where and what.
func Words(a store.Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", cmp.Or(a.By, "somebody"), a.Given.Local().Format(time.DateTime))
	if a.From != "" {
		b.WriteString(" from " + a.From)
	}
	if choice := ChoiceOf(a.Key, a.Choice, a.Text); choice != "" {
		b.WriteString(": " + choice)
	}
	if a.Text != "" && a.Choice != kernel.ChoiceEdit { // the text of an edit is a whole output
		b.WriteString(": " + a.Text)
	}
	return b.String()
}

// ChoiceOf returns what a person chose, or "" if words alone answered the question: they
// tell a loop what to do next, and nobody approved.
func ChoiceOf(key, choice, text string) string {
	if text != "" && IsLoopGate(key, []string{choice}) {
		return ""
	}
	return choice
}

// IsLoopGate reports whether a question with some choices is that of the gate after an
// iteration, "fix#2/gate". Words for the next iteration are kept as those of somebody who approves.
func IsLoopGate(key string, choices []string) bool {
	iteration, gate := strings.CutSuffix(key, "/gate")
	return gate && stepkey.Unnumbered(iteration) != iteration && slices.Contains(choices, kernel.ChoiceApprove)
}

// An OtherBuildError says that a run was begun by another build of its
// workflow and is resumed on that.
type OtherBuildError struct {
	Run string
	// Executable is the path of the binary that the run began with, or "" when
	// it is not kept.
	Executable string
	// Embedded says that a Go program with an engine works on the run.
	Embedded bool
}

func (e *OtherBuildError) Error() string {
	if e.Embedded {
		return fmt.Sprintf("run %s was started with another version of its workflow; Engine.Resume with Options.Force moves it to this one", e.Run)
	}
	if e.Executable == "" {
		return fmt.Sprintf("run %s was started by another build of its workflow, which is no longer kept; resume it with --force to move it to this one", e.Run)
	}
	return fmt.Sprintf("run %s was started by another build of its workflow, kept as %s; resume it with that, or with --force to move it to this one", e.Run, e.Executable)
}

// An EmbeddedError says that a run belongs to a Go program with an engine, whose agents commands
// don't have, or, if Program is "", to commands, whose agents a program does not have.
type EmbeddedError struct{ Run, Program string }

func (e *EmbeddedError) Error() string {
	if e.Program == "" {
		return fmt.Sprintf("run %s does not belong to a Go program: commands continue it; Engine.Resume with Options.Force moves it to this program", e.Run)
	}
	return fmt.Sprintf("run %s belongs to the Go program %s, which continues it by Engine.ResumeAll, or by Engine.Resume if it failed or is at a limit; to continue it here instead, with other agents, use `resume --force`", e.Run, e.Program)
}

// An UnsavedError says that a run was not removed because its worktree or branch
// holds work that is nowhere else.
type UnsavedError struct {
	Run string
	// What describes the work.
	What string
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("run %s is kept: %s", e.Run, e.What)
}

// Package kernel holds the words that flow code, its engines and the programs around
// them share and that workflows never write: verdicts, reasons, and the way in
// which panics and symbols travel through flow code.
package kernel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// ErrCancelled is the error of flow code whose scope or run is cancelled. Package
// flow exports it.
var ErrCancelled = errors.New("cancelled")

// UnknownBaseBranch says that a workflow reads the base branch, and how to name one.
const UnknownBaseBranch = "the base branch is unknown: add --base-branch NAME, set base_branch in wfc.yaml, or set the remote's default branch (git remote set-head origin --auto)"

// A LimitError is the verdict of a run that reached one of its own limits. Flow code
// returns it, possibly wrapped. Engines end the run as LimitReached: a resumed run may
// have a higher limit.
type LimitError struct {
	// Limit is the limit's name as a user writes it, such as `max_steps` or
	// `--max-cost`. It becomes the reason of the run's end.
	Limit string
	// Setting says where the limit can be set, if that is not Limit: "`limits.cost_usd`".
	Setting string
	// Used and Max are amounts with their units: "$1.20", "12 steps".
	Used, Max string
	// Unknown says why nobody knows how much is used, or is "".
	Unknown string
	// Hint tells the user how to continue; it may be "".
	Hint string
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("the limit %s of %s is reached: ", cmp.Or(e.Setting, "`"+e.Limit+"`"), e.Max)
	if e.Unknown != "" {
		text += e.Unknown
	} else {
		text += e.Used + " used"
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// A StopError is the verdict of a run that stops until somebody resumes it. Engines
// end the run as Paused.
type StopError struct {
	// Reason is ReasonStopped, or "timeout" when nobody answered in time.
	Reason  string
	Message string
}

func (e *StopError) Error() string { return e.Message }

// A GoalsError is the verdict of a state graph that reached its end while none of its
// completion conditions holds. Engines end the run as Completed, with ReasonGoals.
type GoalsError struct{}

func (*GoalsError) Error() string {
	return "the run has ended, but none of its completion conditions holds"
}

// An OutcomeError is the author's verdict on a run, beside its status. Err is the verdict
// of the flow itself, which is nil if the run completes.
type OutcomeError struct {
	// Outcome is OutcomeSucceeded or OutcomeFailed.
	Outcome string
	Err     error
}

func (e *OutcomeError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return "the run has ended with the outcome " + e.Outcome
}

// Unwrap returns Err.
func (e *OutcomeError) Unwrap() error { return e.Err }

// A CancelError is the verdict of a run that one of its nodes cancelled.
type CancelError struct{ Reason string }

func (e *CancelError) Error() string { return e.Reason }

// Is makes errors.Is(err, ErrCancelled) hold.
func (e *CancelError) Is(target error) bool { return target == ErrCancelled }

// A NodesError is the verdict of a run whose nodes failed, or of which no node
// completed.
type NodesError struct{ Nodes []NodeError }

// A NodeError is one failed node.
type NodeError struct {
	Key string
	Err error
}

func (e *NodesError) Error() string {
	if len(e.Nodes) == 0 {
		return "no node completed: every node was skipped by its condition or trigger rule"
	}
	var b strings.Builder
	for i, n := range e.Nodes {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(NamedError(n.Key, n.Err).Error())
	}
	return b.String()
}

// NamedError is the error of a node with the node's name before it, unless one of its first two words is
// the node, as in "Bash node 'build' failed".
func NamedError(name string, err error) error {
	text := strings.ToLower(strings.ReplaceAll(err.Error(), "'", "`"))
	before, _, found := strings.Cut(text, "node `"+strings.ToLower(name)+"`")
	if found && strings.Count(before, " ") == min(len(before), 1) {
		return err
	}
	return fmt.Errorf("node `%s`: %w", name, err)
}

// Unwind is the value with which an engine panics to end a waiting task, when the run
// pauses or its process must stop. Flow code must not keep it: code that recovers it
// gets it again from the next call to the engine.
type Unwind struct{}

// ReasonMisuse is the reason of the failure of flow code that breaks a rule of package flow.
const ReasonMisuse = "misuse"

// A Misuse is the value with which the kernel panics where flow code breaks a rule of package
// flow. It returns what to change, given the key of the node whose code that is, or "" for code
// outside nodes.
type Misuse func(node string) string

// NewMisuse returns a Misuse whose text is the same for all nodes.
func NewMisuse(format string, args ...any) Misuse {
	return func(string) string { return fmt.Sprintf(format, args...) }
}

// NewEarlyRead returns the Misuse of code that reads the output of a node that has not settled.
func NewEarlyRead(read string) Misuse {
	return func(node string) string {
		if node == "" {
			return fmt.Sprintf("the flow reads node `%s`, which has not settled: call `flow.Settle` first, or read it in a node with `%s` in `After`", read, read)
		}
		return fmt.Sprintf("node `%s` reads node `%s`, which has not settled: add `%s` to `After` of `%s`", node, read, read, node)
	}
}

// DescribePanic describes a panic that a deferred function has just recovered: the reason of the
// failure that it becomes, and a message with the place of the code that panicked. node is the
// key of the node whose code that is, or "" for code outside nodes.
func DescribePanic(p any, node string) (reason, message string) {
	if misuse, ok := p.(Misuse); ok {
		return ReasonMisuse, misuse(node) + panicPlace(" (%s:%d)")
	}
	return "panic", fmt.Sprintf("panic: %v%s", p, panicPlace(" at %s:%d"))
}

// panicPlace returns the file and the line of the code that panicked, or "". It skips the frames of
// the Go runtime and of this module's runtime, which panics for the code that calls it. The file has
// no folder: with //line directives and -trimpath that exists nowhere on the user's machine.
func panicPlace(format string) string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !ofRuntime(f.Function):
			return fmt.Sprintf(format, filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ofRuntime reports whether a function belongs to the Go runtime or to the runtime of
// this module.
func ofRuntime(function string) bool {
	pkg := function
	slash := strings.LastIndexByte(pkg, '/')
	if dot := strings.IndexByte(pkg[slash+1:], '.'); dot >= 0 {
		pkg = pkg[:slash+1+dot]
	}
	if pkg == "runtime" || pkg == "iter" || strings.HasPrefix(pkg, "internal/") {
		return true
	}
	return strings.HasPrefix(pkg, "github.com/wfc-lang/wfc/runtime/") && !strings.HasSuffix(pkg, "_test")
}

// Encode returns v as compact JSON that keeps < and > in strings.
func Encode(v any) (json.RawMessage, error) { return plain.EncodeJSON(v) }

// Evidence is the payload of the check that the run has left the file evidence.json in its
// folder for artifacts. Engines perform it themselves.
type Evidence struct{}

// Kind implements flow.Payload.
func (Evidence) Kind() string { return "evidence" }

// Repeatable lets an engine repeat an interrupted check; see flow.Payload.
func (Evidence) Repeatable() {}

package runerr

import (
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// The exit codes of built workflows.
const (
	// ExitCompleted: the run completed, or the command did its work.
	ExitCompleted = 0
	// ExitFailed: the run failed, or the command could not do its work.
	ExitFailed = 1
	// ExitUsage: the command line is wrong.
	ExitUsage = 2
	// ExitPaused: the run waits for a person.
	ExitPaused = 3
	// ExitCancelled: the run was cancelled.
	ExitCancelled = 4
	// ExitLimit: the run reached one of its limits.
	ExitLimit = 5
	// ExitNoGoal: the run has ended, but none of its completion conditions holds.
	ExitNoGoal = 6
	// ExitHangup, ExitInterrupt and ExitTerminate: a signal ended the command.
	ExitHangup    = 129
	ExitInterrupt = 130
	ExitTerminate = 143
)

// ExitCode is the exit code of a command whose run ended so.
func ExitCode(end flow.RunState) int {
	switch end.Status {
	case flow.Completed:
		if end.Reason == kernel.ReasonGoals || end.Outcome == kernel.OutcomeFailed {
			return ExitNoGoal
		}
		return ExitCompleted
	case flow.Paused:
		return ExitPaused
	case flow.Cancelled:
		return ExitCancelled
	case flow.LimitReached:
		return ExitLimit
	}
	return ExitFailed
}

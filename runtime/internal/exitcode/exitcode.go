// Package exitcode has the exit codes of built workflows.
package exitcode

const (
	// Completed: the run completed, or the command did its work.
	Completed = 0
	// Failed: the run failed, or the command could not do its work.
	Failed = 1
	// Usage: the command line is wrong.
	Usage = 2
	// Paused: the run waits for a person.
	Paused = 3
	// Cancelled: the run was cancelled.
	Cancelled = 4
	// Limit: the run reached one of its limits.
	Limit = 5
	// NoGoal: the run has ended, but none of its completion conditions holds.
	NoGoal = 6
	// Hangup, Interrupt and Terminate: a signal ended the command.
	Hangup    = 129
	Interrupt = 130
	Terminate = 143
)

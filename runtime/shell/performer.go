// Package shell runs the bash scripts of workflows.
//
// The compiler replaces every value in a script by a variable. A [Performer] passes the
// values to the script in a file, so no value is ever executed as code:
//
//	r := (&shell.Performer{}).Perform(ctx, &engine.Attempt{
//		Info:   &flow.RunInfo{WorkDir: "/srv/project"},
//		Action: flow.Action{Key: "greet", Payload: flow.Bash{
//			Script:   `echo "Hello, $who"`,
//			Bindings: []flow.Binding{{Name: "who", Value: "$(rm -rf ~)"}},
//		}},
//		RunDir: dir, Number: 1, Environ: os.Environ(), Log: slog.Default(),
//	})
package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// defaultTimeout limits scripts whose action has no timeout.
const defaultTimeout = 120 * time.Second

// A Performer performs flow.Bash actions with the bash on PATH. The zero value is ready
// to use, as &shell.Performer{}: the methods are those of a pointer. They are safe for
// concurrent use.
type Performer struct {
	// limits bound the processes; the zero value has the defaults.
	limits process.Limits

	bash lookup
}

var _ attempt.Holder = (*Performer)(nil)

// Kind implements engine.Performer.
func (*Performer) Kind() string { return flow.Bash{}.Kind() }

// StartsBeforeCommit marks a performer that an engine may call while the start of the action is still
// being committed; see engine.Performer. The script waits for the commit.
func (*Performer) StartsBeforeCommit() {}

// Perform implements engine.Performer. The output is the script's standard output without
// the last newline. If the script exits with another code than 0, the action fails with
// reason "exit" and Failure.ExitCode, unless flow.Bash.Test says otherwise.
func (p *Performer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	bash := call.Action.Payload.(flow.Bash)
	what := describeAction(call.Action.Key, bash.Test)
	path, err := p.bash.findBash(call.Environ)
	if err != nil {
		return process.StartFailure(what, err)
	}
	s, err := prepareScript(&bash, call.Environ)
	if err != nil {
		return process.StartFailure(what, err)
	}
	hold := process.HoldOf(ctx)
	if s.held = hold != nil && canBeHeld(s.environ); !s.held {
		hold.Wait(ctx, nil)
		if ctx.Err() != nil {
			return flow.Result{Status: flow.Cancelled}
		}
		hold = nil
	}
	args, err := s.writeFiles(process.Files(ctx, call.RunDir), fmt.Sprintf("%s.%d", process.FileName(call.Action.Key), call.Number))
	defer s.removeFiles()
	if err != nil {
		return process.StartFailure(what, err)
	}
	timeout := call.Action.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	end, err := process.Run(ctx, &process.Command{
		Path: path, Name: "bash", Args: args, Dir: workDir(&bash, call), Env: s.environ, Output: call.Output,
		Owner: process.Owner{Dir: call.RunDir, RunID: call.Info.ID, Key: call.Action.Key},
		Hold:  hold, Timeout: timeout, Limits: p.limits,
	})
	if err == nil {
		process.Note(call.Log, call.Action.Key, end)
	}
	if failure := s.guardFailure(what); failure != nil {
		r := flow.Result{Status: flow.Failed, Failure: failure}
		if end != nil {
			failure.ExitCode = end.ExitCode
			if bash.TextOnFailure {
				r.Text = process.Text(end.Stdout)
			}
		}
		return r
	}
	if bash.Test && err == nil {
		return testResult(what, end, timeout)
	}
	r := process.Result(what, end, err, timeout)
	if bash.TextOnFailure && r.Status == flow.Failed && end != nil {
		r.Text = process.Text(end.Stdout)
	}
	if bash.SaveStdout {
		r = process.Keep(what, call.Info.StdoutPath(call.Action.Key), end, r)
	}
	return r
}

// describeAction names the action in messages.
func describeAction(key string, test bool) string {
	if test {
		return fmt.Sprintf("Bash test '%s'", key)
	}
	return fmt.Sprintf("Bash node '%s'", key)
}

// workDir is the folder that a script runs in; its own is relative to the run's.
func workDir(b *flow.Bash, call *engine.Attempt) string {
	if filepath.IsAbs(b.Dir) {
		return b.Dir
	}
	return filepath.Join(call.Info.WorkDir, b.Dir)
}

// lookup remembers where bash was found: PATH may have many folders, and every
// step needs it.
type lookup struct {
	mu          sync.Mutex
	path, found string
}

// findBash returns the bash to run scripts with.
func (l *lookup) findBash(environ []string) (string, error) {
	path := process.Variable(environ, "PATH")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found != "" && l.path == path {
		// It may have been removed or moved since.
		if info, err := os.Stat(l.found); err == nil && !info.IsDir() {
			return l.found, nil
		}
	}
	found, err := searchBash(environ)
	if err == nil {
		l.path, l.found = path, found
	}
	return found, err
}

// searchBash looks for bash.
func searchBash(environ []string) (string, error) {
	path, err := process.LookTool("bash", environ)
	if _, ok := errors.AsType[*process.StartError](err); ok && errors.Is(err, os.ErrPermission) {
		return "", err
	}
	if err != nil {
		return "", &flow.Failure{Class: flow.ClassFatal, Reason: process.ReasonStart,
			Message: "bash is not on PATH; install bash, or set PATH so that it is found"}
	}
	return path, nil
}

// The exit codes that bash gives when it could not run a command. A script that ends with
// one of them has decided nothing: its test did not run.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// testResult is the result of a test: "true" or "false" by the exit code that the
// script chose, and a failure for any other end. A test that broke is not false.
func testResult(what string, end *process.End, timeout time.Duration) flow.Result {
	if end.Stopped != nil || end.Overflow > 0 || end.Signal != "" {
		return process.Result(what, end, nil, timeout)
	}
	switch end.ExitCode {
	case 0:
		return flow.Result{Status: flow.Completed, Text: "true"}
	case exitNotExecutable:
		return testFailure(what, end, "a part of it could not be executed")
	case exitNotFound:
		return testFailure(what, end, "a command in it was not found")
	}
	return flow.Result{Status: flow.Completed, Text: "false"}
}

// testFailure is the failure of a test that could not run.
func testFailure(what string, end *process.End, why string) flow.Result {
	message := fmt.Sprintf("%s decided nothing, since %s [exit %d]", what, why, end.ExitCode)
	if end.Stderr != "" {
		message += ": " + end.Stderr
	}
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Message: message, Reason: process.ReasonExit, ExitCode: end.ExitCode,
	}}
}

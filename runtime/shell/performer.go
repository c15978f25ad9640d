// Package shell performs bash actions.
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
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// DefaultTimeout limits scripts whose action has no timeout of its own.
const DefaultTimeout = 120 * time.Second

// Performer performs flow.Bash actions by the bash that is found on PATH. The
// zero value is ready to use.
type Performer struct {
	// Limits bound the processes; the zero value has the defaults.
	Limits process.Limits

	bash lookup
}

var _ engine.Performer = (*Performer)(nil)

// Kind implements engine.Performer.
func (*Performer) Kind() string { return flow.Bash{}.Kind() }

// Perform implements engine.Performer. The output is what the script prints on
// standard output, without one trailing newline.
func (p *Performer) Perform(ctx context.Context, call *engine.Call) flow.Result {
	bash := call.Action.Payload.(flow.Bash)
	what := describe(call.Action.Key, bash.Test)
	path, err := p.bash.find(call.Environ)
	if err != nil {
		return process.StartFailure(what, err)
	}
	s, err := prepare(&bash, call.Environ)
	if err != nil {
		return process.StartFailure(what, err)
	}
	args, err := s.lay(call.Dir, fmt.Sprintf("%s.%d", process.FileName(call.Action.Key), call.Attempt))
	defer s.clear()
	if err != nil {
		return process.StartFailure(what, err)
	}
	timeout := call.Action.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	end, err := process.Run(ctx, &process.Command{
		Path: path, Name: "bash", Args: args, Dir: workDir(&bash, call), Env: s.environ, Output: call.Output,
		Owner:  process.Owner{Dir: call.Dir, RunID: call.Run.ID, Key: call.Action.Key},
		Limits: p.Limits,
	})
	if err == nil {
		process.Note(call.Log, call.Action.Key, end)
	}
	if failure := s.violation(what); failure != nil {
		r := flow.Result{Status: flow.Failed, Failure: failure}
		if end != nil {
			failure.ExitCode = end.ExitCode
			if bash.KeepOutput {
				r.Text = process.Text(end.Stdout)
			}
		}
		return r
	}
	if bash.Test && err == nil {
		return verdict(what, end, timeout)
	}
	r := process.Result(what, end, err, timeout)
	if bash.KeepOutput && r.Status == flow.Failed && end != nil {
		r.Text = process.Text(end.Stdout)
	}
	return r
}

// describe names the action in messages.
func describe(key string, test bool) string {
	if test {
		return fmt.Sprintf("Bash test '%s'", key)
	}
	return fmt.Sprintf("Bash node '%s'", key)
}

// workDir is the folder that a script runs in; its own is relative to the run's.
func workDir(b *flow.Bash, call *engine.Call) string {
	if filepath.IsAbs(b.Dir) {
		return b.Dir
	}
	return filepath.Join(call.Run.WorkDir, b.Dir)
}

// lookup remembers where bash was found: PATH may have many folders, and every
// step needs it.
type lookup struct {
	mu          sync.Mutex
	path, found string
}

// find returns the bash to run scripts with.
func (l *lookup) find(environ []string) (string, error) {
	path := process.Variable(environ, "PATH")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found != "" && l.path == path {
		// It may have been removed or moved since.
		if info, err := os.Stat(l.found); err == nil && !info.IsDir() {
			return l.found, nil
		}
	}
	found, err := find(environ)
	if err == nil {
		l.path, l.found = path, found
	}
	return found, err
}

// find looks for bash.
func find(environ []string) (string, error) {
	path, err := lookBash(environ)
	var start *process.StartError
	if errors.As(err, &start) && errors.Is(err, os.ErrPermission) {
		return "", err
	}
	if err != nil {
		return "", &flow.Failure{Class: flow.ClassFatal, Reason: process.ReasonStart,
			Message: "there is no bash on PATH; install bash, or set PATH so that it is found"}
	}
	return path, nil
}

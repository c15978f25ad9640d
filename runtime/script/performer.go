// Package script runs the other scripts of workflows: JavaScript and TypeScript with
// bun, Python with uv or with the installed Python.
//
// A [Performer] hands the values of a script over in a file, and a prelude reads
// them into variables before the script starts:
//
//	r := script.Performer{}.Perform(ctx, &engine.Attempt{
//		Info:   &flow.RunInfo{WorkDir: "/srv/project"},
//		Action: flow.Action{Key: "sum", Payload: flow.Script{Runtime: "python", Source: "print(1 + 2)"}},
//		RunDir: dir, Number: 1, Environ: os.Environ(), Log: slog.Default(),
//	})
package script

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// defaultTimeout limits scripts whose action has no timeout. It includes the
// installation of packages.
const defaultTimeout = 120 * time.Second

// A Performer performs flow.Script actions with the bun, uv or python3 on PATH. The zero
// value is ready to use, as script.Performer{}; a pointer to it works as well. The
// methods are safe for concurrent use.
type Performer struct {
	// limits bound the processes; the zero value has the defaults.
	limits process.Limits
}

var _ engine.Performer = Performer{}

// Kind implements engine.Performer.
func (Performer) Kind() string { return flow.Script{}.Kind() }

// Perform implements engine.Performer. The output is the text that the script prints on
// standard output, without one trailing newline. If the script exits with another code
// than 0, the action fails with reason "exit" and Failure.ExitCode.
func (p Performer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	what := fmt.Sprintf("Script node '%s'", call.Action.Key)
	timeout := call.Action.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	j := &job{call: call, dir: process.Files(ctx, call.RunDir), limits: p.limits, script: call.Action.Payload.(flow.Script)}
	defer j.removeFiles()
	if err := j.prepareRun(ctx); err != nil {
		if stopped, ok := errors.AsType[*stoppedError](err); ok {
			return process.Result(what, stopped.end, nil, timeout)
		}
		return process.StartFailure(what, err)
	}
	end, err := process.Run(ctx, j.newCommand(j.args, call.Info.WorkDir))
	if err == nil {
		process.Note(call.Log, call.Action.Key, end)
	}
	r := process.Result(what, end, err, timeout)
	if j.script.SaveStdout {
		r = process.Keep(what, call.Info.StdoutPath(call.Action.Key), end, r)
	}
	return r
}

// job is one script on its way to be run.
type job struct {
	call    *engine.Attempt
	dir     string // for files that the script reads
	limits  process.Limits
	script  flow.Script
	program string // the runtime's file
	environ []string
	args    []string
	stdin   []byte
	files   []string // to remove
}

// prepareRun finds out what to run and lays down the files that it needs.
func (j *job) prepareRun(ctx context.Context) error {
	program, known := runtimes[j.script.Runtime]
	if !known {
		return process.Invalid("%s", plain.UnknownName("runtime", j.script.Runtime, slices.Sorted(maps.Keys(runtimes))))
	}
	var err error
	if j.program, err = process.LookTool(program, j.call.Environ); err != nil {
		return err
	}
	if j.environ, err = j.buildEnviron(); err != nil {
		return err
	}
	if err := checkPackages(j.script.Deps); err != nil {
		return err
	}
	switch j.script.Runtime {
	case "uv":
		return j.prepareUV()
	case "python":
		return j.preparePython()
	}
	return j.prepareBun(ctx)
}

// runtimes are the programs that run scripts, by the names that workflows use.
var runtimes = map[string]string{"bun": "bun", "uv": "uv", "python": "python3"}

// longestVariable is the length in bytes from which a variable of the action is
// left out: less than every system's limit for one entry of an environment.
const longestVariable = 100 << 10

// buildEnviron returns the environment with the action's variables.
func (j *job) buildEnviron() ([]string, error) {
	environ := append(make([]string, 0, len(j.call.Environ)+len(j.script.Env)), j.call.Environ...)
	for _, v := range j.script.Env {
		entry, err := process.Entry(v)
		if err != nil {
			return nil, err
		}
		if len(entry) > longestVariable {
			j.call.Log.Warn("a variable is too long for an environment, so the script does not get it", "node", j.call.Action.Key, "variable", v.Name, "bytes", len(v.Value))
			continue
		}
		environ = append(environ, entry)
	}
	return environ, nil
}

// newCommand returns a command of the runtime.
func (j *job) newCommand(args []string, dir string) *process.Command {
	return &process.Command{
		Path: j.program, Name: j.script.Runtime, Args: args, Dir: dir, Env: j.environ,
		Stdin: j.stdin, Output: j.call.Output, Limits: j.limits,
		Owner: process.Owner{Dir: j.call.RunDir, RunID: j.call.Info.ID, Key: j.call.Action.Key},
	}
}

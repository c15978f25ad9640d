package testmake

import (
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// programs returns the stand-ins for the recorded programs of a kind, by step.
func (m *maker) programs(kind string) *testfile.Object {
	var all standIns
	for _, step := range m.recorded.Programs() {
		for _, p := range m.recorded.Results(step) {
			if p.Kind == kind {
				all.add(m.recorded.Address(step), resultOf(step.Step, p))
			}
		}
	}
	return all.object()
}

// resultOf returns the stand-in for a result of the program of a step.
func resultOf(step string, p tape.Program) any {
	result := testfile.NewObject()
	switch {
	case p.Failure != nil:
		if stderr, ok := errorOf(step, p); p.Failure.Reason == process.ReasonTimeout && p.Timeout > 0 {
			result.Add("delay", (time.Duration(p.Timeout)*time.Millisecond + time.Second).String())
		} else if ok {
			result.Add("exit", p.Failure.ExitCode)
			if stderr != "" {
				result.Add("error", stderr)
			}
		} else {
			addFailure(result, p.Failure)
			if p.Failure.ExitCode > 0 {
				result.Add("exit", p.Failure.ExitCode)
			}
		}
		if p.Output != "" {
			result.Add("output", shown(p.Output))
		}
	case p.Test && p.Output == "false":
		result.Add("exit", 1)
	case p.Test:
		result.Add("exit", 0)
	case p.Output == "real": // alone, it runs the program
		result.Add("output", p.Output)
	default:
		return shown(p.Output)
	}
	return result
}

// shown returns an output as a program prints it: without its last end of a line only if the
// output has none without it.
func shown(output string) string {
	if strings.HasSuffix(output, "\n") {
		return output + "\n"
	}
	return output
}

// errorOf returns the standard error of a program that exited with another code than 0; ok is
// false if the program failed in another way.
func errorOf(step string, p tape.Program) (stderr string, ok bool) {
	what, f := "Bash node", p.Failure
	if p.Kind == (flow.Script{}).Kind() {
		what = "Script node"
	}
	if f.Reason != process.ReasonExit || f.ExitCode <= 0 || p.Test {
		return "", false
	}
	_, stderr, _ = strings.Cut(f.Message, "]: ")
	for _, stderr := range []string{"", strings.TrimSpace(stderr)} {
		again := process.Result(what+" '"+step+"'", &process.End{ExitCode: f.ExitCode, Stderr: stderr}, nil, 0)
		if *again.Failure == *f {
			return stderr, true
		}
	}
	return "", false
}

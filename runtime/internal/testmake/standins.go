package testmake

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
)

// programStandIns returns the stand-ins for the recorded programs of a kind, by step.
func (m *maker) programStandIns(kind string) *testfile.Object {
	var all standIns
	for _, step := range m.recorded.Programs() {
		for _, p := range m.recorded.Results(step) {
			if p.Kind == kind {
				all.add(m.recorded.Address(step), resultOf(step.Step, p))
			}
		}
	}
	return all.toObject()
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
			result.Add("output", printedOutput(p.Output))
		}
	case p.Test && p.Output == "false":
		result.Add("exit", 1)
	case p.Test:
		result.Add("exit", 0)
	case p.Output == "real": // alone, it runs the program
		result.Add("output", p.Output)
	default:
		return printedOutput(p.Output)
	}
	return result
}

// printedOutput returns an output as a program prints it: without its last end of a line only if the
// output has none without it.
func printedOutput(output string) string {
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

// A standIns has lists of stand-ins by address, in the order of their first additions.
type standIns struct {
	order []string
	lists map[string][]any
}

func (s *standIns) add(address string, list ...any) {
	if s.lists == nil {
		s.lists = map[string][]any{}
	}
	if _, known := s.lists[address]; !known {
		s.order = append(s.order, address)
	}
	s.lists[address] = append(s.lists[address], list...)
}

// iteration is the address of a step in an iteration of one loop. Iterations of several loops,
// and items, can run in other orders.
var iteration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^#@\[\]]*)#([0-9]+)([^#@\[\]]*)$`) })

// toObject returns the stand-ins. Those of all iterations of one loop make one list: `fix` has
// those of fix#1, fix#2 and so on.
func (s *standIns) toObject() *testfile.Object {
	numbers := map[string]map[int]string{}
	for _, address := range s.order {
		if loop, n := loopOf(address); loop != "" {
			if numbers[loop] == nil {
				numbers[loop] = map[int]string{}
			}
			numbers[loop][n] = address
		}
	}
	all, folded := testfile.NewObject(), map[string]bool{}
	for _, address := range s.order {
		loop, _ := loopOf(address)
		list := s.inOrder(numbers[loop])
		switch {
		case folded[loop]:
		case list != nil && s.lists[loop] == nil:
			folded[loop] = true
			all.Add(loop, unwrapSingle(list))
		default:
			all.Add(address, unwrapSingle(s.lists[address]))
		}
	}
	return all
}

// loopOf returns the address of a step without the number of its iteration, and the number; loop
// is "" if the step is not in exactly one loop.
func loopOf(address string) (loop string, n int) {
	m := iteration().FindStringSubmatch(address)
	if m == nil {
		return "", 0
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return "", 0
	}
	return m[1] + m[3], n
}

// inOrder returns the stand-ins of the iterations of a loop, or nil if some are missing.
func (s *standIns) inOrder(addresses map[int]string) (list []any) {
	for n := 1; n <= len(addresses); n++ {
		address, ok := addresses[n]
		if !ok {
			return nil
		}
		list = append(list, s.lists[address]...)
	}
	return list
}

// unwrapSingle returns the only element of a list, or the list.
func unwrapSingle(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

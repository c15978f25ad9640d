package script

import (
	_ "embed" // for the checker
	"encoding/json"
	"github.com/wfc-lang/wfc/internal/oracle"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Fault is why a program cannot be read, and where: at the bytes from Start to
// End.
type Fault struct {
	Start, End int
	Problem    string
}

// A Checker asks a language's interpreter whether programs are programs, without
// running any of them. The result has a fault or nil for each; it is nil when the
// interpreter could not be asked.
type Checker func(programs []string) []*Fault

// checker is the program for the interpreter: it reads the programs and compiles
// them.
//
//go:embed check.py
var checker string

// PythonChecker returns a Checker that asks as compiler.Options says; nil for nil. Python's flags make it ignore variables of the environment, the current folder and
// installed packages: a check must not run files of a project.
func PythonChecker(ask oracle.Ask) Checker {
	if ask == nil {
		return nil
	}
	return func(programs []string) []*Fault {
		input, err := json.Marshal(programs)
		if err != nil {
			return nil
		}
		output, _, status := ask("python3", []string{"-I", "-S", "-B", "-c", checker}, string(input))
		var found []*complaint
		if status != 0 || json.Unmarshal([]byte(output), &found) != nil || len(found) != len(programs) {
			return nil
		}
		faults := make([]*Fault, len(found))
		for i, c := range found {
			if c != nil {
				faults[i] = c.toFault(programs[i])
			}
		}
		return faults
	}
}

// A complaint is an error of Python. Lines count from 1, as do columns, which are
// characters; those that are not known are 0.
type complaint struct {
	Line, Column       int
	EndLine, EndColumn int
	Problem            string
}

// toFault returns a complaint in bytes. A complaint without an end is one character
// long.
func (c *complaint) toFault(program string) *Fault {
	start := offsetOf(program, c.Line, c.Column)
	end := offsetOf(program, c.EndLine, c.EndColumn)
	if c.EndLine == 0 || end <= start {
		_, size := utf8.DecodeRuneInString(program[start:])
		end = start + size
	}
	return &Fault{start, end, removeLineNumbers(c.Problem)}
}

// offsetOf returns the offset of a column, or the next best: the end of the line
// or of the program.
func offsetOf(program string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(program[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	for ; column > 1 && at < len(program) && program[at] != '\n'; column-- {
		_, size := utf8.DecodeRuneInString(program[at:])
		at += size
	}
	// After the last character, there is nothing to show.
	for at > 0 && at >= len(program) {
		_, size := utf8.DecodeLastRuneInString(program[:at])
		at -= size
	}
	return at
}

// removeLineNumbers removes line numbers from a problem, since lines of the script are other
// lines of the file.
func removeLineNumbers(problem string) string {
	problem = regexp.MustCompile(` (\(detected at line \d+\)|on line \d+)`).ReplaceAllString(problem, "")
	return strings.TrimSpace(problem)
}

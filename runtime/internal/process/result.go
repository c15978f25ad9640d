package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// The reasons of failures of processes, for programs.
const (
	ReasonStart   = "start"
	ReasonExit    = "exit"
	ReasonSignal  = "signal"
	ReasonTimeout = "timeout"
	ReasonOutput  = "output"
	ReasonValue   = "value"
)

// Result returns the result of a process action. what names the node in messages, as in
// "Bash node 'x'"; timeout is the limit that the context had. The output is standard
// output without one trailing newline, and empty unless the process succeeded. Its
// invalid UTF-8 becomes U+FFFD here, so that later steps see exactly what the journal can
// hold.
func Result(what string, end *End, err error, timeout time.Duration) flow.Result {
	if err != nil {
		return StartFailure(what, err)
	}
	detail := end.Detail()
	switch {
	case errors.Is(end.Stopped, context.DeadlineExceeded):
		return failedResult(ReasonTimeout, flow.ClassTransient, end.ExitCode, "%s timed out after %dms", what, timeout.Milliseconds())
	case end.Stopped != nil:
		return flow.Result{Status: flow.Cancelled}
	case end.Overflow > 0:
		return failedResult(ReasonOutput, flow.ClassFatal, end.ExitCode, "%s failed: more than %s came on standard output; write large data to a file in the artifacts folder and print its name", what, formatSize(end.Overflow))
	case end.Signal != "":
		return failedResult(ReasonSignal, flow.ClassUnknown, end.ExitCode, "%s failed [signal %s]: %s", what, end.Signal, detail)
	case end.ExitCode != 0:
		return failedResult(ReasonExit, flow.ClassUnknown, end.ExitCode, "%s failed [exit %d]: %s", what, end.ExitCode, detail)
	}
	return flow.Result{Status: flow.Completed, Text: Text(end.Stdout)}
}

// printedLines is how many lines of standard output a message has.
const printedLines = 5

// Detail is what the program said of its failure: the end of standard error, or without
// one the last lines of standard output, or words that say that there is neither.
func (e *End) Detail() string {
	lines := strings.Split(e.Printed, "\n")
	return cmp.Or(e.Stderr, strings.Join(lines[max(0, len(lines)-printedLines):], "\n"), "no diagnostic output")
}

// Text returns an output as text: valid UTF-8, without one trailing newline.
func Text(output []byte) string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	return strings.TrimSuffix(text, "\n")
}

// StartFailure is the result of an action whose process did not start.
func StartFailure(what string, err error) flow.Result {
	class, reason := flow.ClassFatal, ReasonStart
	var start *StartError
	var failure *flow.Failure
	switch {
	case errors.As(err, &failure):
		class, reason = failure.Class, failure.Reason
	case errors.As(err, &start):
		class = start.Class()
	}
	return failedResult(reason, class, -1, "%s failed before it started: %v", what, err)
}

func failedResult(reason string, class flow.Class, exit int, format string, args ...any) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
		Message: fmt.Sprintf(format, args...), Class: class, Reason: reason, ExitCode: exit,
	}}
}

func formatSize(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Note logs facts about the process of a step that a Result does not have.
func Note(log *slog.Logger, key string, end *End) {
	if end.Lingered && end.Stopped == nil && end.Overflow == 0 {
		log.Warn("the script ended but processes that it started kept its output open; they were ended. Send the output of a background process elsewhere to keep it running, or wait for it", "node", key)
	}
	if end.Stopped == nil && !utf8.Valid(end.Stdout) {
		log.Warn("the output is not UTF-8; the bytes that are not are replaced by U+FFFD", "node", key)
	}
}

// Keep writes the standard output of a process that completed its action to the file at
// path, and returns the action's result. If it cannot, the action fails.
func Keep(what, path string, end *End, r flow.Result) flow.Result {
	if r.Status != flow.Completed || end == nil {
		return r
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = wholefile.Write(path, end.Stdout, 0o600, false)
	}
	if err != nil {
		return failedResult("artifact", flow.ClassFatal, end.ExitCode, "%s: its output cannot be kept as a file: %v", what, err)
	}
	return r
}

// Invalid returns the failure of a process that cannot get its input, such as a value;
// trying again cannot help.
func Invalid(format string, args ...any) error {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: flow.ClassFatal, Reason: ReasonValue}
}

// Entry returns a variable as an entry of an environment. The error is a
// *flow.Failure when there can be no such entry.
func Entry(v flow.Variable) (string, error) {
	if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") {
		return "", Invalid("`%s` cannot be the name of an environment variable", v.Name)
	}
	if strings.ContainsRune(v.Value, 0) {
		return "", Invalid("the value of $%s contains a NUL byte, which an environment variable cannot contain", v.Name)
	}
	return v.Name + "=" + v.Value, nil
}

// longestName is the longest file name made of a key; most systems allow 255
// bytes and callers add endings.
const longestName = 120

// devices are names that some systems give to devices in every folder.
var devices = []string{"con", "prn", "aux", "nul",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// FileName returns a file name for a step's key: the key itself when that is a
// safe name everywhere, else a readable part of it with a hash, so that no two
// keys share a name even where names ignore case.
func FileName(key string) string {
	safe := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-', r == '#', r == '@':
			return r
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		}
		return '-'
	}
	name := strings.Map(safe, key)
	if name == key && len(name) <= longestName && key != "" && !slices.Contains(devices, key) {
		return name
	}
	if len(name) > longestName {
		name = name[:longestName]
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	return fmt.Sprintf("%s~%016x", name, h.Sum64())
}

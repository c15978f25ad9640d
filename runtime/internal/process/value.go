package process

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Invalid returns the failure of a process that cannot get what it is to get,
// such as a value; trying again cannot help.
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
		return "", Invalid("the value of $%s holds a NUL byte, which no environment variable can", v.Name)
	}
	return v.Name + "=" + v.Value, nil
}

// Note logs what a Result cannot say about the process of a step.
func Note(log *slog.Logger, key string, end *End) {
	if end.Lingered && end.Stopped == nil && end.Overflow == 0 {
		log.Warn("the script ended but processes that it started kept its output open; they were ended. Send the output of a background process elsewhere to keep it running, or wait for it", "node", key)
	}
	if end.Stopped == nil && !utf8.Valid(end.Stdout) {
		log.Warn("the output is not UTF-8; the bytes that are not are replaced by U+FFFD", "node", key)
	}
}

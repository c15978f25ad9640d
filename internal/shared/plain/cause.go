package plain

import (
	"regexp"
	"strings"
	"sync"
)

// variable matches the parts of a message that differ between failures with one cause: quoted
// values, and words with a digit or a slash, such as numbers, ids, times, paths and URLs.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:(?:\\B'[^'\n]*'\\B|\"[^\"\n]*\"|`[^`\n]*`|[^\\s\"'`]*[0-9/\\\\][^\\s\"'`]*)\\s*)+")
})

// Cause returns the message of a failure without the parts that differ between failures with one
// cause.
func Cause(message string) string {
	return strings.Join(strings.Fields(variable().ReplaceAllString(message, " … ")), " ")
}

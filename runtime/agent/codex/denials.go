package codex

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent/program"
)

// What the agent was not allowed to do is told in several ways, none of them
// whole: an item that was declined or failed, the words of a command that the
// sandbox stopped, and, of a patch, a line on standard error. A command that
// hides its own errors is not seen.

// readOnly are the words of the system when the sandbox keeps a command from
// writing, and stops those of one that failed for it.
const readOnly = "Read-only file system"

var stops = []string{readOnly, "Operation not permitted", "Permission denied"}

// stopped reports whether a command says that the sandbox kept it from writing.
// One whose last part succeeds counts as completed all the same.
func (i *item) stopped() bool {
	if i.Status != "failed" {
		return i.Status == "completed" && slices.ContainsFunc(strings.Split(i.Output, "\n"), func(line string) bool {
			return strings.HasSuffix(strings.TrimRight(line, "\r '\""), readOnly)
		})
	}
	return slices.ContainsFunc(stops, func(words string) bool { return strings.Contains(i.Output, words) })
}

// deny notes what was not allowed, once.
func (t *turn) deny(what string) {
	if !slices.Contains(t.denied, what) {
		t.denied = append(t.denied, what)
	}
}

// longestLine is how many bytes of a line of standard error are looked at.
const longestLine = 4 << 10

// printed looks for patches that were rejected in what is printed on standard
// error.
func (t *turn) printed(piece []byte) {
	for {
		line, rest, found := bytes.Cut(piece, []byte{'\n'})
		t.line = append(t.line, line[:min(len(line), max(0, longestLine-len(t.line)))]...)
		if !found {
			return
		}
		t.rejected(string(t.line))
		t.line, piece = t.line[:0], rest
	}
}

// rejected takes a line such as "… error=patch rejected: writing is blocked by
// read-only sandbox; rejected by user approval settings".
func (t *turn) rejected(line string) {
	_, why, found := strings.Cut(line, "patch rejected: ")
	if !found {
		return
	}
	why, _, _ = strings.Cut(why, ";")
	t.deny("change files by a patch (" + t.output.Quote(why, longestInput) + ")")
}

// denials says what the agent was not allowed to do.
func (t *turn) denials() {
	t.rejected(string(t.line))
	if len(t.denied) == 0 {
		return
	}
	const most = 3
	more := ""
	if len(t.denied) > most {
		more = fmt.Sprintf(" and %d more", len(t.denied)-most)
		t.denied = t.denied[:most]
	}
	t.output.Warn("it was not allowed to %s%s. %s", strings.Join(t.denied, ", "), more, program.Allow(t.request.Agent, t.permission, ""))
}

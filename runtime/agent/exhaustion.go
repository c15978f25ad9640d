package agent

import (
	"strings"
	"unicode/utf8"
)

// longestNotice is the length in characters of the longest last line of a reply
// that is taken for a notice of the service rather than for an answer that
// speaks of credit.
const longestNotice = 200

// Exhaustion returns why a reply is no answer but the service's notice that the
// account or session has come to its limit, or "". Only the reply's last line
// is looked at: that is where such a notice stands, after what the agent said
// before.
func Exhaustion(text string) string {
	line := strings.TrimSpace(text)
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	if line == "" || utf8.RuneCountInString(line) > longestNotice {
		return ""
	}
	words := split(strings.NewReplacer("'", "", "’", "").Replace(line))
	switch {
	case hasPhrase(words, []string{"hit your session limit", "session limit reached"}):
		if at := strings.LastIndex(line, "resets "); at >= 0 {
			return "Claude session limit reached — " + line[at:] + ". Abandon this run and retry after reset."
		}
		return "Claude session limit reached — abandon this run and retry when the session resets."
	case hasPhrase(words, []string{"out of credits", "credit balance", "insufficient credit", "insufficient credits"}):
		return "Credit exhaustion detected — resume when credits reset"
	}
	return ""
}

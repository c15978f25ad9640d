package failures

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Classify says whether a retry can help. The error's type decides; its message
// counts only if the type says nothing.
func Classify(err error) flow.Class {
	if failure, ok := errors.AsType[*flow.Failure](err); ok && failure.Class != flow.ClassUnknown {
		return failure.Class
	}
	var classed interface{ Class() flow.Class }
	if errors.As(err, &classed) {
		return classed.Class()
	}
	var slow interface{ Timeout() bool }
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrPermission):
		return flow.ClassFatal
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return flow.ClassTransient
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ETIMEDOUT), errors.Is(err, syscall.EPIPE):
		return flow.ClassTransient
	}
	return ClassifyText(err.Error())
}

// Phrases of messages, each a sequence of whole words, in lower case. A phrase
// that means that somebody must act wins over one that means that waiting helps.
var (
	fatalPhrases = []string{"unauthorized", "forbidden", "invalid token", "authentication failed", "permission denied", "credit balance", "auth error"}
	// keyPhrases are the fatal phrases about keys.
	keyPhrases = []string{"api key not valid", "invalid api key", "invalid x api key", "incorrect api key"}
	fatalCodes = []string{"401", "403"}

	transientPhrases = []string{"timeout", "timed out", "econnrefused", "econnreset", "etimedout", "rate limit", "too many requests",
		"overloaded", "network error", "socket hang up", "exited with code", "claude code crash", "service unavailable", "bad gateway"}
	transientCodes = []string{"429", "502", "503", "529"}
)

// ClassifyText classifies an error by its message alone. It is careful: only
// whole words count, and a number counts only as an HTTP status: after a word
// that announces one, or at the beginning of the message, as HTTP libraries
// write it. Neither "issue #4013" nor "503 files" holds a status.
func ClassifyText(message string) flow.Class {
	switch {
	case saysAny(message, fatalPhrases, fatalCodes), saysAny(message, keyPhrases, nil):
		return flow.ClassFatal
	case saysAny(message, transientPhrases, transientCodes):
		return flow.ClassTransient
	}
	return flow.ClassUnknown
}

// saysAny reports whether a message has one of some phrases, or one of some codes as a status.
func saysAny(message string, phrases, codes []string) bool {
	words := splitWords(message)
	return hasPhrase(words, phrases) || hasCode(words, codes) || slices.Contains(codes, leadingStatus(message))
}

// ClassifyService classifies the message of a program whose request to its service
// failed. It also takes for temporary what ClassifyText, which has the rules of archon,
// leaves open: all statuses of a service's own faults, and lost connections in the words
// of HTTP libraries.
func ClassifyService(message string) flow.Class {
	if class := ClassifyText(message); class != flow.ClassUnknown {
		return class
	}
	if slices.Contains(splitWords(message), "max_output_tokens") || !saysAny(message, servicePhrases, serviceCodes) {
		return flow.ClassUnknown // the former is a whole answer, but for its end
	}
	return flow.ClassTransient
}

var (
	servicePhrases = []string{"server error", "server had an error", "gateway timeout", "temporarily unavailable", "try again later", "slow down", "at capacity", "high demand",
		"connection error", "connection failed", "connection closed", "connection lost", "connection was closed", "connection reset", "unable to connect",
		"error sending request", "error decoding response body", "fetch failed", "socket closed", "other side closed", "premature close",
		"stream disconnected", "stream closed", "stream ended", "stream was interrupted", "response was interrupted", "unexpected eof", "unexpected end of stream"}
	serviceCodes = []string{"408", "409", "425", "500", "504", "520", "521", "522", "523", "524"}
)

// ClassifyStatus classifies the HTTP status of a service's answer.
func ClassifyStatus(status int) flow.Class {
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		return flow.ClassTransient
	case status >= 500 && status != http.StatusNotImplemented:
		return flow.ClassTransient
	case status >= 400:
		return flow.ClassFatal
	}
	return flow.ClassUnknown
}

// RefusesKey reports whether a message says that a service refuses the key or
// the account. It is as careful as ClassifyText.
func RefusesKey(message string) bool {
	return saysAny(message, keyPhrases, nil) || saysAny(message, []string{"unauthorized", "authentication failed"}, []string{"401"})
}

// leadingStatus returns the three digits at the beginning of a message if they
// look like a status: "429", "429: slow down", "429 {…}" and "429 status code
// (no body)". Otherwise it returns "".
func leadingStatus(message string) string {
	message = strings.TrimSpace(message)
	end := strings.IndexFunc(message, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(message)
	}
	rest := message[end:]
	after := strings.TrimLeft(rest, " ")
	switch {
	case end != 3:
		return ""
	case after == "", rest[0] == ':', after[0] == '{', strings.HasPrefix(after, "status code"):
		return message[:end]
	}
	return ""
}

// splitWords returns the words of a string in lower case: runs of letters, digits and
// the marks that tie a number to its subject.
func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		word := r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '#' || r == '_' || r > 127
		return !word
	})
}

func hasPhrase(words, phrases []string) bool {
	for _, phrase := range phrases {
		parts := strings.Split(phrase, " ")
		for i := 0; i+len(parts) <= len(words); i++ {
			if slices.Equal(words[i:i+len(parts)], parts) {
				return true
			}
		}
	}
	return false
}

// announcers are the words before a status number.
var announcers = []string{"http", "https", "status", "code", "error", "statuscode", "status_code", "response"}

func hasCode(words, codes []string) bool {
	for i, word := range words {
		if slices.Contains(codes, word) && i > 0 && announcesStatus(words[:i]) {
			return true
		}
	}
	return false
}

// announcesStatus reports whether the words end with one that announces a status
// number; a version may follow it, as in "HTTP/1.1 503".
func announcesStatus(words []string) bool {
	last := len(words) - 1
	if slices.Contains(announcers, words[last]) {
		return words[last] != "code" || last == 0 || !slices.Contains([]string{"exit", "with"}, words[last-1])
	}
	for last >= 0 && len(words[last]) == 1 && words[last][0] >= '0' && words[last][0] <= '9' {
		last--
	}
	return last >= 0 && last < len(words)-1 && strings.HasPrefix(words[last], "http")
}

// longestNotice is the length in characters of the longest last line of a reply
// that counts as a notice of the service. A longer line is an answer that
// mentions credit.
const longestNotice = 200

// Exhaustion returns the failure for a reply that is not an answer but the service's notice
// that the account or session has reached its limit, or nil. It checks only the reply's last
// line: the notice follows the agent's own words.
func Exhaustion(text string) *flow.Failure {
	line := strings.TrimSpace(text)
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	if line == "" || utf8.RuneCountInString(line) > longestNotice {
		return nil
	}
	words := splitWords(strings.NewReplacer("'", "", "’", "").Replace(line))
	switch {
	case hasPhrase(words, noticePhrases):
		message := "Claude session limit reached — abandon this run and retry when the session resets."
		if at := strings.LastIndex(line, "resets "); at >= 0 {
			message = "Claude session limit reached — " + line[at:] + ". Abandon this run and retry after reset."
		}
		return New(flow.ClassFatal, ReasonQuota, "%s", message)
	case hasPhrase(words, creditPhrases):
		return New(flow.ClassFatal, ReasonCredit, "Credit exhaustion detected — resume when credits reset")
	}
	return nil
}

// creditPhrases are in the notices of services that credit must be bought.
var creditPhrases = []string{"out of credits", "credit balance", "insufficient credit", "insufficient credits"}

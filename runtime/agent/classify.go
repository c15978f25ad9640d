package agent

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Classify says whether trying again can help. What an error is comes first;
// what it says counts only where it is nothing in particular.
func Classify(err error) flow.Class {
	var failure *flow.Failure
	if errors.As(err, &failure) && failure.Class != flow.ClassUnknown {
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

// Phrases of messages, each a sequence of whole words, in lower case. Those
// that mean that somebody must act win over those that mean that waiting helps.
var (
	fatalPhrases = []string{"unauthorized", "forbidden", "invalid token", "authentication failed", "permission denied", "credit balance", "auth error"}
	// keyPhrases are of those that mean that somebody must act.
	keyPhrases = []string{"api key not valid", "invalid api key", "invalid x api key", "incorrect api key"}
	fatalCodes = []string{"401", "403"}

	transientPhrases = []string{"timeout", "timed out", "econnrefused", "econnreset", "etimedout", "rate limit", "too many requests",
		"overloaded", "network error", "socket hang up", "exited with code", "claude code crash", "service unavailable", "bad gateway"}
	transientCodes = []string{"429", "502", "503", "529"}
)

// ClassifyText classifies an error by its message, for errors that are nothing
// more. It is careful: words count only whole, and a number only when it is an
// HTTP status: after a word that announces one, or at the beginning of the
// message as libraries for HTTP write it. Neither issue #4013 nor 503 files are
// one.
func ClassifyText(message string) flow.Class {
	words := split(message)
	status := leadingStatus(message)
	switch {
	case hasPhrase(words, fatalPhrases), hasPhrase(words, keyPhrases), hasCode(words, fatalCodes), slices.Contains(fatalCodes, status):
		return flow.ClassFatal
	case hasPhrase(words, transientPhrases), hasCode(words, transientCodes), slices.Contains(transientCodes, status):
		return flow.ClassTransient
	}
	return flow.ClassUnknown
}

// RefusesKey reports whether a message says that a service refuses the key, or
// the account, that it was given. It is as careful as ClassifyText.
func RefusesKey(message string) bool {
	words := split(message)
	return hasPhrase(words, keyPhrases) || hasPhrase(words, []string{"unauthorized", "authentication failed"}) ||
		hasCode(words, []string{"401"}) || leadingStatus(message) == "401"
}

// leadingStatus returns the three digits that a message begins with when they
// are set apart as a status is: "429", "429: slow down", "429 {…}" and "429
// status code (no body)". Otherwise it returns "".
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

// split returns the words of a text in lower case: runs of letters, digits and
// the marks that tie a number to what it numbers.
func split(text string) []string {
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

// announcers are the words that a status number follows.
var announcers = []string{"http", "https", "status", "code", "error", "statuscode", "status_code", "response"}

func hasCode(words, codes []string) bool {
	for i, word := range words {
		if slices.Contains(codes, word) && i > 0 && announces(words[:i]) {
			return true
		}
	}
	return false
}

// announces reports whether the words end with one that announces a status
// number; the version in "HTTP/1.1 503" may come between.
func announces(words []string) bool {
	last := len(words) - 1
	if slices.Contains(announcers, words[last]) {
		return words[last] != "code" || last == 0 || !slices.Contains([]string{"exit", "with"}, words[last-1])
	}
	for last >= 0 && len(words[last]) == 1 && words[last][0] >= '0' && words[last][0] <= '9' {
		last--
	}
	return last >= 0 && last < len(words)-1 && strings.HasPrefix(words[last], "http")
}

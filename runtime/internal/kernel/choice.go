package kernel

import (
	"slices"
	"strings"
	"unicode"
)

// Choices of interrupts in state graphs.
const (
	Continue = "yes"
	Stop     = "no"
	Skip     = "skip"
)

// interruptWords are the words that people answer interrupts with, by choice.
var interruptWords = [][]string{
	{Continue, "proceed", "continue"},
	{Stop, "stop", "cancel"},
	{Skip},
}

// Match returns the choice that an answer means: the choice itself, in any case; `y`
// and `n` for `yes` and `no`; or a prefix of exactly one choice.
func Match(answer string, choices []string) (choice string, ok bool) {
	if exact := strings.TrimSpace(answer); slices.Contains(choices, exact) {
		return exact, true
	}
	word := strings.ToLower(strings.TrimFunc(answer, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".!'\"`", r) }))
	if word == "" {
		return "", false
	}
	if long := map[string]string{"y": "yes", "n": "no"}[word]; long != "" && slices.Contains(choices, long) {
		return long, true
	}
	var begins []string
	for _, c := range choices {
		switch lower := strings.ToLower(c); {
		case lower == word:
			return c, true
		case strings.HasPrefix(lower, word):
			begins = append(begins, c)
		}
	}
	if len(begins) != 1 {
		return "", false
	}
	return begins[0], true
}

// MatchInterrupt returns the choice of an interrupt that an answer means, or "". skip
// allows Skip.
func MatchInterrupt(answer string, skip bool) string {
	rows := interruptWords
	if !skip {
		rows = rows[:2]
	}
	word, ok := Match(answer, slices.Concat(rows...))
	for _, row := range rows {
		if ok && slices.Contains(row, word) {
			return row[0]
		}
	}
	return ""
}

// MatchQuestion returns the choice that an answer to a question of a state graph means.
// The key of the question tells interrupts from other questions.
func MatchQuestion(key, answer string, choices []string) (choice string, ok bool) {
	if !strings.Contains(key, "/before#") && !strings.Contains(key, "/after#") {
		return Match(answer, choices)
	}
	choice = MatchInterrupt(answer, slices.Contains(choices, Skip))
	return choice, choice != ""
}

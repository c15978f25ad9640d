// Package finding makes the diagnostics that several packages report, or that need more than
// a message: constructors in the files of their families. A code that one package alone
// notices, it reports itself, by the variable of package codes.
package finding

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Meant asks whether the name near was meant, and suggests to write it at the place, as text.
// It is the only way to ask "did you mean", so that each such question has an edit, and no
// guess is sure.
func Meant(d *diag.Diagnostic, at source.Span, near, text string) *diag.Diagnostic {
	return d.WithHelp("did you mean `"+near+"`?").WithFix("replace with `"+near+"`", at, text)
}

// offerNearestName asks whether the known name nearest to name was meant, and reports whether there is
// one.
func offerNearestName(d *diag.Diagnostic, at source.Span, name string, known []string) bool {
	return offerNear(d, at, plain.Nearest(name, known))
}

// offerNear is offer for a nearest name that is already known, or "".
func offerNear(d *diag.Diagnostic, at source.Span, near string) bool {
	if near != "" {
		Meant(d, at, near, near)
	}
	return near != ""
}

// suggestNearestName is offer for a finding that says no more if no name is near.
func suggestNearestName(d *diag.Diagnostic, at source.Span, name string, known []string) *diag.Diagnostic {
	return suggestNear(d, at, plain.Nearest(name, known))
}

func suggestNear(d *diag.Diagnostic, at source.Span, near string) *diag.Diagnostic {
	offerNear(d, at, near)
	return d
}

// offerOr offers the nearest known name or, without one, adds the line of help.
func offerOr(d *diag.Diagnostic, at source.Span, name string, known []string, help string) *diag.Diagnostic {
	if !offerNearestName(d, at, name, known) {
		d.WithHelp(help)
	}
	return d
}

// oneOf adds the known name that is probably meant, or all of them.
func oneOf(d *diag.Diagnostic, at source.Span, name string, known []string) *diag.Diagnostic {
	if near := plain.Nearest(name, known); near != "" {
		return Meant(d, nameWithin(at, name), near, near)
	}
	if len(known) > 0 && len(known) <= maxListed {
		d.WithHelp("use one of " + quoteAll(known))
	}
	return d
}

// maxListed is the maximum number of names that a help line lists.
const maxListed = 12

// nameWithin finds the place of a name at the end of a span, before a quote. It is invalid if
// the file writes the name in another way.
func nameWithin(at source.Span, name string) source.Span {
	text := at.Text()
	i := strings.LastIndex(text, name)
	if i < 0 || name == "" || strings.Trim(text[i+len(name):], `'" )`) != "" {
		return source.Span{}
	}
	return source.Span{File: at.File, Start: at.Start + i, End: at.Start + i + len(name)}
}

// withFix adds a fix that may be nil.
func withFix(d *diag.Diagnostic, fix *diag.Fix) *diag.Diagnostic {
	if fix != nil {
		d.Fixes = append(d.Fixes, *fix)
	}
	return d
}

// addNeed adds the fix that lets reader depend on producer or, if fix is nil, a line of
// help that says so.
func addNeed(d *diag.Diagnostic, reader, producer string, fix *diag.Fix) *diag.Diagnostic {
	advice := fmt.Sprintf("add `%s` to the `depends_on` of `%s`", producer, reader)
	if fix == nil {
		return d.WithHelp(advice)
	}
	fix.Title = advice
	return withFix(d, fix)
}

// quoteAll lists names in backticks.
func quoteAll(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return plain.NameList(names)
}

// Count returns a number with its noun: "1 file", "5 files".
func Count(n int, noun string) string { return plain.Count(n, noun) }

// bothAnd is joinAnd with "both" before two names.
func bothAnd(names []string) string {
	if len(names) == 2 {
		return "both " + joinAnd(names)
	}
	return joinAnd(names)
}

func joinAnd(names []string) string { return joinWord(names, " and ") }

func joinOr(names []string) string { return joinWord(names, " or ") }

// joinWord lists names in backticks, the last two joined by a word.
func joinWord(names []string, word string) string {
	if len(names) == 0 {
		return ""
	}
	last := "`" + names[len(names)-1] + "`"
	if len(names) == 1 {
		return last
	}
	return quoteAll(names[:len(names)-1]) + word + last
}

func indefiniteArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an"
	}
	return "a"
}

package compiler

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// directives are the settings in the comments of a file.
type directives struct {
	// dialect is the dialect that the file says it is written in, or "".
	dialect     string
	dialectSpan source.Span
	ignores     []*ignore // in the order of the file
	problems    []*diag.Diagnostic
	// top are the ignores for the whole file, and groups the others by the lines
	// for which they count.
	top    ignoreGroup
	groups []*ignoreGroup
}

// An ignore is one comment `wfc:ignore[…]`.
type ignore struct {
	comment yamlsrc.Comment
	names   []*ignoredName
	// top says that it is before the first key and counts for the file.
	top bool
}

// An ignoredName is one code that an ignore names.
type ignoredName struct {
	text string
	span source.Span
	code *diag.Code
	used bool
	// error says that a finding matched that is an error.
	error bool
}

// readDirectives reads the comments of a document that start with "wfc:".
func readDirectives(doc *yamlsrc.Document) directives {
	var ds directives
	if doc == nil {
		return ds
	}
	firstLine := 0
	if doc.Root != nil {
		firstLine = doc.Root.Span.Position().Line
	}
	for _, comment := range doc.Comments {
		rest, ok := strings.CutPrefix(comment.Text, "wfc:")
		if !ok {
			continue
		}
		top := comment.Alone && (doc.Root == nil || comment.Line < firstLine)
		ds.readDirective(comment, strings.TrimSpace(rest), top)
	}
	return ds
}

func (ds *directives) readDirective(comment yamlsrc.Comment, text string, top bool) {
	word := text
	if i := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }); i >= 0 {
		word = text[:i]
	}
	problem, near := "", ""
	switch word {
	case "ignore":
		problem = ds.readIgnore(comment, text[len(word):], top)
	case "dialect":
		problem = ds.readDialect(comment, text[len(word):], top)
	default:
		problem = fmt.Sprintf("unknown comment `wfc:%s`", word)
		near = plain.Nearest(word, []string{"ignore", "dialect"})
	}
	if problem != "" {
		ds.problems = append(ds.problems, finding.BadDirective(comment.Span, problem, wordSpan(comment, word), near))
	}
}

func (ds *directives) readDialect(comment yamlsrc.Comment, rest string, top bool) (problem string) {
	name, ok := strings.CutPrefix(rest, "=")
	fields := strings.Fields(name)
	switch {
	case !ok || len(fields) == 0:
		return "missing name in `wfc: dialect=`"
	case !top:
		return "`wfc: dialect` must come before the first key of the file"
	}
	ds.dialect = fields[0]
	ds.dialectSpan = wordSpan(comment, fields[0])
	return ""
}

func (ds *directives) readIgnore(comment yamlsrc.Comment, rest string, top bool) (problem string) {
	list, ok := strings.CutPrefix(rest, "[")
	list, _, closed := strings.Cut(list, "]")
	if !ok || !closed || strings.TrimSpace(list) == "" {
		return "missing codes in brackets after `wfc:ignore`"
	}
	ig := &ignore{comment: comment, top: top}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		n := &ignoredName{text: name, span: wordSpan(comment, name)}
		if code, ok := codes.Lookup(name); ok {
			n.code = code
			ig.names = append(ig.names, n)
		} else {
			ds.problems = append(ds.problems, finding.UnknownIgnore(n.span, name))
		}
	}
	ds.ignores = append(ds.ignores, ig)
	return ""
}

// wordSpan returns the place of a word in a comment: the first whole word.
func wordSpan(comment yamlsrc.Comment, word string) source.Span {
	text := comment.Span.Text()
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return comment.Span
		}
		start := from + i
		end := start + len(word)
		if start > 0 && strings.ContainsRune("[,=: \t", rune(text[start-1])) &&
			(end == len(text) || strings.ContainsRune("[=], \t", rune(text[end]))) {
			return source.Span{File: comment.Span.File, Start: comment.Span.Start + start, End: comment.Span.Start + end}
		}
		from = end
	}
}

package yamlsrc

import (
	"bytes"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// findComments returns the comments of a file up to end. All text outside scalars
// is structure, spaces or comments, and structure contains no #. So it needs only
// the spans of the scalars, in file order.
func findComments(f *source.File, scalars []span, end int) []Comment {
	var list []Comment
	at := bomLen(f.Content)
	for _, s := range scalars {
		list = commentsIn(list, f, at, min(s.start, end))
		at = max(at, s.start, s.end)
	}
	return commentsIn(list, f, at, end)
}

func commentsIn(list []Comment, f *source.File, from, to int) []Comment {
	for from < to {
		k := bytes.IndexByte(f.Content[from:to], '#')
		if k < 0 {
			break
		}
		from += k
		end := lineEnd(f.Content, from)
		list = append(list, newComment(f, from, end))
		from = end
	}
	return list
}

func newComment(f *source.File, start, end int) Comment {
	line := lineStart(f.Content, start)
	return Comment{
		Span:  source.Span{File: f, Start: start, End: end},
		Text:  strings.TrimSpace(string(f.Content[start+1 : end])),
		Line:  f.Position(start).Line,
		Alone: skipBlanks(f.Content, line) == start,
	}
}

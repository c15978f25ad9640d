package jinja

import (
	"strings"

	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// pieceKind is the kind of a piece of a template.
type pieceKind int

const (
	textPiece pieceKind = iota
	holePiece
	tagPiece
)

// A piece of a template is literal text or a tag.
type piece struct {
	place
	kind pieceKind
	// value is the text of a textPiece, without the parts that tags strip.
	value string
	tag
	// inside is where the inside of a tag begins.
	inside int
}

// scanner cuts a template into pieces. Comments leave none.
type scanner struct {
	text   string
	pieces []piece
	// cut says that the tag before cuts the white space that follows.
	cut bool
	// spent is as in lexTag.
	spent int
	// open says that no comment is closed any more.
	open   bool
	faults *faults
}

// scanPieces returns the pieces of a template, without one line break at its end.
func scanPieces(f *faults) []piece {
	text := strings.TrimSuffix(strings.TrimSuffix(f.text.Value, "\n"), "\r")
	s := &scanner{text: text, faults: f}
	for at := 0; at < len(text); {
		at = s.scanNext(at)
	}
	return s.pieces
}

// scanNext reads the text up to the next tag and that tag, and returns the offset
// behind it.
func (s *scanner) scanNext(at int) int {
	begin := at
	for {
		i := strings.IndexByte(s.text[begin:], '{')
		if i < 0 || begin+i+1 >= len(s.text) {
			s.addLiteral(at, len(s.text), false)
			return len(s.text)
		}
		begin += i
		if c := s.text[begin+1]; c == '{' || c == '%' || c == '#' {
			break
		}
		begin++
	}
	inside := begin + 2
	sign := byte(0)
	if inside < len(s.text) && (s.text[inside] == '-' || s.text[inside] == '+') {
		sign = s.text[inside]
		inside++
	}
	s.addLiteral(at, begin, sign == '-')
	switch s.text[begin+1] {
	case '#':
		return s.skipComment(begin, inside)
	case '%':
		if end, ok := s.scanRaw(begin, inside); ok {
			return end
		}
		return s.addTag(tagPiece, begin, inside, "%}")
	}
	return s.addTag(holePiece, begin, inside, "}}")
}

// addLiteral adds a piece of text.
func (s *scanner) addLiteral(start, end int, cutEnd bool) {
	if s.cut {
		start = end - len(strings.TrimLeftFunc(s.text[start:end], scalar.IsSpace))
		s.cut = start == end // white space may continue after a comment
	}
	if cutEnd {
		end = start + len(strings.TrimRightFunc(s.text[start:end], scalar.IsSpace))
	}
	if start < end {
		s.cut = false
		s.pieces = append(s.pieces, piece{place: place{start, end}, kind: textPiece, value: normalizeNewlines(s.text[start:end])})
	}
}

func (s *scanner) addTag(kind pieceKind, begin, inside int, closer string) int {
	t := lexTag(s.text, inside, closer, s.faults, &s.spent)
	s.pieces = append(s.pieces, piece{place: place{begin, t.after}, kind: kind, tag: t, inside: inside})
	s.cut = t.sign == '-'
	return t.after
}

// skipComment skips a comment and returns the offset behind it.
func (s *scanner) skipComment(begin, inside int) int {
	expansion := begin > 0 && s.text[begin-1] == '$'
	i := -1
	if !s.open {
		i = strings.Index(s.text[inside:], "#}")
	}
	if i < 0 {
		s.open = true
		d := finding.JinjaUnclosed(s.faults.placeSpan(place{begin, begin + 2}), "{#", "#}")
		if expansion {
			d.WithHelp("write `{{ \"${#\" }}` for the shell's `${#`, or put the script between `{% raw %}` and `{% endraw %}`")
		}
		s.faults.add(d)
		s.cut = false
		return inside
	}
	if expansion {
		s.faults.add(codes.TemplateCommentInScript.New(s.faults.placeSpan(place{begin, begin + 2}), "`{#` starts a template comment: the script loses everything up to `#}`").
			WithHelp("put it between `{% raw %}` and `{% endraw %}`"))
	}
	s.cut = i > 0 && s.text[inside+i-1] == '-'
	return inside + i + 2
}

// scanRaw reads a raw block, if begin is the tag of one and has no other content.
func (s *scanner) scanRaw(begin, inside int) (end int, ok bool) {
	body, sign, ok := s.rawTag(inside, "raw", "-")
	if !ok {
		return 0, false
	}
	for at := body; ; {
		i := strings.Index(s.text[at:], "{%")
		if i < 0 {
			break
		}
		at += i
		name := at + 2
		if name < len(s.text) && (s.text[name] == '-' || s.text[name] == '+') {
			name++
		}
		if after, endSign, found := s.rawTag(name, "endraw", "-+"); found {
			s.cut = sign == '-'
			s.addLiteral(body, at, s.text[name-1] == '-')
			s.cut = endSign == '-'
			return after, true
		}
		at += 2
	}
	s.faults.add(finding.JinjaUnclosed(s.faults.placeSpan(place{begin, body}), s.text[begin:body], "{% endraw %}"))
	s.addLiteral(body, len(s.text), false)
	return len(s.text), true
}

// rawTag reads the rest of a tag that holds one word, and the sign at its end.
func (s *scanner) rawTag(at int, word, signs string) (end int, sign byte, ok bool) {
	rest, named := strings.CutPrefix(strings.TrimLeftFunc(s.text[at:], scalar.IsSpace), word)
	rest = strings.TrimLeftFunc(rest, scalar.IsSpace)
	if rest != "" && strings.IndexByte(signs, rest[0]) >= 0 {
		sign, rest = rest[0], rest[1:]
	}
	rest, closed := strings.CutPrefix(rest, "%}")
	return len(s.text) - len(rest), sign, named && closed
}

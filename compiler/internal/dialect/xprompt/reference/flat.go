package reference

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/template"
)

// A flat is the text of a template in which each part that is not a text is a mark:
// a byte that is in no UTF-8 text, and the part's number in markDigits digits.
type flat struct {
	text  string
	parts []template.Part
	// source is the template's source; runs say where pieces of text are in it.
	source source.Text
	runs   []source.Segment
}

const (
	markByte   = '\xff'
	markDigits = 6
	markLength = 1 + markDigits
)

// flattenParts makes a flat of parts of a template.
func flattenParts(parts []template.Part, src source.Text) *flat {
	f := &flat{source: src}
	var b strings.Builder
	for _, p := range parts {
		if text, ok := p.(*template.Text); ok {
			f.runs = append(f.runs, source.Segment{Decoded: b.Len(), Source: text.Start})
			b.WriteString(strings.ReplaceAll(text.Value, string([]byte{markByte}), "\ufffd"))
			continue
		}
		f.runs = append(f.runs, source.Segment{Decoded: b.Len(), Source: p.Pos()})
		b.WriteByte(markByte)
		fmt.Fprintf(&b, "%0*d", markDigits, len(f.parts))
		f.parts = append(f.parts, p)
	}
	f.text = b.String()
	return f
}

// textSpan returns the place of the bytes from start to end of the text.
func (f *flat) textSpan(start, end int) source.Span {
	from := f.sourceOffset(start)
	to := max(from, f.sourceOffset(end-1)+1)
	if last := end - markLength; last >= start && f.text[last] == markByte {
		if hole, ok := f.partsOf(f.text[last:end])[0].(*template.Hole); ok {
			to = max(to, hole.End)
		}
	}
	return f.source.Span(min(from, len(f.source.Value)), min(to, len(f.source.Value)))
}

func (f *flat) sourceOffset(i int) int {
	k := sort.Search(len(f.runs), func(k int) bool { return f.runs[k].Decoded > i }) - 1
	if k < 0 {
		return 0
	}
	return f.runs[k].Source + i - f.runs[k].Decoded
}

// shown is what messages show of a piece of the text.
func (f *flat) shown(start, end int) string {
	var b strings.Builder
	for _, p := range f.partsOf(f.text[start:end]) {
		switch p := p.(type) {
		case *template.Text:
			b.WriteString(p.Value)
		case *template.Hole:
			if p.Start < p.End && p.End <= len(f.source.Value) {
				b.WriteString(f.source.Value[p.Start:p.End])
				continue
			}
			b.WriteString("{{ … }}")
		default:
			b.WriteString("{% … %}")
		}
	}
	return b.String()
}

// partsOfArg returns the parts of an argument. Its texts have the places of the lines from
// which they are: an argument over several lines has lost their indentation.
func (f *flat) partsOfArg(a arg) []template.Part {
	var list []template.Part
	at := a.start
	for line := range strings.Lines(a.text) {
		words := strings.TrimLeft(line, " \t")
		at += max(0, strings.Index(f.text[at:a.end], words))
		place := max(a.start, at-(len(line)-len(words)))
		for _, p := range f.partsOf(line) {
			text, ok := p.(*template.Text)
			if ok {
				text.Start = f.sourceOffset(place)
				place += len(text.Value)
			} else {
				place += markLength
			}
			list = append(list, p)
		}
	}
	return list
}

// partsOf returns the parts that a piece of the text represents.
func (f *flat) partsOf(text string) []template.Part {
	var list []template.Part
	for text != "" {
		i := strings.IndexByte(text, markByte)
		if i < 0 {
			return append(list, &template.Text{Value: text})
		}
		if i > 0 {
			list = append(list, &template.Text{Value: text[:i]})
		}
		n, _ := strconv.Atoi(text[i+1 : i+markLength])
		list = append(list, f.parts[n])
		text = text[i+markLength:]
	}
	return list
}

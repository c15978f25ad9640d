//go:build unix

package attacks

import (
	"fmt"
	"regexp"
	"strings"

	"pgregory.net/rapid"
)

// A text is a drawn script or prompt, and what it prints or asks, in a notation that each
// format has a syntax for:
//
//	«v» «w» «n» «i»          a hole: two strings, an integer, the item of the loop around
//	⟨if⟩ a ⟨else⟩ b ⟨endif⟩   a when the condition holds, otherwise b
//	⟨for⟩ a ⟨endfor⟩          a for each item of the list
type text struct{ source, want string }

// marks are the marks of the notation.
var marks = regexp.MustCompile(`[«⟨][a-z]+[»⟩]`)

// values are one assignment of values to the holes of all texts.
type values struct {
	V, W string
	N    int
	Yes  bool
	List []string
}

// fill is a text in the notation with the values.
func (v *values) fill(notation string) string {
	out, rest := v.block(notation, "")
	if rest != "" {
		panic("a statement ends that has not begun: " + notation)
	}
	return out
}

// block fills up to the mark that ends the block, and returns what begins with it.
func (v *values) block(notation, item string) (out, rest string) {
	for {
		at := marks.FindStringIndex(notation)
		if at == nil {
			return out + notation, ""
		}
		out += notation[:at[0]]
		mark, after := notation[at[0]:at[1]], notation[at[1]:]
		switch mark {
		case "«v»":
			out += v.V
		case "«w»":
			out += v.W
		case "«n»":
			out += fmt.Sprint(v.N)
		case "«i»":
			out += item
		case "⟨else⟩", "⟨endif⟩", "⟨endfor⟩":
			return out, notation[at[0]:]
		case "⟨if⟩":
			yes, behind := v.block(after, item)
			no := ""
			if more, found := strings.CutPrefix(behind, "⟨else⟩"); found {
				no, behind = v.block(more, item)
			}
			if v.Yes {
				out += yes
			} else {
				out += no
			}
			after = strings.TrimPrefix(behind, "⟨endif⟩")
		case "⟨for⟩":
			_, behind := v.block(after, "")
			for _, one := range v.List {
				body, _ := v.block(after, one)
				out += body
			}
			after = strings.TrimPrefix(behind, "⟨endfor⟩")
		default:
			panic("an unknown mark: " + mark)
		}
		notation = after
	}
}

// marker is in every string value, and nowhere else: an interpreter that parses it parses a
// value. The marker of numbers is in values.N.
const marker = "zQ7"

// hostile are pieces of values: code of the languages, what ends their strings, comments and
// here-documents, and the syntax of references, which is not read again.
var hostile = []string{
	"$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\"; touch pwned; \"", "\n touch pwned\n", "a[$(touch pwned)]", "\nEOF\nEND\ntouch pwned\n", "|touch pwned&", "$((x[$(touch pwned)]))",
	"${x:=$(touch pwned)}", "\\", "\\\\", "\\n", "'", "\"", "'''", `"""`, "`", "$", "${", "#", "*", "?", "~", "!!", "{a,b}", "-n ", "  ", "\t", "\n", "\r", "\x01", "&", ";", ")", "]]", "}", "é 日本 🎉", "\u2028",
	"__import__('os').system('touch pwned')", "'+__import__('os').system('touch pwned')+'", "{__import__('os').system('touch pwned')}", "\\N{DIGIT ONE}", "%s", "{0}",
	"require('fs').writeFileSync('pwned','')", "'+require('fs').writeFileSync('pwned','')+'", "${require('fs').writeFileSync('pwned','')}", "*/", "//", "</script>",
	"{{ v }}", "{% if j.yes %}", "{# x #}", "{{v.result}}", "{{end}}", "$v.output", "$ARGUMENTS", "(reference state.w)", "«v»", `","x":"`, "\\u0022",
}

// drawString draws a value that ends with the marker, and does not begin with white space,
// which a graph takes from its variables.
func drawString(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom(hostile), 1, 12).Draw(t, "value")
	between := rapid.SampledFrom([]string{"", marker, " "}).Draw(t, "between")
	return strings.TrimLeft(strings.Join(pieces, between), " \t\r\n\u2028") + marker
}

// assign makes values of drawn strings, which it takes from the front.
func assign(strings *[]string, n int, yes bool, items int) *values {
	next := func() string {
		s := (*strings)[0]
		*strings = append((*strings)[1:], s)
		return s
	}
	v := &values{V: next(), W: next(), N: n, Yes: yes, List: []string{}}
	for range items {
		v.List = append(v.List, next())
	}
	return v
}

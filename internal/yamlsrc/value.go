package yamlsrc

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// scalarTag returns the core tag of a scalar. An explicit core tag decides,
// the bare ! makes a string, and any other tag is ignored: the engines whose
// files are read here do so too.
func scalarTag(explicit, value string, style Style) string {
	switch explicit {
	case TagString, TagInt, TagFloat, TagBool, TagNull:
		return explicit
	case "!":
		return TagString
	}
	if style != Plain {
		return TagString
	}
	return plainTag(value)
}

// explicitTag returns the tag written before a node, as yaml.v3 resolved it.
func explicitTag(n *yaml.Node) string {
	if n.Style&yaml.TaggedStyle == 0 {
		return ""
	}
	return n.ShortTag()
}

// The plain scalars of the YAML 1.2 core schema that are no strings: words, and forms of numbers.
var (
	coreWords = map[string]string{
		"": TagNull, "~": TagNull, "null": TagNull, "Null": TagNull, "NULL": TagNull,
		"true": TagBool, "True": TagBool, "TRUE": TagBool, "false": TagBool, "False": TagBool, "FALSE": TagBool,
		".nan": TagFloat, ".NaN": TagFloat, ".NAN": TagFloat,
	}
	coreInt   = lazyregexp.New(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	coreFloat = lazyregexp.New(`^[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))$`)
)

// plainTag resolves a plain scalar by the YAML 1.2 core schema.
func plainTag(s string) string {
	switch tag := coreWords[s]; {
	case tag != "":
		return tag
	case strings.IndexByte("-+.0123456789", s[0]) < 0:
	case coreInt().MatchString(s):
		return TagInt
	case coreFloat().MatchString(s):
		return TagFloat
	}
	return TagString
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// JSON returns the node's value as compact JSON. Keys are in file order, and
// characters that matter only to HTML are left as they are. Integers keep all their
// digits. Infinities and NaN, for which JSON has no notation, become null. Scalars
// with tags outside the core schema are strings.
func (n *Node) JSON() string {
	var b strings.Builder
	n.writeJSON(&b)
	return b.String()
}

func (n *Node) writeJSON(b *strings.Builder) {
	switch {
	case n == nil:
		b.WriteString("null")
	case n.Kind == Mapping:
		b.WriteByte('{')
		for i, p := range n.Pairs {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONText(b, p.Key.Value)
			b.WriteByte(':')
			p.Value.writeJSON(b)
		}
		b.WriteByte('}')
	case n.Kind == Sequence:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b)
		}
		b.WriteByte(']')
	default:
		n.writeScalarJSON(b)
	}
}

func (n *Node) writeScalarJSON(b *strings.Builder) {
	switch n.Tag {
	case TagNull:
		b.WriteString("null")
	case TagBool:
		b.WriteString(strings.ToLower(n.Value))
	case TagInt:
		if i, ok := wholeNumber(n.Value); ok {
			b.WriteString(i.String())
			return
		}
		writeJSONText(b, n.Value)
	case TagFloat:
		f, ok := n.Number()
		if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteString("null")
			return
		}
		number, _ := json.Marshal(f) // a finite number always has a notation
		b.Write(number)
	default:
		writeJSONText(b, n.Value)
	}
}

// Number returns the value of a scalar of the int or float tag; ok is false for
// every other node. Infinities and NaN are numbers.
func (n *Node) Number() (f float64, ok bool) {
	if n == nil || n.Kind != Scalar {
		return 0, false
	}
	switch n.Tag {
	case TagInt:
		i, ok := wholeNumber(n.Value)
		if !ok {
			return 0, false
		}
		f, _ = new(big.Float).SetInt(i).Float64()
		return f, true
	case TagFloat:
		return floatNumber(n.Value)
	}
	return 0, false
}

// wholeNumber reads an integer as the core schema writes it: decimal with a
// sign, hexadecimal or octal.
func wholeNumber(text string) (*big.Int, bool) {
	digits, base := text, 10
	switch {
	case strings.HasPrefix(text, "0x"):
		digits, base = text[2:], 16
	case strings.HasPrefix(text, "0o"):
		digits, base = text[2:], 8
	}
	return new(big.Int).SetString(digits, base)
}

func floatNumber(text string) (float64, bool) {
	switch strings.ToLower(strings.TrimPrefix(text, "+")) {
	case ".inf":
		return math.Inf(1), true
	case "-.inf":
		return math.Inf(-1), true
	case ".nan":
		return math.NaN(), true
	}
	f, err := strconv.ParseFloat(text, 64)
	// A number too large for a float64 is infinite, as it is to JavaScript.
	return f, err == nil || math.IsInf(f, 0)
}

func writeJSONText(b *strings.Builder, text string) {
	if isPlainJSON(text) {
		b.WriteByte('"')
		b.WriteString(text)
		b.WriteByte('"')
		return
	}
	b.Write(plain.MustEncodeJSON(text))
}

// isPlainJSON reports whether a text is in JSON as it is, between quotes.
func isPlainJSON(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

package archon

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
)

// helperDecl is one of the helper agents of the agents option.
type helperDecl struct{ ok bool }

var helperLevel = level{Where: "in a helper agent", Name: "the helper agent", Prefix: "agents."}

var helperFields = []field[helperDecl]{
	{Name: "description", Shape: decode.FullString, Required: true,
		Doc:  "When to use the helper.",
		Read: helperText},
	{Name: "prompt", Shape: decode.FullString, Required: true,
		Doc:  "System prompt of the helper.",
		Read: helperText},
	{Name: "model", Shape: decode.FullString,
		Doc:  "Model of the helper.",
		Read: helperText},
	{Name: "tools", Shape: decode.ListOf(decode.FullString),
		Doc:  "Tools that the helper may use.",
		Read: helperTexts},
	{Name: "disallowedTools", Shape: decode.ListOf(decode.FullString),
		Doc:  "Tools that the helper may not use.",
		Read: helperTexts},
	{Name: "skills", Shape: decode.ListOf(decode.FullString),
		Doc:  "Skills of the helper.",
		Read: helperTexts},
	{Name: "maxTurns", Shape: decode.Integer.AtLeast(1),
		Doc: "Maximum number of turns of the helper.",
		Read: func(d *decoder, v value, h *helperDecl) {
			_, ok := d.Whole(v)
			h.ok = h.ok && ok
		}},
}

func helperText(d *decoder, v value, h *helperDecl) {
	_, ok := d.NonEmpty(v)
	h.ok = h.ok && ok
}

func helperTexts(d *decoder, v value, h *helperDecl) {
	_, ok := d.Entries(v, d.NonEmpty)
	h.ok = h.ok && ok
}

// readAgents reads the agents option: a mapping of names to helper agents.
func readAgents(d *decoder, v value) (string, bool) {
	if !d.HasPairs(v) {
		return "", false
	}
	good := true
	for _, p := range v.Node.Pairs {
		if !isKebab(p.Key.Value) {
			d.Fault(v, finding.AgentID(p.Key.Span, p.Key.Value))
			good = false
		}
		inner := v.Member(&p)
		h := helperDecl{ok: true}
		if !decode.Fields(d, helperLevel, inner, helperFields, &h) {
			good = false
			continue
		}
		good = d.missing(inner, helperLevel, decode.Required(helperFields)...) && h.ok && good
	}
	return v.Node.JSON(), good
}

// isKebab reports whether a name consists of words of small letters and
// digits with single hyphens between them.
func isKebab(name string) bool {
	for word := range strings.SplitSeq(name, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

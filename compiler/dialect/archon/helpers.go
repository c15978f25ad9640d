package archon

import (
	"math"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// helperDecl is one of the helper agents of the agents option.
type helperDecl struct{ ok bool }

var helperLevel = level{where: "in a helper agent", name: "the helper agent", prefix: "agents."}

var helperFields = []field[helperDecl]{
	{"description", helperText},
	{"prompt", helperText},
	{"model", helperText},
	{"tools", helperTexts},
	{"disallowedTools", helperTexts},
	{"skills", helperTexts},
	{"maxTurns", func(d *decoder, v value, h *helperDecl) {
		_, ok := d.whole(v, 1, math.MaxInt32)
		h.ok = h.ok && ok
	}},
}

func helperText(d *decoder, v value, h *helperDecl) {
	_, ok := d.filled(v)
	h.ok = h.ok && ok
}

func helperTexts(d *decoder, v value, h *helperDecl) {
	_, ok := d.texts(v, true)
	h.ok = h.ok && ok
}

// readAgents reads the agents option: a mapping of names to helper agents.
func readAgents(d *decoder, v value) (string, bool) {
	if !d.isMapping(v) {
		return "", false
	}
	if len(v.node.Pairs) == 0 {
		d.fault(v, diag.EmptyValue(v.place(), v.path))
		return "", false
	}
	good := true
	for _, p := range v.node.Pairs {
		if !isKebab(p.Key.Value) {
			d.fault(v, diag.AgentID(p.Key.Span, p.Key.Value))
			good = false
		}
		inner := value{node: p.Value, key: p.Key, path: "agents." + p.Key.Value, lenient: v.lenient}
		h := helperDecl{ok: true}
		if !decodeFields(d, helperLevel, inner, helperFields, &h) {
			good = false
			continue
		}
		for _, key := range []string{"description", "prompt"} {
			if p.Value.Pair(key) == nil {
				d.missing(inner, helperLevel, key)
				h.ok = false
			}
		}
		good = good && h.ok
	}
	return v.node.JSON(), good
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

package decode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// maxExplained is how many unknown keys of a file are compared with those that
// there are, which costs more than all the rest.
const maxExplained = 1000

// UnknownKey reports a key of the mapping v that its level does not know: as a key
// that is valid elsewhere, or as a misspelling of one of known. A misspelt key is
// an error in every dialect, because the intended setting would be missing. Keys
// that begin with x- are valid everywhere: users keep anchored mappings under them
// and merge these elsewhere. Beyond maxExplained keys, the report only says that
// they are unknown.
func (d *Decoder) UnknownKey(v Value, key *yamlsrc.Node, l Level, known []string) {
	name := key.Value
	if strings.HasPrefix(name, "x-") || d.Special != nil && d.Special(v, key) {
		return
	}
	if d.unknown++; d.unknown > maxExplained {
		d.Bag.Add(finding.UnknownKey(key.Span, name, l.Where))
		return
	}
	if d.foreignKey(v, key, l) || d.keyWithValue(v, key, l, known) {
		return
	}
	near, nearest := "", nearMiss(d.hasKeyFunc(v.Node), name, known)
	if d.NearFirst {
		near = nearest
		if near == "" {
			near = longerKey(d.hasKeyFunc(v.Node), name, known)
		}
	}
	if near == "" {
		if homes := d.validPlaces(name, v.Node.Pair(name)); len(homes) > 0 {
			d.Bag.Add(codes.MisplacedKey.New(key.Span, fmt.Sprintf("misplaced key `%s` %s: it is ignored", name, l.Where)).
				WithHelp(fmt.Sprintf("move it: `%s` is valid %s", name, strings.Join(homes, " and "))))
			return
		}
	}
	if !d.NearFirst {
		near = nearest
	}
	if near == "" {
		d.Bag.Add(finding.UnknownKey(key.Span, name, l.Where))
		return
	}
	d.Bag.Add(finding.MisspeltKey(key.Span, name, l.Where, near))
	d.noteMeant(v, near)
}

// keyWithValue reports a key such as `from:one`, which YAML reads as one word, and whether it
// is one.
func (d *Decoder) keyWithValue(v Value, key *yamlsrc.Node, l Level, known []string) bool {
	name, value, colon := strings.Cut(key.Value, ":")
	if p := v.Node.Pair(key.Value); !colon || value == "" || !slices.Contains(known, name) || p == nil || !p.Value.IsNull() {
		return false
	}
	d.Bag.Add(finding.KeyWithoutSpace(key.Span, key.Value, l.Where, name, value))
	d.noteMeant(v, name)
	return true
}

// noteMeant remembers that a reported key of the mapping v means a known one.
func (d *Decoder) noteMeant(v Value, known string) {
	if d.meant == nil {
		d.meant = map[*yamlsrc.Node][]string{}
	}
	d.meant[v.Node] = append(d.meant[v.Node], known)
}

// candidateKeys lists the keys that an unknown key with this value may misspell: a string or a
// number is not meant for a key that takes mappings alone.
func candidateKeys[D Front, T any](fields []Field[D, T], v *yamlsrc.Node) []string {
	list := Names(fields)
	if v.Kind != yamlsrc.Scalar || v.IsNull() {
		return list
	}
	return slices.DeleteFunc(list, func(name string) bool { return Find(fields, name).Shape.onlyMapping() })
}

// NearMiss returns the known key that a key of the mapping n probably misspells, or
// "". Short keys resemble each other by chance: a key of two letters is not a
// misspelling, and neither is notes if nodes is present as well.
func NearMiss(n *yamlsrc.Node, name string, known []string) string {
	return nearMiss(func(key string) bool { return n.Pair(key) != nil }, name, known)
}

func nearMiss(written func(key string) bool, name string, known []string) string {
	candidates := known
	if len(name) < 6 {
		candidates = slices.DeleteFunc(slices.Clone(known), written)
	}
	near := plain.Nearest(name, candidates)
	if len(name) < 3 && !strings.EqualFold(name, near) {
		return ""
	}
	return near
}

// longerKey returns a known key with the name as its prefix, as timeout is of
// timeout_minutes; "" if there is none or that key is present as well.
func longerKey(written func(key string) bool, name string, known []string) string {
	for _, k := range known {
		if strings.HasPrefix(k, name+"_") && !written(k) {
			return k
		}
	}
	return ""
}

// hasKeyFunc returns a function that reports whether a mapping has a key. Callers ask
// repeatedly about one mapping, which may have a million keys.
func (d *Decoder) hasKeyFunc(n *yamlsrc.Node) func(key string) bool {
	if d.asked != n {
		d.asked, d.keys = n, make(map[string]bool, len(n.Pairs))
		for i := range n.Pairs {
			d.keys[n.Pairs[i].Key.Value] = true
		}
	}
	return func(key string) bool { return d.keys[key] }
}

// validPlaces returns where a key is valid, in words. A level where it accepts only other strings
// than that of the pair, which may be nil, is none.
func (d *Decoder) validPlaces(key string, p *yamlsrc.Pair) []string {
	if d.Tables == nil {
		return nil
	}
	if d.tables == nil {
		d.tables = d.Tables()
	}
	var homes []string
	for i := range d.tables {
		if k := d.tables[i].Key(key); k != nil && (p == nil || k.Shape.mayAccept(p.Value)) {
			homes = append(homes, d.tables[i].Level.Where)
		}
	}
	return homes
}

// Meant reports whether a misspelt key of the mapping v was reported that was
// meant to be one of the given keys: that these are missing is a follower of it.
func (d *Decoder) Meant(v Value, keys ...string) bool {
	return slices.ContainsFunc(d.meant[v.Node], func(key string) bool { return slices.Contains(keys, key) })
}

// Missing reports required keys that the mapping v does not have, at a place that
// represents all of it (see Value.Head and Value.FirstKey), and whether it has them
// all. It doesn't report a misspelt key a second time.
func (d *Decoder) Missing(v Value, at source.Span, l Level, required ...string) (complete bool) {
	complete = true
	for _, key := range required {
		if v.Node.Pair(key) == nil {
			if !d.Meant(v, key) {
				d.Fault(v, finding.MissingKey(at, key, l.Name))
			}
			complete = false
		}
	}
	return complete
}

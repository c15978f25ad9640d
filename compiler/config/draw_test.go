package config_test

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
)

// drawFiles returns a generator of files of a format: each level has the keys that it needs and
// some others, mostly with values of their shapes, and sometimes with any value.
func drawFiles(f keys.Format) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		d := drawer{maker{f}, t}
		return objectText(d.drawLevel(&f.Tables[0], nil, 0))
	})
}

// deepest is the depth from which on a file has only the keys that it needs.
const deepest = 4

type drawer struct {
	maker
	t *rapid.T
}

func (d drawer) hitsChance(percent int) bool {
	return rapid.IntRange(1, 100).Draw(d.t, "percent") <= percent
}

// drawLevel draws a mapping of a table.
func (d drawer) drawLevel(t *decode.Table, needs []string, depth int) []pair {
	list := d.minimalObject(t, "", needs)
	for i, p := range list {
		if k := keyOf(t, p.name); k.Required || d.hitsChance(50) {
			list[i].value = d.drawValue(&k.Shape, depth)
		}
	}
	if depth >= deepest {
		return list
	}
	for range rapid.IntRange(0, 3).Draw(d.t, "keys") {
		k := &t.Keys[rapid.IntRange(0, len(t.Keys)-1).Draw(d.t, "key")]
		has := false
		for _, p := range list {
			has = has || p.name == k.Name
		}
		if has {
			continue
		}
		if d.hitsChance(70) {
			list = d.dropGroup(t, list, k.Name)
		}
		list = append(list, pair{k.Name, d.drawValue(&k.Shape, depth)})
	}
	if len(list) > 0 && d.hitsChance(3) {
		list = list[1:]
	}
	return list
}

func keyOf(t *decode.Table, name string) *decode.Key {
	for i := range t.Keys {
		if t.Keys[i].Name == name {
			return &t.Keys[i]
		}
	}
	return nil
}

// drawValue draws a value of a shape, or seldom any.
func (d drawer) drawValue(s *decode.Shape, depth int) string {
	if d.hitsChance(4) {
		return rapid.SampledFrom(values).Draw(d.t, "any")
	}
	for s.Or != nil && d.hitsChance(50) {
		s = s.Or
	}
	count := rapid.IntRange(0, 2).Draw(d.t, "count")
	if s.Range != nil {
		count = max(count, int(s.Range.Min))
	}
	switch s.Kind {
	case decode.StringKind:
		if len(s.Choices) > 0 {
			return rapid.SampledFrom(s.Choices).Draw(d.t, "choice")
		}
		return rapid.SampledFrom([]string{"x", "y", `"a b"`, `"5"`}).Draw(d.t, "string")
	case decode.IntegerKind, decode.NumberKind:
		low := 0
		if s.Range != nil {
			low = int(s.Range.Min)
		}
		return strconv.Itoa(low + rapid.IntRange(0, 2).Draw(d.t, "number"))
	case decode.BoolKind:
		return strconv.FormatBool(d.hitsChance(50))
	case decode.ListKind:
		var items []string
		for range count {
			items = append(items, d.drawValue(s.Of, depth+1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case decode.MapKind:
		var list []pair
		for i := range count {
			list = append(list, pair{mapName(s, i), d.drawValue(s.Of, depth+1)})
		}
		return objectText(list)
	case decode.ObjectKind:
		l, needs := s.Level, s.Needs
		if s.By != "" {
			l = rapid.SampledFrom(s.Cases).Draw(d.t, "case").Level
		}
		return objectText(d.drawLevel(d.levelTable(l), needs, depth+1))
	}
	return d.maker.minimalValue(s, nil)
}

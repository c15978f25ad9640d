package config_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A validator validates files by a schema.
type validator struct{ schema *jsonschema.Resolved }

// newValidator returns the validator of a schema.
func newValidator(t testing.TB, text []byte) *validator {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return &validator{r}
}

// Check returns the reason for which the schema refuses a YAML file, or nil. It reports
// false if the file is not YAML.
func (v *validator) Check(content string) (refused error, isYAML bool) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("file.yaml", []byte(content)), &bag)
	if doc == nil || doc.Root == nil || bag.HasErrors() {
		return nil, false
	}
	var instance any
	if err := json.Unmarshal([]byte(doc.Root.JSON()), &instance); err != nil {
		return err, true
	}
	return v.schema.Validate(instance), true
}

// A probe is a file in which one key has a value.
type probe struct {
	// Where is the level of the key, and Key its name.
	Where, Key string
	// Value is the value as it is written.
	Value string
	// File is the whole file, and Base the file without the key.
	File, Base string
}

// values are those that every key is tried with, right or wrong.
var values = []string{
	"null", `""`, `" "`, "x", `"5"`, `"true"`, "yes", "true", "false", "0", "1", "2", "3", "-1", "1.5", "7", "100000", "3000000000",
	"[]", "[x]", `["", x]`, "[5, x]", "[null]", "[true]", "[[]]", "[{}]", "[x, y]", "{}", "{a: 1}", "{a: x}", "{a: null}", "{a: [x]}", "{a: {}}",
	"{enabled: false}", "{enabled: true}",
}

// probesOf returns files that try each key of a format with many values. Every file is minimal
// but for the key.
func probesOf(f keys.Format) []probe {
	m := maker{f}
	var list []probe
	for i := range f.Tables {
		t := &f.Tables[i]
		wrap, needs := m.levelPath(&t.Level)
		if wrap == nil {
			continue
		}
		for _, k := range t.Keys {
			base := m.minimalObject(t, k.Name, needs)
			if oneOf(t, k.Name) {
				base = m.dropGroup(t, base, k.Name)
			}
			for _, value := range append(append(values[:len(values):len(values)], k.Examples...), m.validValues(&k)...) {
				list = append(list, probe{
					Where: t.Level.Where, Key: k.Name, Value: value,
					File: wrap(objectText(slices.Concat(base, []pair{{k.Name, value}}))), Base: wrap(objectText(base)),
				})
			}
		}
	}
	return list
}

// levelsOf returns for each level of a format that a file can have a function that makes a
// minimal file with a further pair of a key and a value, as it is written.
func levelsOf(f keys.Format) map[string]func(further string) string {
	m, all := maker{f}, map[string]func(string) string{}
	for i := range f.Tables {
		t := &f.Tables[i]
		wrap, needs := m.levelPath(&t.Level)
		if wrap == nil {
			continue
		}
		all[t.Level.Where] = func(further string) string {
			start := strings.TrimSuffix(objectText(m.minimalObject(t, "", needs)), "}")
			if start != "{" {
				start += ", "
			}
			return wrap(start + further + "}")
		}
	}
	return all
}

// oneOf reports whether a key excludes others.
func oneOf(t *decode.Table, key string) bool {
	return slices.ContainsFunc(t.Level.OneOf, func(group []string) bool { return slices.Contains(group, key) })
}

// A maker makes minimal values of a format.
type maker struct{ keys.Format }

type pair struct{ name, value string }

func objectText(pairs []pair) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, p := range pairs {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(p.name) + ": " + p.value)
	}
	return b.String() + "}"
}

func (m maker) levelTable(l *decode.Level) *decode.Table {
	for i := range m.Tables {
		if m.Tables[i].Level.Where == l.Where {
			return &m.Tables[i]
		}
	}
	return nil
}

// minimalObject is a minimal mapping of a table without one of its keys.
func (m maker) minimalObject(t *decode.Table, without string, needs []string) []pair {
	var list []pair
	add := func(name string) {
		for _, k := range t.Keys {
			if k.Name == name && name != without {
				list = append(list, pair{k.Name, m.minimalValue(&k.Shape, k.Examples)})
			}
		}
	}
	for _, k := range t.Keys {
		if k.Required {
			add(k.Name)
		}
	}
	for _, name := range needs {
		add(name)
	}
	for _, group := range slices.Concat(t.Level.AnyOf, t.Level.OneOf) {
		for _, name := range group {
			if name != without && name != "use" && name != "prompt_part" {
				add(name)
				break
			}
		}
	}
	for _, need := range t.Level.Needs {
		for _, p := range list {
			if p.name == need.Key && (need.Is == "" || need.Is == p.value) && (need.IsNot == "" || need.IsNot != p.value) {
				add(need.Requires)
			}
		}
	}
	return list
}

// minimalValue is a minimal value of a shape.
func (m maker) minimalValue(s *decode.Shape, examples []string) string {
	if len(examples) > 0 {
		return examples[0]
	}
	count := 0
	if s.Range != nil {
		count = int(s.Range.Min)
	}
	switch s.Kind {
	case decode.StringKind:
		if len(s.Choices) > 0 {
			return s.Choices[0]
		}
		return "x"
	case decode.IntegerKind, decode.NumberKind:
		if s.Range != nil && s.Range.Above {
			count++
		}
		return strconv.Itoa(count)
	case decode.BoolKind, decode.OffKind:
		return "false"
	case decode.ListKind:
		var items []string
		for range count {
			items = append(items, m.minimalValue(s.Of, nil))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case decode.MapKind:
		return objectText(m.minimalNames(s, count))
	case decode.ObjectKind:
		if s.By != "" {
			return objectText(m.minimalObject(m.levelTable(s.Cases[0].Level), "", nil))
		}
		return objectText(m.minimalObject(m.levelTable(s.Level), "", s.Needs))
	}
	return "x"
}

func (m maker) minimalNames(s *decode.Shape, count int) []pair {
	var list []pair
	for i := range count {
		list = append(list, pair{mapName(s, i), m.minimalValue(s.Of, nil)})
	}
	return list
}

// mapName is a name in a map.
func mapName(s *decode.Shape, i int) string {
	if len(s.Names) > i {
		return s.Names[i].Name
	}
	return string(rune('a' + i))
}

// validValues are further values of a key that its shape describes.
func (m maker) validValues(k *decode.Key) []string {
	var list []string
	for s := &k.Shape; s != nil; s = s.Or {
		list = append(append(list, m.minimalValue(s, nil)), s.Choices...)
		if s.Kind == decode.MapKind {
			list = append(list, objectText(m.minimalNames(s, 1)))
		}
		if s.Kind == decode.ListKind {
			list = append(list, "["+m.minimalValue(s.Of, nil)+"]", "["+m.minimalValue(s.Of, nil)+", "+m.minimalValue(s.Of, nil)+"]")
		}
	}
	if k.Default != "" {
		list = append(list, k.Default)
	}
	return list
}

// levelPath returns the function that puts a mapping of a level into a file, and the keys that
// the mapping needs there; or nil if no key leads to the level.
func (m maker) levelPath(l *decode.Level) (wrap func(string) string, needs []string) {
	if l.Where == m.Tables[0].Level.Where {
		return func(s string) string { return s }, nil
	}
	return m.searchPath(l, map[string]bool{})
}

func (m maker) searchPath(l *decode.Level, seen map[string]bool) (wrap func(string) string, needs []string) {
	for i := range m.Tables {
		t := &m.Tables[i]
		if seen[t.Level.Where] || t.Level.Where == l.Where {
			continue
		}
		for _, k := range t.Keys {
			into, needs := m.wrapInShape(&k.Shape, l)
			if into == nil {
				continue
			}
			outer := func(s string) string { return s }
			if i > 0 {
				seen[l.Where] = true
				outer, _ = m.searchPath(&t.Level, seen)
				delete(seen, l.Where)
			}
			if outer == nil {
				continue
			}
			name := k.Name
			rest := m.dropGroup(t, m.minimalObject(t, name, nil), name)
			return func(s string) string {
				return outer(objectText(append(rest[:len(rest):len(rest)], pair{name, into(s)})))
			}, needs
		}
	}
	return nil, nil
}

// dropGroup leaves out the keys of the groups of which has is one.
func (m maker) dropGroup(t *decode.Table, list []pair, has string) []pair {
	return slices.DeleteFunc(list, func(p pair) bool {
		return slices.ContainsFunc(slices.Concat(t.Level.AnyOf, t.Level.OneOf), func(group []string) bool {
			return slices.Contains(group, has) && slices.Contains(group, p.name)
		})
	})
}

// wrapInShape returns the function that makes a value of a shape with a mapping of a level
// inside, and the keys that the mapping needs there; or nil.
func (m maker) wrapInShape(s *decode.Shape, l *decode.Level) (wrap func(string) string, needs []string) {
	for ; s != nil; s = s.Or {
		switch {
		case s.Level != nil && s.Level.Where == l.Where:
			return func(v string) string { return v }, s.Needs
		case s.Of != nil:
			if inner, needs := m.wrapInShape(s.Of, l); inner != nil {
				shape := s
				return func(v string) string {
					if shape.Kind == decode.ListKind {
						items := []string{inner(v)}
						for shape.Range != nil && len(items) < int(shape.Range.Min) {
							items = append(items, m.minimalValue(shape.Of, nil))
						}
						return "[" + strings.Join(items, ", ") + "]"
					}
					return objectText([]pair{{mapName(shape, 0), inner(v)}})
				}, needs
			}
		}
		for _, c := range s.Cases {
			if c.Level.Where == l.Where {
				return func(v string) string { return v }, nil
			}
		}
	}
	return nil, nil
}

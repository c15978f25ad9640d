package keys

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// draft is the version of JSON Schema.
const draft = "https://json-schema.org/draft/2020-12/schema"

// userKeys matches the keys that users may write everywhere, to anchor mappings.
const userKeys = "^x-"

// Schema returns the JSON Schema of a format, indented. A strict one refuses keys that
// the format does not know. It accepts every file in which the compiler finds nothing
// to say about a key or a value.
func (f Format) Schema(strict bool) []byte {
	b := builder{Format: f, strict: strict, named: map[*decode.Key]string{}}
	root := b.levelSchema(&f.Tables[0], true)
	root.Schema, root.Title = draft, f.Title
	root.Comment = "Made by `wfc schema " + f.Name + "`."
	for i := range f.Tables[1:] {
		t := &f.Tables[1+i]
		root.Defs = append(root.Defs, member{LevelName(&t.Level), b.levelSchema(t, !b.isCase(&t.Level))})
	}
	root.Defs = append(root.Defs, b.defs...)
	text, err := plain.EncodeJSON(root)
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", f.Name, err)) // a default or an example is not JSON
	}
	var out bytes.Buffer
	_ = json.Indent(&out, text, "", "  ") // json.Marshal made it
	out.WriteByte('\n')
	return out.Bytes()
}

// A builder makes the schema of a format.
type builder struct {
	Format
	strict bool
	// named are the definitions of maps that have only certain names, by the first of
	// these: several keys may share one.
	named map[*decode.Key]string
	defs  members
}

// never is the schema that no value matches.
var never = &schema{never: true}

// levelSchema is the schema of a mapping. Without whole, it does not require any key.
func (b *builder) levelSchema(t *decode.Table, whole bool) *schema {
	s := &schema{Type: "object"}
	for _, k := range t.Keys {
		s.Properties = append(s.Properties, member{k.Name, b.keySchema(&k)})
	}
	if whole {
		demand := demandSchema(t)
		s.Required, s.AllOf = demand.Required, slices.Clip(demand.AllOf)
	}
	if refused := t.Refused(); len(refused) > 0 {
		s.PatternProperties = members{{"^(" + strings.Join(refused, "|") + ")$", never}}
	}
	switch {
	case t.Level.Closed:
		s.AdditionalProperties = never
	case b.strict && !t.Level.Open:
		s.PatternProperties = append(s.PatternProperties, member{userKeys, &schema{}})
		s.AdditionalProperties = never
	}
	return s
}

// demandSchema is the schema of mappings that have the keys that a table requires.
func demandSchema(t *decode.Table) *schema {
	s := &schema{Required: requiredKeys(t)}
	for _, group := range t.Level.AnyOf {
		s.AllOf = append(s.AllOf, &schema{AnyOf: anyKey(group)})
	}
	for _, group := range t.Level.OneOf {
		s.AllOf = append(s.AllOf, &schema{OneOf: anyKey(group)})
	}
	for _, need := range t.Level.Needs {
		with := &schema{Required: []string{need.Key}}
		switch {
		case need.Is != "":
			with.Properties = members{{need.Key, &schema{Enum: []any{json.RawMessage(need.Is)}}}}
		case need.IsNot != "":
			with.Properties = members{{need.Key, &schema{Not: &schema{Enum: []any{json.RawMessage(need.IsNot)}}}}}
		}
		s.AllOf = append(s.AllOf, &schema{If: with, Then: &schema{Required: []string{need.Requires}}})
	}
	return s
}

// requiredKeys are the keys that a mapping must have.
func requiredKeys(t *decode.Table) []string {
	var list []string
	for _, k := range t.Keys {
		if k.Required {
			list = append(list, k.Name)
		}
	}
	return list
}

// anyKey are the schemas of mappings that each have one of the keys.
func anyKey(keys []string) []*schema {
	var list []*schema
	for _, key := range keys {
		list = append(list, &schema{Required: []string{key}})
	}
	return list
}

// keySchema is the schema of a key's value, with all that is known of the key.
func (b *builder) keySchema(k *decode.Key) *schema {
	s := b.shapeSchema(&k.Shape)
	if s.never {
		return s
	}
	s.Description = k.Doc
	if strings.ContainsAny(k.Doc, "`_*<") {
		s.Markdown = k.Doc
	}
	if k.Default != "" {
		s.Default = json.RawMessage(k.Default)
	}
	for _, example := range k.Examples {
		s.Examples = append(s.Examples, json.RawMessage(example))
	}
	return s
}

// shapeSchema is the schema of the values of a shape.
func (b *builder) shapeSchema(s *decode.Shape) *schema {
	var list []*schema
	null := false
	for or := s; or != nil; or = or.Or {
		list = append(list, b.singleSchema(or))
		null = null || or.Null
	}
	if null {
		list = append(list, &schema{Type: "null"})
	}
	if len(list) == 1 {
		return list[0]
	}
	return &schema{AnyOf: list}
}

// singleSchema is the schema of a shape without its alternatives.
func (b *builder) singleSchema(s *decode.Shape) *schema {
	switch s.Kind {
	case decode.StringKind:
		return b.textSchema(s)
	case decode.IntegerKind:
		return b.numberSchema(s, "integer")
	case decode.NumberKind:
		return b.numberSchema(s, "number")
	case decode.BoolKind:
		if b.Typed {
			return &schema{Type: "boolean"}
		}
		return &schema{Type: []string{"boolean", "string"}, Pattern: "^([Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff])$"}
	case decode.ListKind:
		return b.listSchema(s)
	case decode.MapKind:
		return b.namesSchema(s)
	case decode.ObjectKind:
		return b.objectSchema(s)
	case decode.OffKind:
		return &schema{AnyOf: []*schema{{Enum: []any{false}}, {
			Type: "object", Required: []string{"enabled"}, Properties: members{{"enabled", &schema{Enum: []any{false}}}},
		}}}
	}
	return &schema{}
}

// textSchema is the schema of strings. Where scalars have no types, a number and a bool are
// strings, too.
func (b *builder) textSchema(s *decode.Shape) *schema {
	var choices []any
	for _, c := range s.Choices {
		choices = append(choices, c)
	}
	if choices != nil && !s.Open {
		return &schema{Enum: choices}
	}
	text := &schema{Type: "string", Pattern: s.Pattern}
	if !b.Typed {
		text.Type = []string{"string", "number", "boolean"}
	}
	switch {
	case s.Content == decode.Full:
		text.MinLength = 1
	case s.Content == decode.Filled && s.Pattern == "":
		text.Pattern = `\S`
	}
	if s.Open {
		return &schema{AnyOf: []*schema{{Enum: choices}, text}}
	}
	return text
}

// numberSchema is the schema of numbers or integers.
func (b *builder) numberSchema(s *decode.Shape, name string) *schema {
	number := &schema{Type: name}
	if r := s.Range; r != nil {
		low, high := r.Min, r.Max
		if low != -decode.NoLimit {
			number.Minimum = &low
		}
		if r.Above {
			number.Minimum, number.ExclusiveMinimum = nil, &low
		}
		if high != decode.NoLimit {
			number.Maximum = &high
		}
	}
	if s.Quoted {
		return &schema{AnyOf: []*schema{number, {Type: "string", Pattern: `^\s*[+-]?[0-9][0-9_]*\s*$`}}}
	}
	return number
}

// listSchema is the schema of lists.
func (b *builder) listSchema(s *decode.Shape) *schema {
	list := &schema{Type: "array", Items: b.shapeSchema(s.Of)}
	if s.Range != nil {
		list.MinItems = int(s.Range.Min)
		if s.Range.Max != decode.NoLimit {
			most := int(s.Range.Max)
			list.MaxItems = &most
		}
	}
	return list
}

// namesSchema is the schema of mappings with the user's own names.
func (b *builder) namesSchema(s *decode.Shape) *schema {
	if s.Names == nil {
		return b.mappingSchema(s)
	}
	first := &s.Names[0]
	if b.named[first] == "" {
		b.named[first] = fmt.Sprintf("names-%d", len(b.named)+1)
		b.defs = append(b.defs, member{b.named[first], b.mappingSchema(s)})
	}
	return &schema{Ref: "#/$defs/" + b.named[first]}
}

// mappingSchema is the schema of a map itself.
func (b *builder) mappingSchema(s *decode.Shape) *schema {
	m := &schema{Type: "object"}
	if s.Range != nil {
		m.MinProperties = int(s.Range.Min)
	}
	for _, k := range s.Names {
		m.Properties = append(m.Properties, member{k.Name, b.keySchema(&k)})
	}
	of := b.shapeSchema(s.Of)
	switch {
	case s.NamePattern != "":
		m.PatternProperties = members{{s.NamePattern, of}}
		m.AdditionalProperties = never
	case s.Names != nil:
		m.AdditionalProperties = never
	default:
		m.AdditionalProperties = of
	}
	if s.Of.By != "" {
		m.PatternProperties = append(m.PatternProperties, member{userKeys, &schema{}})
	}
	return m
}

// objectSchema is the schema of mappings of a level, or of one of several.
func (b *builder) objectSchema(s *decode.Shape) *schema {
	if s.By != "" {
		return b.casesSchema(s)
	}
	o := &schema{Ref: b.levelRef(s.Level)}
	if s.Needs != nil {
		o.AllOf = []*schema{{Required: s.Needs}}
	}
	return o
}

// casesSchema is the schema of mappings whose keys depend on the value of one of them.
func (b *builder) casesSchema(s *decode.Shape) *schema {
	o := &schema{Type: "object", Required: []string{s.By}}
	if s.Unless != "" {
		o.Required, o.AnyOf = nil, anyKey([]string{s.By, s.Unless})
	}
	var values []any
	all := &decode.Table{}
	for _, c := range s.Cases {
		values = append(values, c.Value)
		is := &schema{Required: []string{s.By}, Properties: members{{s.By, &schema{Enum: []any{c.Value}}}}}
		o.AllOf = append(o.AllOf, &schema{If: is, Then: &schema{Ref: b.levelRef(c.Level)}})
		table := b.levelTable(c.Level)
		for _, k := range table.Keys {
			if all.Key(k.Name) == nil {
				all.Keys = append(all.Keys, k)
			}
		}
		whole := *is
		if s.Unless != "" {
			whole.Not = &schema{Required: []string{s.Unless}}
		}
		o.AllOf = append(o.AllOf, &schema{If: &whole, Then: demandSchema(table)})
	}
	for i, k := range all.Keys {
		if k.Name == s.By {
			all.Keys[i].Shape.Choices = nil
			o.Properties = members{{s.By, b.keySchema(&k)}}
			o.Properties[0].schema.Enum = values
			all.Keys = slices.Delete(all.Keys, i, i+1)
			break
		}
	}
	o.AllOf = append(o.AllOf, &schema{If: &schema{Not: &schema{Required: []string{s.By}}}, Then: b.levelSchema(all, false)})
	return o
}

// isCase reports whether a level is one of the cases of an object. Whether its keys are
// required is then decided there.
func (b *builder) isCase(l *decode.Level) bool {
	var within func(s *decode.Shape) bool
	within = func(s *decode.Shape) bool {
		if s == nil {
			return false
		}
		return slices.ContainsFunc(s.Cases, func(c decode.Case) bool { return c.Level.Where == l.Where }) || within(s.Of) || within(s.Or)
	}
	return slices.ContainsFunc(b.Tables, func(t decode.Table) bool {
		return slices.ContainsFunc(t.Keys, func(k decode.Key) bool { return within(&k.Shape) })
	})
}

// levelRef is the reference to the definition of a level.
func (b *builder) levelRef(l *decode.Level) string {
	if l.Where == b.Tables[0].Level.Where {
		return "#"
	}
	return "#/$defs/" + LevelName(&b.levelTable(l).Level)
}

// levelTable returns the table of a level.
func (b *builder) levelTable(l *decode.Level) *decode.Table {
	for i := range b.Tables {
		if b.Tables[i].Level.Where == l.Where {
			return &b.Tables[i]
		}
	}
	panic("no table has the keys " + l.Where) // a test makes every schema
}

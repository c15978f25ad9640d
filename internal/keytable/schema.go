package keytable

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// FromSchema returns the keys of a format that a JSON Schema describes. Alternatives that
// are mappings become one level with all their keys.
func FromSchema(text []byte) (*Format, error) {
	root := &schema{}
	if err := json.Unmarshal(text, root); err != nil {
		return nil, err
	}
	r := &schemaReader{defs: root.Defs, shapes: map[*schema]*Shape{}}
	if top := r.readShape(root).Mapping(); top != nil {
		return &Format{Levels: []*Level{top}}, nil
	}
	return &Format{}, nil
}

// A schema is the part of a JSON Schema that a format needs.
type schema struct {
	Defs                 map[string]*schema `json:"$defs"`
	Ref                  string             `json:"$ref"`
	Description          string             `json:"description"`
	Type                 any                `json:"type"`
	Enum                 []any              `json:"enum"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"`
	PatternProperties    map[string]*schema `json:"patternProperties"`
	Items                *schema            `json:"items"`
	Default              any                `json:"default"`
	Examples             []any              `json:"examples"`
	AnyOf                []*schema          `json:"anyOf"`
	OneOf                []*schema          `json:"oneOf"`
}

// A schemaReader converts schemas. A schema that mentions itself becomes a shape that does.
type schemaReader struct {
	defs   map[string]*schema
	shapes map[*schema]*Shape
}

const refPrefix = "#/$defs/"

// resolveRef returns the definition that a schema refers to, or the schema.
func (r *schemaReader) resolveRef(s *schema) *schema {
	if def := r.defs[strings.TrimPrefix(s.Ref, refPrefix)]; s.Ref != "" && def != nil {
		return def
	}
	return s
}

// listAlternatives returns the schemas of which a value needs to match one.
func (r *schemaReader) listAlternatives(s *schema, depth int) []*schema {
	s = r.resolveRef(s)
	list := []*schema{s}
	if depth < 10 {
		for _, alternative := range append(slices.Clone(s.AnyOf), s.OneOf...) {
			list = append(list, r.listAlternatives(alternative, depth+1)...)
		}
	}
	return list
}

func (r *schemaReader) readShape(s *schema) *Shape {
	s = r.resolveRef(s)
	if known := r.shapes[s]; known != nil {
		return known
	}
	shape := &Shape{}
	r.shapes[s] = shape
	last := shape
	more := func() *Shape {
		last.Or = &Shape{}
		last = last.Or
		return last
	}
	for _, one := range r.listAlternatives(s, 0) {
		for _, value := range one.Enum {
			if text, ok := value.(string); ok {
				shape.Choices = append(shape.Choices, text)
			}
		}
		shape.Bool = shape.Bool || one.Type == "boolean"
		shape.Text = shape.Text || one.Type == "string"
		if len(one.Properties) > 0 {
			if shape.Level == nil {
				shape.Level = &Level{}
			}
			r.readKeys(shape.Level, one)
		}
		var values *schema
		if json.Unmarshal(one.AdditionalProperties, &values) == nil && values != nil {
			more().Of = r.readShape(values)
		}
		for _, pattern := range slices.Sorted(maps.Keys(one.PatternProperties)) {
			more().Of = r.readShape(one.PatternProperties[pattern])
		}
		if one.Items != nil {
			*more() = Shape{Of: r.readShape(one.Items), List: true}
		}
	}
	return shape
}

// readKeys adds the keys of a mapping to a level.
func (r *schemaReader) readKeys(l *Level, s *schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if l.Key(name) != nil {
			continue
		}
		property := s.Properties[name]
		doc := property.Description
		if doc == "" {
			doc = r.resolveRef(property).Description
		}
		l.Keys = append(l.Keys, Key{
			Name: name, Doc: doc + property.defaultAndExample(), Value: r.describeTypes(property),
			Required: slices.Contains(s.Required, name), Shape: r.readShape(property),
		})
	}
	slices.SortStableFunc(l.Keys, func(a, b Key) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
}

// defaultAndExample is the default and the first example of a key, as the reference shows them.
func (s *schema) defaultAndExample() string {
	text := ""
	if s.Default != nil {
		text += " Default: `" + literalText(s.Default) + "`."
	}
	if len(s.Examples) > 0 {
		text += " Example: `" + literalText(s.Examples[0]) + "`."
	}
	return text
}

func literalText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value) // it was JSON
	return string(text)
}

// describeTypes names the types of values.
func (r *schemaReader) describeTypes(s *schema) string {
	var names []string
	add := func(name string) {
		if name != "" && name != "null" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, one := range r.listAlternatives(s, 0) {
		switch t := one.Type.(type) {
		case string:
			add(t)
		case []any:
			for _, name := range t {
				text, _ := name.(string)
				add(text)
			}
		}
		if len(one.Enum) > 0 {
			add("string")
		}
	}
	if len(names) == 0 {
		return "any value"
	}
	return strings.Join(names, " or ")
}

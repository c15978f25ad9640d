package keys

import (
	"bytes"
	"encoding/json"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A schema is a JSON Schema with the keywords that the formats need, in the order in
// which they are printed.
type schema struct {
	heading
	Ref       string `json:"$ref,omitempty"`
	Type      any    `json:"type,omitempty"` // a string or a list of strings
	Enum      []any  `json:"enum,omitempty"`
	MinLength int    `json:"minLength,omitempty"`
	Pattern   string `json:"pattern,omitempty"`
	bounds
	Items                *schema           `json:"items,omitempty"`
	MinItems             int               `json:"minItems,omitempty"`
	MaxItems             *int              `json:"maxItems,omitempty"`
	Required             []string          `json:"required,omitempty"`
	Properties           members           `json:"properties,omitempty"`
	PatternProperties    members           `json:"patternProperties,omitempty"`
	AdditionalProperties *schema           `json:"additionalProperties,omitempty"`
	MinProperties        int               `json:"minProperties,omitempty"`
	AnyOf                []*schema         `json:"anyOf,omitempty"`
	OneOf                []*schema         `json:"oneOf,omitempty"`
	AllOf                []*schema         `json:"allOf,omitempty"`
	Not                  *schema           `json:"not,omitempty"`
	If                   *schema           `json:"if,omitempty"`
	Then                 *schema           `json:"then,omitempty"`
	Default              json.RawMessage   `json:"default,omitempty"`
	Examples             []json.RawMessage `json:"examples,omitempty"`
	Defs                 members           `json:"$defs,omitempty"`

	// never is the schema that no value matches.
	never bool
}

// A heading is what a schema says for readers.
type heading struct {
	Schema string `json:"$schema,omitempty"`
	// Comment says where the schema comes from.
	Comment     string `json:"$comment,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Markdown is the description for editors that show Markdown. They show the
	// backticks of a plain description as they are.
	Markdown string `json:"markdownDescription,omitempty"`
}

// bounds are those of a number.
type bounds struct {
	Minimum          *float64 `json:"minimum,omitempty"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum,omitempty"`
	Maximum          *float64 `json:"maximum,omitempty"`
}

// plainSchema is a schema without the method that prints it.
type plainSchema schema

// MarshalJSON implements json.Marshaler.
func (s *schema) MarshalJSON() ([]byte, error) {
	if s.never {
		return []byte("false"), nil
	}
	return plain.EncodeJSON((*plainSchema)(s))
}

// members are schemas by name, in order.
type members []member

type member struct {
	name   string
	schema *schema
}

// MarshalJSON implements json.Marshaler.
func (list members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, part := range []any{m.name, m.schema} {
			if j > 0 {
				b.WriteByte(':')
			}
			text, err := plain.EncodeJSON(part)
			if err != nil {
				return nil, err
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

package anthropic

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value"
)

// The service takes a part of JSON Schema. Objects must be closed, so no schema
// may leave open what fields there are; schemas must not contain themselves; and
// most limits on numbers, lengths and lists are not known. outputSchema closes
// objects (a closed object satisfies what an open one does), turns `oneOf` into
// `anyOf`, and says the limits in words in the description: whether a reply keeps
// them is checked when it is there.

// outputSchema returns the schema as the service takes it, its keys in the same
// order. It is whole when it has lost no limit. ok is false when it can be of no
// such form.
func outputSchema(schema json.RawMessage) (text string, whole, ok bool) {
	root, err := value.Parse(string(schema))
	if err != nil {
		return "", false, false
	}
	o, isObject := root.(*value.Object)
	if !isObject {
		return "", false, false
	}
	if _, has := o.Get("properties"); !has {
		return "", false, false // the whole reply must be an object
	}
	c := closer{root: o, open: map[string]bool{}, closed: map[string]bool{}}
	text = c.schema(o)
	return text, !c.lost, !c.refused
}

// closer closes one schema.
type closer struct {
	root *value.Object
	// open are the references that are being followed, closed those that have been.
	open, closed map[string]bool
	refused      bool
	// lost says that a limit has become words.
	lost bool
}

// refuse notes that the schema cannot be used.
func (c *closer) refuse() string {
	c.refused = true
	return "{}"
}

// Keys of schemas by what becomes of them. Those of no list are limits, which
// become words.
var (
	keptKeys    = []string{"type", "title", "enum", "const", "required", "default"}
	ignoredKeys = []string{"$schema", "$id", "$comment", "$anchor", "examples", "deprecated", "readOnly", "writeOnly", "description", "additionalProperties"}
	refusedKeys = []string{"not", "if", "then", "else", "patternProperties", "propertyNames", "dependentSchemas", "dependentRequired", "dependencies",
		"unevaluatedProperties", "unevaluatedItems", "contains", "prefixItems", "additionalItems", "$dynamicRef", "$recursiveRef"}
	keptFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)

// schema renders one schema.
func (c *closer) schema(v value.Value) string {
	o, ok := v.(*value.Object)
	if !ok || c.refused {
		return c.refuse() // true allows anything
	}
	if ref, has := o.Get("$ref"); has {
		return c.reference(o, ref)
	}
	if !says(o) {
		return c.refuse()
	}
	var out members
	var limits []string
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		switch {
		case slices.Contains(refusedKeys, key):
			return c.refuse()
		case slices.Contains(ignoredKeys, key):
		case slices.Contains(keptKeys, key):
			out.add(key, value.JSON(v))
		case key == "properties", key == "$defs", key == "definitions":
			out.add(key, c.each(v))
		case key == "items":
			out.add(key, c.schema(v))
		case key == "anyOf", key == "allOf":
			out.add(key, c.all(v))
		case key == "oneOf":
			out.add("anyOf", c.all(v))
		case kept(key, v):
			out.add(key, value.JSON(v))
		default:
			c.lost = true
			limits = append(limits, key+": "+value.JSON(v))
		}
	}
	if _, has := o.Get("properties"); has {
		out.add("additionalProperties", "false")
	}
	if text := describe(o, limits); text != "" {
		out.add("description", value.JSON(value.String(text)))
	}
	return out.String()
}

// says reports whether a schema says enough of a value to close it: an object
// has named fields, a list has items of a kind, anything else a type.
func says(o *value.Object) bool {
	for _, key := range []string{"properties", "enum", "const", "anyOf", "oneOf", "allOf"} {
		if _, has := o.Get(key); has {
			return true
		}
	}
	t, has := o.Get("type")
	if !has {
		return false
	}
	names, isList := t.(value.Array)
	if !isList {
		names = value.Array{t}
	}
	_, items := o.Get("items")
	for _, name := range names {
		if text := name.Text(); text == "object" || text == "array" && !items {
			return false
		}
	}
	return true
}

// reference renders a schema that is another one, and refuses one that contains
// itself or is not of this document.
func (c *closer) reference(o *value.Object, ref value.Value) string {
	name := ref.Text()
	if c.open[name] {
		return c.refuse()
	}
	target, ok := c.resolve(name)
	if !ok {
		return c.refuse()
	}
	if !c.closed[name] {
		c.open[name] = true
		c.schema(target) // for what it refers to in turn
		delete(c.open, name)
		c.closed[name] = true
	}
	var out members
	out.add("$ref", value.JSON(ref))
	return out.String()
}

// resolve finds the definition of a reference.
func (c *closer) resolve(ref string) (value.Value, bool) {
	for _, folder := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(ref, "#/"+folder+"/")
		if !ok || strings.ContainsAny(name, "/~%") {
			continue
		}
		defs, _ := c.root.Get(folder)
		if o, isObject := defs.(*value.Object); isObject {
			return o.Get(name)
		}
	}
	return nil, false
}

// each renders an object of schemas, all a list of them.
func (c *closer) each(v value.Value) string {
	o, ok := v.(*value.Object)
	if !ok {
		return c.refuse()
	}
	var out members
	for _, key := range o.Keys() {
		field, _ := o.Get(key)
		out.add(key, c.schema(field))
	}
	return out.String()
}

func (c *closer) all(v value.Value) string {
	list, ok := v.(value.Array)
	if !ok || len(list) == 0 {
		return c.refuse()
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = c.schema(item)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// kept reports whether the service knows a limit.
func kept(key string, v value.Value) bool {
	switch key {
	case "minItems":
		return v.Text() == "0" || v.Text() == "1"
	case "format":
		return slices.Contains(keptFormats, v.Text())
	case "pattern":
		// Look-arounds and the like are known to neither.
		_, err := regexp.Compile(v.Text())
		return err == nil && !strings.Contains(v.Text(), `\b`)
	}
	return false
}

// describe returns the description of a schema, with limits that the service
// does not know.
func describe(o *value.Object, limits []string) string {
	text := ""
	if d, ok := o.Get("description"); ok {
		text = d.Text()
	}
	if len(limits) > 0 {
		if text != "" {
			text += "\n\n"
		}
		text += "(" + strings.Join(limits, ", ") + ")"
	}
	return text
}

// members is a JSON object that is being written.
type members struct{ text strings.Builder }

func (m *members) add(key, json string) {
	if m.text.Len() > 0 {
		m.text.WriteByte(',')
	}
	m.text.WriteString(value.JSON(value.String(key)) + ":" + json)
}

func (m *members) String() string { return "{" + m.text.String() + "}" }

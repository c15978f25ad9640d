package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/runtime/value"
)

// A narrower narrows one schema.
type narrower struct {
	*Profile
	root    *jsonvalue.Object
	wrapped bool
	// following are the references on the way to the current schema, followed those
	// that were followed to their end.
	following, followed map[string]bool
	refused, lost       bool
}

// A place is the position of a schema in another one.
type place int

const (
	within place = iota
	atRoot
	// optional: the schema of an optional property, which must accept null.
	optional
)

// refuseSchema notes that the profile cannot express the schema.
func (n *narrower) refuseSchema() string {
	n.refused = true
	return "{}"
}

// keepOrRefuse returns a value where the profile expects another form.
func (n *narrower) keepOrRefuse(v jsonvalue.Value) string {
	if n.lenient {
		return encodeJSON(v)
	}
	return n.refuseSchema()
}

// narrowSchema narrows one schema.
func (n *narrower) narrowSchema(v jsonvalue.Value, at place) string {
	o, ok := v.(*jsonvalue.Object)
	if !ok || n.refused {
		return n.keepOrRefuse(v)
	}
	if ref, ok := o.Get("$ref"); ok && n.reference != nil {
		return n.reference(n, o, ref)
	}
	var out members
	follow, ok := "", true
	if n.body != nil {
		follow, ok = n.body(o, &out)
	}
	if !ok || n.complete != nil && !n.complete(o) {
		return n.refuseSchema()
	}
	var limits []string
	var definitions members
	properties, _ := propertiesOf(o)
	for _, key := range o.Keys() {
		v, _ := o.Get(key)
		r, known := n.rules[key]
		if !known || r.only != nil && !r.only(v) {
			r = n.rest
		}
		switch {
		case n.body != nil && slices.Contains(bodyKeywords, key) && key != follow:
			continue
		case n.allRequired && properties != nil && (key == "required" || key == "additionalProperties"):
			continue // finish adds them
		}
		name := cmp.Or(r.as, key)
		switch r.do {
		case refuse:
			return n.refuseSchema()
		case keep:
			out.addMember(name, n.keepKeyword(key, v, at))
		case keepInList:
			out.addMember(name, encodeJSON(jsonvalue.Array{v}))
		case describe:
			n.lost = true
			limits = append(limits, key+": "+encodeJSON(v))
		case narrowOne:
			out.addMember(name, n.narrowSchema(v, within))
		case narrowList:
			out.addMember(name, n.narrowSchemaList(v))
		case narrowNamed:
			out.addMember(name, n.narrowNamedSchemas(v))
		case define:
			if named, ok := v.(*jsonvalue.Object); ok && at == atRoot {
				n.addNarrowedSchemas(named, &definitions)
			}
		case narrowProperties:
			out.addMember(name, n.narrowObjectProperties(o, v))
		}
	}
	if n.body == nil || follow == "properties" {
		n.addObjectKeywords(o, &out)
	}
	if definitions.text.Len() > 0 {
		out.addMember("$defs", definitions.String())
	}
	if text := descriptionWithLimits(o, limits); text != "" && n.rest.do == describe {
		out.addMember("description", encodeJSON(jsonvalue.String(text)))
	}
	return out.String()
}

// keepKeyword returns the value of a keyword that stays. The schema of an optional
// property also gets null as a type and in its enum.
func (n *narrower) keepKeyword(key string, v jsonvalue.Value, at place) string {
	list, isList := v.(jsonvalue.Array)
	switch {
	case at != optional:
	case key == "type" && !isList:
		return encodeJSON(jsonvalue.Array{v, jsonvalue.String("null")})
	case key == "type":
		return encodeJSON(append(slices.Clone(list), jsonvalue.String("null")))
	case key == "enum" && isList:
		return encodeJSON(append(slices.Clone(list), jsonvalue.Null{}))
	}
	return encodeJSON(v)
}

func (n *narrower) narrowSchemaList(v jsonvalue.Value) string {
	list, ok := v.(jsonvalue.Array)
	if !ok || len(list) == 0 {
		return n.keepOrRefuse(v)
	}
	parts := make([]string, len(list))
	for i, item := range list {
		parts[i] = n.narrowSchema(item, within)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (n *narrower) narrowNamedSchemas(v jsonvalue.Value) string {
	o, ok := v.(*jsonvalue.Object)
	if !ok {
		return n.keepOrRefuse(v)
	}
	var out members
	n.addNarrowedSchemas(o, &out)
	return out.String()
}

// addNarrowedSchemas adds schemas by their names.
func (n *narrower) addNarrowedSchemas(o *jsonvalue.Object, out *members) {
	for _, key := range o.Keys() {
		part, _ := o.Get(key)
		out.addMember(key, n.narrowSchema(part, within))
	}
}

// narrowObjectProperties narrows the properties of an object. If the profile knows no
// optional ones, those accept null.
func (n *narrower) narrowObjectProperties(o *jsonvalue.Object, v jsonvalue.Value) string {
	properties, ok := v.(*jsonvalue.Object)
	if !ok || !n.allRequired {
		return n.narrowNamedSchemas(v)
	}
	required := requiredOf(o)
	var out members
	for _, name := range properties.Keys() {
		v, _ := properties.Get(name)
		property, ok := v.(*jsonvalue.Object)
		switch {
		case !ok || slices.Contains(required, name) || allowsNull(property, n.nullByType):
			out.addMember(name, n.narrowSchema(v, within))
		case n.nullByType && hasKeyword(property, "type") && !hasKeyword(property, "const"):
			out.addMember(name, n.narrowSchema(v, optional))
		default:
			out.addMember(name, `{"anyOf":[`+n.narrowSchema(v, within)+`,{"type":"null"}]}`)
		}
	}
	return out.String()
}

// addObjectKeywords adds the keywords of an object that the profile sets itself.
func (n *narrower) addObjectKeywords(o *jsonvalue.Object, out *members) {
	properties, ok := propertiesOf(o)
	if !ok {
		return
	}
	names := jsonvalue.Array{}
	if properties != nil {
		for _, name := range properties.Keys() {
			names = append(names, jsonvalue.String(name))
		}
	}
	if n.ordering && len(names) > 1 {
		out.addMember("propertyOrdering", encodeJSON(names))
	}
	if n.allRequired && properties != nil {
		if n.sorted {
			slices.SortFunc(names, func(a, b jsonvalue.Value) int { return strings.Compare(a.Text(), b.Text()) })
		}
		out.addMember("required", encodeJSON(names))
	}
	if n.closed && (properties != nil || !n.allRequired) {
		out.addMember("additionalProperties", "false")
	}
}

// descriptionWithLimits returns the description of a schema with the limits that became
// words.
func descriptionWithLimits(o *jsonvalue.Object, limits []string) string {
	text := ""
	if d, ok := o.Get("description"); ok {
		text = d.Text()
	}
	if len(limits) == 0 {
		return text
	}
	if text != "" {
		text += "\n\n"
	}
	return text + "(" + strings.Join(limits, ", ") + ")"
}

// encodeJSON returns a value as JSON. Unlike value.Encode it keeps the spelling of
// numbers.
func encodeJSON(v jsonvalue.Value) string {
	switch v := v.(type) {
	case jsonvalue.Number:
		return string(v)
	case jsonvalue.Array:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = encodeJSON(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *jsonvalue.Object:
		var out members
		out.copyFrom(v, nil)
		return out.String()
	}
	return value.Encode(v)
}

// members are the members of a JSON object, in the order in which they are
// added.
type members struct{ text strings.Builder }

func (m *members) addMember(key, json string) {
	if m.text.Len() > 0 {
		m.text.WriteByte(',')
	}
	m.text.WriteString(value.Encode(jsonvalue.String(key)) + ":" + json)
}

// copyFrom adds the members of an object whose keys pass the filter; nil passes all.
func (m *members) copyFrom(o *jsonvalue.Object, filter func(key string) bool) {
	for _, key := range o.Keys() {
		if filter == nil || filter(key) {
			v, _ := o.Get(key)
			m.addMember(key, encodeJSON(v))
		}
	}
}

func (m *members) String() string { return "{" + m.text.String() + "}" }

// parseObject parses the members.
func (m *members) parseObject() *jsonvalue.Object {
	v, err := jsonvalue.Parse(m.String())
	if err != nil {
		panic(err) // all members were parsed from JSON
	}
	return v.(*jsonvalue.Object)
}

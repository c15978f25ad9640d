package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/value"
)

// A narrower narrows one schema.
type narrower struct {
	*Profile
	root    *value.Object
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

// refuse notes that the profile cannot express the schema.
func (n *narrower) refuse() string {
	n.refused = true
	return "{}"
}

// other returns a value where the profile expects another form.
func (n *narrower) other(v value.Value) string {
	if n.lenient {
		return write(v)
	}
	return n.refuse()
}

// schema narrows one schema.
func (n *narrower) schema(v value.Value, at place) string {
	o, ok := v.(*value.Object)
	if !ok || n.refused {
		return n.other(v)
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
		return n.refuse()
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
			return n.refuse()
		case keep:
			out.add(name, n.kept(key, v, at))
		case keepInList:
			out.add(name, write(value.Array{v}))
		case describe:
			n.lost = true
			limits = append(limits, key+": "+write(v))
		case narrowOne:
			out.add(name, n.schema(v, within))
		case narrowList:
			out.add(name, n.list(v))
		case narrowNamed:
			out.add(name, n.named(v))
		case define:
			if named, ok := v.(*value.Object); ok && at == atRoot {
				n.define(named, &definitions)
			}
		case narrowProperties:
			out.add(name, n.properties(o, v))
		}
	}
	if n.body == nil || follow == "properties" {
		n.finish(o, &out)
	}
	if definitions.text.Len() > 0 {
		out.add("$defs", definitions.String())
	}
	if text := described(o, limits); text != "" && n.rest.do == describe {
		out.add("description", write(value.String(text)))
	}
	return out.String()
}

// kept returns the value of a keyword that stays. The schema of an optional
// property also gets null as a type and in its enum.
func (n *narrower) kept(key string, v value.Value, at place) string {
	list, isList := v.(value.Array)
	switch {
	case at != optional:
	case key == "type" && !isList:
		return write(value.Array{v, value.String("null")})
	case key == "type":
		return write(append(slices.Clone(list), value.String("null")))
	case key == "enum" && isList:
		return write(append(slices.Clone(list), value.Null{}))
	}
	return write(v)
}

func (n *narrower) list(v value.Value) string {
	list, ok := v.(value.Array)
	if !ok || len(list) == 0 {
		return n.other(v)
	}
	parts := make([]string, len(list))
	for i, item := range list {
		parts[i] = n.schema(item, within)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (n *narrower) named(v value.Value) string {
	o, ok := v.(*value.Object)
	if !ok {
		return n.other(v)
	}
	var out members
	n.define(o, &out)
	return out.String()
}

// define adds schemas by their names.
func (n *narrower) define(o *value.Object, out *members) {
	for _, key := range o.Keys() {
		part, _ := o.Get(key)
		out.add(key, n.schema(part, within))
	}
}

// properties narrows the properties of an object. If the profile knows no
// optional ones, those accept null.
func (n *narrower) properties(o *value.Object, v value.Value) string {
	properties, ok := v.(*value.Object)
	if !ok || !n.allRequired {
		return n.named(v)
	}
	required := requiredOf(o)
	var out members
	for _, name := range properties.Keys() {
		v, _ := properties.Get(name)
		property, ok := v.(*value.Object)
		switch {
		case !ok || slices.Contains(required, name) || allowsNull(property, n.nullByType):
			out.add(name, n.schema(v, within))
		case n.nullByType && has(property, "type") && !has(property, "const"):
			out.add(name, n.schema(v, optional))
		default:
			out.add(name, `{"anyOf":[`+n.schema(v, within)+`,{"type":"null"}]}`)
		}
	}
	return out.String()
}

// finish adds the keywords of an object that the profile sets itself.
func (n *narrower) finish(o *value.Object, out *members) {
	properties, ok := propertiesOf(o)
	if !ok {
		return
	}
	names := value.Array{}
	if properties != nil {
		for _, name := range properties.Keys() {
			names = append(names, value.String(name))
		}
	}
	if n.ordering && len(names) > 1 {
		out.add("propertyOrdering", write(names))
	}
	if n.allRequired && properties != nil {
		if n.sorted {
			slices.SortFunc(names, func(a, b value.Value) int { return strings.Compare(a.Text(), b.Text()) })
		}
		out.add("required", write(names))
	}
	if n.closed && (properties != nil || !n.allRequired) {
		out.add("additionalProperties", "false")
	}
}

// described returns the description of a schema with the limits that became
// words.
func described(o *value.Object, limits []string) string {
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

// write returns a value as JSON. Unlike value.Encode it keeps the spelling of
// numbers.
func write(v value.Value) string {
	switch v := v.(type) {
	case value.Number:
		return string(v)
	case value.Array:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = write(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *value.Object:
		var out members
		out.copy(v, nil)
		return out.String()
	}
	return value.Encode(v)
}

// members are the members of a JSON object, in the order in which they are
// added.
type members struct{ text strings.Builder }

func (m *members) add(key, json string) {
	if m.text.Len() > 0 {
		m.text.WriteByte(',')
	}
	m.text.WriteString(value.Encode(value.String(key)) + ":" + json)
}

// copy adds the members of an object whose keys pass the filter; nil passes all.
func (m *members) copy(o *value.Object, filter func(key string) bool) {
	for _, key := range o.Keys() {
		if filter == nil || filter(key) {
			v, _ := o.Get(key)
			m.add(key, write(v))
		}
	}
}

func (m *members) String() string { return "{" + m.text.String() + "}" }

// object parses the members.
func (m *members) object() *value.Object {
	v, err := value.Parse(m.String())
	if err != nil {
		panic(err) // all members were parsed from JSON
	}
	return v.(*value.Object)
}

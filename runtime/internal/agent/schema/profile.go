package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
)

// A Profile describes the part of JSON Schema that a service accepts.
type Profile struct {
	// rules are the actions for keywords, and rest the one for a keyword without a rule.
	// A profile without rules changes nothing below the root.
	rules map[string]rule
	rest  rule

	// wrapper is the property that holds a reply which is not an object; "" sends
	// such schemas unwrapped.
	wrapper string
	// objectOnly refuses a root without properties, and plainRoot wraps one with a
	// choice.
	objectOnly, plainRoot bool
	// hint: the service does not enforce the schema, so only the wrapper changes it.
	hint bool

	// closed forbids further properties in objects with properties.
	closed bool
	// allRequired: the service knows no optional properties. nullByType: whether an
	// optional property accepts null is a matter of its type alone, and null is
	// added to that type.
	allRequired, nullByType bool
	// ordering adds propertyOrdering, and sorted sorts keys by name.
	ordering, sorted bool
	// lenient copies values of an unexpected form; otherwise they refuse the schema.
	lenient bool

	// reference narrows a $ref; nil treats it like any keyword.
	reference func(n *narrower, o *jsonvalue.Object, ref jsonvalue.Value) string
	// complete reports whether a schema says enough for the service; nil accepts all.
	complete func(o *jsonvalue.Object) bool
	// body adds the type of a schema and names the only one of bodyKeywords that is
	// narrowed after it; ok is false if the service cannot express the schema.
	body func(o *jsonvalue.Object, out *members) (follow string, ok bool)
}

// An action is the treatment of a keyword.
type action int

const (
	drop action = iota
	keep
	// keepInList makes the value the only element of a list.
	keepInList
	// describe moves a limit into the description.
	describe
	// refuse gives up the schema.
	refuse
	// The value is a schema, a list of schemas, schemas by name, or properties.
	narrowOne
	narrowList
	narrowNamed
	narrowProperties
	// define collects definitions at the root.
	define
)

// A rule is the treatment of one keyword.
type rule struct {
	do action
	// as is the keyword's new name, or "".
	as string
	// only limits the rule to some values; nil accepts all.
	only func(v jsonvalue.Value) bool
}

// makeRules makes rules of lists of keywords by action, and of single ones.
func makeRules(lists map[action]string, rules map[string]rule) map[string]rule {
	for do, keywords := range lists {
		for keyword := range strings.FieldsSeq(keywords) {
			rules[keyword] = rule{do: do}
		}
	}
	return rules
}

// conditions are keywords that describe sets of values no service can generate
// from.
const conditions = "not if then else dependentRequired dependentSchemas dependencies patternProperties propertyNames contains " +
	"prefixItems additionalItems unevaluatedProperties unevaluatedItems $dynamicRef $recursiveRef "

// Anthropic is the profile of output_config.format. The service accepts closed
// objects only, no recursion and few limits: the profile closes objects (a closed schema
// accepts a subset of the open one), turns oneOf into anyOf, and moves limits into
// descriptions.
var Anthropic = &Profile{
	objectOnly: true, closed: true, reference: definedReference, complete: canBeClosed,
	rest: rule{do: describe},
	rules: makeRules(map[action]string{
		keep:             "type title enum const required default",
		drop:             "$schema $id $comment $anchor examples deprecated readOnly writeOnly description additionalProperties",
		refuse:           conditions,
		narrowNamed:      "$defs definitions",
		narrowProperties: "properties",
		narrowOne:        "items",
		narrowList:       "anyOf allOf",
	}, map[string]rule{
		"oneOf":    {do: narrowList, as: "anyOf"},
		"minItems": {do: keep, only: func(v jsonvalue.Value) bool { return v.Text() == "0" || v.Text() == "1" }},
		"format":   {do: keep, only: oneOf("date-time time date duration email hostname uri ipv4 ipv6 uuid")},
		"pattern":  {do: keep, only: plainPattern},
	}),
}

// OpenAI is the profile of strict mode in Chat Completions: every object is
// closed, every property required, and the root is an object. Limits that strict
// mode does not know are dropped.
var OpenAI = &Profile{
	wrapper: "answer", plainRoot: true, closed: true, allRequired: true, reference: strictReference, body: strictBody,
	rules: makeRules(map[action]string{
		keep:             "title description pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems",
		refuse:           "allOf $anchor " + conditions,
		define:           "$defs definitions",
		narrowProperties: "properties",
		narrowOne:        "items",
		narrowList:       "anyOf",
	}, map[string]rule{
		"oneOf":  {do: narrowList, as: "anyOf"},
		"format": {do: keep, only: oneOf("date-time time date duration email hostname ipv4 ipv6 uuid")},
	}),
}

// OpenAIHint is the profile of Chat Completions without strict mode.
var OpenAIHint = &Profile{wrapper: "answer", plainRoot: true, hint: true}

// Codex is the profile of `codex exec --output-schema`. The service requires all
// properties and forbids others; it judges other keywords itself.
var Codex = &Profile{
	wrapper: "value", closed: true, allRequired: true, nullByType: true, sorted: true, lenient: true,
	rest: rule{do: keep},
	rules: makeRules(map[action]string{
		narrowOne:        "items not additionalItems contains",
		narrowList:       "anyOf oneOf allOf prefixItems",
		narrowNamed:      "$defs definitions",
		narrowProperties: "properties",
	}, map[string]rule{}),
}

// Claude is the profile of `claude --json-schema`, which requires an object.
var Claude = &Profile{wrapper: "value", closed: true, lenient: true}

// Google is the profile of responseJsonSchema. The service ignores the order of
// properties in maps, so the profile adds it. It drops unknown keywords.
var Google = &Profile{
	ordering: true, lenient: true, reference: renamedReference,
	rules: makeRules(map[action]string{
		keep:             "$id $anchor type format title description enum minItems maxItems minimum maximum required propertyOrdering",
		narrowNamed:      "$defs",
		narrowProperties: "properties",
		narrowOne:        "items additionalProperties",
		narrowList:       "prefixItems anyOf oneOf",
	}, map[string]rule{
		"definitions": {do: narrowNamed, as: "$defs"},
		"const":       {do: keepInList, as: "enum"},
	}),
}

func oneOf(words string) func(v jsonvalue.Value) bool {
	return func(v jsonvalue.Value) bool {
		s, ok := v.(jsonvalue.String)
		return ok && slices.Contains(strings.Fields(words), string(s))
	}
}

// plainPattern reports whether a pattern has no look-around and the like.
func plainPattern(v jsonvalue.Value) bool {
	_, err := regexp.Compile(v.Text())
	return err == nil && !strings.Contains(v.Text(), `\b`)
}

// canBeClosed reports whether a schema can be closed: an object names its fields, an
// array has a schema for its items, and anything else has a type.
func canBeClosed(o *jsonvalue.Object) bool {
	for _, key := range []string{"properties", "enum", "const", "anyOf", "oneOf", "allOf"} {
		if hasKeyword(o, key) {
			return true
		}
	}
	t, ok := o.Get("type")
	if !ok {
		return false
	}
	names, isList := t.(jsonvalue.Array)
	if !isList {
		names = jsonvalue.Array{t}
	}
	return !slices.ContainsFunc(names, func(name jsonvalue.Value) bool {
		return name.Text() == "object" || name.Text() == "array" && !hasKeyword(o, "items")
	})
}

// definedReference narrows a reference to a definition of the document. It
// refuses one that leads back to itself.
func definedReference(n *narrower, _ *jsonvalue.Object, ref jsonvalue.Value) string {
	name := ref.Text()
	target, ok := n.findDefinition(name)
	if !ok || n.following[name] {
		return n.refuseSchema()
	}
	if !n.followed[name] {
		n.following[name] = true
		n.narrowSchema(target, within) // for the references in it
		delete(n.following, name)
		n.followed[name] = true
	}
	return `{"$ref":` + encodeJSON(ref) + `}`
}

// findDefinition returns the definition that a reference names.
func (n *narrower) findDefinition(ref string) (jsonvalue.Value, bool) {
	for _, folder := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(ref, "#/"+folder+"/")
		if !ok || strings.ContainsAny(name, "/~%") {
			continue
		}
		defs, _ := n.root.Get(folder)
		if o, isObject := defs.(*jsonvalue.Object); isObject {
			return o.Get(name)
		}
	}
	return nil, false
}

// renamedReference narrows a reference to the newer name of definitions.
func renamedReference(_ *narrower, _ *jsonvalue.Object, ref jsonvalue.Value) string {
	if text, ok := ref.(jsonvalue.String); ok {
		if name, old := strings.CutPrefix(string(text), "#/definitions/"); old {
			ref = jsonvalue.String("#/$defs/" + name)
		}
	}
	return `{"$ref":` + encodeJSON(ref) + `}`
}

// strictReference narrows a reference to the root or to a definition. Only descriptions
// may be beside it.
func strictReference(n *narrower, o *jsonvalue.Object, ref jsonvalue.Value) string {
	if slices.ContainsFunc(o.Keys(), func(key string) bool {
		return !slices.Contains([]string{"$ref", "title", "description", "$defs", "definitions"}, key)
	}) {
		return n.refuseSchema()
	}
	target, _ := ref.(jsonvalue.String)
	name, defined := strings.CutPrefix(string(target), "#/$defs/")
	if !defined {
		name, defined = strings.CutPrefix(string(target), "#/definitions/")
	}
	switch {
	case strings.Contains(name, "/"), !defined && (target != "#" || n.wrapped):
		return n.refuseSchema()
	case defined:
		target = jsonvalue.String("#/$defs/" + name)
	}
	return `{"$ref":` + encodeJSON(target) + `}`
}

// bodyKeywords say of which form a value is. Strict mode knows one form a
// schema.
var bodyKeywords = []string{"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "oneOf"}

// strictBody adds the type of a schema for strict mode, and returns the keyword
// to narrow after it.
func strictBody(o *jsonvalue.Object, out *members) (follow string, ok bool) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if v, ok := o.Get(keyword); ok {
			return keyword, aloneIn(o, v)
		}
	}
	if v, ok := o.Get("const"); ok {
		return "", strictEnum(o, jsonvalue.Array{v}, out)
	}
	if v, ok := o.Get("enum"); ok {
		list, ok := v.(jsonvalue.Array)
		return "", ok && strictEnum(o, list, out)
	}
	t := typeOf(o)
	switch t {
	case "object":
		return strictObject(o, out)
	case "array":
		out.addMember("type", encodeJSON(jsonvalue.String(t)))
		return "items", hasKeyword(o, "items")
	case "":
		v, _ := o.Get("type")
		list, ok := v.(jsonvalue.Array)
		out.addMember("type", encodeJSON(list))
		return "", ok && len(list) > 0 && !slices.Contains(list, jsonvalue.Value(jsonvalue.String("object"))) && !slices.Contains(list, jsonvalue.Value(jsonvalue.String("array")))
	}
	out.addMember("type", encodeJSON(jsonvalue.String(t)))
	return "", true
}

// aloneIn reports whether a choice says everything about a value. oneOf becomes
// anyOf: the caller checks the reply.
func aloneIn(o *jsonvalue.Object, choice jsonvalue.Value) bool {
	for _, keyword := range []string{"type", "properties", "items", "enum", "const", "required"} {
		if hasKeyword(o, keyword) {
			return false
		}
	}
	list, ok := choice.(jsonvalue.Array)
	return ok && len(list) > 0 && !(hasKeyword(o, "anyOf") && hasKeyword(o, "oneOf"))
}

// strictEnum adds a list of values with their types.
func strictEnum(o *jsonvalue.Object, list jsonvalue.Array, out *members) bool {
	var types jsonvalue.Array
	for _, v := range list {
		var t jsonvalue.Value
		switch v.(type) {
		case jsonvalue.String:
			t = jsonvalue.String("string")
		case jsonvalue.Number:
			t = jsonvalue.String("number")
		case jsonvalue.Bool:
			t = jsonvalue.String("boolean")
		case jsonvalue.Null:
			t = jsonvalue.String("null")
		default:
			return false
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	switch {
	case len(types) == 0:
		return false
	case len(types) > 1:
		out.addMember("type", encodeJSON(types))
	case types[0] == jsonvalue.Value(jsonvalue.String("number")) && typeOf(o) == "integer":
		out.addMember("type", `"integer"`)
	default:
		out.addMember("type", encodeJSON(types[0]))
	}
	out.addMember("enum", encodeJSON(list))
	return true
}

// strictObject adds the type of an object, which must be closed already or leave
// open whether it is.
func strictObject(o *jsonvalue.Object, out *members) (follow string, ok bool) {
	properties, _ := propertiesOf(o)
	extra, said := o.Get("additionalProperties")
	if said && extra != jsonvalue.Value(jsonvalue.Bool(false)) || properties == nil && !said {
		return "", false
	}
	out.addMember("type", `"object"`)
	if properties == nil {
		out.addMember("properties", "{}")
		out.addMember("required", "[]")
		out.addMember("additionalProperties", "false")
		return "", len(requiredOf(o)) == 0
	}
	return "properties", !slices.ContainsFunc(requiredOf(o), func(name string) bool { return !hasKeyword(properties, name) })
}

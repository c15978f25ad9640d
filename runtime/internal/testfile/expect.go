package testfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// runStatuses and stepStatuses are the statuses that a test can expect.
var (
	runStatuses  = []string{string(flow.Completed), string(flow.Failed), string(flow.Paused), string(flow.Cancelled), string(flow.LimitReached)}
	stepStatuses = []string{string(flow.Completed), string(flow.Failed), string(flow.Skipped), string(flow.Cancelled), string(flow.Waiting), string(flow.Pending)}
)

// matcherField is the field of a matcher.
func matcherField[T any](name, doc string, at func(*T) **Matcher) field[T] {
	return field[T]{name: name, doc: doc, shape: refShape("matcher"),
		read: func(d *decoder, n *yaml.Node, into *T) { *at(into) = d.decodeMatcher(n) }}
}

// matchEach is the field of matchers by name.
func matchEach[T any](name, doc string, at func(*T) *Entries[*Matcher]) field[T] {
	return field[T]{name: name, doc: doc, shape: mapShape(refShape("matcher")),
		read: func(d *decoder, n *yaml.Node, into *T) {
			*at(into) = decodeEntries(d, n, "`"+name+"`", d.decodeMatcher)
		}}
}

// matchMany is the field of lists of matchers by name.
func matchMany[T any](name, doc string, at func(*T) *Entries[Matchers]) field[T] {
	return field[T]{name: name, doc: doc, shape: mapShape(manyShape(refShape("matcher"))),
		read: func(d *decoder, n *yaml.Node, into *T) {
			*at(into) = decodeEntries(d, n, "`"+name+"`", func(n *yaml.Node) Matchers {
				return Matchers{placeOf(n), decodeList(n, d.decodeMatcher), n.Kind != yaml.SequenceNode}
			})
		}}
}

// nameList is the field of a list of names.
func nameList[T any](name, doc string, at func(*T) **Names) field[T] {
	return field[T]{name: name, doc: doc, shape: shape{"oneOf": []any{manyShape(textShape), shape{
		"type": "object", "additionalProperties": false, "required": []string{"only"},
		"properties": shape{"only": shape{"type": "array", "items": textShape, "description": "exactly these"}}}}},
		read: func(d *decoder, n *yaml.Node, into *T) { *at(into) = d.decodeNames(n, name) }}
}

// numberField is the field of a number or a range.
func numberField[T any](name, doc string, at func(*T) **Number) field[T] {
	return field[T]{name: name, doc: doc, shape: refShape("number"),
		read: func(d *decoder, n *yaml.Node, into *T) {
			v := d.decodeNumber(n, "`"+name+"`")
			*at(into) = &v
		}}
}

func statusField[T any](known []string, doc string, at func(*T) *Name) field[T] {
	return field[T]{name: "status", doc: doc, shape: enumShape(known...),
		read: func(d *decoder, n *yaml.Node, into *T) {
			*at(into) = Name{placeOf(resolveAlias(n)), d.oneOf(n, "status", known)}
		}}
}

func expectKeys() []field[Expect] {
	return []field[Expect]{
		statusField(runStatuses, "status of the run; default: completed", func(e *Expect) *Name { return &e.Status }),
		numberField("exit", "exit code of the program that runs the workflow", func(e *Expect) **Number { return &e.Exit }),
		matcherField("reason", "reason of the run's end", func(e *Expect) **Matcher { return &e.Reason }),
		matcherField("error", "message of the run's failure", func(e *Expect) **Matcher { return &e.Error }),
		matcherField("summary", "output of the run for people", func(e *Expect) **Matcher { return &e.Summary }),
		matchEach("outputs", "outputs of the run by name", func(e *Expect) *Entries[*Matcher] { return &e.Outputs }),
		{name: "nodes", doc: "ends of nodes or steps: an output, or status, output, reason, error and attempts", shape: mapShape(refShape("node")),
			read: func(d *decoder, n *yaml.Node, e *Expect) { e.Nodes = decodeEntries(d, n, "`nodes`", d.decodeNode) }},
		matchMany("prompts", "prompts of a node, in order; a single one is for every prompt", func(e *Expect) *Entries[Matchers] { return &e.Prompts }),
		matchMany("values", "values that the scripts of a node get, as lines `NAME = VALUE`, in order; a single one is for every script", func(e *Expect) *Entries[Matchers] { return &e.Values }),
		matchMany("programs", "code of the scripts of a node, without their values, in order; a single one is for every script", func(e *Expect) *Entries[Matchers] { return &e.Programs }),
		nameList("ran", "nodes that ran; {only: […]} allows no others", func(e *Expect) **Names { return &e.Ran }),
		nameList("skipped", "nodes that were skipped", func(e *Expect) **Names { return &e.Skipped }),
		nameList("failed", "nodes that failed", func(e *Expect) **Names { return &e.Failed }),
		{name: "order", doc: "steps in the order in which they started", shape: shape{"type": "array", "items": textShape},
			read: func(d *decoder, n *yaml.Node, e *Expect) {
				e.Order = decodeList(n, func(n *yaml.Node) Name { return d.decodeName(n, "a step") })
			}},
		{name: "before", doc: "pairs of steps: the first one ended before the second one started", shape: mapShape(manyShape(textShape)),
			read: func(d *decoder, n *yaml.Node, e *Expect) {
				for _, pair := range decodeEntries(d, n, "`before`", func(n *yaml.Node) []Name {
					return decodeList(n, func(n *yaml.Node) Name { return d.decodeName(n, "a step") })
				}) {
					for _, later := range pair.Value {
						e.Before = append(e.Before, [2]Name{{pair.Place, pair.Key}, later})
					}
				}
			}},
		{name: "iterations", doc: "iterations of loops, and visits of nodes of state graphs", shape: mapShape(refShape("number")),
			read: func(d *decoder, n *yaml.Node, e *Expect) {
				e.Loops = decodeEntries(d, n, "`iterations`", func(n *yaml.Node) Number { return d.decodeNumber(n, "a number of iterations") })
			}},
		matchEach("state", "variables of a state graph at its end", func(e *Expect) *Entries[*Matcher] { return &e.State }),
		matchMany("questions", "questions of a node to a person, in order", func(e *Expect) *Entries[Matchers] { return &e.Asked }),
		matchMany("waits", "waits of a node for the quotas of agents, in order, such as `claude 3h`", func(e *Expect) *Entries[Matchers] { return &e.Waits }),
		matchEach("files", "files of the working folder at the end; {absent: true} for none", func(e *Expect) *Entries[*Matcher] { return &e.Files }),
		matchMany("delivered", "messages by target, in order", func(e *Expect) *Entries[Matchers] { return &e.Messages }),
		matchMany("commands", "arguments of the calls of a stand-in, in order", func(e *Expect) *Entries[Matchers] { return &e.Commands }),
		numberField("cost", "cost of the run in US dollars", func(e *Expect) **Number { return &e.Cost }),
		numberField("turns", "turns of agents", func(e *Expect) **Number { return &e.Turns }),
		{name: "warnings", doc: "warnings in the run's log", shape: manyShape(refShape("matcher")),
			read: func(d *decoder, n *yaml.Node, e *Expect) { e.Warnings = decodeList(n, d.decodeMatcher) }},
		nameList("diagnostics", "codes of the findings of wfc check", func(e *Expect) **Names { return &e.Diagnostics }),
	}
}

func nodeKeys() []field[Node] {
	return []field[Node]{
		statusField(stepStatuses, "status of the node", func(n *Node) *Name { return &n.Status }),
		matcherField("output", "output of the node", func(n *Node) **Matcher { return &n.Output }),
		matcherField("reason", "reason why the node was skipped or cancelled", func(n *Node) **Matcher { return &n.Reason }),
		matcherField("error", "message of the node's failure", func(n *Node) **Matcher { return &n.Error }),
		numberField("attempts", "attempts at the node's action", func(n *Node) **Number { return &n.Attempts }),
	}
}

// decodeNode decodes the expectation of a node: its output, or a mapping.
func (d *decoder) decodeNode(n *yaml.Node) Node {
	e := Node{Place: placeOf(n)}
	if n.Kind == yaml.MappingNode && !isMatcher(n) {
		decodeObject(d, n, "the expectation of a node", nodeKeys(), &e)
		return e
	}
	e.Output = d.decodeMatcher(n)
	return e
}

// isMatcher reports whether a mapping begins with a key of matchers.
func isMatcher(n *yaml.Node) bool {
	if len(n.Content) == 0 {
		return false
	}
	return slices.ContainsFunc(matcherKeys(), func(f field[Matcher]) bool { return n.Content[0].Value == f.name })
}

func matcherKeys() []field[Matcher] {
	texts := func(name, doc string, at func(*Matcher) *[]Name) field[Matcher] {
		return field[Matcher]{name: name, doc: doc, shape: manyShape(textShape), read: func(d *decoder, n *yaml.Node, m *Matcher) {
			*at(m) = decodeList(n, func(n *yaml.Node) Name { return d.decodeName(n, "`"+name+"`") })
		}}
	}
	patterns := func(name, doc string, at func(*Matcher) *[]Pattern) field[Matcher] {
		return field[Matcher]{name: name, doc: doc, shape: manyShape(textShape), read: func(d *decoder, n *yaml.Node, m *Matcher) {
			*at(m) = decodeList(n, func(n *yaml.Node) Pattern { return Pattern{placeOf(n), d.decodePattern(n, "`"+name+"`")} })
		}}
	}
	return []field[Matcher]{
		{name: "equals", doc: "the value", shape: anyShape, read: func(d *decoder, n *yaml.Node, m *Matcher) { m.Equals = d.decodeValue(n) }},
		texts("contains", "strings in the text", func(m *Matcher) *[]Name { return &m.Contains }),
		texts("not_contains", "strings that must not be in the text", func(m *Matcher) *[]Name { return &m.Without }),
		patterns("matches", "regular expressions that match a part of the text", func(m *Matcher) *[]Pattern { return &m.Matches }),
		patterns("not_matches", "regular expressions that must match nothing", func(m *Matcher) *[]Pattern { return &m.Differs }),
		{name: "json", doc: "JSON that the value must contain: at least these fields of objects and elements of arrays", shape: anyShape,
			read: func(d *decoder, n *yaml.Node, m *Matcher) { m.Part = d.decodeValue(n) }},
		{name: "schema", doc: "JSON Schema of the value", shape: shape{"type": "object"}, read: func(d *decoder, n *yaml.Node, m *Matcher) { m.Schema = d.decodeValue(n) }},
		{name: "absent", doc: "the value is absent", shape: flagShape, read: func(d *decoder, n *yaml.Node, m *Matcher) { m.Absent = d.decodeBool(n, "`absent`") }},
	}
}

// decodeMatcher decodes a matcher: a mapping of conditions, or the value itself.
func (d *decoder) decodeMatcher(n *yaml.Node) *Matcher {
	n = resolveAlias(n)
	m := &Matcher{Place: placeOf(n)}
	if n.Kind == yaml.MappingNode {
		decodeObject(d, n, "an expectation", matcherKeys(), m)
		return m
	}
	m.Equals = d.decodeValue(n)
	return m
}

func (d *decoder) decodeNames(n *yaml.Node, what string) *Names {
	n = resolveAlias(n)
	names := &Names{Place: placeOf(n)}
	read := func(n *yaml.Node) {
		names.List = decodeList(n, func(n *yaml.Node) Name { return d.decodeName(n, "a name") })
	}
	if n.Kind == yaml.MappingNode {
		names.All = true
		decodeObject(d, n, "`"+what+"`", []field[Names]{{name: "only", required: true, read: func(_ *decoder, n *yaml.Node, _ *Names) { read(n) }}}, names)
		return names
	}
	read(n)
	return names
}

func rangeKeys() []field[Number] {
	return []field[Number]{
		{name: "min", doc: "the least value", shape: numberShape, read: func(d *decoder, n *yaml.Node, v *Number) { v.Min = d.decodeFloat(n, "`min`") }},
		{name: "max", doc: "the greatest value", shape: numberShape, read: func(d *decoder, n *yaml.Node, v *Number) { v.Max = d.decodeFloat(n, "`max`") }},
	}
}

// decodeNumber decodes a number, or a range {min: 1, max: 3}.
func (d *decoder) decodeNumber(n *yaml.Node, what string) Number {
	n = resolveAlias(n)
	v := Number{Place: placeOf(n), Max: maxNumber}
	if n.Kind == yaml.MappingNode {
		decodeObject(d, n, what, rangeKeys(), &v)
		return v
	}
	v.Min = d.decodeFloat(n, what)
	v.Max = v.Min
	return v
}

package suite

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A slot is a place of a test that has a list of gives: the replies to a node, the results
// of a program, the answers to a question, the value of an input.
type slot struct {
	// kind is a key of tests: inputs, agents, bash, scripts or answers.
	kind string
	// key is the name of an input, or the address of a node or step.
	key string
}

// A give is a reply, result, answer or value.
type give struct {
	// data is a string, or the value of a structured output or of an input.
	data any
	// structured says that data is written as JSON.
	structured bool
	// fail is the message of a failure, and class its class.
	fail, class string
	exit        int
	// delay is a duration on the virtual clock, or "".
	delay string
	// choice is an answer, and text its words.
	choice, text string
	// absent leaves an input out.
	absent bool
}

// A flip is a change of a scenario.
type flip struct {
	slot slot
	// at is the place in the list of the slot, or every for all of the list.
	at int
	// path leads to the part of a structured give that changes; without a path, to
	// replaces the whole give.
	path []string
	to   give
	// text describes the change in the name of a test.
	text string
}

// every is the place of a flip that changes the whole list of a slot.
const every = -1

// element is the part of a path that means every element of a list.
const element = "[]"

// A scenario is a candidate for a test.
type scenario struct {
	lists map[slot][]give
	files map[string]string
	// flips are the changes that led here from the first scenario, in order.
	flips []flip
}

func (s *scenario) clone() *scenario {
	return &scenario{lists: maps.Clone(s.lists), files: s.files, flips: slices.Clone(s.flips)}
}

// withFlips returns the scenario after changes.
func (s *scenario) withFlips(flips ...flip) *scenario {
	n := s.clone()
	for _, f := range flips {
		n.applyFlip(f)
	}
	return n
}

func (s *scenario) applyFlip(f flip) {
	list := slices.Clone(s.lists[f.slot])
	if len(list) == 0 {
		if len(f.path) > 0 {
			return
		}
		list = []give{f.to}
	}
	change := func(g give) give {
		if len(f.path) == 0 {
			return f.to
		}
		if !g.structured || g.fail != "" {
			return g
		}
		g.data = withPart(g.data, f.path, f.to)
		return g
	}
	switch {
	case f.at == every && len(f.path) == 0:
		list = []give{f.to}
	case f.at == every:
		for i := range list {
			list[i] = change(list[i])
		}
	default:
		for len(list) < f.at+2 {
			list = append(list, list[len(list)-1])
		}
		list[f.at] = change(list[f.at])
	}
	s.lists[f.slot] = list
	for i, old := range s.flips {
		if old.slot == f.slot && old.at == f.at && (len(f.path) == 0 || slices.Equal(old.path, f.path)) {
			s.flips = slices.Delete(s.flips, i, i+1)
			break
		}
	}
	s.flips = append(s.flips, f)
}

// withPart returns a value in which the part at a path is replaced, or removed by an
// absent give.
func withPart(v any, path []string, to give) any {
	if len(path) == 0 {
		return to.data
	}
	if path[0] == element {
		list, _ := v.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list = slices.Clone(list)
		for i := range list {
			list[i] = withPart(list[i], path[1:], to)
		}
		return list
	}
	object, _ := v.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	if len(path) == 1 && to.absent {
		delete(object, path[0])
		return object
	}
	object[path[0]] = withPart(object[path[0]], path[1:], to)
	return object
}

// testFileValue returns a give as test files have it.
func (g give) testFileValue(kind string) any {
	switch kind {
	case "inputs":
		return g.data
	case "answers":
		switch {
		case g.choice == "":
			if g.text == "" {
				return "none"
			}
			return map[string]any{"text": g.text}
		case g.text == "":
			return g.choice
		}
		for _, short := range []string{"approve", "reject", "edit", "feedback", "signal"} {
			if g.choice == short {
				return map[string]any{short: g.text}
			}
		}
		return map[string]any{"choice": g.choice, "text": g.text}
	}
	m := map[string]any{}
	if g.delay != "" {
		m["delay"] = g.delay
	}
	switch {
	case g.fail != "" && kind == "agents":
		m["fail"] = g.fail
		if g.class != "" {
			m["class"] = g.class
		}
		return m
	case g.fail != "" || g.exit != 0:
		m["exit"] = max(g.exit, 1)
		if g.fail != "" {
			m["error"] = g.fail
		}
		if text, ok := g.data.(string); ok && text != "" {
			m["output"] = text
		}
		return m
	case g.structured:
		m["json"] = g.data
		return m
	case len(m) > 0:
		m["text"] = g.data
		if kind != "agents" {
			delete(m, "text")
			m["output"] = g.data
		}
		return m
	}
	if g.data == "real" && kind != "agents" {
		return map[string]any{"output": g.data}
	}
	return g.data
}

// testFileGives returns the gives of a slot as test files have them. Equal gives at the end are one,
// because the last one repeats.
func (s *scenario) testFileGives(at slot) any {
	var list []any
	for _, g := range s.lists[at] {
		list = append(list, g.testFileValue(at.kind))
	}
	for n := len(list); n > 1 && encodeJSON(list[n-1]) == encodeJSON(list[n-2]); n = len(list) {
		list = list[:n-1]
	}
	if len(list) == 1 {
		if _, isList := list[0].([]any); !isList || at.kind == "inputs" {
			return list[0]
		}
	}
	return list
}

// writtenSlots returns the slots with something to write, in order.
func (s *scenario) writtenSlots(kind string) []slot {
	var list []slot
	for at, gives := range s.lists {
		if at.kind == kind && len(gives) > 0 && !gives[0].absent {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b slot) int { return strings.Compare(a.key, b.key) })
	return list
}

// kinds are the kinds of slots in the order of test files.
var kinds = []string{"inputs", "agents", "bash", "scripts", "answers"}

// candidateJSON returns the scenario as a test file without expectations: JSON, which is YAML.
func (s *scenario) candidateJSON() string {
	test := map[string]any{"name": "candidate"}
	if len(s.files) > 0 {
		test["files"] = s.files
	}
	for _, kind := range kinds {
		m := map[string]any{}
		for _, at := range s.writtenSlots(kind) {
			m[at.key] = s.testFileGives(at)
		}
		if len(m) > 0 {
			test[kind] = m
		}
	}
	return encodeJSON(map[string]any{"tests": []any{test}})
}

func encodeJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null" // the values are those of JSON
	}
	return string(text)
}

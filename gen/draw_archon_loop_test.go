package gen_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// loop draws a loop of a prompt or a command.
func (f *archonFlow) loop(o *object, n *archonNode, reads []*archonNode) *object {
	const level = "Under loop"
	text := f.text(reads) + "\n" + pick(f.drawer, "Say DONE.", "$LOOP_PREV_OUTPUT DONE", "$LOOP_USER_INPUT DONE")
	l := f.at(level)
	if f.often(70) {
		f.set(l, "prompt", text)
	} else {
		name := fmt.Sprintf("c%d", len(f.files))
		f.files["/project/.archon/commands/"+name+".md"] = text
		f.set(l, "command", name)
	}
	f.set(l, "max_iterations", 1+f.upTo(9))
	if f.often(25) {
		f.set(o, "output_format", f.schema(n))
		if field := f.truth(o, n); field != "" {
			f.set(l, "until_field", field)
		}
	}
	f.ends(l)
	f.maybe(l, 30, "until_bash", func() any { return f.bash(reads) })
	f.gates(l)
	return l
}

// truth is a bool field that the schema of a node requires, or "".
func (f *archonFlow) truth(o *object, n *archonNode) string {
	for _, p := range o.pairs {
		if p.key != "output_format" {
			continue
		}
		for _, q := range p.value.(*object).pairs {
			for _, field := range n.fields {
				if q.key == "required" && field.typ == "boolean" && slices.Contains(q.value.([]any), any(field.path)) {
					return field.path
				}
			}
		}
	}
	return ""
}

// ends draws the signal of a loop.
func (f *archonFlow) ends(l *object) {
	f.set(l, "until", pick(f.drawer, "DONE", "All Good"))
	f.maybe(l, 20, "fresh_context", func() any { return f.often(50) })
}

// gates draws the questions of a loop.
func (f *archonFlow) gates(l *object) {
	if f.plain || !f.often(25) {
		return
	}
	f.set(l, "interactive", true)
	f.set(l, "gate_message", pick(f.drawer, "Go on?", "Two\n\nlines"))
	f.maybe(l, 30, "signal_completes", func() any { return f.often(50) })
}

// loopGroup draws a group of nodes that repeats.
func (f *archonFlow) loopGroup(o *object, n *archonNode, known, deps []*archonNode) {
	const level = "Under loop_group"
	inner := &archonFlow{drawer: f.drawer, taken: f.taken, inputs: f.inputs, lists: f.lists, group: true, around: slices.Concat(f.around, deps), depth: f.depth + 1, plain: f.plain}
	nodes, inside := inner.nodes(f.size())
	f.use(fmt.Sprintf("loop_group in %d groups", f.depth))
	// What the previous iteration said is known to every node, also to those before.
	for _, m := range nodes {
		for i, p := range m.(*object).pairs {
			if other := pick(f.drawer, inside...); p.key == "when" && f.often(40) && !other.odd {
				f.use("$LOOP_PREV in a condition")
				m.(*object).pairs[i].value = p.value.(string) + " || $LOOP_PREV." + other.id + ".output == ''"
				for _, field := range other.fields {
					m.(*object).pairs[i].value = fmt.Sprintf("$LOOP_PREV.%s.output.%s %s 'x' && (%s)", other.id, field.path, pick(f.drawer, "==", "!="), p.value)
				}
			}
			if p.key != "prompt" || !f.often(40) {
				continue
			}
			other := pick(f.drawer, inside...)
			if other.odd {
				continue
			}
			ref := "$LOOP_PREV." + other.id + ".output"
			if len(other.fields) > 0 && f.often(60) {
				ref += "." + pick(f.drawer, other.fields...).path
			}
			f.use("$LOOP_PREV in a prompt")
			m.(*object).pairs[i].value = p.value.(string) + "\n" + ref
		}
	}
	g := f.at(level, "nodes", nodes, "max_iterations", 1+f.upTo(4))
	f.ends(g)
	f.maybe(g, 50, "until_bash", func() any {
		inside := slices.DeleteFunc(slices.Clone(inside), func(n *archonNode) bool { return n.odd })
		text := inner.bash(inside)
		if f.often(30) && len(inside) > 0 {
			text += fmt.Sprintf("\ntest \"$LOOP_PREV.%s.output\" = x", pick(f.drawer, inside...).id)
			f.use("$LOOP_PREV in until_bash")
		}
		return text
	})
	f.gates(g)
	f.set(o, "loop_group", g)
}

// approval draws a gate.
func (f *archonFlow) approval(o *object, n *archonNode, reads []*archonNode) {
	a := f.at("Under approval", "message", f.text(reads))
	switch f.upTo(3) {
	case 1:
		f.set(a, "capture_response", f.often(70))
	case 2:
		r := f.at("Under approval.on_reject", "prompt", "Change it: $REJECTION_REASON\n"+f.text(reads))
		f.maybe(r, 30, "max_attempts", func() any { return 1 + f.upTo(9) })
		f.set(a, "on_reject", r)
	case 3:
		list := []any{f.at("In a decision", "id", "approve", "label", "Ship it")}
		values := []string{"approve"}
		for _, id := range some(f.drawer, 3, []string{"reject", "revise", "go-on", "type"}) {
			list, values = append(list, f.at("In a decision", "id", id)), append(values, id)
		}
		f.set(a, "decisions", list)
		n.fields = []archonField{{path: "decision", typ: "enum", values: values}, {path: "text", typ: "string"}}
	}
	f.set(o, "approval", a)
}

// wait draws a wait for a time, an event or a person.
func (f *archonFlow) wait(o *object, n *archonNode, reads []*archonNode) {
	const level = "Under wait"
	w := f.at(level)
	switch f.upTo(3) {
	case 0:
		f.set(w, "duration_ms", 5000)
	case 1:
		f.set(w, "until", pick(f.drawer, "2027-01-31T09:00:00Z", f.reference(reads)))
	case 2:
		f.set(w, "event", "deployed")
		f.set(w, "deadline_ms", 86400000)
	default:
		f.set(w, "attention", f.text(reads))
	}
	n.fields = []archonField{{path: "status", typ: "string"}, {path: "waited_ms", typ: "number"}}
	f.set(o, "wait", w)
}

// other draws a workflow in another file, and the node that includes or runs it.
func (f *archonFlow) other(o *object, n *archonNode, kind string, deps []*archonNode) {
	fan := f.often(40) && (len(deps) > 0 || len(f.lists) > 0)
	name := pick(f.drawer, "kid", "Run-a", "flow", "type", "steps", "Inputs", "n", "a_b", "main", "value", "time", "json", "context", "item", "in", "local")
	if f.often(30) {
		name = pick(f.drawer, goNames()...)
	}
	if f.files["/project/.archon/workflows/"+name+".yaml"] != "" || f.often(50) {
		name += strconv.Itoa(len(f.files))
	}
	inner := &archonFlow{drawer: f.drawer, taken: map[string]bool{}, depth: f.depth + 1, plain: f.plain || fan}
	file := "/project/.archon/workflows/" + name + ".yaml"
	f.files[file] = "#" // the name is taken
	w := inner.workflow(name)
	required := map[string]bool{}
	for i, p := range w.pairs {
		if p.key == "inputs" {
			for _, in := range p.value.(*object).pairs {
				for _, q := range in.value.(*object).pairs {
					if q.key == "required" {
						required[in.key] = true
					}
				}
			}
		}
		if p.key == "mutates_checkout" && fan {
			w.pairs[i].value = false
		}
	}
	f.set(o, kind, name)
	with := f.at("")
	as := ""
	if fan {
		items := slices.Clone(f.lists)
		for _, dep := range deps {
			items = append(items, "$"+dep.id+".output")
		}
		ref := pick(f.drawer, items...)
		for _, dep := range deps {
			if ref == "$"+dep.id+".output" && len(dep.fields) > 0 {
				ref = "" // an object is no list
			}
		}
		if ref != "" {
			f.use(kind + " with fan_out")
			fan := f.at("Under fan_out", "items", ref)
			for _, in := range inner.inputs {
				if required[in] || as == "" {
					as = in
				}
			}
			if as == "" && kind == "include" {
				f.addInput(w, "item")
				as = "item"
			}
			if as != "" {
				f.set(fan, "as", as)
			}
			f.maybe(fan, 40, "max_parallel", func() any { return 1 + f.upTo(5) })
			f.maybe(fan, 40, "join", func() any { return pick(f.drawer, "all_done", "all_success") })
			f.set(o, "fan_out", fan)
			if !slices.ContainsFunc(w.pairs, func(p pair) bool { return p.key == "mutates_checkout" }) {
				f.set(w, "mutates_checkout", false)
			}
		}
	} else if kind == "workflow" && len(required) == 0 {
		f.maybe(o, 30, "input", func() any { return f.text(deps) })
	}
	if kind == "workflow" {
		f.maybe(o, 15, "isolation", func() any { return pick(f.drawer, "inherit", "worktree") })
	}
	for _, in := range inner.inputs {
		if in != as && required[in] {
			f.set(with, in, strings.ReplaceAll(pick(f.drawer, "x", "REF", "some REF text"), "REF", f.reference(deps)))
		}
	}
	if len(with.pairs) > 0 {
		f.set(o, "with", with)
	}
	f.files[file] = f.yaml(w)
}

// addInput declares an input of a workflow that has none.
func (f *archonFlow) addInput(w *object, name string) {
	f.set(w, "inputs", f.at("", name, f.at("In an input", "required", true)))
}

package gen_test

import (
	"fmt"
	"regexp"
	"strings"
)

// variableName are the names of variables, and nodeName those of nodes and outputs.
var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	nodeName     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
)

// A graphNode is a node of a state graph.
type graphNode struct {
	id      string
	outputs []string
	decl    *object
	// branch says that a parallel node runs it.
	branch bool
}

// graphFlow draws a state graph: a way through all nodes, and edges back.
type graphFlow struct {
	*drawer
	taken map[string]bool
	// ofKind are the variables by kind: text, number, bool, list, any.
	ofKind map[string][]string
	// free are the variables whose values nobody knows before the run, by kind.
	free  map[string][]string
	nodes []*graphNode
}

// drawGraphloop draws a graph with up to 20 nodes of one kind and some of others.
func drawGraphloop(d *drawer) string {
	f := &graphFlow{drawer: d, taken: map[string]bool{"START": true, "END": true}, ofKind: map[string][]string{}, free: map[string][]string{}}
	const top = "At the top of the file"
	w := f.at(top, "workflow", pick(d, flowNames...))
	f.maybe(w, 30, "description", func() any { return "A graph.\nOf nodes." })
	f.maybe(w, 50, "version", func() any { return "1.0" })
	variables := f.variables()
	f.declareNodes()
	edges := f.edges()
	nodes := f.at("")
	order := f.nodes
	if f.often(30) {
		i, j := f.upTo(len(order)-1), f.upTo(len(order)-1)
		order[i], order[j] = order[j], order[i]
	}
	for _, n := range order {
		f.set(nodes, n.id, n.decl)
	}
	f.set(w, "state", f.at("Under state", "variables", variables))
	f.set(w, "nodes", nodes)
	f.set(w, "edges", edges)
	f.maybe(w, 60, "limits", func() any {
		return f.at("Under limits", "max_iterations", 200, "max_time_minutes", f.upTo(90), "max_cost_dollars", 1.5, "max_parallel_branches", f.upTo(3))
	})
	f.maybe(w, 40, "interrupts", f.interrupts)
	f.maybe(w, 40, "completion", func() any {
		list := []any{}
		for range 1 + f.upTo(2) {
			if n := f.visited(); f.often(70) || len(f.free["text"]) == 0 {
				list = append(list, n.id+"."+pick(d, n.outputs...))
			} else {
				list = append(list, f.test())
			}
		}
		return list
	})
	return f.yaml(w)
}

// variables draws the state. An input is a variable whose value the run gets.
func (f *graphFlow) variables() *object {
	o, taken := f.at(""), map[string]bool{}
	for range 1 + f.upTo(5) {
		name := f.name(taken, variableName)
		if strings.Contains(" iteration current_node started_at nodes_executed estimated_cost ", " "+name+" ") {
			continue
		}
		kind := pick(f.drawer, "text", "number", "bool", "list", "any", "nothing")
		f.use("variable " + kind)
		initial := map[string]any{"text": "x", "number": 3, "bool": false, "list": []any{"a"}, "any": f.at("", "b", 1)}[kind]
		if kind == "list" && f.often(40) {
			initial = []any{}
		}
		f.set(o, name, initial)
		if kind == "nothing" {
			kind = "text"
		}
		f.ofKind[kind] = append(f.ofKind[kind], name)
		if f.often(40) && kind != "list" && kind != "any" {
			f.free[kind] = append(f.free[kind], name)
		}
	}
	return o
}

var graphKinds = []string{"task", "command", "decision", "parallel", "human", "checkpoint", "join"}

func (f *graphFlow) declareNodes() {
	var kinds []string
	most := pick(f.drawer, graphKinds...)
	for range f.size() {
		kinds = append(kinds, most)
	}
	for range f.upTo(4) {
		kinds = append(kinds, pick(f.drawer, graphKinds...))
	}
	// The first node reads the inputs, so each of them is one.
	f.node("task").decl.pairs[1] = pair{"prompt", "Go" + f.inputs() + f.text()}
	for i := range kinds {
		j := f.upTo(len(kinds) - 1)
		kinds[i], kinds[j] = kinds[j], kinds[i]
	}
	for _, kind := range kinds {
		if len(f.free["text"])+len(f.free["number"])+len(f.free["bool"]) == 0 && kind == "decision" || len(f.nodes) > 30 {
			kind = "task"
		}
		f.node(kind)
	}
}

func (f *graphFlow) inputs() (text string) {
	for _, kind := range []string{"text", "number", "bool"} {
		for _, name := range f.free[kind] {
			text += " (user provides via state." + name + ")"
		}
	}
	return text
}

// text draws words and references to variables.
func (f *graphFlow) text() string {
	text := " words"
	for range f.upTo(3) {
		text += pick(f.drawer, "\nAnd `this`", " \"b\"", " (reference state.iteration)")
		for _, kind := range []string{"text", "number", "bool", "list", "any"} {
			if list := f.ofKind[kind]; len(list) > 0 && f.often(30) {
				text += " (reference state." + pick(f.drawer, list...) + ")"
			}
		}
	}
	return text
}

// command draws a script that reads variables.
func (f *graphFlow) command() string {
	text := "make test"
	for _, kind := range []string{"text", "number", "bool", "list"} {
		if list := f.ofKind[kind]; len(list) > 0 && f.often(30) {
			text += "\necho \"(reference state." + pick(f.drawer, list...) + ")\""
		}
	}
	return text
}

// outputs draws the names of the ends of a node.
func (f *graphFlow) outputs(n int) (list []string) {
	taken := map[string]bool{"any": true, "all": true, "null": true, "true": true, "false": true, "state": true, "outputs": true}
	for _, kind := range f.ofKind {
		for _, name := range kind {
			taken[name] = true
		}
	}
	for range n {
		list = append(list, f.name(taken, nodeName))
	}
	return list
}

// node draws a node, and for a parallel its branches and its join.
func (f *graphFlow) node(kind string) *graphNode { return f.nodeOr(kind, false) }

// nodeOr draws a node, or a branch.
func (f *graphFlow) nodeOr(kind string, branch bool) *graphNode {
	f.use("node " + kind)
	n := &graphNode{id: f.name(f.taken, nodeName), outputs: f.outputs(1 + f.upTo(3)), branch: branch}
	typ := strings.Replace(kind, "command", "task", 1)
	if kind == "join" {
		typ = "parallel"
	}
	level := "On a " + typ
	n.decl = f.at(level, "type", typ)
	f.nodes = append(f.nodes, n)
	switch kind {
	case "task":
		f.set(n.decl, "prompt", "Go"+f.text())
		if f.often(15) {
			f.files["/project/.graph-loop/templates/roles.yaml"] = "templates:\n  reviewer: {agent: codex, prompt_prefix: \"You review.\"}\n"
			f.set(n.decl, "template", "reviewer")
		} else {
			f.set(n.decl, "agent", pick(f.drawer, "self", "codex", "gemini"))
		}
		f.maybe(n.decl, 10, "model", func() any { return "opus" })
		f.maybe(n.decl, 10, "context_files", func() any { return []any{"a.go", "b.go"} })
	case "command":
		f.set(n.decl, "agent", "bash")
		f.set(n.decl, "command", f.command())
		n.outputs = n.outputs[:min(len(n.outputs), 2)]
	case "decision":
		n.outputs = f.outputs(2)
		f.set(n.decl, "condition", f.test())
	case "human":
		f.set(n.decl, "prompt", "Go?"+f.text())
		f.maybe(n.decl, 20, "default_output", func() any { return pick(f.drawer, n.outputs...) })
	case "checkpoint":
		n.outputs = n.outputs[:1]
	case "parallel", "join":
		n.outputs = n.outputs[:1]
		f.branches(n, kind == "join")
	}
	if kind == "task" || kind == "command" {
		f.maybe(n.decl, 10, "cwd", func() any { return "sub" })
		f.maybe(n.decl, 15, "retry_on_failure", func() any { return true })
		f.maybe(n.decl, 15, "max_retries", func() any { return 2 })
	}
	if kind == "task" || kind == "command" || kind == "human" {
		f.maybe(n.decl, 15, "timeout_minutes", func() any { return 5 })
	}
	f.finish(n)
	return n
}

// finish sets the outputs of a node and their handlers.
func (f *graphFlow) finish(n *graphNode) {
	f.set(n.decl, "outputs", anys(n.outputs))
	if !f.often(40) {
		return
	}
	handlers := f.at("")
	for _, output := range some(f.drawer, 3, n.outputs) {
		h := f.at("In a handler")
		set, add := f.at(""), f.at("")
		for _, kind := range []string{"text", "number", "bool"} {
			for _, name := range f.ofKind[kind] {
				if f.often(30) && !n.branch { // two branches must not set the same one
					f.set(set, name, pick[any](f.drawer, map[string]any{"text": "done", "number": 7, "bool": true}[kind], plain("output")))
				}
			}
		}
		for _, name := range f.ofKind["list"] {
			if f.often(30) {
				f.set(add, name, pick[any](f.drawer, "more", plain("output")))
			}
		}
		if len(set.pairs) > 0 {
			f.set(h, "set", set)
		}
		if len(add.pairs) > 0 {
			f.set(h, "append", add)
		}
		if len(h.pairs) > 0 {
			f.set(handlers, output, h)
		}
	}
	if len(handlers.pairs) > 0 {
		f.set(n.decl, "on_output", handlers)
	}
}

// branches draws the branches of a parallel, and its join.
func (f *graphFlow) branches(n *graphNode, asks bool) {
	var ids []any
	for range 2 + f.upTo(4) {
		b := f.nodeOr(pick(f.drawer, "task", "task", "command"), true)
		ids = append(ids, b.id)
	}
	f.set(n.decl, "branches", ids)
	const level = "On a join"
	join := &graphNode{id: f.name(f.taken, nodeName), outputs: f.outputs(1), decl: f.at(level, "type", "join", "wait_for", ids)}
	if asks {
		join.outputs = f.outputs(1 + f.upTo(2))
		f.set(join.decl, "prompt", "Compare."+f.text())
		if f.often(20) {
			f.files["/project/.graph-loop/templates/roles.yaml"] = "templates:\n  reviewer: {agent: codex, prompt_prefix: \"You review.\"}\n"
			f.set(join.decl, "template", "reviewer")
		} else {
			f.set(join.decl, "agent", "self")
		}
		f.maybe(join.decl, 10, "model", func() any { return "opus" })
	}
	f.finish(join)
	f.nodes = append(f.nodes, join)
}

// test draws a condition about variables whose values nobody knows.
func (f *graphFlow) test() string {
	var list []string
	for _, name := range f.free["text"] {
		list = append(list, fmt.Sprintf("state.%s == 'a'", name), fmt.Sprintf("state.%s != \"b\"", name))
	}
	for _, name := range f.free["number"] {
		list = append(list, fmt.Sprintf("state.%s > 2", name), fmt.Sprintf("!(state.%s <= 1.5)", name), fmt.Sprintf("-1 < state.%s", name))
	}
	for _, name := range f.free["bool"] {
		list = append(list, "state."+name, "!state."+name, "state."+name+" == true")
	}
	if len(list) == 0 {
		return "state.iteration > 2"
	}
	test := pick(f.drawer, list...)
	if f.often(30) {
		test = fmt.Sprintf("(%s) %s %s", test, pick(f.drawer, "&&", "||"), pick(f.drawer, pick(f.drawer, list...), "state.iteration >= 3", "state.estimated_cost > 1.5"))
	}
	return test
}

// visited is a node to which an edge can lead.
func (f *graphFlow) visited() *graphNode {
	for {
		if n := pick(f.drawer, f.nodes...); !n.branch {
			return n
		}
	}
}

// edges draws the edges: from each node to the next one, and others. A join is behind its
// parallel.
func (f *graphFlow) edges() (list []any) {
	edge := func(from, to, condition string) {
		e := f.at("On an edge", "from", from, "to", to)
		if condition != "" {
			f.set(e, "condition", condition)
		}
		list = append(list, e)
	}
	var way []*graphNode
	for _, n := range f.nodes {
		if !n.branch {
			way = append(way, n)
		}
	}
	edge("START", way[0].id, "")
	for i, n := range way {
		next := "END"
		if i+1 < len(way) {
			next = way[i+1].id
		}
		joined := n.decl.pairs[0].value == "parallel"
		back := func() string {
			if joined {
				return next
			}
			for range 9 {
				if to := pick(f.drawer, way[:i+1]...); to.decl.pairs[0].value != "join" {
					return to.id
				}
			}
			return next
		}
		for _, output := range n.outputs[1:] {
			switch f.upTo(3) {
			case 0:
				edge(n.id, back(), fmt.Sprintf("%s && %s", output, f.test()))
				edge(n.id, next, output)
			case 1:
				edge(n.id, back(), fmt.Sprintf(pick(f.drawer, "any(%s, '%[1]s')", "all(%s, %[1]s)", "'%s'", "%s && outputs."+n.id+" != null", "%s && !(outputs."+way[0].id+" == '"+way[0].outputs[0]+"' && state.iteration > 3)"), output))
			case 2:
				edge(n.id, pick(f.drawer, back(), "END"), output)
			default:
				edge(n.id, back(), output)
			}
		}
		if f.often(50) {
			edge(n.id, next, n.outputs[0])
		} else {
			edge(n.id, next, "")
		}
	}
	return list
}

func (f *graphFlow) interrupts() any {
	var list []any
	for range 1 + f.upTo(2) {
		n := f.visited()
		in := f.at("In an interrupt", pick(f.drawer, "before", "after"), n.id, "prompt", "Go on?"+f.text())
		f.maybe(in, 40, "condition", func() any { return f.test() })
		f.maybe(in, 40, "required", func() any { return f.often(50) })
		list = append(list, in)
	}
	return list
}

// drawLango draws a workflow with up to 20 steps.
func drawLango(d *drawer) string {
	const top = "At the top of the file"
	w := d.at(top, "name", pick(d, flowNames...))
	d.maybe(w, 50, "description", func() any { return "Many steps." })
	d.maybe(w, 40, "schedule", func() any { return pick(d, "0 9 * * MON", "@daily", "CRON_TZ=Europe/Berlin */5 * * * *") })
	targets := []any{"slack", "slack:C123", "discord:5", "telegram:-100123", "webhook:team"}
	d.maybe(w, 40, "deliver_to", func() any { return some(d, 3, targets) })
	var list []any
	var ids []string
	taken := map[string]bool{}
	for range 1 + d.size() {
		id := d.name(taken, nodeName)
		if odd := pick(d, "日本", "1a", "é", "a b", "a.b", "-"); d.often(4) && !taken[odd] {
			id, taken[odd] = odd, true
		}
		s := d.at("In a step", "id", id)
		d.maybe(s, 50, "agent", func() any { return pick(d, "executor", "researcher", "planner", "memory-manager") })
		deps := some(d, 4, ids)
		if len(deps) > 0 {
			d.set(s, "depends_on", anys(deps))
		}
		d.maybe(s, 90, "prompt", func() any { return d.goTemplate(deps, 2) })
		d.maybe(s, 20, "timeout", func() any { return pick(d, "90s", "1h30m", "5m") })
		d.maybe(s, 20, "deliver_to", func() any { return some(d, 3, targets) })
		list, ids = append(list, s), append(ids, id)
	}
	if d.often(30) {
		i, j := d.upTo(len(list)-1), d.upTo(len(list)-1)
		list[i], list[j] = list[j], list[i]
	}
	d.set(w, "steps", list)
	return d.yaml(w)
}

// goTemplate draws a template that reads the results of steps.
func (d *drawer) goTemplate(deps []string, depth int) string {
	value := func() string {
		if len(deps) == 0 {
			return pick(d, `"a"`, `"b c"`, "`raw`")
		}
		id := pick(d, deps...)
		return pick(d, id+".result", id+".result", "."+id+".result", "$."+id+".result", `"a"`)
	}
	cond := func() string {
		form := pick(d, "V", "eq V \"x\"", "ne V V", "and V (ne V \"none\")", "or V V", "not V", "gt (len V) 3", "le 2 (len V)", "lt V \"m\"")
		return regexp.MustCompile(`\bV\b`).ReplaceAllStringFunc(form, func(string) string { return value() })
	}
	var b strings.Builder
	for range 1 + d.upTo(3) {
		b.WriteString(pick(d, "Words. ", "\nNext `code` \"x\": ", "", "{{- /* note */ -}}"))
		kind := d.upTo(8)
		if depth == 0 {
			kind = kind % 5
		}
		switch kind {
		case 5:
			d.use("{{if}}")
			b.WriteString("{{if " + cond() + "}}" + d.goTemplate(deps, depth-1))
			if d.often(30) {
				b.WriteString("{{else if " + cond() + "}}" + d.goTemplate(deps, depth-1))
			}
			if d.often(50) {
				b.WriteString("{{else}}" + d.goTemplate(deps, depth-1))
			}
			b.WriteString("{{end}}")
		case 6:
			d.use("{{with}}")
			d.number++
			v := fmt.Sprintf("$v%d", d.number)
			b.WriteString("{{with " + v + " := " + pick(d, "len "+value(), value()) + "}}" + "{{" + v + "}}{{.}}" + "{{end}}")
		case 7:
			d.use("{{variable}}")
			v := "$" + d.name(map[string]bool{}, variableName)
			b.WriteString("{{" + v + " := " + value() + "}}{{" + v + " = " + value() + "}}{{" + v + "}}")
		case 8:
			b.WriteString("{{printf \"%q %d\" " + value() + " (len " + value() + ")}}")
		case 4:
			b.WriteString("{{ " + value() + " | " + pick(d, "html", "js", "urlquery", "printf \"%s!\"", "len", "print 1") + " }}")
		case 3:
			b.WriteString("{{slice (print " + value() + " \"abc\") 0 " + pick(d, "1", "2") + "}}")
		default:
			b.WriteString("{{" + pick(d, "", " ", "- ") + value() + pick(d, "", " ", " -") + "}}")
		}
	}
	return b.String()
}

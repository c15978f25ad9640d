package gen_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// archonID are the ids that references can name.
var archonID = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// An archonNode is a node that later ones can read.
type archonNode struct {
	id     string
	fields []archonField
	// odd says that no reference can name it.
	odd bool
	// asks says that it is a prompt that can be resumed, and free that its output is a text
	// that conditions cannot compare.
	asks, free bool
}

// An archonField is a field of a node's output: of a JSON type, or an enum with its values.
type archonField struct {
	path, typ string
	values    []string
}

// archonFlow draws the nodes of a workflow, of a loop_group, or of a workflow for another.
type archonFlow struct {
	*drawer
	taken  map[string]bool
	inputs []string
	// lists are the references to lists.
	lists []string
	// group says that the nodes are in a loop_group, around are the nodes that a reference
	// may name besides the dependencies, and behind are all nodes before, inside a group.
	group  bool
	around []*archonNode
	// depth counts the groups and the workflows around.
	depth int
	// plain says that nothing may wait: the workflow runs for each item.
	plain bool
}

// drawArchon draws a workflow with up to 20 nodes of one kind and some of others.
func drawArchon(d *drawer) string {
	f := &archonFlow{drawer: d, taken: map[string]bool{}}
	return d.yaml(f.workflow(pick(d, flowNames...)))
}

// flowNames are names of workflows, of which packages get theirs.
var flowNames = []string{"drawn", "type", "main", "3d", "日本", "a_test", "flow", "A b", "x_linux", "internal"}

// workflow draws a workflow.
func (f *archonFlow) workflow(name string) *object {
	const top = "At the top of the file"
	w := f.at(top, "name", name, "description", pick(f.drawer, "A workflow.", "Many nodes", "x: y # z", "*/ x\n//go:build ignore", strings.Repeat("long words ", 30)))
	if f.depth == 0 {
		f.maybe(w, 5, "provider", func() any { return pick(f.drawer, "claude", "codex") })
		f.maybe(w, 5, "model", func() any { return pick(f.drawer, "opus", "haiku") })
		f.maybe(w, 5, "tags", func() any { return []any{"a", "b"} })
		f.maybe(w, 5, "interactive", func() any { return f.often(50) })
		f.maybe(w, 5, "worktree", func() any { return f.at("Under worktree", "enabled", f.often(50)) })
		f.maybe(w, 5, "persist_sessions", func() any { return true })
		f.maybe(w, 5, "requires", func() any { return []any{"github"} })
		f.maybe(w, 5, "evidence_policy", func() any { return f.at("Under evidence_policy", "required", f.often(50)) })
		f.maybe(w, 5, "deprecated", func() any { return f.at("Under deprecated", "message", "Use `other`.") })
		f.maybe(w, 5, "modelReasoningEffort", func() any { return "low" })
		f.maybe(w, 5, "webSearchMode", func() any { return "live" })
		f.agentOptions(w, 6, "effort", "thinking", "sandbox", "fallbackModel", "betas")
	}
	f.maybe(w, 30, "mutates_checkout", func() any { return false })
	if f.often(50) {
		f.set(w, "inputs", f.declareInputs())
	}
	f.maybe(w, 6, "container", func() any { return false })
	nodes, known := f.nodes(f.size())
	if f.depth == 0 && f.often(40) {
		i := f.upTo(len(known) - 1)
		f.set(w, "returns", known[i].id)
		if field := f.truth(nodes[i].(*object), known[i]); field != "" {
			f.set(w, "outcome_field", field)
		}
	}
	f.set(w, "nodes", nodes)
	return w
}

// inputNames are what an input can be called.
var inputNames = archonID

func (f *archonFlow) declareInputs() *object {
	o, taken := f.at(""), map[string]bool{"arguments": true, "context": true}
	for range 1 + f.upTo(3) {
		name := f.name(taken, inputNames)
		in := f.at("In an input")
		if f.often(70) {
			value := pick[any](f.drawer, "x", 3, 1.5, true, []any{"a", "b"}, f.at("", "k", 1), "")
			f.set(in, "default", value)
			if _, list := value.([]any); list {
				f.lists = append(f.lists, "$INPUTS."+name)
			}
		} else {
			f.set(in, "required", true)
		}
		f.maybe(in, 30, "description", func() any { return "What it is for." })
		f.set(o, name, in)
		f.inputs = append(f.inputs, name)
	}
	return o
}

// archonKinds are the kinds of nodes.
var archonKinds = []string{"bash", "prompt", "typed", "command", "script", "loop", "approval", "cancel", "loop_group", "include", "workflow", "wait"}

// nodes draws about n nodes of one kind and some others, in any order. It returns them and
// what others know of them.
func (f *archonFlow) nodes(n int) (list []any, known []*archonNode) {
	var kinds []string
	most := pick(f.drawer, archonKinds...)
	if f.depth > 0 {
		n /= 4
	}
	for range n {
		kinds = append(kinds, most)
	}
	for range f.upTo(6) {
		kinds = append(kinds, pick(f.drawer, archonKinds...))
	}
	if len(kinds) == 0 {
		kinds = []string{"bash"}
	}
	f.shuffle(kinds)
	groups := 0
	for _, kind := range kinds {
		switch {
		case f.group && (kind == "workflow" || kind == "wait" || kind == "include"),
			f.plain && (kind == "wait" || kind == "approval" || kind == "loop_group" || kind == "workflow"),
			f.depth > 1 && (kind == "loop_group" || kind == "include" || kind == "workflow"):
			kind = "typed"
		case kind == "include" || kind == "workflow":
			if groups++; groups > 4 {
				kind = "typed"
			}
		case kind == "loop_group" && f.depth > 0:
			if groups++; groups > 2 {
				kind = "typed"
			}
		}
		o, n := f.node(kind, known)
		list, known = append(list, o), append(known, n)
	}
	if f.often(30) { // the order of the file is not that of the dependencies
		i, j := f.upTo(len(list)-1), f.upTo(len(list)-1)
		list[i], list[j], known[i], known[j] = list[j], list[i], known[j], known[i]
	}
	return list, known
}

func (f *archonFlow) shuffle(list []string) {
	for i := range list {
		j := f.upTo(len(list) - 1)
		list[i], list[j] = list[j], list[i]
	}
}

// node draws a node of a kind that may depend on known ones.
func (f *archonFlow) node(kind string, known []*archonNode) (*object, *archonNode) {
	n := &archonNode{id: f.name(f.taken, archonID)}
	if id := pick(f.drawer, "日本", "A B", "a.b", "1a", "é", "-", "a/b"); f.often(4) && !f.taken[id] {
		n.id, n.odd, f.taken[id] = id, true, true
		f.use("odd id")
	}
	o := f.at("On a node", "id", n.id)
	deps := some(f.drawer, 3, known)
	if len(deps) > 0 {
		var ids []any
		for _, dep := range deps {
			ids = append(ids, dep.id)
		}
		f.set(o, "depends_on", ids)
		f.maybe(o, 20, "trigger_rule", func() any {
			return pick(f.drawer, "all_success", "one_success", "none_failed_min_one_success", "all_done")
		})
	}
	deps = slices.DeleteFunc(deps, func(n *archonNode) bool { return n.odd })
	reads := slices.Concat(deps, f.around)
	if known := slices.DeleteFunc(slices.Clone(reads), func(n *archonNode) bool { return n.free && len(n.fields) == 0 }); len(known) > 0 {
		f.maybe(o, 30, "when", func() any { return f.condition(known) })
	}
	f.maybe(o, 5, "description", func() any { return "What it does.\nAnd more." })
	place := "top"
	if f.group {
		place = "group"
	} else if f.depth > 0 {
		place = "other workflow"
	}
	f.use(kind + " in " + place)
	if kind != "loop" && kind != "loop_group" && kind != "approval" && kind != "cancel" && kind != "include" && kind != "workflow" && kind != "wait" {
		f.maybe(o, 10, "retry", func() any {
			r := f.at("Under retry", "max_attempts", 1+f.upTo(4))
			f.maybe(r, 30, "delay_ms", func() any { return 1500 })
			f.maybe(r, 30, "on_error", func() any { return pick(f.drawer, "transient", "all") })
			return r
		})
		f.maybe(o, 5, "timeout", func() any { return 60000 })
		f.maybe(o, 5, "always_run", func() any { return true })
		f.maybe(o, 5, "output_type", func() any { return "plan" })
		f.maybe(o, 5, "mutates_checkout", func() any { return false })
	}
	n.free = kind != "bash" && kind != "script" && kind != "approval"
	switch kind {
	case "bash":
		f.set(o, "bash", f.bash(reads))
		f.maybe(o, 20, "output_format", func() any { return f.schema(n) })
		f.maybe(o, 5, "on_timeout", func() any { return pick(f.drawer, "fail", "skip") })
	case "script":
		f.script(o, n, reads)
	case "prompt", "typed":
		n.asks = true
		f.set(o, "prompt", f.text(reads))
		f.agent(o, deps)
		if kind == "typed" {
			f.set(o, "output_format", f.schema(n))
		}
	case "command":
		n.asks = true
		f.set(o, "command", f.command(reads))
		f.agent(o, deps)
		f.maybe(o, 30, "output_format", func() any { return f.schema(n) })
		f.with(o, deps)
	case "loop":
		f.set(o, "loop", f.loop(o, n, reads))
		f.maybe(o, 10, "context", func() any { return "fresh" })
		f.agentOptions(o, 2, "effort", "systemPrompt", "maxBudgetUsd")
		n.asks = true
	case "loop_group":
		f.loopGroup(o, n, known, deps)
	case "approval":
		f.approval(o, n, reads)
	case "cancel":
		f.set(o, "cancel", f.text(reads))
	case "wait":
		f.wait(o, n, reads)
	case "include", "workflow":
		f.other(o, n, kind, deps)
	}
	return o, n
}

// reference draws a reference to an output or a field.
func (f *archonFlow) reference(reads []*archonNode) string {
	if len(reads) == 0 {
		return f.variable()
	}
	n := pick(f.drawer, reads...)
	if len(n.fields) > 0 && f.often(60) {
		return "$" + n.id + ".output." + pick(f.drawer, n.fields...).path
	}
	return "$" + n.id + ".output"
}

// variable draws a reference to something else than a node of the same flow.
func (f *archonFlow) variable() string {
	list := []string{"$ARGUMENTS", "$CONTEXT", "$WORKFLOW_ID", "$ARTIFACTS_DIR", "$BASE_BRANCH", "$DOCS_DIR", "$USER_MESSAGE"}
	for _, name := range f.inputs {
		list = append(list, "$INPUTS."+name)
	}
	if f.group {
		list = append(list, "$LOOP_USER_INPUT")
	}
	v := pick(f.drawer, list...)
	f.use("variable " + strings.SplitN(v, ".", 2)[0])
	return v
}

// text draws a text of some lines with references.
func (f *archonFlow) text(reads []*archonNode) string {
	var lines []string
	for range 1 + f.upTo(3) {
		line := pick(f.drawer, "Do it.", "Look at `this` and \"that\".", "", "- 100% of {{x}} \\n", "a `` b ` c", "日本 é \t tab", strings.Repeat("a long line ", 15), "\\\"'")
		if f.often(50) {
			line += " " + f.reference(reads)
		}
		if f.often(20) {
			line += f.variable() + "."
		}
		lines = append(lines, line)
	}
	lines[0] = "Go" + lines[0]
	return strings.Join(lines, "\n")
}

// bash draws a script that reads outputs.
func (f *archonFlow) bash(reads []*archonNode) string {
	var lines []string
	for range 1 + f.upTo(2) {
		ref := f.reference(reads)
		if f.often(20) {
			ref = f.variable()
		}
		lines = append(lines, strings.ReplaceAll(pick(f.drawer, "true", `echo "REF"`, "printf '%s\\n' \"REF\"", "cat <<EOF\nsome REF text\nEOF", `test "REF" = x || echo no`, `value="REF"`, "# only a comment", `for i in 1 2; do echo "$i REF"; done`), "REF", ref))
	}
	return strings.Join(lines, "\n")
}

func (f *archonFlow) script(o *object, n *archonNode, reads []*archonNode) {
	if f.often(50) {
		f.set(o, "runtime", "uv")
		f.use("script with uv")
		f.maybe(o, 20, "deps", func() any { return []any{"requests"} })
		f.set(o, "script", strings.ReplaceAll(pick(f.drawer, "print(1)", "x = \"REF\"\nprint(x)", "print(REF)"), "REF", f.reference(reads)))
	} else {
		f.set(o, "runtime", "bun")
		f.use("script with bun")
		f.set(o, "script", strings.ReplaceAll(pick(f.drawer, "console.log(1)", "const x = \"REF\";\nconsole.log(x);", "console.log(REF)"), "REF", f.reference(reads)))
	}
	f.maybe(o, 20, "output_format", func() any { return f.schema(n) })
	f.maybe(o, 5, "on_timeout", func() any { return "skip" })
}

// command draws a command file with references to the inputs of the workflow.
func (f *archonFlow) command(reads []*archonNode) string {
	name := fmt.Sprintf("c%d", len(f.files))
	f.files["/project/.archon/commands/"+name+".md"] = f.text(reads)
	return name
}

// with draws values for a command file, which reads them.
func (f *archonFlow) with(o *object, deps []*archonNode) {
	if !f.often(20) || len(deps) == 0 {
		return
	}
	name := o.pairs[len(o.pairs)-1].value
	for _, p := range o.pairs {
		if p.key == "command" {
			name = p.value
		}
	}
	file := fmt.Sprintf("/project/.archon/commands/%s.md", name)
	taken := map[string]bool{}
	for _, in := range f.inputs {
		taken[in] = true
	}
	one, two := f.name(taken, inputNames), f.name(taken, inputNames)
	f.files[file] += "\n$INPUTS." + one + " and $INPUTS." + two
	f.set(o, "with", f.at("", one, f.reference(deps), two, f.at("In a value of with", "from", f.reference(deps), "if_skipped", "none")))
}

// agent draws the options of a prompt's agent.
func (f *archonFlow) agent(o *object, deps []*archonNode) {
	f.maybe(o, 5, "provider", func() any { return "claude" })
	f.maybe(o, 5, "model", func() any { return "opus" })
	f.maybe(o, 5, "idle_timeout", func() any { return 60000 })
	switch f.upTo(15) {
	case 1:
		f.set(o, "context", "fresh")
	case 2:
		for _, dep := range deps {
			if dep.asks && !f.group {
				f.set(o, "context", f.at("Under context", "resume", dep.id))
				break
			}
		}
	case 3:
		f.set(o, "persist_session", true)
	}
	f.agentOptions(o, 4, "allowed_tools", "denied_tools", "hooks", "mcp", "skills", "agents", "effort", "thinking", "maxBudgetUsd", "systemPrompt", "fallbackModel", "betas", "sandbox", "settingSources", "plugins", "pi")
}

func (f *archonFlow) agentOptions(o *object, percent int, keys ...string) {
	for _, key := range keys {
		f.maybe(o, percent, key, func() any { return f.option(key) })
	}
}

// option draws the value of an option for agents.
func (f *archonFlow) option(key string) any {
	words := []any{"a", "b"}
	switch key {
	case "allowed_tools", "denied_tools":
		return []any{"Read", "Grep"}
	case "hooks":
		return f.at("", "PreToolUse", []any{f.at("In a hook", "matcher", "Bash", "response", f.at("", "continue", true), "timeout", 5)})
	case "mcp":
		f.files["/project/mcp.json"] = `{"s": {"command": "x"}}`
		return "mcp.json"
	case "agents":
		return f.at("", "helper", f.at("In a helper agent", "description", "Helps.", "prompt", "Help", "model", "haiku", "tools", []any{"Read"}, "disallowedTools", []any{"Bash"}, "skills", words, "maxTurns", 3))
	case "effort":
		return "low"
	case "thinking":
		if f.often(50) {
			return "adaptive"
		}
		return f.at("Under thinking", "type", "enabled", "budgetTokens", 1024)
	case "maxBudgetUsd":
		return 1.5
	case "sandbox":
		return f.at("Under sandbox", "enabled", true, "autoAllowBashIfSandboxed", true, "allowUnsandboxedCommands", false, "enableWeakerNestedSandbox", false,
			"enableWeakerNetworkIsolation", false, "excludedCommands", words, "ignoreViolations", f.at("", "git", words),
			"network", f.at("Under sandbox.network", "allowedDomains", words, "allowManagedDomainsOnly", true, "allowUnixSockets", words, "allowAllUnixSockets", false, "allowLocalBinding", true, "httpProxyPort", 80, "socksProxyPort", 81),
			"filesystem", f.at("Under sandbox.filesystem", "allowWrite", words, "denyWrite", words, "denyRead", words),
			"ripgrep", f.at("Under sandbox.ripgrep", "command", "rg", "args", words))
	case "settingSources":
		return []any{"project", "user"}
	case "plugins":
		return []any{f.at("", "type", "local", "path", "./plugin")}
	case "pi":
		return f.at("Under pi", "enableExtensions", true, "interactive", false, "extensionFlags", f.at("", "a", true, "b", "c"))
	case "systemPrompt", "fallbackModel":
		return "opus"
	}
	return words
}

// schema draws the schema of an output, and notes its fields.
func (f *archonFlow) schema(n *archonNode) *object {
	fields, schema := f.objectSchema("", 0)
	n.fields = fields
	return schema
}

var fieldNames = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (f *archonFlow) objectSchema(prefix string, depth int) (fields []archonField, schema *object) {
	properties, taken := f.at(""), map[string]bool{}
	var required []any
	for range 1 + f.upTo(3) {
		name := f.name(taken, fieldNames)
		field := archonField{path: prefix + name, typ: pick(f.drawer, "string", "enum", "integer", "number", "boolean", "list", "object", "objects", "nullable", "any", "map")}
		f.use("field " + field.typ)
		var t *object
		var inside []archonField
		switch field.typ {
		case "enum":
			field.values = pick(f.drawer, []string{"low", "high-er", "func"}, []string{"go", "Go", "GO"}, []string{"a b", "日本", "1"}, []string{"x"}, []string{"a-b", "a_b", "aB"})
			t = f.at("", "type", "string", "enum", anys(field.values))
		case "list":
			t = f.at("", "type", "array", "items", f.at("", "type", pick(f.drawer, "string", "integer", "boolean")))
		case "object":
			if depth > 1 {
				field.typ, t = "string", f.at("", "type", "string")
				break
			}
			inside, t = f.objectSchema(field.path+".", depth+1)
		case "objects":
			_, items := f.objectSchema("", 2)
			t = f.at("", "type", "array", "items", items)
		case "nullable":
			t = f.at("", "type", []any{"string", "null"})
		case "any":
			t = f.at("")
		case "map":
			t = f.at("", "type", "object", "additionalProperties", f.at("", "type", "integer"))
		default:
			t = f.at("", "type", field.typ)
		}
		f.maybe(t, 10, "description", func() any { return "What it is." })
		f.set(properties, name, t)
		if f.often(70) {
			required = append(required, name)
		}
		if depth == 0 && field.typ != "object" && field.typ != "objects" && field.typ != "list" && field.typ != "any" && field.typ != "map" {
			fields = append(fields, field)
		}
		_ = inside // a path of two names is an error of older versions
	}
	if f.often(10) {
		f.use("odd property")
		f.set(properties, pick(f.drawer, "é", "1st", "a b", "-", "日本", "a-b", "$x"), f.at("", "type", pick(f.drawer, "string", "integer")))
	}
	schema = f.at("", "type", "object", "properties", properties)
	if len(required) > 0 {
		f.set(schema, "required", required)
	}
	f.maybe(schema, 20, "additionalProperties", func() any { return false })
	return fields, schema
}

// condition draws a condition about outputs.
func (f *archonFlow) condition(reads []*archonNode) string {
	test := func() string {
		n := pick(f.drawer, reads...)
		op := pick(f.drawer, "==", "!=")
		if len(n.fields) == 0 || f.often(20) {
			if len(n.fields) > 0 && n.free {
				return fmt.Sprintf("$%s.output.%s != ''", n.id, n.fields[0].path)
			}
			return fmt.Sprintf("$%s.output %s '%s'", n.id, op, pick(f.drawer, "x", "", "it is"))
		}
		field := pick(f.drawer, n.fields...)
		ref := "$" + n.id + ".output." + field.path
		switch field.typ {
		case "enum":
			return fmt.Sprintf("%s %s '%s'", ref, op, pick(f.drawer, field.values...))
		case "integer", "number":
			return fmt.Sprintf("%s %s %d", ref, pick(f.drawer, "==", "!=", "<", "<=", ">", ">="), f.upTo(9))
		case "boolean":
			return fmt.Sprintf("%s %s %s", ref, op, pick(f.drawer, "true", "'false'"))
		}
		return fmt.Sprintf("%s %s 'y'", ref, op)
	}
	cond := test()
	for range f.upTo(2) {
		switch f.upTo(3) {
		case 0:
			cond += " && " + test()
		case 1:
			cond += " || " + test()
			if len(f.inputs) > 0 && f.often(20) {
				f.use("input in a condition")
				cond += " && $INPUTS." + pick(f.drawer, f.inputs...) + " != ''"
			}
		case 2:
			cond = "!(" + cond + ")"
			f.use("condition with !")
		default:
			cond = "(" + cond + ") || " + test()
		}
	}
	return cond
}

package conformance

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// planParse compares the normalised definition with the program.
func planParse(_ *bench, c *recorded) (plan, error) {
	var in struct{ YAML string }
	var want struct {
		Workflow map[string]any
		Error    any
	}
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	r := compile(in.YAML, namedFiles(in.YAML))
	if want.Workflow == nil || r.HasErrors() {
		if (want.Workflow == nil) == r.HasErrors() {
			return judged(nil), nil
		}
		return judged([]difference{{"verdict", fmt.Sprint("an error: ", want.Error), refusal(r)}}), nil
	}
	return judged(compareDefinition(want.Workflow, definition(r.Workflow.Workflow))), nil
}

// namedFiles makes the files that a workflow's nodes name: the engine's loader
// does not look for them.
func namedFiles(yaml string) map[string]string {
	files := map[string]string{}
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	if doc == nil || doc.Root == nil || doc.Root.Get("nodes") == nil {
		return files
	}
	for _, n := range doc.Root.Get("nodes").Items {
		if v := n.Get("command"); v.IsString() {
			files[path.Join(".archon/commands", strings.TrimSpace(v.Value)+".md")] = "text"
		}
		if v := n.Get("mcp"); v.IsString() {
			files[v.Value] = "{}"
		}
		if v := n.Get("skills"); v != nil {
			for _, skill := range v.Items {
				files[path.Join(".claude/skills", skill.Value, "SKILL.md")] = "text"
			}
		}
		if v := n.Get("script"); v.IsString() {
			ending := ".ts"
			if runtime := n.Get("runtime"); runtime != nil && runtime.Value == "uv" {
				ending = ".py"
			}
			files[path.Join(".archon/scripts", strings.TrimSpace(v.Value)+ending)] = "1"
		}
	}
	return files
}

func compareDefinition(want, got map[string]any) []difference {
	nodes, _ := want["nodes"].([]any)
	mine := got["nodes"].([]any)
	if len(nodes) != len(mine) {
		return []difference{{"nodes", fmt.Sprint(len(nodes)), fmt.Sprint(len(mine))}}
	}
	dropDefaults(want, got, map[string]any{"mutates_checkout": true})
	diffs := compareKeys("workflow", want, got)
	for i := range nodes {
		node, my := nodes[i].(map[string]any), mine[i].(map[string]any)
		normalise(node, my, want)
		diffs = append(diffs, compareKeys(fmt.Sprintf("nodes[%d]", i), node, my)...)
	}
	return diffs
}

// normalise makes equal what means the same: defaults that are written out in
// one of the two, dependencies that are named twice, and in wfc's the settings
// that a node has from its workflow.
func normalise(want, got, workflow map[string]any) {
	dropDefaults(want, got, map[string]any{"trigger_rule": "all_success", "context": "shared", "always_run": false, "provider": "claude"})
	for key, value := range got {
		if _, said := want[key]; !said && reflect.DeepEqual(value, workflow[key]) {
			delete(got, key)
		}
	}
	if want["mcp"] != nil && got["mcp"] != nil {
		got["mcp"] = want["mcp"] // wfc holds what is in the file
	}
	if list, ok := want["depends_on"].([]any); ok {
		var once []any
		for _, id := range list {
			if !slices.Contains(once, id) {
				once = append(once, id)
			}
		}
		want["depends_on"] = once
	}
	if retry, ok := want["retry"].(map[string]any); ok {
		fillDefaults(retry, map[string]any{"delay_ms": 3000.0, "on_error": "transient"})
	}
	if approval, ok := want["approval"].(map[string]any); ok {
		if reject, ok := approval["on_reject"].(map[string]any); ok {
			fillDefaults(reject, map[string]any{"max_attempts": 3.0})
		}
		dropDefaults(approval, nil, map[string]any{"capture_response": false})
	}
}

// dropDefaults removes keys that have their default.
func dropDefaults(want, got, defaults map[string]any) {
	for key, value := range defaults {
		for _, m := range []map[string]any{want, got} {
			if m[key] == value {
				delete(m, key)
			}
		}
	}
}

// fillDefaults adds the defaults of keys that are not there.
func fillDefaults(m, defaults map[string]any) {
	for key, value := range defaults {
		if _, ok := m[key]; !ok {
			m[key] = value
		}
	}
}

// compareKeys compares all keys but the nodes.
func compareKeys(what string, want, got map[string]any) (diffs []difference) {
	var keys []string
	for k := range want {
		keys = append(keys, k)
	}
	for k := range got {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		if k != "nodes" && !reflect.DeepEqual(want[k], got[k]) {
			diffs = append(diffs, same(what+"."+k, jsonText(want[k]), jsonText(got[k]))...)
		}
	}
	return diffs
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// definition is a workflow in the engine's normalised form.
func definition(w *ir.Workflow) map[string]any {
	def := map[string]any{"name": w.Name, "description": w.Description}
	def["mutates_checkout"] = w.Exclusive
	var nodes []any
	for _, n := range w.Body.All() {
		nodes = append(nodes, definedNode(n))
	}
	def["nodes"] = nodes
	if w.Tags != nil {
		def["tags"] = anyList(w.Tags)
	}
	for _, o := range w.Options {
		def[o.Name] = decoded(o.JSON)
	}
	return def
}

func definedNode(n *ir.Node) map[string]any {
	def := map[string]any{"id": n.ID}
	set := func(key string, is bool, v any) {
		if is {
			def[key] = v
		}
	}
	var needs []string
	for _, need := range n.Needs {
		if !need.Order {
			needs = append(needs, need.Node.ID)
		}
	}
	set("depends_on", needs != nil, anyList(needs))
	set("when", n.When != nil, n.WhenText)
	set("trigger_rule", n.Rule != ir.AllSuccess, n.Rule.String())
	set("timeout", n.Timeout > 0, n.Timeout.Seconds()*1000)
	set("idle_timeout", n.IdleTimeout > 0, n.IdleTimeout.Seconds()*1000)
	if r := n.Retry; r != nil && r.Span.IsValid() { // one without a place is the default
		def["retry"] = map[string]any{"max_attempts": float64(r.Max), "delay_ms": r.Delay.Seconds() * 1000, "on_error": map[bool]string{true: "all", false: "transient"}[r.All]}
	}
	set("always_run", n.AlwaysRun, true)
	set("output_type", n.Artifact != "", n.Artifact)
	if n.Schema != "" {
		def["output_format"] = decoded(n.Schema)
	}
	defineAction(n, set)
	return def
}

func defineAction(n *ir.Node, set func(key string, is bool, v any)) {
	switch a := n.Action.(type) {
	case *ir.Bash:
		set("bash", true, a.Original.Source.Value)
	case *ir.Script:
		text := a.Original.Source.Value
		if a.Name != "" {
			text = strings.TrimSuffix(path.Base(a.Name), path.Ext(a.Name))
		}
		set("script", true, text)
		set("runtime", true, a.Runtime)
		set("deps", a.Deps != nil, anyList(a.Deps))
	case *ir.Prompt:
		if a.Command != "" {
			set("command", true, a.Command)
		} else {
			set("prompt", true, a.Text.Source.Value)
		}
		for _, o := range a.Agent.Options {
			set(o.Name, true, decoded(o.JSON))
		}
		set("provider", a.Agent.Name != "", a.Agent.Name)
		set("model", a.Agent.Model != "", a.Agent.Model)
		set("context", a.Agent.FreshSession, "fresh")
	case *ir.Cancel:
		set("cancel", true, a.Reason.Source.Value)
	case *ir.Loop:
		set("loop", true, definedLoop(a))
	case *ir.Approval:
		set("approval", true, definedApproval(a))
	}
}

func definedLoop(a *ir.Loop) map[string]any {
	prompt := a.Body.All()[0].Action.(*ir.Prompt)
	def := map[string]any{
		"prompt": prompt.Text.Source.Value, "until": a.Signal, "max_iterations": float64(a.Max), "fresh_context": a.FreshSession,
	}
	if a.Until != nil {
		def["until_bash"] = a.Until.Original.Source.Value
	}
	if a.Gate != nil {
		def["interactive"], def["gate_message"] = true, a.Gate.Message.Source.Value
	}
	return def
}

func definedApproval(a *ir.Approval) map[string]any {
	def := map[string]any{"message": a.Gate.Message.Source.Value}
	if a.Capture {
		def["capture_response"] = true
	}
	if a.Rework != nil {
		def["on_reject"] = map[string]any{"prompt": a.Rework.Text.Source.Value, "max_attempts": float64(a.MaxRejections)}
	}
	return def
}

func decoded(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

func anyList(texts []string) []any {
	list := []any{}
	for _, text := range texts {
		list = append(list, text)
	}
	return list
}

package suite

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
)

// Bounds of strings that tests compare as a whole.
const (
	longestText  = 1000
	mostLines    = 25
	shortestMark = 4
)

// testItem returns a trial as an item of a test file.
func (s *search) testItem(t *trial, name string, brief bool) *object {
	o := newObject()
	o.add("name", name)
	files := map[string]string{}
	for _, at := range t.writtenSlots("inputs") {
		for file, text := range t.files {
			if t.lists[at][0].data == file {
				files[file] = text
			}
		}
	}
	given := newObject()
	for _, at := range t.writtenSlots("inputs") {
		given.add(at.key, t.testFileGives(at))
	}
	o.add("inputs", given)
	if len(files) > 0 {
		o.add("files", files)
	}
	for _, kind := range kinds[1:] {
		m := newObject()
		for _, at := range t.writtenSlots(kind) {
			uses := t.countUses(at)
			if uses == 0 {
				continue
			}
			short := t.clone()
			if len(short.lists[at]) > uses {
				short.lists[at] = short.lists[at][:uses]
			}
			m.add(at.key, short.testFileGives(at))
		}
		o.add(kind, m)
	}
	o.add("expect", s.buildExpectations(t, brief))
	return o
}

// buildExpectations returns the results of a trial's run as expectations.
func (s *search) buildExpectations(t *trial, brief bool) *object {
	e, p := newObject(), t.probe
	if p.Status != "completed" {
		e.add("status", p.Status)
	}
	if brief {
		return e
	}
	marks := t.markStrings()
	if p.Reason != "" {
		e.add("reason", textMatcher(p.Reason, marks))
	}
	if p.Error != "" {
		e.add("error", textMatcher(p.Error, marks))
	}
	e.add("outputs", outputExpectations(p))
	lists := map[string][]string{}
	for _, n := range p.Nodes {
		switch n.Status {
		case "skipped":
			lists["skipped"] = append(lists["skipped"], n.Key)
		case "failed":
			lists["failed"] = append(lists["failed"], n.Key)
			lists["ran"] = append(lists["ran"], n.Key)
		case "pending":
		default:
			lists["ran"] = append(lists["ran"], n.Key)
		}
	}
	for _, verb := range []string{"ran", "skipped", "failed"} {
		if list := slices.Compact(lists[verb]); len(list) > 0 {
			e.add(verb, map[string]any{"only": list})
		}
	}
	e.add("before", s.orderExpectations(p))
	e.add("nodes", s.nodeExpectations(t, marks))
	e.add("prompts", groupByNode(p, marks, func(step testjob.Step) []string { return step.Prompts }))
	given := map[string]bool{}
	for _, step := range p.Steps {
		given[step.Node] = given[step.Node] || step.Values != ""
	}
	e.add("values", groupByNode(p, marks, func(step testjob.Step) []string {
		if given[step.Node] && (step.Kind == "bash" || step.Kind == "script") {
			return []string{step.Values}
		}
		return nil
	}))
	e.add("programs", groupByNode(p, marks, func(step testjob.Step) []string {
		if !s.hasComposedScript(step.Node) {
			return nil
		}
		return []string{step.Program}
	}))
	e.add("questions", groupByNode(p, marks, func(step testjob.Step) []string {
		if step.Kind == kindQuestion && step.Wait == "" {
			return []string{step.Message}
		}
		return nil
	}))
	iterations := newObject()
	for _, pl := range s.model.places {
		n, ok := p.Iterations[pl.key]
		_, graph := pl.scope.program.Workflow.Body.(*ir.Graph)
		switch pl.node.Action.(type) {
		case *ir.Loop, *ir.Repeat, *ir.ForEach, *ir.Block:
		default:
			ok = ok && graph
		}
		if ok && pl.scope == s.model.top && !iterations.hasKey(pl.key) {
			iterations.add(pl.key, n)
		}
	}
	e.add("iterations", iterations)
	state := newObject()
	for _, name := range slices.Sorted(maps.Keys(p.State)) {
		if m, ok := jsonMatcher(p.State[name], marks); ok {
			state.add(name, m)
		}
	}
	e.add("state", state)
	delivered := newObject()
	byTarget := map[string][]any{}
	for _, d := range p.Messages {
		for _, target := range d.Targets {
			byTarget[target] = append(byTarget[target], listMatcher(d.Text, marks))
		}
	}
	for _, target := range slices.Sorted(maps.Keys(byTarget)) {
		delivered.add(target, byTarget[target])
	}
	e.add("delivered", delivered)
	return e
}

// markStrings are the strings of the test that prompts and outputs may repeat, long ones first.
func (t *trial) markStrings() (list []string) {
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case string:
			if text := strings.TrimSpace(v); len(text) >= shortestMark && len(text) <= longestText && !slices.Contains(list, text) {
				list = append(list, text)
			}
		case []any:
			for _, x := range v {
				visit(x)
			}
		case map[string]any:
			for _, x := range v {
				visit(x)
			}
		}
	}
	for _, gives := range t.lists {
		for _, g := range gives {
			visit(g.data)
			visit(g.text)
		}
	}
	for _, n := range t.probe.Nodes {
		visit(n.Text)
	}
	slices.Sort(list)
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

func isShort(text string) bool {
	return len(text) <= longestText && strings.Count(text, "\n") < mostLines
}

// textMatcher is the expectation of a string: the whole of a short one, else its first line and
// the values in it.
func textMatcher(text string, marks []string) any {
	if isShort(text) {
		return text
	}
	return map[string]any{"contains": textParts(text, marks)}
}

// listMatcher is matcher for an element of a list.
func listMatcher(text string, marks []string) any {
	if isShort(text) {
		return map[string]any{"equals": text}
	}
	return textMatcher(text, marks)
}

// textParts are parts of a long text that depend on the run, and its first line.
func textParts(text string, marks []string) (list []string) {
	rest := text
	for _, mark := range marks {
		if strings.Contains(rest, mark) {
			list = append(list, mark)
			rest = strings.ReplaceAll(rest, mark, "\x00")
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			if r := []rune(line); len(r) > 120 {
				line = string(r[:120])
			}
			list = append([]string{line}, list...)
			break
		}
	}
	return slices.Compact(list)
}

// jsonMatcher is the expectation of a JSON value; ok is false for null.
func jsonMatcher(value json.RawMessage, marks []string) (m any, ok bool) {
	var v any
	if json.Unmarshal(value, &v) != nil || v == nil {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		return textMatcher(v, marks), true
	case bool, float64:
		return v, true
	}
	return map[string]any{"equals": v}, true
}

// valueMatcher is the expectation of an output: JSON, or a string.
func valueMatcher(text string, marks []string) any {
	var v any
	if (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Unmarshal([]byte(text), &v) == nil {
		return map[string]any{"equals": v}
	}
	return textMatcher(text, marks)
}

func outputExpectations(p *testjob.Run) *object {
	o := newObject()
	var all map[string]json.RawMessage
	_ = json.Unmarshal(p.Outputs, &all) // a run that failed may have none
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if m, ok := jsonMatcher(all[name], nil); ok {
			o.add(name, m)
		}
	}
	return o
}

// nodeExpectations returns the ends of nodes that do not follow from the test's stand-ins.
func (s *search) nodeExpectations(t *trial, marks []string) *object {
	o := newObject()
	for _, n := range t.probe.Nodes {
		end := newObject()
		if n.Status != "completed" && n.Status != "skipped" && n.Status != "failed" {
			end.add("status", n.Status)
		}
		if n.Text != "" && !t.echoesGive(n) {
			end.add("output", valueMatcher(n.Text, marks))
		}
		if n.Reason != "" {
			end.add("reason", n.Reason)
		}
		if n.Error != "" {
			end.add("error", textMatcher(n.Error, marks))
		}
		if n.Attempts > 1 {
			end.add("attempts", n.Attempts)
		}
		if !o.hasKey(n.Key) {
			o.add(n.Key, end)
		}
	}
	return o
}

// echoesGive reports whether the output of a node is the one that the test gives.
func (t *trial) echoesGive(n testjob.Node) bool {
	for _, kind := range []string{"agents", "bash", "scripts"} {
		for _, g := range t.lists[slot{kind, n.Key}] {
			if text, ok := g.data.(string); ok && strings.TrimSpace(text) == strings.TrimSpace(n.Text) {
				return true
			}
		}
	}
	return false
}

// groupByNode are the expectations of strings of steps, by node.
func groupByNode(p *testjob.Run, marks []string, texts func(testjob.Step) []string) *object {
	o := newObject()
	byNode := map[string][]any{}
	var order []string
	for _, step := range p.Steps {
		for _, text := range texts(step) {
			if byNode[step.Node] == nil {
				order = append(order, step.Node)
			}
			byNode[step.Node] = append(byNode[step.Node], listMatcher(text, marks))
		}
	}
	for _, key := range order {
		o.add(key, byNode[key])
	}
	return o
}

// orderExpectations are the dependencies of a DAG whose nodes both ran.
func (s *search) orderExpectations(p *testjob.Run) *object {
	after := map[string][]string{}
	for _, pl := range s.model.places {
		if pl.scope != s.model.top || pl.outer != nil {
			continue
		}
		for _, need := range pl.node.Needs {
			dep := need.Node.ID
			if ended, started := p.Ended[dep], p.Started[pl.key]; ended > 0 && started > ended {
				after[dep] = append(after[dep], pl.key)
			}
		}
	}
	o := newObject()
	for _, dep := range slices.Sorted(maps.Keys(after)) {
		if list := after[dep]; len(list) > 1 {
			o.add(dep, list)
		} else {
			o.add(dep, list[0])
		}
	}
	return o
}

// repeatsValue reports whether a script reads one of its values at several places: its values alone
// do not show whether it reads them at each.
func repeatsValue(script string, bindings []ir.Binding) bool {
	return slices.ContainsFunc(bindings, func(b ir.Binding) bool { return strings.Count(script, b.Name) > 1 })
}

// hasComposedScript reports whether the text of the script of a node says more than its values.
func (s *search) hasComposedScript(key string) bool {
	for _, pl := range s.model.places {
		if pl.key != key {
			continue
		}
		switch a := pl.node.Action.(type) {
		case *ir.Bash:
			return a.Template != nil || repeatsValue(a.Script, a.Bindings)
		case *ir.Script:
			return a.Template != nil || repeatsValue(a.Source, a.Bindings)
		}
	}
	return false
}

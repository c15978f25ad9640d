package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// planNowRun executes a workflow with the runs that it begins.
func planNowRun(b *bench, c *nowCase) plan {
	r := compileNow(&c.in, false)
	if why := unfinished(r); why != "" {
		return skipped(why)
	}
	if r.HasErrors() {
		return judged(c.judgeRefused(r))
	}
	if c.run.Refused == "inputs" {
		return b.perform(r, runner.Job{Args: c.arguments(b)}, func(out *runner.Outcome) []difference {
			return same("exit code", "2", strconv.Itoa(out.Exit))
		})
	}
	family := &runner.Family{Replies: map[string][]json.RawMessage{}, Worktrees: c.in.Worktrees, Crash: c.crashes()}
	for node, list := range c.in.replies {
		family.Replies[node] = list
	}
	for _, s := range c.in.Steps {
		family.Steps = append(family.Steps, s.step())
	}
	job := runner.Job{
		Inputs: inputs(c.in.Arguments, ""), Run: flow.RunInfo{BaseBranch: "main"}, BestEffort: bestEffort, Files: c.in.Files, Family: family,
	}
	job.Given = c.given(b)
	return b.perform(r, job, func(out *runner.Outcome) []difference { return c.judgeRun(r, out) })
}

// crashes reports whether the case also runs in the simulation, where its process dies at
// every point: all that have nodes inside others or child runs, and need no mending.
func (c *nowCase) crashes() bool {
	nested := len(c.run.Children) > 0 || len(c.run.Body) > 0 || c.Group == "include"
	return nested && !slices.ContainsFunc(c.in.Steps, func(s nowStep) bool { return s.Resume != nil })
}

// given are the inputs as NAME=VALUE.
func (c *nowCase) given(b *bench) (list []string) {
	if len(c.in.Inputs) > 0 {
		if err := json.Unmarshal(c.in.Inputs, &list); err != nil {
			b.t.Errorf("%s: %v", c.id(), err)
		}
	}
	return list
}

// arguments are those of a command line that begins the run.
func (c *nowCase) arguments(b *bench) []string {
	args := []string{"run"}
	for _, pair := range c.given(b) {
		args = append(args, "--input", pair)
	}
	return args
}

// step is a step as the runner knows it.
func (s *nowStep) step() runner.FamilyStep {
	step := runner.FamilyStep{Run: s.Run}
	for choice, text := range map[string]any{"approve": s.Approve, "reject": s.Reject} {
		if text != nil {
			step.Choice = choice
			step.Text, _ = text.(string)
		}
	}
	if s.Respond != "" {
		step.Choice, step.Text = s.Respond, s.Text
	}
	return step
}

// judgeRefused compares a workflow that does not compile with a recorded run, as for the
// older cases: the run was refused, or it failed in the nodes that hold the errors.
func (c *nowCase) judgeRefused(r *compiler.Result) []difference {
	want := c.run
	agrees := want.Refused == "load" || want.Status == failedStatus
	for _, d := range errorsOf(r) {
		at := findingNodes(d)
		// A command file has no node; the ones that read it fail.
		agrees = agrees && (want.Refused == "load" || at == nil || want.fails(at))
	}
	if agrees {
		return nil
	}
	return []difference{{"compilation", want.Status, refusal(r)}}
}

// fails reports whether a node of the run, or of one that it began, failed.
func (n *nowRun) fails(ids []string) bool {
	for _, id := range ids {
		if n.Nodes[id].State == failedStatus {
			return true
		}
	}
	return slices.ContainsFunc(n.Children, func(child nowChild) bool { return child.fails(ids) })
}

// judgeRun compares what came of a job with the recorded run.
func (c *nowCase) judgeRun(r *compiler.Result, out *runner.Outcome) []difference {
	if c.run.Refused != "" {
		return []difference{{"run", "refused", string(out.Family.Run.End.Status)}}
	}
	diffs := judgeFamily("", c.run, out.Family.Run, r.Workflow)
	diffs = append(diffs, c.judgePhases(out.Family.Phases)...)
	if fault := out.Family.CrashFault; fault != "" {
		diffs = append(diffs, difference{"crash", "the same end after every crash", fault})
	}
	return append(diffs, c.judgeCalls(out.Turns)...)
}

// judgeFamily compares a run and those that it began. A run is named by the steps on the
// way to it.
func judgeFamily(at string, want *nowRun, got *runner.FamilyRun, p *ir.Program) (diffs []difference) {
	add := func(what, want, got string) { diffs = append(diffs, same(at+what, want, got)...) }
	add("status", want.Status, string(got.End.Status))
	add("outcome", want.Outcome, got.End.Outcome)
	// The summary of a run that went on because of an answer to its child is not recorded.
	if want.Status == string(flow.Completed) && got.End.Status == flow.Completed && (want.Summary != nil || len(want.Children) == 0) {
		add("summary", deref(want.Summary), errorsAside(got.End.Summary))
	}
	add("cost", strconv.FormatFloat(want.Cost, 'g', 6, 64), strconv.FormatFloat(got.CostUSD, 'g', 6, 64))
	if want.Reason != "" {
		add("reason", want.Reason, got.End.Reason)
	}
	if want.Paused != nil || got.End.Status == flow.Paused {
		add("paused", want.Paused.String(), pauseOf(got.Steps).like(want.Paused))
	}
	for _, d := range judgeNodes(want, got, p) {
		diffs = append(diffs, difference{at + d.what, d.want, d.got})
	}
	return append(diffs, judgeChildren(at, want, got, p)...)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// judgeNodes compares the ends of nodes, those in bodies by iteration.
func judgeNodes(want *nowRun, got *runner.FamilyRun, p *ir.Program) (diffs []difference) {
	kinds := nodeKinds(p)
	ends, body, iterations := map[string]string{}, map[string][]bodyEnd{}, map[string]int{}
	records := map[string]flow.Record{}
	for _, r := range got.Steps {
		r.Text = errorsAside(r.Text)
		if id, n, ok := iterationOf(r.Key); ok {
			iterations[id] = max(iterations[id], n)
		}
		if id, order, ok := bodyNode(r.Key); ok {
			group, _, _ := strings.Cut(r.Key, "#")
			iterations[group] = max(iterations[group], order[0])
			if form, ok := endOf(r); ok && kinds[id] != "include" {
				body[id] = append(body[id], bodyEnd{order, form})
			}
			continue
		}
		id := r.Key
		if kinds[id] == "" && strings.Contains(id, "/rework#") {
			id = runner.NodeOf(id)
		} else if kinds[id] == "" || kinds[id] == "include" {
			continue // a part of a node, or nodes in its place
		}
		if form, ok := endOf(r); ok {
			ends[id], records[id] = form, r
		}
	}
	expected := map[string]string{}
	for id, n := range want.Nodes {
		expected[id] = nodeForm(n.State, deref(n.Output), n.Cause)
	}
	for _, id := range keysOf(ends, expected) {
		if expected[id] == "" && ends[id] == failedStatus && want.Status == failedStatus {
			continue // the engine records no node that fails before it begins
		}
		diffs = append(diffs, same("node "+id, expected[id], ends[id])...)
		w, r := want.Nodes[id], records[id]
		if expected[id] != ends[id] {
			continue
		}
		if w.Value != nil {
			diffs = append(diffs, same("value of "+id, jsonText(w.Value), canonical(r.Text))...)
		}
		if w.Fault != "" && r.Failure != nil && !slices.Contains(nowReasons[w.Fault], r.Failure.Reason) {
			diffs = append(diffs, difference{"fault of " + id, w.Fault, r.Failure.Reason + ": " + r.Failure.Message})
		}
		// The engine does not count an iteration in which a node fails.
		if w.Iterations > 0 && (w.State != failedStatus || w.Fault == "iterations-exhausted") {
			diffs = append(diffs, same("iterations of "+id, strconv.Itoa(w.Iterations), strconv.Itoa(iterations[id]))...)
		}
	}
	wantBody := map[string][]string{}
	for id, list := range want.Body {
		for i, n := range list {
			// wfc has one record of a step, whose attempts do not count.
			if i+1 < len(list) && n.State == failedStatus && (n.Iteration == 0 || list[i+1].Iteration == n.Iteration) {
				continue
			}
			wantBody[id] = append(wantBody[id], nodeForm(n.State, deref(n.Output), n.Cause))
		}
	}
	gotBody := map[string][]string{}
	for id, list := range body {
		slices.SortStableFunc(list, func(a, b bodyEnd) int { return slices.Compare(a.order, b.order) })
		for _, e := range list {
			gotBody[id] = append(gotBody[id], e.form)
		}
	}
	for _, id := range keysOf(gotBody, wantBody) {
		if wantBody[id] == nil && len(gotBody[id]) == 1 && gotBody[id][0] == failedStatus && want.Status == failedStatus {
			continue // the engine records no group that fails inside another one
		}
		diffs = append(diffs, same("body "+id, strings.Join(wantBody[id], ", "), strings.Join(gotBody[id], ", "))...)
	}
	return diffs
}

// errorsAside replaces the messages of failed items in the output of a fan-out, as cases do.
func errorsAside(text string) string { return itemError.ReplaceAllString(text, `$1"$$ERROR"`) }

var itemError = regexp.MustCompile(`("archon_failed":true,"error":)"(?:[^"\\]|\\.)*"`)

// keysOf returns the keys of both maps in order.
func keysOf[T any](a, b map[string]T) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]T{a, b} {
			for key := range m {
				if !yield(key) {
					return
				}
			}
		}
	}))
}

// A bodyEnd is how a node in a body ended, in which iterations.
type bodyEnd struct {
	order []int
	form  string
}

// endOf is how the engine records the end of a step, if it does: see steps.recorded.
func endOf(r flow.Record) (form string, ok bool) {
	switch r.Status {
	case flow.Pending, flow.Waiting, flow.Running:
		return "", false
	case flow.Skipped:
		if r.Reason == "run_cancelled" || r.Reason == "not_reached" {
			return "", false
		}
	case flow.Completed:
		if r.Kind == "cancel" {
			return "", false
		}
	case flow.Cancelled:
		if r.Kind == "loop" || r.Kind == "approval" || r.Kind == "loop_group" || r.Kind == "workflow" {
			return "", false
		}
	}
	return nodeForm(string(r.Status), r.Text, r.Reason), true
}

var (
	iterationKey = regexp.MustCompile(`^([^#/\[]+)#([0-9]+)$`)
	number       = regexp.MustCompile(`#([0-9]+)`)
)

// iterationOf is the node and the number of a step that is an iteration.
func iterationOf(key string) (id string, n int, ok bool) {
	m := iterationKey.FindStringSubmatch(key)
	if m == nil {
		return "", 0, false
	}
	n, _ = strconv.Atoi(m[2])
	return m[1], n, true
}

// bodyNode is the name of a step of a node in a body, with the numbers of its iterations.
func bodyNode(key string) (id string, order []int, ok bool) {
	last := strings.LastIndex(key, ".")
	if last < 0 || !strings.Contains(key[:last], "#") || strings.ContainsAny(key[last:], "#/[") {
		return "", nil, false
	}
	for _, m := range number.FindAllStringSubmatch(key, -1) {
		n, _ := strconv.Atoi(m[1])
		order = append(order, n)
	}
	return number.ReplaceAllString(key, ""), order, true
}

// nodeKinds are the kinds of a workflow's nodes, also of those in bodies.
func nodeKinds(p *ir.Program) map[string]string {
	kinds := map[string]string{}
	var add func(list []*ir.Node)
	add = func(list []*ir.Node) {
		for _, n := range list {
			kinds[n.ID] = n.Action.Kind()
			if loop, ok := n.Action.(*ir.Loop); ok {
				add(loop.Body.All())
			}
		}
	}
	add(p.Workflow.Body.All())
	return kinds
}

// canonical is a JSON text without differences of form.
func canonical(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return fmt.Sprintf("not JSON: %q", text)
	}
	return jsonText(v)
}

// judgePhases compares the run before each step, and whether the step was possible.
func (c *nowCase) judgePhases(got []runner.Phase) (diffs []difference) {
	for i, want := range c.run.Phases {
		what := fmt.Sprintf("phase %d ", i+1)
		if i >= len(got) {
			return append(diffs, difference{what, want.Status, "none"})
		}
		diffs = append(diffs, same(what+"status", want.Status, string(got[i].Status))...)
		diffs = append(diffs, same(what+"paused", want.Paused.String(), pauseOf(got[i].Waiting).like(want.Paused))...)
		refused := want.Refused || want.Resume == "refused"
		diffs = append(diffs, same(what+"refused", fmt.Sprint(refused), fmt.Sprint(got[i].Refused != ""))...)
	}
	return diffs
}

// pauseOf is the first question among steps, or else the first run that waits.
func pauseOf(steps []flow.Record) (p *nowPause) {
	for _, r := range steps {
		switch {
		case r.Status != flow.Waiting:
		case r.Question != nil:
			p = &nowPause{Node: runner.NodeOf(r.Key), Kind: "approval", Message: r.Question.Message}
			if strings.HasSuffix(r.Key, "/gate") {
				p.Kind = "interactive_loop"
				p.Node = strings.TrimSuffix(p.Node, "/gate")
				_, p.Iteration, _ = iterationOf(strings.TrimSuffix(r.Key, "/gate"))
			}
			return p
		case r.Kind == "workflow" && p == nil:
			p = &nowPause{Node: runner.NodeOf(r.Key), Kind: "child_workflow"}
		}
	}
	return p
}

func (p *nowPause) String() string {
	if p == nil {
		return "not"
	}
	return fmt.Sprintf("%s at %s, iteration %d: %s", p.Kind, p.Node, p.Iteration, p.Message)
}

// like writes a pause of wfc without what the recorded one does not say.
func (p *nowPause) like(want *nowPause) string {
	if p == nil || want == nil {
		return p.String()
	}
	q := *p
	if want.Message == "" {
		q.Message = ""
	}
	if want.Iteration == 0 {
		q.Iteration = 0
	}
	return q.String()
}

// judgeChildren compares the runs that steps began, by step and order.
func judgeChildren(at string, want *nowRun, got *runner.FamilyRun, p *ir.Program) (diffs []difference) {
	name := func(node string, index *int) string {
		if index == nil {
			return node
		}
		return fmt.Sprintf("%s[%d]", node, *index)
	}
	expected, ran := map[string]*nowChild{}, map[string]*runner.FamilyRun{}
	for i := range want.Children {
		c := &want.Children[i]
		expected[name(c.Node, c.Index)] = c
	}
	for _, child := range got.Children {
		ran[childStep(child.Step)] = child
	}
	for _, key := range slices.Sorted(maps.Keys(expected)) {
		w, g := expected[key], ran[key]
		if g == nil {
			diffs = append(diffs, difference{at + "run of " + key, w.Status, "none"})
			continue
		}
		callee := calleeOf(p, runner.NodeOf(g.Step))
		if callee == nil {
			diffs = append(diffs, difference{at + "run of " + key, w.Workflow, "no program"})
			continue
		}
		in := at + key + ": "
		diffs = append(diffs, same(in+"workflow", w.Workflow, g.Workflow)...)
		diffs = append(diffs, same(in+"worktree", fmt.Sprint(w.Worktree), fmt.Sprint(g.Worktree))...)
		var inputs map[string]any
		_ = json.Unmarshal(g.Inputs, &inputs)
		diffs = append(diffs, same(in+"arguments", w.Arguments, fmt.Sprint(inputs["arguments"]))...)
		for _, name := range slices.Sorted(maps.Keys(w.Inputs)) {
			if inputs[name] == nil && !isRequired(callee, name) {
				continue // the run takes the default itself, or does not read the input
			}
			diffs = append(diffs, same(in+"input "+name, inputText(w.Inputs[name]), inputText(inputs[name]))...)
		}
		diffs = append(diffs, judgeFamily(in, &w.nowRun, g, callee)...)
	}
	for _, key := range slices.Sorted(maps.Keys(ran)) {
		if expected[key] == nil {
			diffs = append(diffs, difference{at + "run of " + key, "none", string(ran[key].End.Status)})
		}
	}
	return diffs
}

// inputText is an input as prompts show it: a value in JSON is equal to its text.
func inputText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return jsonText(v)
}

// isRequired reports whether a workflow has an input without a default.
func isRequired(p *ir.Program, name string) bool {
	return slices.ContainsFunc(p.Workflow.Inputs, func(in *ir.Input) bool { return in.Name == name && in.Default == nil })
}

// childStep is the step of a run as cases name it: the node, and the index of an item.
func childStep(key string) string {
	if i := strings.Index(key, "]"); i >= 0 {
		return key[:i+1]
	}
	return key
}

// calleeOf is the program of the runs that a node begins.
func calleeOf(p *ir.Program, id string) *ir.Program {
	for _, n := range p.Workflow.Body.All() {
		if call, ok := n.Action.(*ir.Call); ok && n.ID == id {
			return call.Callee
		}
	}
	return nil
}

// judgeCalls compares the turns of agents by node, in order. In a case without an order,
// the turns of a node are sorted, and sessions are not compared by number.
func (c *nowCase) judgeCalls(turns []runner.Turn) []difference {
	prompts, sessions, settings := comparison{}, comparison{}, comparison{}
	for _, call := range c.run.Calls {
		prompts.want(call.Node, corrected(call.Prompt))
		sessions.want(call.Node, call.Resume)
		settings.want(call.Node, strings.TrimSpace(jsonText(call.settings())))
	}
	for _, turn := range turns {
		prompts.got(turn.Node, corrected(errorsAside(turn.Prompt)))
		sessions.got(turn.Node, turn.Session)
		settings.got(turn.Node, jsonText(settingsOf(turn)))
	}
	if c.in.Unordered {
		for _, kind := range []comparison{prompts, sessions, settings} {
			for _, sides := range kind {
				slices.Sort(sides[0])
				slices.Sort(sides[1])
			}
		}
	}
	return slices.Concat(prompts.differences("prompts of "), sessions.differences("sessions of "), settings.differences("settings of "))
}

// settings are those of a turn that are not the agent's defaults.
func (c *nowCall) settings() map[string]any {
	all := map[string]any{}
	set := func(name string, is bool, v any) {
		if is {
			all[name] = v
		}
	}
	set("provider", c.Provider != "", c.Provider)
	set("model", c.Model != "", c.Model)
	set("effort", c.Effort != "", c.effort())
	set("systemPrompt", c.SystemPrompt != "", c.SystemPrompt)
	set("maxBudgetUsd", c.MaxBudgetUsd != 0, c.MaxBudgetUsd)
	set("settingSources", c.SettingSources != nil, c.SettingSources)
	set("allowed_tools", c.Allowed != nil, c.Allowed)
	return all
}

// effort is the effort of the turn as its agent takes it. The recorded one is what the engine
// hands to the agent, which lowers it by the rule of the cases of efforts.
func (c *nowCall) effort() string { return loweredEffort(c.Provider, c.Effort) }

// loweredEffort is an effort as a provider takes it; "" is the default provider.
func loweredEffort(provider, effort string) string {
	if provider == "" {
		provider = "claude"
	}
	known, _ := catalog.AgentNamed(provider)
	kind, _ := catalog.KindNamed(known.Kind)
	return kind.NearestEffort(effort)
}

// settingsOf are those of a turn of wfc by the names of cases.
func settingsOf(t runner.Turn) map[string]any {
	all := map[string]any{}
	if t.Agent != "" && t.Agent != "claude" {
		all["provider"] = t.Agent
	}
	if t.Model != "" {
		all["model"] = t.Model
	}
	for _, o := range t.Options {
		switch o.Name {
		case "effort", "systemPrompt", "maxBudgetUsd", "settingSources", "allowed_tools":
			all[o.Name] = decoded(string(o.Value))
		case "modelReasoningEffort":
			all["effort"] = decoded(string(o.Value))
		}
	}
	return all
}

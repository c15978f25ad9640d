package archon

import (
	"math"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// One of several keys selects the work of a node: its mode. Most of them hold a string
// and count only if it is not blank; a key with a mapping counts as soon as it is
// present.

// A modeUse is one mode key of a node.
type modeUse struct {
	name string
	at   value
	// wrong says that the value is of the wrong kind, which is reported.
	wrong, blank bool
	loop         *loopDecl
	approval     *approvalDecl
	wait         *waitDecl
}

func readTextMode(d *decoder, v value, n *nodeDecl) {
	s, ok := d.Text(v)
	n.addMode(modeUse{at: v, wrong: !ok, blank: ok && trimSpace(s) == ""})
}

// addMode notes a mode key, whose name is that of its value.
func (n *nodeDecl) addMode(m modeUse) {
	m.name = m.at.Path
	n.modes = append(n.modes, m)
}

// chooseMode returns the one mode of a node, and reports a fault if there are
// more or none.
func (r *reader) chooseMode(n *nodeDecl) *modeUse {
	var present, blank []*modeUse
	wrong := false
	for i := range n.modes {
		switch m := &n.modes[i]; {
		case m.blank:
			blank = append(blank, m)
		default:
			present = append(present, m)
			wrong = wrong || m.wrong
		}
	}
	switch {
	case len(present) > 1:
		r.reportSeveral(n, present)
		return nil
	case wrong:
		return nil
	case len(present) == 1:
		for _, m := range blank {
			r.Bag.Add(finding.BlankMode(m.at.Key.Span, m.name, present[0].name))
		}
		return present[0]
	case len(blank) > 0:
		r.Bag.Add(finding.EmptyValue(blank[0].at.Place(), blank[0].name))
	default:
		r.reportNone(n)
	}
	return nil
}

func (r *reader) reportSeveral(n *nodeDecl, present []*modeUse) {
	names := plain.Texts(present, func(m *modeUse) string { return m.name })
	x := finding.SeveralModes(present[1].at.Key.Span, n.messageLabel(), names)
	for i, m := range present {
		if i != 1 {
			x.WithRelated(m.at.Key.Span, "also this")
		}
	}
	r.Bag.Add(x)
}

func (r *reader) reportNone(n *nodeDecl) {
	if !r.Meant(n.at, modes...) && !hasAny(n.at.Node, forkNodeKeys) {
		r.Bag.Add(finding.NoMode(n.headSpan(), n.messageLabel()))
	}
}

// buildNode builds the node's action and decides everything that depends on its
// mode.
func (d *decoder) buildNode(n *nodeDecl) {
	if when := n.when; when != nil {
		n.node.WhenText = when.Node.Value
		s := d.addSurface(whenSurface, n.node, when.Node.Text())
		s.at = when.Place()
		s.setCondition = func(e expr.Expr) { n.node.When = e }
	}
	mode := d.chooseMode(n)
	if mode == nil {
		n.markBroken()
		return
	}
	d.setTimeout(n, mode.name)
	d.checkUse(n, mode)
	d.setNewer(n, mode.name)
	if mode.name == "command" || mode.name == "script" {
		n.passed = d.readBindings(n)
	}
	text := source.Text{}
	if mode.loop == nil && mode.approval == nil && mode.wait == nil && mode.name != "loop_group" && d.IsText(mode.at.Node) {
		text = mode.at.Node.Text().TrimFunc(isSpace)
	}
	ok := d.checkInside(n, mode)
	if !ok {
		n.markBroken()
		return
	}
	switch mode.name {
	case "bash":
		d.buildBash(n, text)
	case "script":
		ok = d.buildScript(n, mode.at, text)
	case "cancel":
		d.buildCancel(n, text)
	case "prompt":
		d.buildPrompt(n, &ir.Prompt{}, promptSurface, text)
	case "command":
		d.buildCommand(n, mode.at, text.Value)
	case "loop_group":
		ok = d.buildGroup(n, mode.at)
	case "include":
		ok = d.buildInclude(n, mode.at)
	case "workflow":
		ok = d.buildCall(n, mode.at)
	case "loop":
		if ok = mode.loop != nil; ok {
			d.buildLoop(n, mode.loop)
		}
	case "approval":
		if ok = mode.approval != nil; ok {
			d.buildApproval(n.node, mode.approval)
		}
	case "wait":
		if ok = mode.wait != nil; ok {
			d.buildWait(n, mode.wait)
		}
	}
	if !ok {
		n.markBroken()
	}
	if mode.name != "loop_group" {
		placeAgent(n.node.Action, mode.at.Key.Span)
	}
}

// placeAgent sets the place of an agent that no key names: that of its prompt.
func placeAgent(a ir.Action, at source.Span) {
	var p *ir.Prompt
	switch a := a.(type) {
	case *ir.Prompt:
		p = a
	case *ir.Loop:
		p, _ = a.Body.All()[0].Action.(*ir.Prompt)
	case *ir.Approval:
		p = a.Rework
	}
	if p != nil && !p.Agent.Span.IsValid() {
		p.Agent.Span = at
	}
}

// markBroken gives a node with a faulty action the output of a prompt of unknown type:
// readers of its output have no fault themselves.
func (n *nodeDecl) markBroken() {
	n.node.Action = &ir.Prompt{Text: &template.Template{}, Agent: ir.Agent{Name: defaultProvider}}
	n.node.Output = types.Invalid
}

func (d *decoder) buildBash(n *nodeDecl, text source.Text) {
	n.node.Action = &ir.Bash{Script: text.Value, Original: template.Literal(text)}
	d.addSurface(bashSurface, n.node, text).setBash = func(b *ir.Bash) { n.node.Action = b }
}

// setNewer sets what only newer versions of the format have on programs.
func (d *decoder) setNewer(n *nodeDecl, mode string) {
	d.formed[n.node] = mode == "loop" && n.agent.schema != nil
	n.node.ReadOnly = n.readOnly != nil && keepsFiles(mode)
	schema := n.agent.schema
	n.node.CheckArtifactRefs = schema != nil && d.rules.Holds(formats.ArtifactPointers) && mayPoint(schema.Node)
	if mode != "bash" && mode != "script" {
		return
	}
	n.node.SkipOnTimeout = n.skips != nil
	if d.rules.Holds(formats.CheckedPrograms) && schema != nil {
		d.setSchema(n)
		n.node.Parsing = ir.Strict
	}
}

// keepsFiles reports whether wfc can say of a node of the mode that it changed files.
func keepsFiles(mode string) bool {
	return mode == "bash" || mode == "script" || mode == "prompt" || mode == "command"
}

// mayPoint reports whether a value of a schema may be, or contain, a reference to an artifact:
// the schema names its type, declares its `run_id`, or has an object of unknown keys.
func mayPoint(schema *yamlsrc.Node) bool {
	switch schema.Kind {
	case yamlsrc.Scalar:
		return schema.Value == "archon_artifact"
	case yamlsrc.Sequence:
		return slices.ContainsFunc(schema.Items, mayPoint)
	}
	declared := schema.Get("properties")
	if t := schema.Get("type"); t != nil && t.Value == "object" && declared == nil || declared.Pair("run_id") != nil {
		return true
	}
	return slices.ContainsFunc(schema.Pairs, func(p yamlsrc.Pair) bool { return mayPoint(p.Value) })
}

func (d *decoder) buildCancel(n *nodeDecl, text source.Text) {
	cancel := &ir.Cancel{Reason: template.Literal(text)}
	n.node.Action = cancel
	d.addSurface(messageSurface, n.node, text).setTemplate = func(t *template.Template) { cancel.Reason = t }
}

func (d *decoder) buildScript(n *nodeDecl, at value, text source.Text) bool {
	if n.at.Node.Pair("runtime") == nil {
		d.Bag.Add(finding.MissingKey(at.Key.Span, "runtime", "a `script` node").
			WithHelp("use `runtime: bun` for JavaScript and TypeScript, `runtime: uv` for Python"))
	}
	if n.runtime == nil {
		return false
	}
	script := &ir.Script{Runtime: n.runtime.Node.Value}
	if n.deps != nil {
		for _, item := range n.deps.Node.Items {
			script.Deps = append(script.Deps, item.Value)
		}
	}
	if !isInline(text.Value) {
		file, fault := d.library.loadScript(at, text.Value, script.Runtime)
		if fault != nil {
			d.reportFaults(n, script.Kind(), fault)
			return true
		}
		text = source.FileText(file, 0, len(file.Content))
		script.Name = d.library.scriptName(file)
	}
	script.Source, script.Original = text.Value, template.Literal(text)
	n.node.Action = script
	s := d.addSurface(scriptSurface, n.node, text)
	s.script, s.bindings = script, bindingsByName(n.passed)
	s.setScript = func(b *ir.Script) {
		b.Env = variablesOf(n.passed)
		n.node.Action = b
	}
	s.done = func(r *resolver) { r.unusedInScript(n.passed, text.Value) }
	return true
}

// setTimeout sets the node's time limit. The engine checks it where it has a use for it: on
// bash and script nodes, and by newer rules on loops. It drops it elsewhere.
func (r *reader) setTimeout(n *nodeDecl, mode string) {
	if n.timeout == nil {
		return
	}
	v := *n.timeout
	if mode == "cancel" {
		r.Bag.Add(finding.NoEffect(v.Key.Span, v.Path, "a `cancel` node ends at once"))
		return
	}
	isLoop := mode == "loop" || mode == "loop_group"
	v.Lenient = mode != "bash" && mode != "script" && !(isLoop && r.rules.Holds(formats.LoopTimeouts))
	if ms, ok := r.NumberIn(v, ""); ok {
		n.node.Timeout = millisecondDuration(ms)
		n.node.TimeoutSpan = v.Place()
		if ms == math.Trunc(ms) && n.node.Timeout < shortTimeout && !v.Lenient {
			r.Bag.Add(finding.ShortTimeout(v.Place(), v.Path, v.Node.Value))
		}
	}
}

// shortTimeout is the time limit below which authors probably meant seconds.
const shortTimeout = 100 * time.Millisecond

// reportIneffective reports a key, if it is present, that has no effect.
func (r *reader) reportIneffective(v *value, because string) {
	if v != nil {
		r.Bag.Add(finding.NoEffect(v.Key.Span, v.Path, because))
	}
}

// checkUse reports keys that have no effect on a node of the mode.
func (r *reader) checkUse(n *nodeDecl, use *modeUse) {
	mode, without := use.name, r.reportIneffective
	if mode != "script" {
		without(n.runtime, "only `script` nodes have a runtime")
		without(n.deps, "only `script` nodes have packages to install")
	}
	if v := n.agent.resume; v != nil && mode != "prompt" && mode != "command" {
		r.Bag.Add(finding.InvalidSession(v.Place(), "a `"+mode+"` node cannot continue the session of a node", "remove `context`", source.Span{}))
	}
	if mode != "script" && mode != "command" && mode != "workflow" && mode != "include" {
		without(n.with, "only `command`, `script`, `workflow` and `include` nodes pass values")
	}
	if mode != "workflow" && mode != "include" {
		without(n.input, "only `workflow` nodes have an input")
		r.onlyCalls(n.isolation)
		if n.fan != nil {
			r.Bag.Add(finding.CompositionKey(n.fan.at.Key.Span, "only `workflow` and `include` nodes can have `fan_out`", "remove it, or let the node run a workflow"))
		}
	}
	if mode != "script" && mode != "bash" {
		without(n.skips, "only `bash` and `script` nodes can be skipped by a timeout")
	}
	if !keepsFiles(mode) && mode != "workflow" && mode != "include" {
		without(n.readOnly, "only `bash`, `script`, `prompt` and `command` nodes fail when they change files")
	}
	switch mode {
	case "bash", "script", "cancel", "wait":
		without(n.idle, "`"+mode+"` nodes prompt no agent")
		n.node.IdleTimeout = 0
	}
	switch mode {
	case "wait":
		r.checkWait(n)
	case "loop_group":
		r.checkGroup(n)
	case "approval", "cancel":
		without(n.retryAt, "`"+mode+"` nodes are never retried")
		n.node.Retry = nil
	}
	if gated := mode == "approval" || use.loop != nil && use.loop.interactive; gated && n.node.AlwaysRun {
		without(n.always, "an approval is not repeated when the run is resumed")
		n.node.AlwaysRun = false
	}
	keys := n.ignoredKeys(mode, r.rules)
	first := n.agent.first
	if len(keys) > 0 && len(keys) < len(n.agent.keys) {
		first = n.at.Node.Pair(keys[0]).Key.Span
	}
	if len(keys) > 0 && mode != "command" && mode != "prompt" {
		fewer := slices.IndexFunc(formats.Archon.Versions, func(v formats.Version) bool {
			return len(n.ignoredKeys(mode, formats.Archon.RulesOf(v.Name))) < len(keys)
		})
		d := finding.IgnoredAgentOptions(first, mode, keys)
		if fewer >= 0 {
			finding.OfferVersion(d, formats.Archon.Versions[fewer].Name)
		}
		r.Bag.Add(d)
	}
}

// ignoredKeys are the options for agents that a node of a type ignores by the rules. Other findings are
// about keys that the type supports, or refuses.
func (n *nodeDecl) ignoredKeys(mode string, rules *formats.Ruleset) []string {
	return slices.DeleteFunc(slices.Clone(n.agent.keys), func(key string) bool {
		switch key {
		case "context":
			return n.agent.resume != nil
		case "output_format":
			return rules.Holds(formats.CheckedPrograms) && (mode == "bash" || mode == "script") || rules.Holds(formats.CheckedLoops) && mode == "loop" || mode == "workflow" || mode == "wait"
		case "provider":
			return mode == "loop_group" || mode == "loop" && rules.Holds(formats.LoopAgents)
		case "model":
			return (mode == "loop" || mode == "loop_group") && rules.Holds(formats.LoopAgents)
		}
		return false
	})
}

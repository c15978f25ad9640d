package archon

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// workflowDecl is the top level of a file.
type workflowDecl struct {
	name, description *value
	// shared says that runs may share a checkout, and mutates is where the file says whether.
	shared  bool
	mutates source.Span
	// worktree says whether runs use a separate worktree; it may be nil.
	worktree *bool
	tags     []string
	nodes    *value
	agent    agentDecl
	// chosen answers prompts whose nodes say nothing else.
	chosen agentModel
	// requires are the services that the workflow needs.
	requires []string
	// shown are settings without a meaning for the flow itself.
	shown []ir.Option
	// inputs are the declared inputs; declaresInputs says that the file has the key.
	inputs         []*ir.Input
	declaresInputs bool
	// fallbacks are the defaults of the inputs, by their names; nil for none.
	fallbacks map[string]*yamlsrc.Node
	// searches says that there is a setting for web search.
	searches bool
	// contained says that an included file has a container for its own runs.
	contained bool
	// returns is the node with the result, and outcome the field with the verdict.
	returns, outcome *value
	evidence         bool
	deprecated       string
}

var workflowLevel = level{Where: "at the top of the file", Name: "the workflow", Foreign: decode.ForeignTo(Name, decode.AtTop)}

var workflowFields = []field[workflowDecl]{
	{Name: "name", Shape: decode.FullString, Required: true,
		Doc:  "Name of the workflow.",
		Read: func(d *decoder, v value, w *workflowDecl) { w.name = decode.Keep(v, d.NonEmpty) }},
	{Name: "description", Shape: decode.FullString, Required: true,
		Doc:  "What the workflow does.",
		Read: func(d *decoder, v value, w *workflowDecl) { w.description = decode.Keep(v, d.NonEmpty) }},
	{Name: "nodes", Shape: decode.ListOf(decode.Object(&nodeLevel)).AtLeast(1), Required: true, Examples: []string{`[{"id": "build", "bash": "make"}]`},
		Doc:  "The nodes. A node starts as soon as its dependencies, trigger rule and condition allow.",
		Read: readNodes},
	{Name: "steps", Shape: decode.ListOf(decode.Any).From(0, 0),
		Doc: "Was removed from the format: use `nodes`.",
		Read: func(d *decoder, v value, w *workflowDecl) {
			if v.Node.Kind == yamlsrc.Sequence && len(v.Node.Items) == 0 {
				return
			}
			d.Bag.Add(finding.RemovedSteps(v.Key.Span))
		}},
	{Name: "provider", Shape: decode.FullString,
		Doc:  "Agent for prompts that name none.",
		Read: readWorkflowProvider},
	{Name: "model", Shape: decode.FullString,
		Doc: "Model, model tier or alias for prompts that name none.",
		Read: func(d *decoder, v value, w *workflowDecl) {
			v.Lenient = true
			if model, ok := d.NonEmpty(v); ok {
				w.agent.model, w.agent.modelAt = model, v
				w.showSetting(v, v.Node.JSON())
			}
		}},
	{Name: "interactive", Shape: decode.Bool,
		Doc:  "Only shown by `info`: every gate asks at the terminal or pauses the run.",
		Read: showFlag},
	{Name: "mutates_checkout", Shape: decode.Bool,
		Doc: "Whether runs change the checkout, a promise that only the key of a node enforces. If false, several runs may share one, as without the key if all agents may only read.",
		Read: func(d *decoder, v value, w *workflowDecl) {
			v.Lenient = true
			mutates, ok := d.Flag(v)
			w.shared, w.mutates = ok && !mutates, v.Place()
		}},
	{Name: "tags", Shape: decode.ListOf(decode.String),
		Doc:  "Labels, shown by `info`.",
		Read: readTags},
	{Name: "worktree", Shape: decode.Object(&worktreeLevel),
		Doc:  "Whether each run gets a git worktree.",
		Read: readWorktree},
	inheritedField("effort"),
	inheritedField("thinking"),
	inheritedField("sandbox"),
	inheritedField("fallbackModel"),
	inheritedField("betas"),
	{Name: "persist_sessions", Shape: decode.Bool,
		Doc: "Keeps the conversation of each prompt for the next run.",
		Read: func(d *decoder, v value, w *workflowDecl) {
			v.Lenient = true
			if on, ok := d.Flag(v); ok && on {
				w.agent.persist = &on
				w.showSetting(v, "true")
			}
		}},
	inheritedField("modelReasoningEffort"),
	inheritedField("webSearchMode"),
	{Name: "requires", Shape: decode.ListOf(decode.FullString), Examples: []string{`["github"]`},
		Doc: "Services that the workflow needs. Only shown by `info`.",
		Read: func(d *decoder, v value, w *workflowDecl) {
			v.Lenient = true
			if list, ok := d.Entries(v, d.NonEmpty); ok {
				for _, e := range list {
					w.requires = append(w.requires, e.Text)
				}
				w.showSetting(v, v.Node.JSON())
			}
		}},
	{Name: "inputs", Shape: decode.MapOf(decode.Object(&inputLevel)),
		Doc:  "Inputs of the workflow, by name, read as `$INPUTS.name`.",
		Read: readInputs},
	{Name: "returns", Shape: decode.FilledString,
		Doc:  "Node whose output is the result of the workflow.",
		Read: func(d *decoder, v value, w *workflowDecl) { w.returns = readFilledName(d, v) }},
	{Name: "outcome_field", Shape: decode.FilledString,
		Doc:  "Bool field of the result: whether the run achieved its purpose.",
		Read: func(d *decoder, v value, w *workflowDecl) { w.outcome = readFilledName(d, v) }},
	{Name: "evidence_policy", Shape: decode.Object(&evidenceLevel),
		Doc:  "Whether a run needs evidence to complete.",
		Read: readEvidence},
	{Name: "deprecated", Shape: decode.Object(&deprecatedLevel),
		Doc:  "Advice not to use the workflow, shown by `info` and when it runs.",
		Read: readDeprecated},
	{Name: "container", Shape: decode.Off,
		Doc: "Not supported: a value that turns containers on is an error.",
		Read: func(d *decoder, v value, w *workflowDecl) {
			if w.contained = d.inBlock(); !w.contained {
				d.refuseKey(v, formats.Archon.KeySince(workflowLevel.Where, v.Path), "use `worktree`, or a `sandbox` for the agent")
			}
		}},
}

// inheritedField is the key of an agent option that the nodes inherit.
func inheritedField(option string) field[workflowDecl] {
	key := &allOptions[slices.IndexFunc(allOptions, func(k optionKey) bool { return k.name == option })]
	return field[workflowDecl]{Name: option, Shape: key.shape, Doc: key.doc, Examples: key.examples,
		Read: func(d *decoder, v value, w *workflowDecl) { readDefault(d, v, w, key) }}
}

// showSetting keeps a setting to show it to users.
func (w *workflowDecl) showSetting(v value, json string) {
	w.shown = append(w.shown, ir.Option{Name: v.Path, JSON: json, Span: v.Place()})
}

// requireServices adds the services that an included workflow needs.
func (w *workflowDecl) requireServices(included *workflowDecl) {
	if len(included.requires) == 0 {
		return
	}
	for _, name := range included.requires {
		if !slices.Contains(w.requires, name) {
			w.requires = append(w.requires, name)
		}
	}
	text, _ := json.Marshal(w.requires)
	i := slices.IndexFunc(w.shown, func(o ir.Option) bool { return o.Name == "requires" })
	if i < 0 {
		j := slices.IndexFunc(included.shown, func(o ir.Option) bool { return o.Name == "requires" })
		w.shown = append(w.shown, included.shown[j])
		i = len(w.shown) - 1
	}
	w.shown[i].JSON = string(text)
}

func showFlag(d *decoder, v value, w *workflowDecl) {
	v.Lenient = true
	if _, ok := d.Flag(v); ok {
		w.showSetting(v, v.Node.JSON())
	}
}

func readNodes(d *decoder, v value, w *workflowDecl) {
	if d.HasItems(v) {
		w.nodes = &v
	}
}

func readWorkflowProvider(d *decoder, v value, w *workflowDecl) {
	v.Lenient = true
	name, ok := d.NonEmpty(v)
	if ok && d.checkProvider(v, name) {
		w.agent.provider, w.agent.providerAt = name, v
		w.showSetting(v, v.Node.JSON())
	}
}

// readTags reads the list of labels: trimmed, each once. It drops values that are
// not strings, as the engine does.
func readTags(d *decoder, v value, w *workflowDecl) {
	v.Lenient = true
	list, _ := d.Entries(v, d.Text)
	for _, e := range list {
		if tag := trimSpace(e.Text); tag != "" && !slices.Contains(w.tags, tag) {
			w.tags = append(w.tags, tag)
		}
	}
}

// worktreeDecl holds the keys under `worktree:`.
type worktreeDecl struct{ enabled *bool }

var worktreeLevel = level{Where: "under `worktree:`", Name: "`worktree`", Prefix: "worktree."}

var worktreeFields = []field[worktreeDecl]{
	{Name: "enabled", Shape: decode.Bool, Required: true,
		Doc: "Gives each run a git worktree, or none.",
		Read: func(d *decoder, v value, w *worktreeDecl) {
			if enabled, ok := d.Flag(v); ok {
				w.enabled = &enabled
			}
		}},
}

func readWorktree(d *decoder, v value, w *workflowDecl) {
	v.Lenient = true
	var tree worktreeDecl
	if !decode.Fields(d, worktreeLevel, v, worktreeFields, &tree) {
		return
	}
	if tree.enabled != nil {
		w.worktree = tree.enabled
		w.showSetting(v, v.Node.JSON())
	} else if v.Node.Pair("enabled") == nil {
		d.reportMissing(v, worktreeLevel, decode.Required(worktreeFields)...)
	}
}

// readDefault reads an agent option that the nodes inherit.
func readDefault(d *decoder, v value, w *workflowDecl, key *optionKey) {
	v.Lenient = true
	d.discourageKey(v)
	json, ok := key.read(d, v)
	if !ok {
		return
	}
	w.agent.options = append(w.agent.options, agentOption{key: key, at: v, json: json})
	w.showSetting(v, json)
}

// compileWorkflow decodes the top level and all nodes. The result is nil when
// the file says nothing about nodes.
func (d *decoder) compileWorkflow(root *yamlsrc.Node) *ir.Workflow {
	w := &workflowDecl{}
	d.defaults = w
	v := value{Node: root, Path: "the workflow"}
	decode.Fields(d, workflowLevel, v, workflowFields, w)
	d.missingAtTop(v)
	if w.nodes == nil {
		return nil
	}
	if d.inBlock() {
		// It belongs to a run.
		w.agent.options = slices.DeleteFunc(w.agent.options, func(o agentOption) bool {
			w.searches = w.searches || o.key.name == webSearch
			return o.key.name == webSearch
		})
	}
	w.chosen = d.chooseAgentModel(w.providerName(), &w.agent)
	var decls []*nodeDecl
	body := &ir.DAG{}
	for i, item := range w.nodes.Node.Items {
		if n := d.readNode(item, *w.nodes, i+1); n != nil {
			decls = append(decls, n)
			d.addToScope(n)
		}
	}
	d.checkDefaults(w)
	d.checkShared(decls, d.connectNodes(decls))
	d.entries, d.sinks = entriesAndSinks(decls)
	d.nodes = d.expandIncludes(decls)
	for _, n := range d.nodes {
		body.Nodes = append(body.Nodes, n.node)
	}
	if !d.inBlock() {
		continueConversations(d.nodes)
	}
	d.finishGroups()
	flow := &ir.Workflow{
		Inputs:   workflowInputs(),
		Env:      scriptEnvironment(),
		Body:     body,
		Schedule: d.env.Schedule, DeliverTo: d.env.DeliverTo, NodeTags: d.env.NodeTags,
		Exclusive: !w.shared, ExclusiveSpan: w.mutates, OpenInputs: !w.declaresInputs,
		Worktree: w.worktree,
		Tags:     w.tags,
		Options:  w.shown,
		Span:     root.Span,
	}
	addInputs(flow, w.inputs)
	d.setResult(w, flow)
	flow.MoreEnv = d.newerEnvironment()
	if w.name != nil {
		flow.Name, flow.NameSpan = w.name.Node.Value, w.name.Place()
	}
	if w.description != nil {
		flow.Description = w.description.Node.Value
	}
	return flow
}

// missingAtTop reports the required keys that the file does not have.
func (r *reader) missingAtTop(v value) {
	r.Missing(v, v.FirstKey(), workflowLevel, "name", "description")
	if !hasSteps(v.Node) {
		r.Missing(v, v.FirstKey(), workflowLevel, "nodes")
	}
}

// hasSteps reports whether the file is of the early format, which is reported
// by itself.
func hasSteps(root *yamlsrc.Node) bool {
	steps := root.Get("steps")
	return steps != nil && (steps.Kind != yamlsrc.Sequence || len(steps.Items) > 0)
}

// providerName returns the agent that the workflow names, or the default one.
func (w *workflowDecl) providerName() string {
	return cmp.Or(w.agent.provider, defaultProvider)
}

// checkDefaults reports settings for all nodes that neither the workflow's
// agent nor that of any node takes.
func (a *agents) checkDefaults(w *workflowDecl) {
	for _, o := range w.agent.options {
		if !o.taken && !a.supportsOption(w.chosen.agent, o.key) {
			a.Bag.Add(a.unsupportedOption(&o, w.chosen.agent))
		}
	}
}

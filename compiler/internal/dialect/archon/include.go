package archon

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// deepestInclude is how many files can include each other in a row.
const deepestInclude = 3

// A block is an included file and its nodes, which replace the include. A separate decoder reads the file,
// so that only settings and names of that file count there. Its surfaces are resolved together with those
// of the file that includes it.
type block struct {
	// name is the name of the workflow, and site the place that includes it.
	name string
	site source.Span
	used *dialect.Used
	// first is the outermost block that this one is in.
	first *block
	// bag takes the findings in the file, and outer those about the include.
	bag, outer *diag.Bag
	// inputs are the declared inputs, and declared says that the file has the key.
	inputs   []*ir.Input
	declared bool
	// defaults are the values of inputs that are not given, as the file writes them.
	defaults map[string]*yamlsrc.Node
	// arguments are the values of the inputs. missing are the inputs without one that were
	// reported.
	arguments []*argument
	missing   map[string]bool
	// nodes are the nodes with those of blocks inside, and entries those of the file that
	// depend on no other.
	nodes, entries []*nodeDecl
	// last are the nodes on which no other depends, and output is the one with the output
	// of the block; returns says that the file names it.
	last    []*ir.Node
	output  *ir.Node
	returns bool
	// item is the item for which the nodes run, or nil.
	item *expr.Declared
}

// buildInclude makes an include: the nodes of another workflow in the place of one. It
// reports whether that is possible.
func (d *decoder) buildInclude(n *nodeDecl, at value) bool {
	complete := d.checkInclude(n)
	callee, fault := d.findCallee(at)
	switch {
	case fault != nil:
		fault.Severity = diag.Error // also for a name that a child run could have
		d.Bag.Add(fault)
		return false
	case !complete:
		return false
	case len(d.chain) > deepestInclude:
		d.first.outer.Add(codes.DeepInclude.New(d.first.site, fmt.Sprintf("include of `%s` is too deep: the limit is %d levels", callee.name, deepestInclude)).
			WithRelated(at.Place(), "this include is one too many").
			WithHelp("move the include of `" + callee.name + "` nearer to this file"))
		return false
	}
	b := &block{name: callee.name, site: at.Place(), used: callee.used, bag: &diag.Bag{}, outer: d.Bag, missing: map[string]bool{}}
	if b.first = d.first; b.first == nil {
		b.first = b
	}
	child := d.decodeBlock(b, callee.path, n.fan != nil)
	d.blocks = append(d.blocks, b)
	if child == nil || child.nodes == nil {
		return false
	}
	if n.fan != nil {
		b.item = &expr.Declared{Name: n.fan.as.Node.Value, Typ: types.Text}
	}
	d.passArguments(n, b)
	d.takeOver(child, b)
	if n.fan != nil {
		d.repeatInclude(n, b)
		return true
	}
	n.node.Action = &ir.Include{Workflow: b.name}
	n.block = b
	for _, inner := range b.nodes {
		inner.node.Prefix(n.node.ID + "__")
	}
	return true
}

// decodeBlock decodes an included file with a separate decoder. It returns nil if the
// file says nothing about nodes. repeated says that the nodes run for the items of a
// list.
func (d *decoder) decodeBlock(b *block, path string, repeated bool) *decoder {
	doc := yamlsrc.Parse(b.used.File, b.bag)
	if doc == nil {
		return nil
	}
	root := decode.Root(doc, b.bag, diag.Warning)
	if root == nil {
		return nil
	}
	env := *d.env
	env.Dir = filepath.Dir(path)
	child := newDecoder(&env, b.bag)
	child.library.shareFiles(d.library)
	child.chain = append(slices.Clone(d.chain), path)
	child.rules = d.rules
	child.first = b.first
	child.scope = newScope(d.rules)
	child.scope.inputs.block = b
	child.group, child.repeated = d.group, d.repeated || repeated
	if d.scope.siblings != nil && !repeated {
		child.scope.siblings = child.scope.nodes // before the blocks inside ask for it
	}
	flow := child.compileWorkflow(root)
	if flow == nil || len(child.nodes) == 0 {
		return nil
	}
	b.inputs, b.declared, b.defaults = child.defaults.inputs, child.defaults.declaresInputs, child.defaults.fallbacks
	b.nodes, b.entries = child.nodes, child.entries
	for _, n := range child.sinks {
		if n.block != nil {
			b.last = append(b.last, n.block.last...)
		} else {
			b.last = append(b.last, n.node)
		}
	}
	switch {
	case flow.Returns != nil:
		b.output, b.returns = flow.Returns, true
	case len(child.sinks) > 0:
		b.output = child.sinks[0].resultNode()
	default:
		b.output = child.nodes[0].node // of nodes in a cycle, which is reported
	}
	for _, g := range child.groups {
		g.scope.inputs = child.scope.inputs
	}
	b.freshenPrompts()
	return child
}

// freshenPrompts has the first prompts of a block start a new conversation, unless the node sets
// `context`.
func (b *block) freshenPrompts() {
	for _, n := range b.entries {
		p, ok := n.node.Action.(*ir.Prompt)
		if ok && !slices.Contains(n.agent.keys, "context") {
			n.agent.fresh, p.Agent.FreshSession = true, !p.Persist
		}
	}
}

// takeOver adds the parts of an included file to those of the file that includes it.
func (d *decoder) takeOver(child *decoder, b *block) {
	for _, s := range child.surfaces {
		if s.scope.inputs.block != b {
			continue
		}
		if set := s.setBash; set != nil {
			s.setBash = func(a *ir.Bash) {
				a.Env = b.envVariables()
				set(a)
			}
		}
		if set := s.setScript; set != nil {
			s.setScript = func(a *ir.Script) {
				set(a)
				a.Env = append(b.envVariables(), a.Env...)
			}
		}
		b.noteVariables(s)
	}
	d.surfaces = append(d.surfaces, child.surfaces...)
	d.blocks = slices.Concat(d.blocks[:len(d.blocks)-1], child.blocks, []*block{b})
	maps.Copy(d.formed, child.formed)
	*d.library.used = append(*d.library.used, b.used.File)
	d.resumptions = append(d.resumptions, child.resumptions...)
	d.defaults.requireServices(child.defaults)
	if keys := child.defaults.ownedByRun(); len(keys) > 0 {
		d.Bag.Add(finding.DroppedByInclude(b.site, b.name, keys))
	}
}

// addFindings adds the findings in the file to those of the file that includes it. It does not
// repeat findings that the file also has when compiled alone: their errors become one
// error.
func (b *block) addFindings() {
	for _, a := range b.arguments {
		if !a.read && !b.declared {
			b.outer.Add(finding.UnusedBinding(a.at.Key.Span, a.at.Path, "workflow `"+b.name+"`"))
		}
	}
	var first *diag.Diagnostic
	for _, f := range b.bag.Sorted() {
		own := b.used.Own(f)
		if own == nil {
			if f.Span.File == b.used.File {
				f.Fixes = nil // they are for the file alone
			}
			b.outer.Add(f.WithRelated(b.site, "included here"))
		} else if f.Severity == diag.Error && first == nil {
			first = own
		}
	}
	if first != nil {
		b.outer.Add(finding.FaultyWorkflow(b.site, b.name, first))
	}
}

// checkInclude reports keys that an include cannot have, and those without an effect.
func (r *reader) checkInclude(n *nodeDecl) bool {
	ok := true
	for _, key := range []string{"isolation", "input", "mutates_checkout"} {
		if p := n.at.Node.Pair(key); p != nil {
			r.Bag.Add(finding.CompositionKey(p.Key.Span, "`"+key+"` is invalid on an `include` node", "remove it, or use a `workflow` node for a separate run"))
			ok = false
		}
	}
	if fan := n.at.Node.Pair("fan_out"); fan != nil {
		ok = n.fan != nil && r.reportMissing(n.fan.at, fanLevel, "as") && n.fan.as != nil && ok
	}
	n.readOnly, n.node.ReadOnly = nil, false
	for _, key := range []string{"retry", "output_type", "always_run", "timeout", "idle_timeout"} {
		if p := n.at.Node.Pair(key); p != nil {
			r.Bag.Add(finding.NoEffect(p.Key.Span, key, "an `include` node stands for the nodes of another workflow"))
		}
	}
	n.node.Retry, n.node.Artifact, n.node.AlwaysRun, n.node.Timeout, n.node.IdleTimeout = nil, "", false, 0, 0
	return ok
}

// ownedByRun are the keys of a workflow that count only for its own runs.
func (w *workflowDecl) ownedByRun() []string {
	var keys []string
	for _, key := range []struct {
		name string
		has  bool
	}{
		{"worktree", w.worktree != nil}, {"container", w.contained}, {"evidence_policy", w.evidence},
		{"webSearchMode", w.searches}, {"mutates_checkout", w.shared},
	} {
		if key.has {
			keys = append(keys, key.name)
		}
	}
	return keys
}

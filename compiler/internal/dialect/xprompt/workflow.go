package xprompt

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

var workflowLevel = level{Where: "at the top of the file", Name: "the workflow"}

// workflowFields are the keys of the file. Those whose order counts are read by
// readWorkflow.
var workflowFields = append([]field[decoder]{
	{Name: "name", Shape: decode.FilledString,
		Doc: "Name of the workflow; the file name if absent.",
		Read: func(d *decoder, v value, _ *decoder) {
			d.workflow.Name, _ = d.Filled(v)
			d.workflow.NameSpan = v.Place()
		}},
	{Name: "input", Shape: decode.ListOf(decode.Object(&inputLevel).Needing("name")).Else(decode.MapOf(inputLevelShape())).OrNull(),
		Doc:  "The inputs: an object such as `{who: line, n: {type: int, default: 3}}`, or a list such as `[{name: who, type: line}]`.",
		Read: func(d *decoder, v value, _ *decoder) { d.readInputs(v) }},
	{Name: "steps", Shape: decode.ListOf(decode.Object(&stepLevel)).AtLeast(1), Required: true,
		Doc:  "The steps, which run one after the other.",
		Read: func(d *decoder, v value, _ *decoder) { d.readSteps(v) }},
	{Name: "xprompts", Shape: decode.MapOf(decode.Any),
		Doc:  "Prompts of the file, by name: a string, or an object with `content`, `input` and `output`. `#name` in a prompt inserts one.",
		Read: func(d *decoder, v value, _ *decoder) { d.readPrompts(v) }},
}, successorFileFields...)

// readWorkflow decodes the file.
func (d *decoder) readWorkflow(root *yamlsrc.Node) {
	file := value{Node: root}
	d.workflow.Span = root.Span
	d.workflow.Name = stem(d.file.Name)
	decode.Fields(d, workflowLevel, file, workflowFields, d)
	d.Missing(file, file.FirstKey(), workflowLevel, decode.Required(workflowFields)...)
}

// stem is the name of a file without its folder and its ending.
func stem(path string) string {
	base := filepath.Base(filepath.FromSlash(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readPrompts decodes the prompts that the file itself holds.
func (d *decoder) readPrompts(v value) {
	if !d.IsMapping(v) {
		return
	}
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		if !isName(p.Key.Value) {
			d.Bag.Add(finding.StepName(p.Key.Span, "prompt", p.Key.Value, "", false))
			continue
		}
		d.prompts.AddLocal(p)
	}
}

// readSteps decodes the list of all steps.
func (d *decoder) readSteps(v value) {
	if !d.HasItems(v) {
		return
	}
	first := map[string]*stepDecl{}
	for i, item := range v.Node.Items {
		s := d.readStep(v.Item(item), i, nil)
		if s == nil {
			continue
		}
		if other := first[s.name]; other != nil {
			d.Bag.Add(finding.DuplicateStep(s.nameAt, s.name, other.nameAt, false))
		} else {
			first[s.name] = s
		}
		s.id = d.unique(s.name)
		d.steps = append(d.steps, s)
		d.lastNamed[s.name] = s
	}
	d.checkFinally()
}

// unique returns a node id for a name that no node has yet.
func (d *decoder) unique(name string) string {
	id := name
	for n := 2; d.ids[id]; n++ {
		id = name + "_" + itoa(n)
	}
	d.ids[id] = true
	return id
}

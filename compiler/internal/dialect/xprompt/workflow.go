package xprompt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

var workflowLevel = level{Where: "at the top of the file", Name: "the workflow", Foreign: decode.ForeignTo(Name, decode.AtTop)}

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
		Doc:  "Prompts by name: strings, or objects with `content`, `input` and `output`. `#name` in a prompt inserts one.",
		Read: func(d *decoder, v value, _ *decoder) { d.readPrompts(v) }},
	{Name: "macros", Shape: decode.MapOf(decode.Any),
		Doc:  "Newer name of `xprompts`.",
		Read: func(d *decoder, v value, _ *decoder) { d.readPrompts(v) }},
}, successorFileFields...)

// readWorkflow decodes the file.
func (d *decoder) readWorkflow(root *yamlsrc.Node) {
	file := value{Node: root}
	d.workflow.Span = root.Span
	d.workflow.Name = fileStem(d.file.Name)
	decode.Fields(d, workflowLevel, file, workflowFields, d)
	d.Missing(file, file.FirstKey(), workflowLevel, decode.Required(workflowFields)...)
}

// fileStem is the name of a file without its folder and its ending.
func fileStem(path string) string {
	base := filepath.Base(filepath.FromSlash(path))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// readPrompts decodes the prompts that the file itself holds.
func (d *decoder) readPrompts(v value) {
	if !d.IsMapping(v) {
		return
	}
	if d.promptsAt != nil { // the successor refuses both
		d.Bag.Add(finding.DuplicateKey(v.Path, d.promptsAt.Head(), v.Head()).WithHelp("keep one of the two; `macros` is the newer name of `xprompts`"))
	}
	d.promptsAt = &v
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		if !isName(p.Key.Value) {
			d.Bag.Add(finding.StepName(p.Key.Span, "prompt", p.Key.Value, "", false))
			continue
		}
		d.prompts.AddLocal(p)
	}
}

// readTags reads the labels of a workflow: a list, or a string with commas.
func (d *decoder) readTags(v value) {
	add := func(text string) {
		for tag := range strings.SplitSeq(text, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				d.workflow.Tags = append(d.workflow.Tags, tag)
			}
		}
	}
	switch v.Node.Kind {
	case yamlsrc.Sequence:
		for _, item := range v.Node.Items {
			if text, ok := d.Text(v.Item(item)); ok {
				add(text)
			}
		}
	case yamlsrc.Mapping:
		d.WrongKind(v, "a string or a list of strings")
	default:
		add(v.Node.Value)
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
		s.id = d.uniqueID(s.name)
		d.steps = append(d.steps, s)
		d.lastNamed[s.name] = s
	}
	d.checkFinally()
}

// uniqueID returns a node id for a name that no node has yet.
func (d *decoder) uniqueID(name string) string {
	id := name
	for n := 2; d.ids[id]; n++ {
		id = name + "_" + strconv.Itoa(n)
	}
	d.ids[id] = true
	return id
}

// readEnvironment keeps the environment variables until the inputs are known.
func (d *decoder) readEnvironment(v value) {
	if !d.IsMapping(v) {
		return
	}
	for i := range v.Node.Pairs {
		p := &v.Node.Pairs[i]
		member := v.Member(p)
		switch {
		case !isVariable(p.Key.Value):
			d.Bag.Add(finding.VariableName(p.Key.Span, p.Key.Value))
		case p.Value.Kind != yamlsrc.Scalar || p.Value.IsNull():
			d.WrongKind(member, "a string")
		default:
			d.variables = append(d.variables, member)
		}
	}
}

// isVariable reports whether an environment variable can have a name.
func isVariable(name string) bool { return isName(name) || slices.Contains(words, name) }

// addEnvironment makes the environment variables. Their values can read inputs. A value
// that only the run knows must not become code, neither by the name of its variable
// nor where a script reads it.
func (d *decoder) addEnvironment() {
	var unknown []string
	for _, v := range d.variables {
		name := v.Key.Value
		t := jinja.Template(v.Node.Text(), &scope{d: d, environment: true}, jinja.Options{}, d.Bag)
		x := expr.Expr(&expr.Rendered{At: v.Place(), Text: t})
		if text, constant := t.Constant(); constant {
			x = &expr.Literal{At: v.Place(), Text: text, Typ: types.Text}
		} else {
			unknown = append(unknown, name)
			if shell.ChoosesProgram(name) {
				d.Bag.Add(codes.ScriptEnvironment.New(v.Place(), fmt.Sprintf("a value in the environment variable `%s` can choose programs", name)).
					WithLabel("the value could name a program").
					WithHelp("pass the value in a variable with a fixed name that only carries data, or as an argument"))
			}
		}
		d.workflow.Environment = append(d.workflow.Environment, ir.EnvVar{Name: name, Value: x})
	}
	d.shell = shell.NewRewriter(shell.Options{Echo: true, Variables: unknown, Programs: d.env.Settings.Programs, Check: shell.BashChecker(d.env.Ask)})
	d.python.Variables = unknown
}

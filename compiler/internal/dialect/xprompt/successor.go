package xprompt

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// The format's successor has further keys, and rules that differ in a few places. A
// file with one of these keys follows the rules of the successor.

// successorFile and successorStep are the keys of files and of steps that only the
// successor has. A description and a hidden step are in files of both.
var (
	successorFile = []string{"environment", "tags", "wraps_all", "hidden", "macros"}
	successorStep = []string{"agent", "use", "finally", "artifact", "prompt_part"}
)

// isSuccessor reports whether a file is one of the successor's.
func isSuccessor(root *yamlsrc.Node) bool {
	if detect.First(root, successorFile...) != "" || hasNewerInput(root.Get("input")) {
		return true
	}
	steps := root.Get("steps")
	if steps == nil {
		return false
	}
	return slices.ContainsFunc(steps.Items, func(step *yamlsrc.Node) bool {
		children := step.Get("parallel")
		return isSuccessorStep(step) || children != nil && slices.ContainsFunc(children.Items, isSuccessorStep)
	})
}

// hasNewerInput reports whether an input has a key or a type that only the successor has.
func hasNewerInput(list *yamlsrc.Node) bool {
	if list == nil {
		return false
	}
	inputs := list.Items
	for i := range list.Pairs {
		inputs = append(inputs, list.Pairs[i].Value)
	}
	return slices.ContainsFunc(inputs, func(in *yamlsrc.Node) bool {
		typ := in
		if in.Kind == yamlsrc.Mapping {
			typ = in.Get("type")
		}
		return detect.First(in, "repeatable", "choices") != "" || typ.IsString() && reference.IsNewerType(typ.Value)
	})
}

// isSuccessorStep reports whether a step has a key of the successor. An `agent`
// beside a `prompt` has no meaning in either format.
func isSuccessorStep(step *yamlsrc.Node) bool {
	key := detect.First(step, successorStep...)
	return key != "" && (key != "agent" || step.Pair("prompt") == nil)
}

// checkPart makes the prompt of a prompt_part, of which a workflow has one at most.
func (d *decoder) checkPart(s *stepDecl) {
	switch {
	case d.part != nil:
		d.Bag.Add(finding.MisplacedStep(s.part.Head(), "a workflow has at most one `prompt_part`").
			WithRelated(d.part.nameAt, "this step has one").WithHelp("join the two, or write `agent` for a separate prompt"))
	case s.parent != nil:
		d.Bag.Add(finding.MisplacedStep(s.part.Head(), "`prompt_part` cannot be on a step of a parallel").
			WithHelp("write `agent` for a separate prompt"))
	default:
		d.part = s
		for _, key := range []string{"for", "repeat", "while", "output", "hitl", "finally", "artifact"} {
			if p := s.at.Node.Pair(key); p != nil {
				d.Bag.Add(finding.MisplacedStep(p.Key.Span, "`"+key+"` cannot be on a step with `prompt_part`").
					WithHelp("put it on another step, or write `agent` for a separate prompt"))
			}
		}
	}
	s.prompt = s.part
}

// checkFinally reports `finally` steps that other steps follow.
func (d *decoder) checkFinally() {
	var first *stepDecl
	for _, s := range d.steps {
		switch {
		case s.finally != nil && first == nil:
			first = s
		case s.finally == nil && first != nil:
			d.Bag.Add(finding.MisplacedStep(first.finally.Head(), "step `"+s.name+"` follows the `finally` step `"+first.name+"`").
				WithRelated(s.nameAt, "this step runs before the end").
				WithHelp("move the `finally` steps to the end of `steps`"))
			return
		}
	}
}

// checkSuccessor reports keys of a step that do not go with its others.
func (d *decoder) checkSuccessor(s *stepDecl) {
	switch {
	case s.finally != nil && s.parent != nil:
		d.Bag.Add(finding.MisplacedStep(s.finally.Head(), "`finally` cannot be on a step of a parallel").
			WithHelp("put it on the parallel as a whole"))
		s.finally = nil
	case s.finally != nil && s.hitl != nil:
		d.Bag.Add(finding.MisplacedStep(s.hitl.Head(), "`hitl` cannot be on a `finally` step").
			WithHelp("ask for the review in a step before the end"))
		s.hitl = nil
	}
	if s.artifact == nil {
		return
	}
	kind := ""
	switch {
	case s.parent != nil:
		kind = "a step of a parallel"
	case s.prompt != nil:
		kind = "a step with a prompt"
	case s.parallel != nil:
		kind = "a parallel step"
	default:
		return
	}
	d.Bag.Add(finding.ArtifactStep(s.artifact.Head(), kind))
	s.artifact = nil
}

// successorFileFields are the keys of the file that only the successor has, and its
// description.
var successorFileFields = []field[decoder]{
	{Name: "description", Shape: decode.String,
		Doc:  "What the workflow does, for users.",
		Read: func(d *decoder, v value, _ *decoder) { d.workflow.Description, _ = d.Text(v) }},
	{Name: "environment", Shape: decode.MapOf(decode.String).OrNull(),
		Doc:  "Environment variables of all scripts and agents. Values are templates that can read the inputs.",
		Read: func(d *decoder, v value, _ *decoder) { d.readEnvironment(v) }},
	{Name: "tags", Shape: decode.String.Else(decode.ListOf(decode.String)).OrNull(),
		Doc:  "Labels for users: a list, or a string with commas between them.",
		Read: func(d *decoder, v value, _ *decoder) { d.readTags(v) }},
	{Name: "wraps_all", Shape: decode.Bool,
		Doc:  "Has no effect: it orders workflows that are parts of others.",
		Read: func(d *decoder, v value, _ *decoder) { d.noteFlag(v, "no workflow is a part of another one") }},
	{Name: "hidden", Shape: decode.Bool,
		Doc:  "Has no effect: lists show every workflow.",
		Read: func(d *decoder, v value, _ *decoder) { d.noteFlag(v, "lists show every workflow") }},
}

// successorStepFields are the keys of steps that only the successor has.
var successorStepFields = []field[stepDecl]{
	{Name: "agent", Shape: decode.FullString,
		Doc:  "Newer name of `prompt`.",
		Read: readAgent},
	{Name: "use", Shape: decode.FilledString, Examples: []string{`"shared/lint"`},
		Doc:  "File with the keys of a step, below the folder `steps` of a [folder of prompts](../dialects/xprompt.md#references-to-prompts). Keys beside `use` replace those of the file.",
		Read: func(*decoder, value, *stepDecl) {}}, // read first
	{Name: "artifact", Shape: decode.OneOf("stdout"),
		Doc:  "Keeps what a script prints as a file, too, whose path is `NAME._artifact`.",
		Read: func(d *decoder, v value, s *stepDecl) { s.artifact = decode.Keep(v, d.Choice) }},
	{Name: "finally", Shape: decode.Bool,
		Doc: "Runs the step at the end of the run, even after a failure or cancellation. Only other such steps can follow it.",
		Read: func(d *decoder, v value, s *stepDecl) {
			if set, _ := d.Flag(v); set {
				s.finally = &v
			}
		}},
	{Name: "prompt_part", Shape: decode.String,
		Doc: "Template of a prompt for an agent; later steps read it as `_prompt`, and the answer as `_response`. The original inserts it into prompts that refer to the workflow.",
		Read: func(d *decoder, v value, s *stepDecl) {
			if s.part = &v; v.Node.Kind == yamlsrc.Scalar && v.Node.Value == "" {
				d.Bag.Add(finding.EmptyPart(v.Place()))
				return
			}
			d.readProgram(v)
		}},
}

// readAgent reads the key of a prompt. Beside `prompt`, it has never had a meaning.
func readAgent(d *decoder, v value, s *stepDecl) {
	if s.at.Node.Pair("prompt") != nil {
		d.Bag.Add(finding.NoEffect(v.Head(), "agent", "the step has `prompt`, an older name of the same key").
			WithHelp("remove one of the two keys; `agents` in wfc.yaml selects who answers"))
		return
	}
	s.prompt = d.readProgram(v)
}

// noteFlag reads a bool that has no effect.
func (d *decoder) noteFlag(v value, why string) {
	if set, ok := d.Flag(v); ok && set {
		d.Bag.Add(noEffect(v, why))
	}
}

package conformance

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// planNow plans a case of today's Archon.
func planNow(b *bench, c *recorded) (plan, error) {
	switch n := c.now; n.Op {
	case "load":
		return planNowLoad(n), nil
	case "run":
		return planNowRun(b, n), nil
	case "condition":
		return planNowCondition(b, n)
	case "validate":
		return planNowFindings(n), nil
	case "effort":
		return planNowEffort(n), nil
	default:
		return planNowDry(b, n), nil
	}
}

// compileNow compiles workflow w at its place in the project. The loader of the engine
// does not look for the files that nodes name: with named, they are all there.
func compileNow(in *nowInput, named bool) *compiler.Result {
	name, text := in.workflow()
	memory := testkit.Memory{}
	add := func(files map[string]string) {
		for file, content := range files {
			memory[path.Join("/project", file)] = content
		}
	}
	if named {
		for _, content := range append(slices.Collect(maps.Values(in.Files)), text) {
			add(namedFiles(content))
		}
	}
	add(in.Files)
	memory[path.Join("/project", name)] = text
	return compiler.Compile(source.NewFile("w.yaml", []byte(text)), compiler.Options{
		Path: path.Join("/project", name), Dialect: "archon", Root: "/project", Home: "/home", Files: memory,
		Settings: in.settings(),
	})
}

// settings are those of the project of a case.
func (in *nowInput) settings() settings.Project {
	p := settings.Project{Archon: settings.Archon{Version: cmp.Or(in.Version, nowVersion)}}
	for _, list := range []map[string]nowModel{in.Config.Tiers, in.Config.Aliases} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			p.Models = append(p.Models, settings.Model{Name: name, Agent: list[name].Provider, Model: list[name].Model, Effort: list[name].Effort})
		}
	}
	return p
}

// planNowCondition evaluates a condition by compiled code. Input values are the defaults
// of declared inputs.
func planNowCondition(b *bench, c *nowCase) (plan, error) {
	values := map[string]json.RawMessage{}
	if len(c.in.Inputs) > 0 {
		if err := json.Unmarshal(c.in.Inputs, &values); err != nil {
			return plan{}, err
		}
	}
	s := newStage(c.in.Expr, c.in.Outputs, nodeText{{"bash", "'true'"}, {"when", quote(c.in.Expr)}})
	text := s.yaml
	// A literal may not be compared with the whole output of an agent when a file is
	// loaded. The evaluator, of which the cases are, does not know who made an output.
	text = strings.ReplaceAll(text, "    prompt: produce\n", "    bash: produce\n")
	text = strings.ReplaceAll(text, "    bash: produce\n    output_format:", "    prompt: produce\n    output_format:")
	var declared []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		declared = append(declared, quote(name)+": {default: "+string(values[name])+"}")
	}
	text = strings.Replace(text, "nodes:\n", "inputs: {"+strings.Join(declared, ", ")+"}\nnodes:\n", 1)
	r := compileNow(&nowInput{YAML: text}, false)
	want := c.condition.String()
	if r.HasErrors() {
		if (want == unparsed || want == fails) && (aboutReading(r) || onlyFor(r, "unknown-input") || onlyFor(r, "misplaced-node")) {
			return judged(nil), nil
		}
		return judged([]difference{{"condition", want, refusal(r)}}), nil
	}
	s.job.Inputs, s.job.Given = json.RawMessage("{}"), []string{}
	return b.perform(r, s.job, judgeCondition(want)), nil
}

// onlyFor reports whether all errors have one code.
func onlyFor(r *compiler.Result, slug string) bool {
	return !slices.ContainsFunc(errorsOf(r), func(d *diag.Diagnostic) bool { return d.Code.Slug != slug })
}

func (c *nowCondition) String() string {
	return (&conditionEnd{OK: c.OK}).String()
}

// planNowEffort compares the rung of an effort that an agent gets.
func planNowEffort(c *nowCase) plan {
	kind := catalog.KindInfo{Efforts: c.in.Offered}
	return judged(same("effort", deref(c.effort.Effort), kind.NearestEffort(c.in.Effort)))
}

// planNowFindings compares the nodes and keys of findings. Severities are not compared, as
// for the older cases, and a key is the last of its path.
func planNowFindings(c *nowCase) plan {
	r := compileNow(&c.in, false)
	var want, got []string
	for _, f := range c.findings.Findings {
		key := f.Key[strings.LastIndex(f.Key, ".")+1:]
		for key := range strings.SplitSeq(key, "/") {
			want = append(want, f.Node+"."+key)
		}
	}
	for _, d := range r.Diagnostics {
		if d.Severity == diag.Note {
			continue
		}
		at := findingNodes(d)
		if len(at) == 0 {
			at = []string{""}
		}
		got = append(got, at[len(at)-1]+"."+findingField(d))
	}
	slices.Sort(want)
	slices.Sort(got)
	return judged(same("problems", strings.Join(want, " "), strings.Join(got, " ")))
}

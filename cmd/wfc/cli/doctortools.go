package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// A missingThing is a program or the base branch, which runs of workflows lack here.
type missingThing struct {
	// Name is the program's name, or "base branch".
	Name string `json:"name"`
	// Problem says which step of the first workflow needs it, and how to get it.
	Problem string `json:"problem"`
	// Required says that no run of the workflows starts without it.
	Required  bool     `json:"required"`
	Workflows []string `json:"workflows"`
}

// addMissingTools adds the programs that steps of a workflow start and this machine lacks, as its
// run would find them.
func (d *doctor) addMissingTools(o outcome) {
	if o.result.Workflow == nil || o.result.HasErrors() {
		return
	}
	q := engine.Inspection{Environ: o.project.config.environ()}
	for _, t := range o.result.Workflow.Workflow.Tools() {
		for _, problem := range q.MissingPrograms(map[string]string{t.Name: t.Step}) {
			d.addMissing(o, missingThing{Name: t.Name, Problem: problem, Required: t.Needed})
		}
	}
}

func (d *doctor) addMissing(o outcome, m missingThing) {
	i := slices.IndexFunc(d.missing, func(other missingThing) bool { return other.Name == m.Name && other.Required == m.Required })
	if i < 0 {
		i, d.missing = len(d.missing), append(d.missing, m)
	}
	d.missing[i].Workflows = append(d.missing[i].Workflows, o.input.name)
}

// stopsRuns reports whether runs would not start for want of something.
func (d *doctor) stopsRuns() bool {
	return slices.ContainsFunc(d.missing, func(m missingThing) bool { return m.Required })
}

// printMissing prints what is missing, and for which workflows.
func (d *doctor) printMissing() {
	for _, m := range d.missing {
		workflows, text := plain.JoinAnd(m.Workflows), "some runs of %s need it"
		if n := len(m.Workflows); n > mostPlaces {
			workflows = finding.Count(n, "workflow")
		}
		if m.Required {
			text = "no run of %s starts without it"
		}
		fmt.Fprintf(d.Out, "Missing: %s\n  "+text+"\n", plain.Indented(m.Problem, "  "), plain.Line(workflows))
	}
}

// environ returns the environment of runs: that of this process, and the variables of wfc.yaml.
func (c *loadedConfig) environ() []string {
	return append(os.Environ(), c.Settings(c.Dir).Environ...)
}

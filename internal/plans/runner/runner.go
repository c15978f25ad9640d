// Package runner plans compiled workflows for the test of plans. It is linked
// with the workflows into one program, which takes jobs as JSON on standard
// input and prints their plans.
package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/dry"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Job is one plan to make.
type Job struct {
	// Workflow is the name of the workflow in the program's table.
	Workflow string
	// Inputs are the run's inputs, a JSON object.
	Inputs json.RawMessage
	// Outputs are scripted outputs, a JSON object, or nothing.
	Outputs json.RawMessage `json:",omitempty"`
}

// A Report is the result of a job.
type Report struct {
	Plan *dry.Plan
	// Text is the plan as a person reads it.
	Text string
	// Err is the reason why there is no plan.
	Err string
}

// Main is the program.
func Main(workflows map[string]*flow.Definition) {
	var jobs []Job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fmt.Fprintln(os.Stderr, "read the jobs:", err)
		os.Exit(2)
	}
	reports := make([]Report, len(jobs))
	for i, job := range jobs {
		if err := reports[i].make(workflows[job.Workflow], job); err != nil {
			reports[i].Err = err.Error()
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(reports); err != nil {
		fmt.Fprintln(os.Stderr, "print the plans:", err)
		os.Exit(1)
	}
}

func (r *Report) make(def *flow.Definition, job Job) error {
	opt := dry.Options{
		Inputs: job.Inputs, WorkDir: "/w",
		Performers: []engine.Performer{agent.New(agent.Settings{Check: structured.Check})},
	}
	var err error
	if len(job.Outputs) > 0 {
		if opt.Outputs, err = dry.ReadOutputs(job.Outputs, def.Nodes); err != nil {
			return err
		}
	}
	if r.Plan, err = dry.Make(def, opt); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := r.Plan.Write(&text); err != nil {
		return err
	}
	r.Text = text.String()
	return nil
}

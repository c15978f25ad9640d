// Package runner plans compiled workflows for the test of plans. It is linked
// with the workflows into one program, which takes jobs as JSON on standard
// input and prints the reports of `run --dry-run`.
package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Job is one plan to make.
type Job struct {
	// Workflow is the name of the workflow in the program's table.
	Workflow string
	// Inputs are the run's inputs, of which the workflow takes those it has.
	Inputs map[string]string
	// Outputs are scripted outputs, a JSON object, or "".
	Outputs string
}

// A Report is the result of a job.
type Report struct {
	// Plan is the document of --json, and Text the plan as a person reads it.
	Plan json.RawMessage
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
		def := workflows[job.Workflow]
		reports[i].Text = plan(def, job, &reports[i].Err)
		reports[i].Plan = json.RawMessage(plan(def, job, &reports[i].Err, "--json"))
	}
	if err := json.NewEncoder(os.Stdout).Encode(reports); err != nil {
		fmt.Fprintln(os.Stderr, "print the plans:", err)
		os.Exit(1)
	}
}

func plan(def *flow.Definition, job Job, problem *string, flags ...string) string {
	args := append([]string{"run", "--dry-run"}, flags...)
	for name, value := range job.Inputs {
		if slices.ContainsFunc(def.Inputs, func(in flow.InputInfo) bool { return in.Name == name }) {
			args = append(args, "--input", name+"="+value)
		}
	}
	if job.Outputs != "" {
		args = append(args, "--outputs", "-")
	}
	program := cli.Program{Definition: def, Prompts: func(engine.Agents) (engine.PromptPerformer, error) {
		return prompts{agent.New(agent.Options{CheckReply: structured.Check})}, nil
	}}
	var out, errs bytes.Buffer
	if cli.Run(program, args, cli.Streams{In: strings.NewReader(job.Outputs), Out: &out, Err: &errs}) != 0 {
		*problem = errs.String()
		return "null"
	}
	dir, err := os.Getwd()
	if err != nil {
		*problem = err.Error()
	}
	return strings.ReplaceAll(out.String(), dir, "/w")
}

// prompts has no agents.
type prompts struct{ *agent.Performer }

func (prompts) Inspect(context.Context, *engine.Inspection) []engine.AgentState { return nil }

func (prompts) AgentKinds() []string { return nil }

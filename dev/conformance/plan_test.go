package conformance

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/dev/devkit"
)

// A plan is what has to be done for a case.
type plan struct {
	// skip says why the case cannot run here.
	skip string
	// later names what wfc does not support yet and the case needs, or is "".
	later string
	// job is what to execute, if anything.
	job *runner.Job
	// judge compares what came of it with what is recorded. The outcome is nil
	// without a job.
	judge func(out *runner.Outcome) []difference
	// other is something else that is executed, whose outcome judge sees; nil for
	// nothing.
	other   *plan
	outcome *runner.Outcome
	// fixture is a fixture that the program runs as that of wfc test does, or nil.
	fixture *fixture
}

// A bench makes plans and does the jobs of all of them at once.
type bench struct {
	t     *testing.T
	batch *devkit.Batch
}

// ops are the operations of cases that are covered.
var ops = map[string]func(b *bench, c *recorded) (plan, error){
	"parse":      planParse,
	"accept":     planAccept,
	"condition":  planCondition,
	"refs":       planRefs,
	"vars":       planVars,
	"promptctx":  planContext,
	"trigger":    planTrigger,
	"layers":     planLayers,
	"inline":     planInline,
	"validate":   planValidate,
	"structured": planStructured,
	"classify":   planClassify,
	"credit":     planCredit,
	"signal":     planSignal,
	"strip":      planStrip,
	"run":        planRun,
	"step":       planStep,
	"check":      planCheck,
	"steps":      planSteps,
	"definition": planDefinition,
	"stages":     planStages,
	"render":     planRender,
	"session":    planSession,
	"expand":     planExpand,
}

// skipped is the plan of a case that cannot run.
func skipped(why string) plan { return plan{skip: why} }

// judged is the plan of a case that is decided already.
func judged(diffs []difference) plan {
	return plan{judge: func(*runner.Outcome) []difference { return diffs }}
}

// perform plans a job on a workflow that was compiled without errors.
func (b *bench) perform(r *compiler.Result, job runner.Job, judge func(out *runner.Outcome) []difference) plan {
	job.Workflow = b.batch.Add(b.t, r.Workflow)
	return plan{job: &job, judge: func(out *runner.Outcome) []difference {
		if out.Error != "" {
			return []difference{{"execution", "an end", out.Error}}
		}
		return judge(out)
	}}
}

// execute does the jobs of all plans and returns what came of them, nil for
// plans without a job.
func (b *bench) execute(plans []plan) []*runner.Outcome {
	b.t.Helper()
	return b.executeBy(plans, func() string { return b.batch.Build(b.t, "dev/conformance/runner") })
}

// executeBy is like execute, with the program that build makes.
func (b *bench) executeBy(plans []plan, build func() string) []*runner.Outcome {
	b.t.Helper()
	var jobs []*runner.Job
	for _, p := range plans {
		if p.job != nil {
			jobs = append(jobs, p.job)
		}
	}
	for _, p := range plans {
		if p.other != nil && p.other.job != nil {
			jobs = append(jobs, p.other.job)
		}
	}
	var fixtures []*fixture
	for _, p := range plans {
		if p.fixture != nil {
			fixtures = append(fixtures, p.fixture)
		}
	}
	all := make([]*runner.Outcome, len(plans))
	if len(jobs)+len(fixtures) == 0 {
		return all
	}
	request, err := json.Marshal(jobs)
	if err != nil {
		b.t.Fatal(err)
	}
	program := build()
	runFixtures(b.t, program, fixtures)
	cmd := exec.Command(program)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), &errs
	answer, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("run the workflows: %v\n%s", err, errs.String())
	}
	var outcomes []*runner.Outcome
	if err := json.Unmarshal(answer, &outcomes); err != nil || len(outcomes) != len(jobs) {
		b.t.Fatalf("%d outcomes of %d jobs: %v", len(outcomes), len(jobs), err)
	}
	for i, p := range plans {
		if p.job != nil {
			all[i], outcomes = outcomes[0], outcomes[1:]
		}
	}
	for _, p := range plans {
		if p.other != nil && p.other.job != nil {
			p.other.outcome, outcomes = outcomes[0], outcomes[1:]
		}
	}
	return all
}

func newBench(t *testing.T) *bench { return &bench{t: t, batch: devkit.NewBatch(t)} }

//go:build unix

package lango

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/cron"
)

// wfc calls wfc with a file on standard input.
func wfc(t *testing.T, code int, yaml string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if got := cli.Main(args, cli.Streams{In: strings.NewReader(yaml), Out: &out, Err: &errs}); got != code {
		t.Fatalf("wfc %v ended with %d, want %d: %s%s", args, got, code, errs.String(), out.String())
	}
	return out.String()
}

func parsed(t *testing.T, yaml string) *ir.Workflow {
	t.Helper()
	r := compiler.Compile(source.NewFile("w.flow.yaml", []byte(yaml)), compiler.Options{Path: "/p/w.flow.yaml", Root: "/p"})
	for _, d := range r.Diagnostics {
		t.Fatalf("%s: %s", d.Code.ID, d.Message)
	}
	return r.Workflow.Workflow
}

func parseWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../../examples/digest/digest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// The example names agents of its own configuration.
	yaml := strings.NewReplacer("agent: writer", "agent: executor").Replace(string(text))
	w := parsed(t, yaml)
	steps := w.Body.All()
	if w.Name != "digest" || w.Description != "A digest of the week for the team" || len(steps) != 4 || len(w.DeliverTo) != 1 || w.DeliverTo[0].Name != "webhook:team" {
		t.Errorf("%+v", w)
	}
	risks := steps[2]
	if risks.ID != "risks" || risks.Action.(*ir.Prompt).Agent.Name != "planner" || len(risks.Needs) != 1 || risks.Needs[0].Node.ID != "changes" || risks.DeliverTo[0].Name != "webhook:oncall" {
		t.Errorf("%+v", risks)
	}
	if steps[0].Timeout != 5*time.Minute || steps[0].Action.(*ir.Prompt).Text.Source.Value != "List this week's changes, one a line." {
		t.Errorf("%+v", steps[0])
	}
}

func parseSchedule(t *testing.T) {
	w := parsed(t, "name: w\nschedule: \"0 9 * * MON\"\nsteps:\n  - {id: a, prompt: x}\n")
	s, findings := cron.Parse(w.Schedule.Cron)
	if s == nil || len(findings) > 0 {
		t.Fatalf("%v", findings)
	}
	friday := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	next, err := s.Next(friday, 1)
	if err != nil || !next[0].Equal(time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("the next time is %v, %v", next, err)
	}
}

func cycle(t *testing.T) {
	yaml := "name: w\nsteps:\n  - {id: A, prompt: x, depends_on: [C]}\n  - {id: B, prompt: x, depends_on: [A]}\n  - {id: C, prompt: x, depends_on: [B]}\n"
	if out := wfc(t, 1, yaml, "check", "-"); !strings.Contains(out, "error[") || !strings.Contains(out, "nodes depend on each other: `A` -> `C` -> `B` -> `A`") {
		t.Errorf("wfc says:\n%s", out)
	}
}

func missingDependency(t *testing.T) {
	out := wfc(t, 1, "name: w\nsteps:\n  - {id: fetch, prompt: x}\n  - {id: b, prompt: x, depends_on: [fecth]}\n", "check", "-")
	if !strings.Contains(out, "`fecth`") || !strings.Contains(out, "did you mean `fetch`?") {
		t.Errorf("wfc says:\n%s", out)
	}
}

func layers(t *testing.T) {
	yaml := "name: w\nsteps:\n  - {id: A, prompt: x}\n  - {id: B, prompt: x, depends_on: [A]}\n  - {id: C, prompt: x, depends_on: [A]}\n  - {id: D, prompt: x, depends_on: [B, C]}\n"
	if out := wfc(t, 0, yaml, "graph", "-", "--layers"); out != "[A] [B C] [D]\n" {
		t.Errorf("the layers are %s", out)
	}
}

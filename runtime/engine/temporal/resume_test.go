package temporal_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	deploymentpb "go.temporal.io/api/deployment/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/store"
)

// put adds a run to the server: open, or with its end.
func (f *fakeServer) put(t *testing.T, s wire.RunState, open bool) {
	t.Helper()
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(s)
	if err != nil {
		t.Fatal(err)
	}
	w := &fakeWorkflow{info: workflowInfo(s.Run.ID, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now()), state: payloads}
	if !open {
		w.info.Status = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
		w.events = append(w.events, completed(payloads))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workflows[s.Run.ID] = w
}

// started returns the input of the only workflow that was started, and its pinned build.
func (f *fakeServer) started(t *testing.T) (start wire.Start, build string) {
	t.Helper()
	list := requests[*workflowservice.StartWorkflowExecutionRequest](f)
	if len(list) != 1 {
		t.Fatalf("%d workflows were started", len(list))
	}
	if err := converter.GetDefaultDataConverter().FromPayloads(list[0].GetInput(), &start); err != nil {
		t.Fatal(err)
	}
	return start, list[0].GetVersioningOverride().GetPinned().GetVersion().GetBuildId()
}

// A run of another build moves to this one only with --force, and only if its journal fits. A
// run that goes on is suspended first.
func TestResumeForce(t *testing.T) {
	done := flow.Record{Key: "a", Kind: "bash", Status: flow.Completed, Text: "done"}
	gone := flow.Record{Key: "gone", Kind: "bash", Status: flow.Completed, Text: "done"}
	failedEnd := flow.RunState{Status: flow.Failed, Error: "exit code 1"}
	for _, tt := range []struct {
		name    string
		build   string
		open    bool
		dead    bool // no worker lives
		end     flow.RunState
		step    flow.Record
		force   bool
		suspend bool
		want    string // of the error
	}{
		{name: "same build", build: "f1", end: failedEnd, step: done},
		{name: "other build", build: "f0", end: failedEnd, step: done, want: "--force"},
		{name: "other build, forced", build: "f0", end: failedEnd, step: done, force: true},
		{name: "open, other build, forced", build: "f0", open: true, end: flow.RunState{Status: flow.Paused}, step: done, force: true, suspend: true},
		{name: "open, other build", build: "f0", open: true, end: flow.RunState{Status: flow.Paused}, step: done, want: "is paused on another build; `resume --force` moves it"},
		{name: "open, same build, forced", build: "f1", open: true, end: flow.RunState{Status: flow.Running}, step: done, force: true, want: "continues by itself: it is running"},
		{name: "open, other build without workers, forced", build: "f0", open: true, dead: true, end: flow.RunState{Status: flow.Paused}, step: done, force: true, want: "start one"},
		{name: "journal that does not fit", build: "f0", end: failedEnd, step: gone, force: true, want: "gone"},
		{name: "completed", build: "f0", end: flow.RunState{Status: flow.Completed}, step: done, force: true, want: "nothing to resume"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := serve(t, nil)
			const id = "demo-000001"
			f.put(t, wire.RunState{
				Kept: wire.Kept{Run: flow.RunInfo{ID: id, Workflow: "demo", Fingerprint: tt.build}, Steps: wire.Records{tt.step}, Created: time.Now()},
				End:  tt.end,
			}, tt.open)
			if tt.dead {
				f.workflows[id].state = nil
				f.workflows[id].info.VersioningInfo = &workflowpb.WorkflowExecutionVersioningInfo{
					DeploymentVersion: &deploymentpb.WorkerDeploymentVersion{DeploymentName: "demo", BuildId: tt.build},
				}
			}
			args := []string{"resume", id}
			if tt.force {
				args = append(args, "--force")
			}
			// The fake server starts no workflow, so the command shows the end of the old one.
			_, out, errs := call(t, f, program(), args...)
			suspended := len(requests[*workflowservice.SignalWorkflowExecutionRequest](f)) > 0
			if suspended != tt.suspend {
				t.Errorf("suspended: %t\n%s%s", suspended, out, errs)
			}
			if tt.want != "" {
				if n := len(requests[*workflowservice.StartWorkflowExecutionRequest](f)); n > 0 || !strings.Contains(errs, tt.want) {
					t.Errorf("%d workflows started; want an error with %q\n%s%s", n, tt.want, out, errs)
				}
				return
			}
			if !strings.Contains(errs, "logs "+id) || strings.Contains(errs, "log.jsonl") {
				t.Errorf("the command that shows the log is missing:\n%s", errs)
			}
			start, build := f.started(t)
			if build != "f1" || start.Run.Fingerprint != "f1" || start.Run.ID != id || len(start.Steps) != 1 || start.Steps[0].Text != "done" {
				t.Errorf("build %s, %+v", build, start)
			}
		})
	}
}

// A run whose end cannot be read, here for want of its key, is not shown as failed.
func TestUnreadableEnd(t *testing.T) {
	f := serve(t, nil)
	const id = "demo-000001"
	cipher, err := claim.Keys(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	payloads, err := claim.Converter(nil, cipher).ToPayloads(wire.RunState{Kept: wire.Kept{Run: flow.RunInfo{ID: id, Workflow: "demo"}}, End: flow.RunState{Status: flow.Completed}})
	if err != nil {
		t.Fatal(err)
	}
	f.workflows[id] = &fakeWorkflow{
		info:   workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, time.Now()),
		events: []*historypb.HistoryEvent{completed(payloads)},
	}
	code, out, errs := call(t, f, program(), "status", id)
	if code != 1 || !strings.Contains(errs, "set WFC_TEMPORAL_KEYS") || strings.Contains(out, "failed") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// The name of a run is a string of the query, whatever its characters.
func TestQuotedNames(t *testing.T) {
	f := serve(t, nil)
	if code, _, _ := call(t, f, program(), "status", `a\' OR '`); code != 1 && code != 2 {
		t.Errorf("exit code %d", code)
	}
	list := requests[*workflowservice.ListWorkflowExecutionsRequest](f)
	if len(list) == 0 || !strings.Contains(list[0].GetQuery(), `STARTS_WITH 'a\\\' OR \''`) {
		t.Errorf("asked for %v", list)
	}
}

// Steps of a run that has ended are reset before it starts again, with the answers to their
// questions; a step that runs another workflow is not.
func TestResumeFrom(t *testing.T) {
	const id = "demo-000001"
	asked := flow.Record{Key: "a#1", Kind: "question", Status: flow.Completed, Question: &flow.Question{Key: "a#1"}, Meta: flow.Meta{Choice: "approve", By: "ann"}}
	for _, tt := range []struct{ kind, from, want string }{
		{"bash", "a", ""},
		{"bash", "b", "unknown step `b`"},
		{"workflow", "a", "a program for a cluster cannot repeat such steps"},
	} {
		f := serve(t, nil)
		step := flow.Record{Key: "a", Kind: tt.kind, Status: flow.Completed, Text: "done", Attempt: 1, Meta: flow.Meta{CostUSD: 1}}
		f.put(t, wire.RunState{
			Kept: wire.Kept{
				Run: flow.RunInfo{ID: id, Workflow: "demo", Fingerprint: "f1"}, Steps: wire.Records{step, asked},
				Answers: []store.Answer{{Key: "a#1", Choice: "approve"}}, Created: time.Now(),
			},
			End: flow.RunState{Status: flow.Completed},
		}, false)
		_, out, errs := call(t, f, program(), "resume", id, "--from", tt.from, "--yes")
		if tt.want != "" {
			if n := len(requests[*workflowservice.StartWorkflowExecutionRequest](f)); n > 0 || !strings.Contains(errs, tt.want) {
				t.Errorf("%d workflows started; want an error with %q\n%s%s", n, tt.want, out, errs)
			}
			continue
		}
		start, _ := f.started(t)
		if len(start.Answers) != 0 || len(start.Steps) != 2 || start.Steps[0].Status != flow.Pending || start.Steps[0].Meta.CostUSD != 1 || start.Steps[1].Status != flow.Pending {
			t.Errorf("%+v", start)
		}
		if n := len(start.Events); n != 4 || start.Events[0].Message != "done" || !strings.Contains(start.Events[2].Message, "repeats this step") || start.Events[3].Type != sched.EventResumed {
			t.Errorf("%+v", start.Events)
		}
	}
}

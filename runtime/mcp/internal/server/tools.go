package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
)

// Started is the answer of workflow_run and workflow_resume.
type Started struct {
	RunID    string `json:"run_id" jsonschema:"the run's id, for the other tools"`
	Workflow string `json:"workflow" jsonschema:"the workflow's name"`
	Status   string `json:"status" jsonschema:"running"`
	Message  string `json:"message" jsonschema:"the next action"`
}

// Cancelled is the answer of workflow_cancel.
type Cancelled struct {
	RunID  string `json:"run_id"`
	Status string `json:"status" jsonschema:"cancelled"`
}

// Listing is the answer of workflow_list.
type Listing struct {
	Count int            `json:"count"`
	Runs  []document.Run `json:"runs" jsonschema:"newest first, without their steps"`
}

// OneRun are the arguments of tools on a run.
type OneRun struct {
	RunID string `json:"run_id" jsonschema:"a run's id, a unique prefix of one, or latest"`
}

// Look are the arguments of workflow_status.
type Look struct {
	OneRun
	Full bool `json:"full,omitempty" jsonschema:"show long outputs of steps in full"`
}

// Which are the arguments of workflow_list.
type Which struct {
	Limit  *int   `json:"limit,omitempty" jsonschema:"maximum number of runs; 0 means all, the default is 20"`
	Status string `json:"status,omitempty" jsonschema:"only runs with these statuses, separated by commas: running, interrupted, paused, completed, failed, cancelled or limit_reached"`
}

// DefaultLimit is how many runs are listed when the client does not say.
const DefaultLimit = 20

// New returns a server for a workflow.
func New(w serving.Service) *sdk.Server {
	def := w.Definition()
	s := NewServer(def.Name, "workflow "+def.Name, serverInstructions(def), w.Log())
	add := &tools{Service: w}
	AddTool(s, w.Log(), &sdk.Tool{
		Name: "workflow_run", Title: "Run " + def.Name, InputSchema: runSchema(def), Annotations: actionAnnotations(false),
		Description: describeWorkflow(def) + " Starts a run and returns its id at once; workflow_status shows its progress.",
	}, add.runWorkflow)
	AddTool(s, w.Log(), &sdk.Tool{
		Name: "workflow_status", Title: "Show a run", Annotations: readOnlyAnnotations(),
		Description: StatusDoc,
	}, add.runStatus)
	AddTool(s, w.Log(), &sdk.Tool{
		Name: "workflow_list", Title: "List runs", Annotations: readOnlyAnnotations(),
		Description: "Lists the runs of the workflow " + def.Name + ", newest first.",
	}, add.listRuns)
	AddTool(s, w.Log(), &sdk.Tool{
		Name: "workflow_cancel", Title: "Cancel a run", Annotations: actionAnnotations(true), Description: CancelDoc,
	}, add.cancelRun)
	AddTool(s, w.Log(), &sdk.Tool{
		Name: "workflow_resume", Title: "Resume a run", Annotations: actionAnnotations(false), Description: ResumeDoc,
	}, add.resumeRun)
	return s
}

// What the tools say of themselves, wherever they are.
const (
	StatusDoc = "Shows the state of a run and of all its steps, with times, the outputs of a completed run, and the open questions with the commands with which a person answers. `waits` are waits for a time, an event or a person's attention; `children` are the runs that steps of the run started, whose own status shows their steps. No tool can answer questions or report events: show their commands to the person."
	CancelDoc = "Cancels a run: ends its processes and skips the steps that have not started. Returns when the run has ended."
	ResumeDoc = "Resumes a run that failed, was interrupted, paused or cancelled, and returns at once. Completed steps do not run again. Resuming answers no question."
)

func describeWorkflow(def *flow.Definition) string {
	text := cmp.Or(strings.TrimSpace(def.Description), "The workflow "+def.Name)
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func serverInstructions(def *flow.Definition) string {
	return "Runs the workflow " + def.Name + " and shows its runs. When this server ends, it cancels its runs; they can be resumed. " +
		"The status of a paused run shows its questions and the commands with which a person answers. Pass the commands on: no tool can answer."
}

func readOnlyAnnotations() *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
}

func actionAnnotations(destroys bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{DestructiveHint: &destroys}
}

// tools are the tools of one workflow.
type tools struct{ serving.Service }

func (t *tools) runWorkflow(ctx context.Context, args map[string]json.RawMessage) (Started, error) {
	def := t.Definition()
	session := ""
	if InputSchema(def).Properties[sessionKey] == nil {
		if given := args[sessionKey]; given != nil {
			if err := json.Unmarshal(given, &session); err != nil {
				return Started{}, fmt.Errorf("`%s` is not a string", sessionKey)
			}
			delete(args, sessionKey)
		}
	}
	id, err := t.Start(ctx, args, session)
	if err != nil {
		return Started{}, err
	}
	return NewStarted(id, def.Name, "started"), nil
}

// NewStarted is the answer for a run that was started or resumed.
func NewStarted(id, workflow, what string) Started {
	return Started{id, workflow, string(flow.Running), fmt.Sprintf("Workflow '%s' %s. Use workflow_status to check progress.", workflow, what)}
}

func (t *tools) resumeRun(ctx context.Context, in OneRun) (Started, error) {
	if err := in.checkID(); err != nil {
		return Started{}, err
	}
	id, err := t.Resume(ctx, in.RunID)
	if err != nil {
		return Started{}, err
	}
	return NewStarted(id, t.Definition().Name, "resumed"), nil
}

func (t *tools) cancelRun(ctx context.Context, in OneRun) (Cancelled, error) {
	if err := in.checkID(); err != nil {
		return Cancelled{}, err
	}
	id, err := t.Cancel(ctx, in.RunID)
	return Cancelled{id, string(flow.Cancelled)}, err
}

func (t *tools) runStatus(ctx context.Context, in Look) (d *document.Run, err error) {
	if err := in.checkID(); err != nil {
		return nil, err
	}
	text, err := t.Status(ctx, in.RunID)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &d); err != nil || in.Full {
		return d, err
	}
	for i := range d.Nodes {
		d.Nodes[i].Output = clipText(d.Nodes[i].Output)
	}
	for i := range d.Children {
		d.Children[i].Summary = clipText(d.Children[i].Summary)
	}
	return d, nil
}

func (t *tools) listRuns(ctx context.Context, in Which) (Listing, error) {
	limit := DefaultLimit
	if in.Limit != nil {
		limit = *in.Limit
	}
	statuses, err := document.SplitStatuses(in.Status)
	if err != nil {
		return Listing{}, err
	}
	text, err := t.List(ctx, limit, statuses)
	if err != nil {
		return Listing{}, err
	}
	var runs []document.Run
	err = json.Unmarshal(text, &runs)
	return Listing{len(runs), runs}, err
}

// checkID refuses an empty run id: for the command line it is the latest run, and
// an agent that forgot it should say so.
func (in OneRun) checkID() error {
	if strings.TrimSpace(in.RunID) == "" {
		return fmt.Errorf("`run_id` is empty; give a run's id, a prefix of one, or `latest`")
	}
	return nil
}

// clipAt is how many bytes of a step's output are shown unless all is wanted:
// what an agent is shown fills its context.
const clipAt = 4000

func clipText(text string) string {
	if len(text) <= clipAt {
		return text
	}
	end := clipAt
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d more bytes; `full` shows them)", text[:end], len(text)-end)
}

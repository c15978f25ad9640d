package folder

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
	"github.com/wfc-lang/wfc/runtime/store"
)

// runArguments are the arguments of workflow_run.
type runArguments struct {
	Path       string                     `json:"path" jsonschema:"the workflow's file; workflow_list shows the files"`
	Inputs     map[string]json.RawMessage `json:"inputs,omitempty" jsonschema:"the workflow's inputs by their names"`
	SessionKey string                     `json:"session_key,omitempty" jsonschema:"the conversation of the run, such as slack:C042:U7; it receives results if the workflow names no target"`
}

// listing is the answer of workflow_list.
type listing struct {
	Workflows []workflow `json:"workflows" jsonschema:"the workflow files that can be run"`
	Count     int        `json:"count"`
	Runs      []runEntry `json:"runs" jsonschema:"the last runs of all workflows, newest first"`
}

// A runEntry is a run in a listing.
type runEntry struct {
	ID       string      `json:"run_id"`
	Workflow string      `json:"workflow"`
	Status   flow.Status `json:"status"`
	Reason   string      `json:"reason,omitempty"`
	Error    string      `json:"error,omitempty"`
	Created  time.Time   `json:"created"`
	Finished time.Time   `json:"finished,omitzero"`
}

// checkArguments are the arguments of workflow_validate.
type checkArguments struct {
	Path    string  `json:"path,omitempty" jsonschema:"a workflow's file"`
	Content *string `json:"yaml_content,omitempty" jsonschema:"the text of a workflow, instead of a file"`
}

// A verdict is what is wrong with a workflow.
type verdict struct {
	Valid       bool              `json:"valid" jsonschema:"whether it has no errors"`
	Errors      int               `json:"errors"`
	Warnings    int               `json:"warnings"`
	Diagnostics []json.RawMessage `json:"diagnostics" jsonschema:"each with code, severity, message and position"`
}

// saveArguments are the arguments of workflow_save.
type saveArguments struct {
	Name      string `json:"name" jsonschema:"the name of the file, without folder and extension"`
	Content   string `json:"yaml_content" jsonschema:"the workflow's text"`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"replace a file of that name"`
}

// saved is the answer of workflow_save.
type saved struct {
	Saved bool   `json:"saved"`
	Path  string `json:"path,omitempty" jsonschema:"the file"`
	verdict
}

// newServer returns the server.
func (s *host) newServer() *sdk.Server {
	made := server.NewServer("wfc", "workflows", "Runs workflow files, shows their runs, checks workflows and saves them. workflow_list shows the files and their inputs. "+
		"When this server ends, it cancels its runs; they can be resumed. "+
		"The status of a paused run shows its questions and the commands with which a person answers. Pass the commands on: no tool can answer.", s.log)
	no := false
	looks := &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	server.AddRelay[runArguments, server.Started](made, s.log, &sdk.Tool{
		Name: "workflow_run", Title: "Run a workflow",
		Description: "Starts a run of a workflow file and returns its id at once; workflow_status shows its progress. The first run after a change builds the workflow, which takes a moment.",
	}, s.runWorkflow)
	server.AddRelay[server.Look, document.Run](made, s.log, &sdk.Tool{
		Name: "workflow_status", Title: "Show a run", Annotations: looks, Description: server.StatusDoc,
	}, s.showStatus)
	server.AddTool(made, s.log, &sdk.Tool{
		Name: "workflow_list", Title: "List workflows and runs", Annotations: looks,
		Description: "Lists the workflow files that can be run, with their inputs, and the last runs of all workflows.",
	}, s.listRuns)
	server.AddTool(made, s.log, &sdk.Tool{
		Name: "workflow_cancel", Title: "Cancel a run", Description: server.CancelDoc,
	}, s.cancelRun)
	server.AddRelay[server.OneRun, server.Started](made, s.log, &sdk.Tool{
		Name: "workflow_resume", Title: "Resume a run", Description: server.ResumeDoc, Annotations: &sdk.ToolAnnotations{DestructiveHint: &no},
	}, s.resumeRun)
	server.AddTool(made, s.log, &sdk.Tool{
		Name: "workflow_validate", Title: "Check a workflow", Annotations: looks,
		Description: "Reports the faults of a workflow with exact positions. The workflow is a file or a string. It runs nothing.",
	}, s.validateWorkflow)
	server.AddTool(made, s.log, &sdk.Tool{
		Name: "workflow_save", Title: "Save a workflow", Annotations: &sdk.ToolAnnotations{DestructiveHint: &no},
		Description: "Checks a workflow and saves it as a file. It saves no workflow with errors, and replaces an existing file only with `overwrite`.",
	}, s.saveTool)
	return made
}

func (s *host) runWorkflow(ctx context.Context, in runArguments) (*sdk.CallToolResult, error) {
	path, err := s.servedPath(in.Path)
	if err != nil {
		return nil, err
	}
	c, err := s.family.currentChild(ctx, path)
	if err != nil {
		return nil, err
	}
	args := map[string]json.RawMessage{}
	maps.Copy(args, in.Inputs)
	if in.SessionKey != "" {
		const key = "session_key"
		if args[key] != nil {
			return nil, fmt.Errorf("`%s` is an input of the workflow; runs of it take no session key", key)
		}
		if args[key], err = json.Marshal(in.SessionKey); err != nil {
			return nil, err
		}
	}
	return s.family.callTool(ctx, c, "workflow_run", args)
}

// servedPath returns the real path of a workflow file that may be run or checked.
func (s *host) servedPath(path string) (string, error) {
	if path == "" {
		return "", errors.New("`path` is empty; workflow_list shows the workflow files")
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("`%s`: %w", path, err)
	}
	real, err := filepath.EvalSymlinks(whole)
	below := func(root string) bool { return trust.Within(root, real) }
	// Where there is nothing to be seen it must not be told what is there.
	if err != nil && !slices.ContainsFunc(s.roots, func(root string) bool { return trust.Within(root, whole) }) || err == nil && !slices.ContainsFunc(s.roots, below) {
		return "", fmt.Errorf("`%s` is not one of the served files: use those of %s", path, strings.Join(s.roots, ", "))
	}
	if err != nil {
		return "", fmt.Errorf("the file `%s` does not exist; workflow_list shows the workflow files", path)
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("`%s` is not a file", path)
	}
	return real, nil
}

// findRun returns the run of an id, a prefix of one, or `latest`.
func (s *host) findRun(ctx context.Context, name string) (store.Run, error) {
	if strings.TrimSpace(name) == "" {
		return store.Run{}, errors.New("`run_id` is empty; give a run's id, a prefix of one, or `latest`")
	}
	id, err := s.engine.Find(ctx, "", name)
	if errors.Is(err, store.ErrNotFound) && name == "latest" {
		return store.Run{}, fmt.Errorf("no runs in %s", s.state.Path)
	}
	if err != nil {
		return store.Run{}, err
	}
	return s.store.Run(ctx, id)
}

// findHolder returns the id of the run that a name means, and the server that knows its
// workflow, or that of the run at the top if a step of another run began it: the one that
// works on the run, or that of its file.
func (s *host) findHolder(ctx context.Context, name string) (c *child, id string, err error) {
	run, err := s.findRun(ctx, name)
	if err != nil {
		return nil, "", err
	}
	id = run.ID
	root, err := s.engine.Root(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if run, err = s.store.Run(ctx, root); err != nil {
		return nil, "", err
	}
	if c := cmp.Or(s.family.childOfRun(run.ID), s.family.childOfWorkflow(run.Workflow)); c != nil {
		return c, id, nil
	}
	all, err := s.listWorkflows(ctx)
	if err != nil {
		return nil, "", err
	}
	i := slices.IndexFunc(all, func(w workflow) bool { return w.Name == run.Workflow })
	if i < 0 {
		return nil, "", fmt.Errorf("run %s belongs to workflow %s, and no file of that name is served", run.ID, run.Workflow)
	}
	path, err := s.servedPath(all[i].Path)
	if err == nil {
		c, err = s.family.currentChild(ctx, path)
	}
	return c, id, err
}

func (s *host) listWorkflows(ctx context.Context) ([]workflow, error) {
	var there []string
	for _, root := range s.roots {
		if _, err := os.Stat(root); err == nil && !slices.Contains(there, root) {
			there = append(there, root)
		}
	}
	return s.wfc.listFiles(ctx, there)
}

func (s *host) showStatus(ctx context.Context, in server.Look) (*sdk.CallToolResult, error) {
	c, run, err := s.findHolder(ctx, in.RunID)
	if err != nil {
		return nil, err
	}
	in.RunID = run
	return s.family.callTool(ctx, c, "workflow_status", in)
}

func (s *host) resumeRun(ctx context.Context, in server.OneRun) (*sdk.CallToolResult, error) {
	c, run, err := s.findHolder(ctx, in.RunID)
	if err != nil {
		return nil, err
	}
	return s.family.callTool(ctx, c, "workflow_resume", server.OneRun{RunID: run})
}

// cancelPatience is how long a run has to end.
const cancelPatience = 30 * time.Second

func (s *host) cancelRun(ctx context.Context, in server.OneRun) (server.Cancelled, error) {
	run, err := s.findRun(ctx, in.RunID)
	if err != nil {
		return server.Cancelled{}, err
	}
	ctx, stop := context.WithTimeout(ctx, cancelPatience)
	defer stop()
	cancelled := server.Cancelled{RunID: run.ID, Status: string(flow.Cancelled)}
	if s.cancelIdle(ctx, run.ID) {
		return cancelled, nil
	}
	if err := s.engine.Cancel(ctx, run.ID, "a client of the MCP server"); err != nil {
		return server.Cancelled{}, err
	}
	return cancelled, nil
}

// cancelIdle has the server of a workflow cancel a run that no process works on: only that
// server can run the steps that run at the end of every run. It reports whether it did.
func (s *host) cancelIdle(ctx context.Context, id string) bool {
	run, err := s.engine.Status(ctx, id)
	if err != nil || run.Status != flow.Paused && run.Status != flow.Interrupted {
		return false
	}
	c, _, err := s.findHolder(ctx, id)
	if err != nil {
		return false // its workflow is gone
	}
	r, err := s.family.callTool(ctx, c, "workflow_cancel", server.OneRun{RunID: id})
	return err == nil && !r.IsError
}

func (s *host) listRuns(ctx context.Context, in server.Which) (listing, error) {
	limit := server.DefaultLimit
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 0 {
		return listing{}, fmt.Errorf("a limit of %d: give a positive number, or 0 for all", limit)
	}
	statuses, err := document.SplitStatuses(in.Status)
	if err != nil {
		return listing{}, err
	}
	runs, err := s.engine.ListRuns(ctx, store.Filter{Limit: limit}, statuses...)
	if err != nil {
		return listing{}, err
	}
	out := listing{Count: len(runs), Runs: make([]runEntry, len(runs))}
	for i, r := range runs {
		out.Runs[i] = runEntry{r.ID, r.Workflow, r.Status, r.Reason, r.Error, r.Created, r.Finished}
	}
	out.Workflows, err = s.listWorkflows(ctx)
	return out, err
}

func (s *host) validateWorkflow(ctx context.Context, in checkArguments) (verdict, error) {
	path := filepath.Join(s.dir, "workflow"+extension)
	switch {
	case in.Path != "" && in.Content != nil, in.Path == "" && in.Content == nil:
		return verdict{}, errors.New("give either `path` or `yaml_content`")
	case in.Content == nil:
		var err error
		if path, err = s.servedPath(in.Path); err != nil {
			return verdict{}, err
		}
	}
	r, err := s.wfc.checkFile(ctx, path, in.Content)
	if err != nil {
		return verdict{}, err
	}
	return verdictOf(r), nil
}

func verdictOf(r *report) verdict {
	return verdict{r.Summary.Errors == 0, r.Summary.Errors, r.Summary.Warnings, r.Diagnostics}
}

// errorText is the errors for a person, or an agent that is shown no more.
func (r *report) errorText() string {
	var b strings.Builder
	for _, raw := range r.Diagnostics {
		var d struct {
			Code, Severity, Message string
			At                      *struct{ Start struct{ Line, Column int } }
		}
		if json.Unmarshal(raw, &d) != nil || d.Severity != "error" {
			continue
		}
		if d.At != nil {
			fmt.Fprintf(&b, "%d:%d: ", d.At.Start.Line, d.At.Start.Column)
		}
		fmt.Fprintf(&b, "%s: %s\n", d.Code, d.Message)
	}
	return strings.TrimRight(b.String(), "\n")
}

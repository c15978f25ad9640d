package folder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// childPatience is how long a child has to cancel its runs and end before it is
// made to: longer than its own patience.
const childPatience = 20 * time.Second

// A family is the servers of the programs, each a child process.
type family struct {
	wfc   wfc
	state string
	log   *slog.Logger

	// building keeps a program from being built twice at a time.
	building sync.Mutex
	mu       sync.Mutex
	closed   bool
	children []*child // the newest last
	ending   sync.WaitGroup
}

// A child is the server of a program.
type child struct {
	path     string // of the workflow's file
	workflow string // its name
	program  string
	session  *sdk.ClientSession
	// runs are those that it has begun or resumed, and old says that there is a
	// newer program of the file; both are the family's.
	runs map[string]bool
	old  bool
}

// currentChild returns the server of the program that a file makes now.
func (f *family) currentChild(ctx context.Context, path string) (*child, error) {
	f.building.Lock()
	defer f.building.Unlock()
	b, err := f.wfc.buildProgram(ctx, path, f.state)
	if err != nil {
		return nil, err
	}
	if c := f.newestChild(func(c *child) bool { return c.program == b.Program }); c != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.makeCurrent(c)
		return c, nil
	}
	return f.startChild(ctx, path, b)
}

// makeCurrent makes a child the one of its file, whose others are old. The caller
// holds f.mu.
func (f *family) makeCurrent(c *child) {
	for _, o := range f.children {
		if o.path == c.path {
			o.old = o != c
		}
	}
}

// startChild starts the server of a program.
func (f *family) startChild(ctx context.Context, path string, b built) (*child, error) {
	cmd := exec.Command(b.Program, "mcp", "--state", f.state)
	cmd.Stderr = os.Stderr
	if file, err := filepath.Abs(path); err == nil { // people type it in another folder, perhaps
		cmd.Env = append(os.Environ(), state.CallerVariable+"="+file)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "wfc mcp", Version: "1"}, nil)
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: childPatience}, nil)
	if err != nil {
		return nil, fmt.Errorf("start the program of %s: %w", path, err)
	}
	c := &child{path: path, workflow: b.Name, program: b.Program, session: session, runs: map[string]bool{}}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		f.ending.Go(func() { _ = session.Close() })
		return nil, errors.New("the server is stopping")
	}
	f.children = append(f.children, c)
	f.makeCurrent(c)
	f.ending.Go(func() { f.retireOld(context.WithoutCancel(ctx)) })
	return c, nil
}

// newestChild returns the newest child that matches, or nil.
func (f *family) newestChild(matches func(*child) bool) *child {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range slices.Backward(f.children) {
		if matches(c) {
			return c
		}
	}
	return nil
}

// childOfRun returns the child that works, or worked, on a run, or nil.
func (f *family) childOfRun(run string) *child {
	return f.newestChild(func(c *child) bool { return c.runs[run] })
}

// childOfWorkflow returns a child of a workflow, or nil.
func (f *family) childOfWorkflow(workflow string) *child {
	return f.newestChild(func(c *child) bool { return c.workflow == workflow && !c.old })
}

// callTool has a child's tool answer. A child that has died is forgotten; the next
// call starts another.
func (f *family) callTool(ctx context.Context, c *child, tool string, args any) (*sdk.CallToolResult, error) {
	r, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(err, sdk.ErrConnectionClosed):
		f.forgetChild(c, false)
		return nil, fmt.Errorf("the program of workflow %s has ended; try again, and resume what it ran: %w", c.workflow, err)
	case err != nil:
		return nil, err
	}
	if id := runIDOfResult(r); id != "" {
		f.mu.Lock()
		c.runs[id] = true
		f.mu.Unlock()
	}
	return r, nil
}

// runIDOfResult is the run that a tool has begun or resumed, or "".
func runIDOfResult(r *sdk.CallToolResult) string {
	said, _ := r.StructuredContent.(map[string]any)
	if _, started := said["message"]; r.IsError || !started {
		return ""
	}
	id, _ := said["run_id"].(string)
	return id
}

// forgetChild ends a child; with idle, only if it is still an old one, since a file
// may have become again what it was.
func (f *family) forgetChild(c *child, idle bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.children, c); i >= 0 && (c.old || !idle) {
		f.children = slices.Delete(f.children, i, i+1)
		f.ending.Go(func() { _ = c.session.Close() })
	}
}

// retireOld ends the servers of old programs that have no more runs to work on.
func (f *family) retireOld(ctx context.Context) {
	f.mu.Lock()
	var old []*child
	for _, c := range f.children {
		if c.old {
			old = append(old, c)
		}
	}
	f.mu.Unlock()
	for _, c := range old {
		if !f.isBusy(ctx, c) {
			f.log.Info("the program of an older version ends", "workflow", c.workflow)
			f.forgetChild(c, true)
		}
	}
}

// isBusy reports whether a child works on a run, or may work on one.
func (f *family) isBusy(ctx context.Context, c *child) bool {
	f.mu.Lock()
	runs := slices.Collect(maps.Keys(c.runs))
	f.mu.Unlock()
	for _, id := range runs {
		r, err := c.session.CallTool(ctx, &sdk.CallToolParams{Name: "workflow_status", Arguments: map[string]any{"run_id": id}})
		if err != nil || r.IsError {
			return true
		}
		said, _ := r.StructuredContent.(map[string]any)
		if said["status"] == string(flow.Running) {
			return true
		}
	}
	return false
}

// close ends all children and waits for that.
func (f *family) close() {
	f.mu.Lock()
	f.closed = true
	all := f.children
	f.children = nil
	f.mu.Unlock()
	for _, c := range all {
		f.ending.Go(func() {
			if err := c.session.Close(); err != nil {
				f.log.Warn("the program of a workflow did not end well", "workflow", c.workflow, "error", err)
			}
		})
	}
	f.ending.Wait()
}

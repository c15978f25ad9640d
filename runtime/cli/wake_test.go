package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// An office is a state folder, a folder to work in, and programs called there.
type office struct {
	*testing.T
	state state.Folder
}

func newOffice(t *testing.T) *office {
	t.Helper()
	t.Chdir(t.TempDir())
	return &office{t, state.Folder{Path: filepath.Join(t.TempDir(), "state")}}
}

// paused begins a run that pauses even at short waits, and returns its id. The wait is
// longer where the machine is slow.
func (o *office) paused(w steps.Wait, inside bool) (id string, def *flow.Definition) {
	o.Helper()
	st, err := entstore.OpenState(context.Background(), o.state.Path)
	if err != nil {
		o.Fatal(err)
	}
	defer st.Close()
	e, err := local.New(local.Config{Store: st, State: o.state.Path, Performers: []engine.Performer{&shell.Performer{}}, MaxWait: -1})
	if err != nil {
		o.Fatal(err)
	}
	for d := 100 * time.Millisecond; d < time.Minute; d *= 3 {
		if w.Event != "" {
			w.EventTimeout = d
		} else {
			w.For = d
		}
		def = napping(w, inside)
		r, err := e.Run(context.Background(), def, nil, local.Options{})
		if err != nil {
			o.Fatal(err)
		}
		if r.Status == flow.Paused {
			return r.ID, def
		}
	}
	o.Fatal("no run pauses")
	return "", nil
}

// calls calls the program and returns its exit code and all that it prints.
func (o *office) calls(def *flow.Definition, args ...string) (int, string) {
	o.Helper()
	var out bytes.Buffer
	code := cli.Run(program(def), append([]string{"--state", o.state.Path}, args...), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return code, out.String()
}

// await calls until the program prints a text.
func (o *office) await(def *flow.Definition, text string, args ...string) {
	o.Helper()
	var out string
	for range 3000 {
		if _, out = o.calls(def, args...); strings.Contains(out, text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	o.Fatalf("%v never prints %q:\n%s", args, text, out)
}

// napping is a workflow that waits and then counts in a file. inside runs it as a child.
func napping(w steps.Wait, inside bool) *flow.Definition {
	def := &flow.Definition{Name: "napping", Fingerprint: "n1", Nodes: []flow.NodeInfo{{Key: "pause", Kind: "wait"}, {Key: "after", Kind: "bash", After: []string{"pause"}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		p := flow.Spawn(c, flow.Node[string]{Key: "pause", Kind: "wait", Run: func(c *flow.Context) (string, error) { return w.Run(c) }})
		node(c, "after", "echo once >>$WFC_RUN_ID", nil, p)
		return nil, flow.Settle(c)
	}
	if !inside {
		return def
	}
	outer := &flow.Definition{Name: "outside", Fingerprint: "n2", Children: []*flow.Definition{def}, Nodes: []flow.NodeInfo{{Key: "nap", Kind: "workflow"}}}
	outer.Flow = func(c *flow.Context) (any, error) {
		child(c, "nap", "napping")
		return nil, flow.Settle(c)
	}
	return outer
}

// A wait whose time passed while nobody worked on the run counts once, when somebody wakes
// it: also an event that did not come, and in a child.
func TestWake(t *testing.T) {
	for name, w := range map[string]steps.Wait{"time": {}, "event": {Event: "deployed"}} {
		for _, inside := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				o := newOffice(t)
				first, _ := o.paused(w, inside)
				second, def := o.paused(w, inside)
				o.await(def, "which is over", "status", first)
				o.await(def, "which is over", "status", second)
				if _, out := o.calls(def, "waiting"); !inside && w.Event == "" && !strings.Contains(out, "which is over\n  $ ") || w.Event == "" && !strings.Contains(out, " wake "+first+" --state ") {
					t.Errorf("nobody is told to continue the runs:\n%s", out)
				}
				code, out := o.calls(def, "wake", first)
				if code != 0 || strings.Contains(out, "is paused") {
					t.Errorf("%d: %s", code, out)
				}
				if code, out := o.calls(def, "wake"); code != 0 || !strings.Contains(out, "run "+second+" completed") || strings.Contains(out, "run "+first) {
					t.Errorf("%d: %s", code, out)
				}
				for _, id := range []string{first, second} {
					if inside {
						id += "--nap"
					}
					if text, err := os.ReadFile(id); string(text) != "once\n" {
						t.Errorf("%s was performed: %q %v", id, text, err)
					}
				}
				if code, out := o.calls(def, "wake", first); code != 1 || !strings.Contains(out, "does not wait: it is completed") {
					t.Errorf("%d: %s", code, out)
				}
				if _, out := o.calls(def, "wake", "--json"); !strings.Contains(out, `"woken": []`) {
					t.Error(out)
				}
			})
		}
	}
}

// The process that keeps the schedule wakes the runs of its program.
func TestScheduleWakes(t *testing.T) {
	o := newOffice(t)
	id, def := o.paused(steps.Wait{}, true)
	go o.calls(def, "schedule", "--cron", "0 9 1 1 *")
	o.await(def, "run "+id+": completed", "status", id)
}

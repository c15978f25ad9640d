package gates_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// nested runs the workflow with the gate and the programs, and one that only has a gate.
func nested() *flow.Definition {
	beside := &flow.Definition{Name: "beside", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}}}
	beside.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Really?"}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	def := &flow.Definition{Name: "nest", Fingerprint: "n1", Agents: []string{"bot"}, Children: []*flow.Definition{gated(), beside}}
	for _, key := range []string{"inner", "other"} {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "workflow"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		for key, workflow := range map[string]string{"inner": "self", "other": "beside"} {
			flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Child{Workflow: workflow})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	return def
}

// A child answers neither its own gate nor that of a sibling, also when its process has
// ended.
func TestAChildDoesNotAnswer(t *testing.T) {
	for _, w := range ways {
		switch w.name {
		case "approve", "respond", "with an emptied environment", "a daemon that waits until the run has paused", "after the run's process was killed":
		default:
			continue
		}
		for _, whose := range []string{"inner", "other"} {
			t.Run(whose+": "+w.name, func(t *testing.T) {
				t.Parallel()
				for _, name := range w.needs {
					if _, err := exec.LookPath(name); err != nil {
						t.Skipf("%s is not installed", name)
					}
				}
				h := newHome(t)
				// The other child must ask before it can be answered.
				head := clean + `run=${run%--*}--` + whose + `; until nest status "$run" 2>/dev/null | grep -q asks; do sleep 0.05; done; `
				script := strings.ReplaceAll(w.script, "self ", "nest ")
				alive := h.lifeline()
				if w.late {
					h.tries("exec 9>alive; " + head + strings.ReplaceAll(later, "self ", "nest ") + script)
				} else {
					h.tries(head + "{ " + script + "\n} >said 2>&1 || true")
				}
				_, out := h.calls(nil, "nest", "run", "--skip-agent-check")
				run := regexp.MustCompile(`nest-[a-z0-9]{6}`).FindString(out) + "--" + whose
				if w.late {
					alive.ends()
					text, err := os.ReadFile(h.path("late")) // it may have died before
					if err == nil && (w.want == "" || !regexp.MustCompile(strings.ReplaceAll(w.want, "self-", "nest-")).Match(text)) {
						t.Errorf("it has outlived the run, and says %q; the run said %s", text, out)
					}
				} else if said := h.await("said"); !strings.Contains(said, "refused: this process was started by run nest-") {
					t.Errorf("it says %q; the run said %s", said, out)
				}
				h.unanswered("nest", run)
			})
		}
	}
}

// The gates of a child are those of the run at the top: its mode, and its token.
func TestGatesOfAChild(t *testing.T) {
	h := newHome(t)
	_, out := h.calls(nil, "nestseated", "run", "--skip-agent-check")
	run := regexp.MustCompile(`nest-[a-z0-9]{6}`).FindString(out)
	for _, program := range []string{"nestseated", "nest"} {
		for _, args := range [][]string{{"approve", run + "--other"}, {"respond", run + "--other", "approve"}, {"reject", run + "--inner"}} {
			if code, out := h.calls(nil, append([]string{program}, args...)...); code != 1 || !strings.Contains(out, "run "+run+" takes answers at a terminal only") {
				t.Errorf("%s %v: %d: %s", program, args, code, out)
			}
		}
	}
	_, out = h.calls(h.token(t.Name()), "nestsecret", "run", "--skip-agent-check")
	run = regexp.MustCompile(`nest-[a-z0-9]{6}`).FindString(out)
	if code, out := h.calls(nil, "nestsecret", "respond", run+"--other", "approve"); code != 1 || !strings.Contains(out, "an answer to run "+run+" needs its gate token") {
		t.Errorf("%d: %s", code, out)
	}
	if code, out := h.calls(nil, "nestsecret", "approve", run+"--other", "--token", "not-the-token-of-it"); code != 1 || !strings.Contains(out, "not the gate token") {
		t.Errorf("%d: %s", code, out)
	}
	if _, out := h.calls(nil, "nestsecret", "status", run); !strings.Contains(out, "answers with a wrong token: 1") {
		t.Errorf("%s", out)
	}
	if code, out := h.calls(nil, "nestsecret", "respond", run+"--other", "approve", "--token", t.Name(), "--no-resume"); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
}

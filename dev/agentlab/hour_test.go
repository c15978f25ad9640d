//go:build unix

package agentlab

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/agentlab/model"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// hourLength is the variable with the time that TestHour takes, such as 1h.
const hourLength = "WFC_AGENTS_HOUR"

// TestHour lets each agent program work unattended for a time: runs start by a schedule, the
// service refuses and fails, the process that listens is killed again and again, and a person
// answers gates by the command lines that `waiting` shows. At the end, each run has completed,
// no completed prompt was asked again, and each notice has arrived.
func TestHour(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(hourLength))
	if os.Getenv(enabled) == "" || err != nil {
		t.Skip("takes an hour: make test-overnight")
	}
	newest := map[string]*program{}
	for _, p := range programs(t) {
		if newest[p.Name] == nil { // of several versions, the first pin is the newest
			newest[p.Name] = p
		}
	}
	for _, p := range newest {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			n := newNight(t, p)
			n.pass(length)
			n.finish()
			n.check()
		})
	}
}

// A night is the time of one program.
type night struct {
	*lab
	rnd *rand.Rand

	mu sync.Mutex
	// notices are the received notices, by event and run; ids counts them by id.
	notices map[string]int
	ids     map[string]int
	// quietUntil is until when the service refuses everything, and disturbed counts the refusals
	// and faults.
	quietUntil time.Time
	disturbed  int
	kills      int
	approvals  int
}

func newNight(t *testing.T, p *program) *night {
	n := &night{lab: newLab(t, p), rnd: rand.New(rand.NewPCG(1, uint64(len(p.Name)))), notices: map[string]int{}, ids: map[string]int{}}
	hook := httptest.NewServer(http.HandlerFunc(n.receive))
	t.Cleanup(hook.Close)
	n.environ = append(n.environ, "WFC_WEBHOOK_OPS_URL="+hook.URL, "CLAUDE_CODE_MAX_RETRIES=1")
	n.model.Script("work", model.Step{Say: "Done."})
	n.model.Disturb(n.disturb)
	n.write("wfc.yaml", fmt.Sprintf(`agents:
  worker: {%s, permission: safe}
on_quota: {wait: 2h}
budgets: {day: {tokens: 100000000}}
notify: {waits: "webhook:ops", completed: "webhook:ops", failed: "webhook:ops"}
workflows: {flow.yaml: {schedule: "*/2 * * * *"}}
`, p.use)+n.sandbox())
	n.write("flow.yaml", `# wfc: dialect=archon
name: flow
description: What an agent does at night.
provider: worker
nodes:
  - id: name
    bash: date +job-%s%N
  - id: plan
    depends_on: [name]
    retry: {max_attempts: 5, delay_ms: 2000, on_error: all}
    prompt: Plan $name.output, the first part. `+model.Mark("work")+`
  - id: gate
    depends_on: [plan]
    approval: {message: "Continue with $name.output?"}
  - id: fix
    depends_on: [name, plan, gate]
    retry: {max_attempts: 5, delay_ms: 2000, on_error: all}
    prompt: Do $name.output, the second part. `+model.Mark("work")+`
`)
	if out, errs, code := n.wfc("build", "flow.yaml", "-o", n.binary()); code != 0 {
		t.Fatalf("wfc build ended with %d:\n%s%s", code, out, errs)
	}
	return n
}

// receive takes notices. It fails now and then.
func (n *night) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var notice struct{ ID, Event, Run string }
	if err == nil {
		err = json.Unmarshal(body, &notice)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err != nil || notice.ID == "":
		n.Errorf("a notice is %q: %v", body, err)
	case n.rnd.IntN(5) == 0:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		if n.ids[notice.ID]++; n.ids[notice.ID] == 1 {
			n.notices[notice.Event+" "+notice.Run]++
		}
	}
}

// disturb refuses or fails some requests.
func (n *night) disturb(*model.Request) *model.Step {
	n.mu.Lock()
	defer n.mu.Unlock()
	limit := &model.Refusal{Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "slow down"}
	if n.program.Name == "gemini" {
		limit.Type = "resource_exhausted"
	}
	now := time.Now()
	if left := n.quietUntil.Sub(now); left > 0 {
		limit.Header = http.Header{"Retry-After": {fmt.Sprint(int(left.Seconds()) + 1)}}
		n.disturbed++
		return &model.Step{Refuse: limit}
	}
	switch draw := n.rnd.IntN(100); {
	case draw < 4:
		n.quietUntil = now.Add(time.Duration(20+n.rnd.IntN(60)) * time.Second)
		limit.Header = http.Header{"Retry-After": {fmt.Sprint(int(n.quietUntil.Sub(now).Seconds()) + 1)}}
		n.disturbed++
		return &model.Step{Refuse: limit}
	case draw < 8:
		n.disturbed++
		return &model.Step{Refuse: &model.Refusal{Status: http.StatusServiceUnavailable, Type: "overloaded_error", Message: "overloaded"}}
	case draw < 11:
		n.disturbed++
		return &model.Step{Say: "The first half", Drop: true}
	}
	return nil
}

// pass lets processes listen, kills them, and answers gates.
func (n *night) pass(length time.Duration) {
	end := time.Now().Add(length)
	for time.Now().Before(end) {
		cmd := n.listen()
		killed := time.NewTimer(time.Duration(40+n.rnd.IntN(140)) * time.Second)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for alive := true; alive; {
			select {
			case err := <-ended:
				n.Fatalf("listen ended by itself: %v\n%s", err, cmd.Stderr)
			case <-killed.C:
				alive = false
			case <-time.After(15 * time.Second):
				n.approve()
			}
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			n.Fatal(err)
		}
		<-ended
		n.kills++
		n.gone()
	}
}

// listen starts the process that runs the workflow by its schedule.
func (n *night) listen() *exec.Cmd {
	cmd := exec.CommandContext(n.Context(), n.binary(), "listen")
	cmd.Dir, cmd.Env = n.work, append([]string{}, n.environ...)
	cmd.Stdout, cmd.Stderr = io.Discard, new(strings.Builder)
	if err := cmd.Start(); err != nil {
		n.Fatal(err)
	}
	return cmd
}

// approve answers the gates by the first command line that is shown for each.
func (n *night) approve() {
	for _, item := range n.waiting() {
		if item.Kind == "gate" && len(item.Commands) > 0 {
			out, errs, code := n.end(n.command("/bin/sh", "-c", item.Commands[0]), nil)
			if code != 0 && !strings.Contains(errs, "answered") {
				n.Errorf("%q ended with %d: %s%s", item.Commands[0], code, out, errs)
			}
			n.approvals++
		}
	}
}

// A waitingItem is a part of what waiting --json lists.
type waitingItem struct {
	Kind     string   `json:"kind"`
	RunID    string   `json:"run_id"`
	Message  string   `json:"message"`
	Commands []string `json:"commands"`
}

func (n *night) waiting() []waitingItem {
	out, errs, code := n.end(n.command(n.binary(), "waiting", "--json"), nil)
	if code != 0 {
		n.Fatalf("waiting ended with %d: %s", code, errs)
	}
	var list struct{ Waiting []waitingItem }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		n.Fatalf("%v: %s", err, out)
	}
	return list.Waiting
}

// finish continues the runs until nothing waits any more.
func (n *night) finish() {
	for range 60 {
		n.approve()
		for _, item := range n.waiting() {
			if item.Kind == "interrupted" || item.Kind == "paused" { // answered, and then the process was killed
				_, _, _ = n.end(n.command(n.binary(), "resume", item.RunID), nil)
			}
		}
		_, _, _ = n.end(n.command(n.binary(), "wake"), nil)
		if len(n.waiting()) == 0 && !slices.ContainsFunc(n.runs(), func(r nightRun) bool { return n.told(r.ID) == 0 }) {
			return // every notice has come that a receiver refused at first
		}
		time.Sleep(10 * time.Second) // a quota is reset by the clock
	}
}

// A nightRun is a run as `list --json` shows it.
type nightRun struct {
	ID     string      `json:"run_id"`
	Status flow.Status `json:"status"`
	Error  string      `json:"error"`
	Nodes  []struct {
		ID       string      `json:"id"`
		Status   flow.Status `json:"status"`
		Output   string      `json:"output"`
		Finished time.Time   `json:"finished"`
	} `json:"nodes"`
}

// runs lists all runs.
func (n *night) runs() []nightRun {
	out, errs, code := n.end(n.command(n.binary(), "list", "--limit", "0", "--json"), nil)
	var list struct{ Runs []nightRun }
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list.Runs) == 0 {
		n.Fatalf("list ended with %d, %v: %s%s", code, err, out, errs)
	}
	return list.Runs
}

// told counts the notices that a run has completed.
func (n *night) told(run string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notices["completed "+run]
}

var jobName = regexp.MustCompile(`job-\d+`)

// check wants what TestHour promises.
func (n *night) check() {
	for _, item := range n.waiting() {
		n.Errorf("%s of run %s still waits: %s", item.Kind, item.RunID, item.Message)
	}
	runs := n.runs()
	// asked are the times at which the model answered about a job, by job.
	asked := map[string][]time.Time{}
	for _, q := range n.model.Requests("work") {
		if said := q.Said(model.User); !q.Disturbed && len(said) > 0 {
			if names := jobName.FindAllString(said[len(said)-1], -1); len(names) > 0 {
				key := names[len(names)-1]
				if strings.Contains(said[len(said)-1], "second part") {
					key += " fix"
				} else {
					key += " plan"
				}
				asked[key] = append(asked[key], q.Time)
			}
		}
	}
	repeated := 0
	for _, r := range runs {
		if r.Status != flow.Completed {
			n.Errorf("run %s is %s: %s", r.ID, r.Status, r.Error)
			continue
		}
		out, errs, code := n.end(n.command(n.binary(), "status", r.ID, "--json"), nil)
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
			n.Fatalf("status ended with %d, %v: %s", code, err, errs)
		}
		if times := n.told(r.ID); times != 1 {
			n.Errorf("%d notices say that run %s has completed", times, r.ID)
		}
		job := ""
		for _, step := range r.Nodes {
			if step.ID == "name" {
				job = step.Output
			}
			times := asked[job+" "+step.ID]
			if step.ID != "plan" && step.ID != "fix" {
				continue
			}
			if len(times) == 0 {
				n.Errorf("nobody asked about %s of run %s, %s", step.ID, r.ID, job)
			} else if late := slices.MaxFunc(times, time.Time.Compare); !step.Finished.IsZero() && late.After(step.Finished.Add(time.Second)) {
				n.Errorf("%s of run %s was asked again at %v, after it completed at %v", step.ID, r.ID, late, step.Finished)
			}
			repeated += len(times) - 1
		}
	}
	for id, times := range n.ids {
		if times > 1+n.kills {
			n.Errorf("the notice %s came %d times", id, times)
		}
	}
	fmt.Printf("hour    %s: %d runs, %d kills, %d refusals and faults, %d approvals, %d notices, %d turns again\n",
		n.program, len(runs), n.kills, n.disturbed, n.approvals, len(n.ids), repeated)
	if n.kills == 0 || n.approvals == 0 {
		n.Error("the time was too short to show anything")
	}
}

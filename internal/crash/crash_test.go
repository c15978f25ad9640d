//go:build unix

// Package crash holds the test that kills real binaries.
//
// A workflow of thirty nodes is built into a binary, which is run once in
// peace. Then it is run, killed by SIGKILL at a random moment and resumed at
// once, killed again, until the run ends; and that with new runs until there
// were a hundred kills. Only the binary is killed: the scripts that it has
// started live on, as they do when the system kills a process for its memory.
//
// Three things must hold. The outputs are those of the run in peace. A step
// whose completion was durable, because an observer was told of it or because
// the store had it right after the kill, never runs again. And what outlived a
// process does nothing beside the process that resumes: every script notes its
// deeds in one file together with the generation of the process that started
// it, and no deed of an earlier generation follows one of a later.
//
// The moments are drawn from a seed, but where they fall in the program depends
// on the machine, so a failure need not come back with its seed.
package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/e2e/program"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the moments of the kills")
	kills = flag.Int("kills", 100, "kills in total; -short makes it ten at most")
)

// limit is when a process that neither ends nor is killed counts as hanging.
const limit = time.Minute

func TestKilledAndResumed(t *testing.T) {
	n := *kills
	if testing.Short() {
		n = min(n, 10)
	}
	t.Run("completes", func(t *testing.T) { killing(t, "thirty", false, n/2) })
	t.Run("fails", func(t *testing.T) { killing(t, "thirty-failing", true, n-n/2) })
}

func killing(t *testing.T, name string, failing bool, kills int) {
	list := nodes(failing)
	if len(list) != 30 {
		t.Fatalf("the workflow has %d nodes, want 30", len(list))
	}
	binary := program.Build(t, name, text(name, list))
	began := time.Now()
	undisturbed := newEpisode(t, binary)
	undisturbed.start()
	took := time.Since(began)
	want := undisturbed.status()
	checkPeace(t, want, failing)
	undisturbed.check(want)

	random := rand.New(rand.NewPCG(*seed, uint64(len(name))))
	runs, cut := 0, 0
	for cut < kills && !t.Failed() {
		e := newEpisode(t, binary)
		for !e.over && cut < kills {
			killed := e.startAndKill(time.Duration(random.Int64N(int64(took))))
			if !killed {
				break
			}
			cut++
			if random.IntN(2) == 0 {
				e.look()
			}
		}
		if !e.over {
			e.start()
		}
		e.check(want)
		runs++
	}
	t.Logf("%d kills in %d runs of %v, in %v", cut, runs, took.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// checkPeace makes sure that the run in peace is the one that was meant.
func checkPeace(t *testing.T, d *document, failing bool) {
	t.Helper()
	status := map[string]string{"run": d.Status}
	for _, s := range d.Nodes {
		status[s.ID] = s.Status
	}
	want := map[string]string{"run": "completed", "fragile": "completed", "slow": "skipped", "after-slow": "skipped",
		"quick": "completed", "rescue": "completed", "any": "completed", "last": "completed"}
	if failing {
		want["run"], want["fragile"] = "failed", "failed"
	}
	for key, w := range want {
		if status[key] != w {
			t.Fatalf("undisturbed, `%s` is %s, want %s", key, status[key], w)
		}
	}
}

// An episode is one run, through all processes that work on it.
type episode struct {
	t *testing.T
	*program.Place
	generation int
	exists     bool // the run is known to have been made
	over       bool // the run has ended
	// done are the outputs of the steps whose completion is known to be
	// durable, and since the generations in which that became known.
	done  map[string]string
	since map[string]int
}

func newEpisode(t *testing.T, binary string) *episode {
	return &episode{t: t, Place: program.NewPlace(t, binary), done: map[string]string{}, since: map[string]int{}}
}

func (e *episode) traces() string { return filepath.Join(e.Work, "side-effects") }

// start runs or resumes without disturbance.
func (e *episode) start() {
	e.t.Helper()
	for !e.over {
		if e.startAndKill(limit) {
			e.t.Fatalf("generation %d did not end within %v", e.generation, limit)
		}
	}
}

// startAndKill runs or resumes and kills the process after the given time. It
// reports whether that met a living one.
func (e *episode) startAndKill(after time.Duration) (killed bool) {
	e.t.Helper()
	e.generation++
	verb := "resume"
	if e.generation == 1 || !e.exists && !e.look() {
		verb = "run"
	}
	out, errs, code := e.kill(after, verb)
	told, err := reported(out)
	if err != nil {
		e.t.Fatal(err)
	}
	e.learn(told)
	e.exists = e.exists || len(out) > 0
	switch {
	case code == -1:
		return true
	case strings.Contains(errs, "nothing to resume"):
		// The kill before came between the commit of the run's end and the
		// process's end.
	case code > 1, !strings.Contains(string(out), `"type":"end"`):
		e.t.Fatalf("generation %d: %s ended with code %d: %s", e.generation, verb, code, errs)
	}
	e.over = true
	return false
}

// kill runs or resumes, kills the process after the given time, and returns what
// it printed and its exit code, which is -1 when it was killed.
func (e *episode) kill(after time.Duration, verb string) (stdout []byte, stderr string, code int) {
	e.t.Helper()
	var out, errs bytes.Buffer
	environ := []string{"SIDE_EFFECTS=" + e.traces(), fmt.Sprintf("GENERATION=%d", e.generation)}
	cmd := e.Command(e.t.Context(), environ, verb, "--jsonl")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	// The process alone is killed, not its children. That it has ended before
	// is no error.
	killer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		e.t.Fatal(err)
	}
	return out.Bytes(), errs.String(), cmd.ProcessState.ExitCode()
}

// learn takes over what is known to be durable.
func (e *episode) learn(done map[string]string) {
	e.t.Helper()
	for key, output := range done {
		if before, ok := e.done[key]; !ok {
			e.done[key], e.since[key] = output, e.generation
		} else if before != output {
			e.t.Errorf("generation %d: the output of `%s` is %.60q; before it was %.60q", e.generation, key, output, before)
		}
	}
}

// look asks the store how the run stands after a kill, and reports whether it
// is there.
func (e *episode) look() bool {
	e.t.Helper()
	out, errs, code, err := e.Run(e.t.Context(), nil, "status", "--json")
	if err != nil {
		e.t.Fatal(err)
	}
	if code == 1 && strings.Contains(errs, "has no runs") {
		if list, err := readTraces(e.traces()); e.exists || err != nil || len(list) > 0 {
			e.t.Errorf("after generation %d there is no run, but %d traces of one (%v)", e.generation, len(list), err)
		}
		return false
	}
	d := e.decode(out, errs, code)
	e.exists = true
	if !slices.Contains([]string{"interrupted", "completed", "failed"}, d.Status) {
		e.t.Errorf("after generation %d was killed the run is %s", e.generation, d.Status)
	}
	kept := d.completed()
	for key, output := range e.done {
		if kept[key] != output {
			e.t.Errorf("after generation %d the output of `%s` is %.60q; it was durable as %.60q", e.generation, key, kept[key], output)
		}
	}
	e.learn(kept)
	return true
}

// status returns the run's state.
func (e *episode) status() *document {
	e.t.Helper()
	out, errs, code, err := e.Run(e.t.Context(), nil, "status", "--json")
	if err != nil {
		e.t.Fatal(err)
	}
	return e.decode(out, errs, code)
}

func (e *episode) decode(out []byte, errs string, code int) *document {
	e.t.Helper()
	d := &document{}
	if err := json.Unmarshal(out, d); err != nil || code != 0 {
		e.t.Fatalf("status ended with code %d, %v: %s", code, err, errs)
	}
	return d
}

// check compares the run that has ended with one that ended in peace, and looks
// at its traces.
func (e *episode) check(want *document) {
	e.t.Helper()
	got := e.status()
	if got.Status != want.Status || got.compact() != want.compact() {
		e.t.Errorf("the run is %s with %.300s, want %s with %.300s", got.Status, got.compact(), want.Status, want.compact())
	}
	if len(got.Nodes) != len(want.Nodes) {
		e.t.Fatalf("the run has %d steps, want %d", len(got.Nodes), len(want.Nodes))
	}
	for i, w := range want.Nodes {
		if g := got.Nodes[i]; !g.equal(w) {
			e.t.Errorf("`%s` is %s, want %s", w.ID, g.short(), w.short())
		}
	}
	e.learn(got.completed())
	list, err := readTraces(e.traces())
	if err != nil {
		e.t.Fatal(err)
	}
	for _, w := range checkTraces(list, e.since) {
		e.t.Errorf("%s", w)
	}
	ran := map[string]bool{}
	for _, trace := range list {
		ran[trace.key] = true
	}
	for _, s := range got.Nodes {
		if skipped := s.Status == "skipped"; ran[s.ID] == skipped {
			e.t.Errorf("`%s` is %s and its traces say that it ran: %v", s.ID, s.Status, ran[s.ID])
		}
	}
}

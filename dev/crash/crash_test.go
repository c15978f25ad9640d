//go:build unix

// Package crash tests that real binaries survive being killed.
//
// A workflow of thirty nodes is built into a binary, which runs once undisturbed.
// Then it runs, is killed by SIGKILL at a random moment and resumed at once, killed
// again, until the run ends. The test repeats this with new runs until there were fifty
// kills; `make test-kills` kills five hundred times. It kills only the binary, as the system
// does for its memory: the scripts that it started go on until its watcher has ended them, while a
// later process works on the run.
//
// Three things must hold. The outputs equal those of the undisturbed run. A step
// whose completion was durable, because an observer was told or because the store
// had it right after the kill, never runs again. And a survivor of a process does
// nothing while a later process works on the run: every script notes its deeds in
// one file together with the generation of the process that started it, and no deed
// of an earlier generation follows one of a later.
//
// The moments are drawn from a seed, but their places in the program depend on the
// machine, so a failure need not come back with its seed.
package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/runtime/sandbox"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the moments of the kills")
	total = flag.Int("kills", 100, "half as many kills of the workflow of thirty nodes, and some for each of the others")
)

// limit is when a process that neither ends nor is killed counts as hanging.
const limit = time.Minute

// quota is a part of the kills that were asked for.
func quota(percent int) int { return max(1, *total*percent/100) }

// TestMain leaves all out with -short: these tests run programs that they build.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

func TestKilledAndResumed(t *testing.T) {
	for name, failing := range map[string]bool{"completes": false, "fails": true} {
		t.Run(name, func(t *testing.T) {
			list := nodes(failing)
			if len(list) != 30 {
				t.Fatalf("the workflow has %d nodes, want 30", len(list))
			}
			kills(t, load{name: "thirty", text: text("thirty", list), peace: func(t *testing.T, d *document) { checkPeace(t, d, failing) }}, quota(25))
		})
	}
}

// In the sandbox, the survivors end with the killed process.
func TestKilledInTheSandbox(t *testing.T) {
	if missing := sandbox.Probe(); len(missing) > 0 {
		t.Skipf("no sandbox here: %v", missing)
	}
	kills(t, load{name: "thirty", text: text("thirty", nodes(false)), args: []string{"--sandbox"}, peace: func(t *testing.T, d *document) { checkPeace(t, d, false) }}, quota(15))
}

// A load is the binary to kill, with its arguments.
type load struct {
	name, text string
	// beside are the workflows that it includes, by the names of their files.
	beside map[string]string
	// agent is the program behind claude, if there is one.
	agent string
	// peace makes sure that the undisturbed run is the one that was meant.
	peace func(t *testing.T, d *document)
	// as is the name of the agent; "" is claude.
	as string
	// args are further arguments of the command that makes the run.
	args []string
	// answers is the command that answers the run's questions, if it has any.
	answers []string
	// left is the result that a run leaves behind when it has ended, equal for all
	// runs.
	left func(e *episode) string
}

// kills runs a workflow once in peace and then kills new runs of it until there
// were so many kills.
func kills(t *testing.T, l load, kills int) {
	binary := program.BuildFiles(t, l.name, l.text, l.beside)
	began := time.Now()
	undisturbed := newEpisode(t, binary, l.agent).of(l)
	undisturbed.start()
	took := time.Since(began)
	want := undisturbed.status()
	l.peace(t, want)
	effects := undisturbed.check(want)
	left := ""
	if l.left != nil {
		left = l.left(undisturbed)
	}

	random := rand.New(rand.NewPCG(*seed, uint64(len(l.text))))
	runs, cut := 0, 0
	for cut < kills && !t.Failed() {
		e := newEpisode(t, binary, l.agent).of(l)
		for !e.over && cut < kills {
			killed := e.startAndKill(time.Duration(random.Int64N(int64(took))))
			if !killed {
				continue // it has ended, or waited for an answer
			}
			cut++
			if random.IntN(2) == 0 {
				e.look()
			}
		}
		if !e.over {
			e.start()
		}
		if got := e.check(want); !maps.Equal(got, effects) {
			t.Errorf("these steps ran: %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(effects)))
		}
		if l.left != nil {
			if got := l.left(e); got != left {
				t.Errorf("the run has left\n%s\nwant\n%s", got, left)
			}
		}
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
	// args are for the command that makes the run.
	args []string
	// pauses says that the run may wait for people, and answers is the command
	// that answers, unless the test does.
	pauses  bool
	answers []string
	// visits says that the record of a node is that of its last visit, so that it
	// may change; the keys of visits have an @.
	visits bool
}

// of makes the episode one of a load.
func (e *episode) of(l load) *episode {
	if l.as != "" && len(e.args) > 0 {
		e.args[1] = l.as + strings.TrimPrefix(e.args[1], "claude")
	}
	e.args = append(e.args, l.args...)
	e.answers, e.pauses, e.visits = l.answers, l.answers != nil, l.left != nil
	return e
}

// newEpisode returns a run that is not yet made; agent is the text of the
// program behind claude, or "".
func newEpisode(t *testing.T, binary, agent string) *episode {
	t.Helper()
	e := &episode{t: t, Place: program.NewPlace(t, binary), done: map[string]string{}, since: map[string]int{}}
	if agent != "" {
		path := filepath.Join(e.State, "agent")
		if err := os.WriteFile(path, []byte(agent), 0o700); err != nil {
			t.Fatal(err)
		}
		e.args = []string{"--agent", "claude=command:" + path}
	}
	return e
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
	command := []string{"resume"}
	if e.generation == 1 || !e.exists && !e.look() {
		command = append([]string{"run"}, e.args...)
	}
	out, errs, code := e.kill(after, e.generation, append(command, "--jsonl")...)
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
	case code == 3 && e.answers != nil:
		_, errs, code, err := e.Run(e.t.Context(), nil, e.answers...)
		if err != nil || code != 0 {
			e.t.Fatalf("generation %d: %v ended with code %d, %v: %s", e.generation, e.answers, code, err, errs)
		}
		return false
	case code > 1, !strings.Contains(string(out), `"type":"end"`):
		e.t.Fatalf("generation %d: %s ended with code %d: %s", e.generation, command[0], code, errs)
	}
	e.over = true
	return false
}

// kill runs a command as a generation, kills the process after the given time, and
// returns its output and its exit code, which is -1 when it was killed.
func (e *episode) kill(after time.Duration, generation int, command ...string) (stdout []byte, stderr string, code int) {
	e.t.Helper()
	var out, errs bytes.Buffer
	environ := []string{"SIDE_EFFECTS=" + e.traces(), fmt.Sprintf("GENERATION=%d", generation)}
	cmd := e.Command(e.t.Context(), environ, command...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		e.t.Error(err)
		return nil, err.Error(), -2
	}
	// The process alone is killed, not its children. That it has ended before is
	// not an error.
	killer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		e.t.Error(err)
		return nil, err.Error(), -2
	}
	return out.Bytes(), errs.String(), cmd.ProcessState.ExitCode()
}

// learn notes the steps that are known to be durable.
func (e *episode) learn(done map[string]string) {
	e.t.Helper()
	for key, output := range done {
		if e.visits && !strings.Contains(key, "@") {
			continue
		}
		if before, ok := e.done[key]; !ok {
			e.done[key], e.since[key] = output, e.generation
		} else if before != output {
			e.t.Errorf("generation %d: the output of `%s` is %.60q; before it was %.60q", e.generation, key, output, before)
		}
	}
}

// look asks the store how the run is after a kill, and reports whether it is there.
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
	if !slices.Contains([]string{"interrupted", "completed", "failed"}, d.Status) && !(e.pauses && d.Status == "paused") {
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

// check compares the run that has ended with the undisturbed one, checks its
// traces, and returns the steps that left any.
func (e *episode) check(want *document) (ran map[string]bool) {
	e.t.Helper()
	got := e.status()
	if got.Status != want.Status || got.compact() != want.compact() {
		e.t.Errorf("the run is %s with %.300s, want %s with %.300s", got.Status, got.compact(), want.Status, want.compact())
	}
	if len(got.Nodes) != len(want.Nodes) {
		e.t.Fatalf("the run has %d steps, want %d", len(got.Nodes), len(want.Nodes))
	}
	for _, w := range want.Nodes {
		if g := got.step(w.ID); !g.equal(w) {
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
	ran = map[string]bool{}
	for _, trace := range list {
		ran[trace.key] = true
		if s := got.step(trace.key); s.Status != "completed" && s.Status != "failed" {
			e.t.Errorf("`%s` is %s and has left traces", trace.key, s.Status)
		}
	}
	return ran
}

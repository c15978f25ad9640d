package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/store"
)

func TestArtifacts(t *testing.T) {
	w := newWorld(t)
	w.performer.set("write.plan", func(context.Context, *engine.Attempt) flow.Result {
		return flow.Result{Status: flow.Completed, Text: "# plän", Meta: flow.Meta{Session: "s1"}}
	})
	w.performer.set("bad", fails("no"))
	def := define("demo", step{key: "write.plan", artifact: "plan"}, step{key: "bad", artifact: "plan"}, step{key: "plain"})
	e := w.engine(t, nil)
	r := must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	dir := filepath.Join(w.folder.Artifacts(r.ID), "nodes")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("artifacts: %v %v", entries, err)
	}
	file := filepath.Join(dir, "write_plan.md")
	if text, err := os.ReadFile(file); err != nil || string(text) != "# plän" {
		t.Errorf("artifact %q %v", text, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "write_plan.meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	var meta map[string]any
	if err := json.Unmarshal(text, &meta); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"nodeId": "write.plan", "outputType": "plan", "path": file, "runId": r.ID, "size": 7.0, "sessionId": "s1"} {
		if meta[key] != want {
			t.Errorf("%s is %v, want %v", key, meta[key], want)
		}
	}
	// One that was lost with its process comes back.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	w.performer.set("bad", nil)
	must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, local.Options{}))
	if text, err := os.ReadFile(file); err != nil || string(text) != "# plän" {
		t.Errorf("artifact after the resume %q %v", text, err)
	}
}

// Nodes whose ids have one name in files have two artifacts, the same ones in
// every process of the run.
func TestArtifactsOfAlikeNames(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a.b", artifact: "x"}, step{key: "A_b", artifact: "x"}, step{key: "a_b", artifact: "x"}, step{key: "a b"}, step{key: "bad"})
	w.performer.set("bad", fails("no"))
	r := must(t, flow.Failed)(w.engine(t, nil).Run(context.Background(), def, nil, w.options()))
	dir := filepath.Join(w.folder.Artifacts(r.ID), "nodes")
	check := func() {
		t.Helper()
		for name, key := range map[string]string{"a_b": "a.b", "A_b_2": "A_b", "a_b_3": "a_b"} {
			if text, err := os.ReadFile(filepath.Join(dir, name+".md")); err != nil || string(text) != "ran "+key {
				t.Errorf("%s holds %q, %v", name, text, err)
			}
			if meta, err := os.ReadFile(filepath.Join(dir, name+".meta.json")); err != nil || !strings.Contains(string(meta), `"nodeId":"`+key+`"`) {
				t.Errorf("%s is of %s, %v", name, meta, err)
			}
		}
	}
	check()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Failed)(w.engine(t, nil).Resume(context.Background(), def, r.ID, local.Options{}))
	check()
}

// A node of several parts has one artifact: its own output, with the session of
// the agent that spoke last.
func TestArtifactOfALoop(t *testing.T) {
	w, agent := newWorld(t), &talker{}
	def := &flow.Definition{Name: "demo", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "fix", Kind: "loop", ArtifactType: "report"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			n := 0
			return steps.Loop{Max: 3, Goal: "x", Done: func(string) bool { n++; return n == 2 },
				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
					r, err := c.Do(flow.Prompt{Agent: "claude"})
					r.Text = fmt.Sprintf("report %d", i.Number)
					return r, err
				}}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	e := w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, agent) })
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	dir := filepath.Join(w.folder.Artifacts(r.ID), "nodes")
	text, err := os.ReadFile(filepath.Join(dir, "fix.md"))
	meta, err2 := os.ReadFile(filepath.Join(dir, "fix.meta.json"))
	entries, _ := os.ReadDir(dir)
	if err != nil || err2 != nil || string(text) != "report 2" || !strings.Contains(string(meta), `"sessionId":"s2"`) || len(entries) != 2 {
		t.Errorf("%q %v, %s %v, %v", text, err, meta, err2, entries)
	}
}

// A node inside a group has one artifact: its output of the last iteration.
func TestArtifactInAGroup(t *testing.T) {
	w, agent := newWorld(t), &talker{}
	def := &flow.Definition{Name: "demo", Fingerprint: "f", Uses: flow.Uses{ArtifactList: true}, Nodes: []flow.NodeInfo{
		{Key: "fix", Kind: "loop", Inside: []flow.NodeInfo{{Key: "check", Kind: "prompt", ArtifactType: "report"}}},
	}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			return steps.Loop{Max: 3, Goal: "x", Done: func(text string) bool { return text == "report 2" },
				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
					return steps.RunNodes(c, func(c *flow.Context) []flow.AnyTask {
						return flow.After(flow.Spawn(c, flow.Node[string]{Key: "check", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
							_, err := c.Do(flow.Prompt{Agent: "claude"})
							return fmt.Sprintf("report %d", i.Number), err
						}}))
					})
				}}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	e := w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, agent) })
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	dir := filepath.Join(w.folder.Artifacts(r.ID), "nodes")
	text, err := os.ReadFile(filepath.Join(dir, "fix_check.md"))
	list, err2 := os.ReadFile(filepath.Join(dir, "artifacts.json"))
	if err != nil || err2 != nil || string(text) != "report 2" || strings.Count(string(list), `"nodeId":"fix.check"`) != 1 {
		t.Errorf("%q %v, %s %v", text, err, list, err2)
	}
}

// An artifact that cannot be written fails nothing.
func TestArtifactThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	def := define("demo", step{key: "a", artifact: "plan"})
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		if err := os.WriteFile(filepath.Join(call.Info.ArtifactsDir, "nodes"), nil, 0o600); err != nil {
			t.Error(err)
		}
		return completed("text")
	})
	r := must(t, flow.Completed)(w.engine(t, nil).Run(context.Background(), def, nil, w.options()))
	if !strings.Contains(readLog(t, w, r.ID), "the artifact was not written") {
		t.Error("the log says nothing of it")
	}
}

func readLog(t *testing.T, w *world, id string) string {
	t.Helper()
	text, err := os.ReadFile(w.folder.LogFile(id))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLog(t *testing.T) {
	w := newWorld(t)
	attempts := 0
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		call.Output("stderr", []byte("with hunter2222\n"))
		call.Output("stdout", nil)
		call.Log.Warn("careful", "secret", "hunter2222", "n", 3)
		if attempts++; attempts == 1 {
			return fails("password hunter2222 is wrong")(nil, nil)
		}
		return completed("hunter2222")
	})
	def := define("demo", step{key: "a", retry: 1}, step{key: "b", after: []string{"a"}})
	e := w.engine(t, func(c *local.Config) { c.Environ = []string{"DB_PASSWORD=hunter2222", "PATH=hunter"} })
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	text := readLog(t, w, r.ID)
	if strings.Contains(text, "hunter2222") {
		t.Errorf("the log has a secret:\n%s", text)
	}
	var got []string
	for line := range strings.Lines(text) {
		var l struct{ Time, Run, Type, Node, Stream, Text, Error, Message string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if l.Time == "" || l.Run != r.ID {
			t.Errorf("%s has no time or another run", line)
		}
		got = append(got, fmt.Sprint(strings.Join(strings.Fields(strings.Join([]string{l.Type, l.Node, l.Stream, l.Text, l.Error, l.Message}, " ")), " ")))
	}
	want := []string{
		"run_started", "step_started a", "output a stderr with ***", "note a secret=*** n=3 careful",
		"step_retrying a attempt 1 of 2 failed: password *** is wrong", "step_started a",
		"output a stderr with ***", "note a secret=*** n=3 careful", "step_completed a ***",
		"step_started b", "step_completed b ran b", "run_completed",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("log:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if info, err := os.Stat(w.folder.LogFile(r.ID)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log file: %v %v", info.Mode(), err)
	}
}

// The journal keeps secrets, or a resumed run would go on with ***.
func TestOutputsAreKeptUnmasked(t *testing.T) {
	w := newWorld(t)
	w.performer.set("a", func(context.Context, *engine.Attempt) flow.Result { return completed("hunter2222") })
	e := w.engine(t, func(c *local.Config) { c.Environ = []string{"DB_PASSWORD=hunter2222"} })
	r := must(t, flow.Completed)(e.Run(context.Background(), define("demo", step{key: "a"}), nil, w.options()))
	if s := w.steps(t, r.ID)["a"]; s.Text != "hunter2222" {
		t.Errorf("kept %q", s.Text)
	}
}

// Scripts are kept for people alone, so their secrets are masked: from the start of the step, and
// also when it has ended.
func TestScriptsAreKeptMasked(t *testing.T) {
	w := newWorld(t)
	begun, end := make(chan string, 1), make(chan bool)
	def := define("demo")
	def.Nodes = []flow.NodeInfo{{Key: "a", Kind: "bash"}}
	def.Flow = func(c *flow.Context) (any, error) {
		n := flow.Node[string]{Key: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: "echo ${said}", Bindings: []flow.Binding{{Name: "said", Value: "hunter2222"}}}))
		}}
		task := flow.Spawn(c, n)
		err := flow.Settle(c)
		return task.Final().Text, err
	}
	w.performer.set("a", func(_ context.Context, call *engine.Attempt) flow.Result {
		begun <- call.Info.ID
		<-end
		return completed("done")
	})
	go func() {
		id := <-begun
		if s := w.steps(t, id)["a"]; s.Status != flow.Running || s.Prompt != "echo ${said}\n\nsaid = \"***\"" {
			t.Errorf("at the start: %s %q", s.Status, s.Prompt)
		}
		close(end)
	}()
	e := w.engine(t, func(c *local.Config) { c.Environ = []string{"DB_PASSWORD=hunter2222"} })
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	if s := w.steps(t, r.ID)["a"]; s.Prompt != "echo ${said}\n\nsaid = \"***\"" {
		t.Errorf("at the end: %q", s.Prompt)
	}
}

func TestPinnedBinaryIsCopiedWhereItCannotBeLinked(t *testing.T) {
	// A hard link to another file system fails; /dev/shm is one where it exists.
	shm, err := os.MkdirTemp("/dev/shm", "wfc-test")
	if err != nil {
		t.Skip("no second file system to test with")
	}
	defer os.RemoveAll(shm)
	w := newWorld(t)
	executable := filepath.Join(shm, "demo")
	content := bytes.Repeat([]byte("0123456789abcdef"), 300_000)
	if err := os.WriteFile(executable, content, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(executable, filepath.Join(w.work, "link")); err == nil {
		t.Skip("no second file system to test with")
	}
	e := w.engine(t, func(c *local.Config) { c.Executable = executable })
	def := define("demo", step{key: "a"})
	r := must(t, flow.Completed)(e.Run(context.Background(), def, nil, w.options()))
	if left, err := filepath.Glob(w.folder.Executable(r.ID) + "*"); err != nil || len(left) > 0 {
		t.Errorf("a completed run keeps %v", left)
	}
	w.performer.set("a", fails("no"))
	r = must(t, flow.Failed)(e.Run(context.Background(), def, nil, w.options()))
	if text, err := os.ReadFile(w.folder.Executable(r.ID)); err != nil || !bytes.Equal(text, content) {
		t.Errorf("a failed run keeps %d bytes, %v", len(text), err)
	}
	if info, err := os.Stat(w.folder.Executable(r.ID)); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("it cannot be executed: %v %v", info, err)
	}
}

func TestBaseBranch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	w := newWorld(t)
	def := define("demo", step{key: "a"})
	def.Uses.BaseBranch = true
	e := w.engine(t, nil)
	branch := func(opt local.Options) string {
		t.Helper()
		opt.WorkDir = w.work
		return w.run(t, must(t, flow.Completed)(e.Run(context.Background(), def, nil, opt)).ID).BaseBranch
	}
	// Without a branch, no run starts: a late node would fail. So it is for the workflows of
	// child runs.
	for _, unknown := range []*flow.Definition{def, {Name: "parent", Flow: def.Flow, Children: []*flow.Definition{def}}} {
		_, err := e.Run(context.Background(), unknown, nil, local.Options{WorkDir: w.work})
		wantError(t, err, "workflow "+unknown.Name+" reads the base branch", "base_branch in wfc.yaml")
	}
	if runs, err := w.store.Runs(context.Background(), store.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("%v, %v", runs, err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.example"}, args...)...)
		cmd.Dir = w.work
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	if got := branch(local.Options{}); got != "main" { // as after `git remote add` and `git push`
		t.Errorf("of a remote whose default branch git does not know: %q", got)
	}
	git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/release/v2")
	if got := branch(local.Options{}); got != "release/v2" {
		t.Errorf("of the remote: %q", got)
	}
	if got := branch(local.Options{BaseBranch: "mine"}); got != "mine" {
		t.Errorf("given: %q", got)
	}
	def.Uses.BaseBranch = false
	if got := branch(local.Options{}); got != "" {
		t.Errorf("not used: %q", got)
	}
}

// A resumed run keeps its base branch, unless the command names another.
func TestBaseBranchOfAResumedRun(t *testing.T) {
	w := newWorld(t)
	fails := true
	def := &flow.Definition{Name: "demo", Fingerprint: "f1", Uses: flow.Uses{BaseBranch: true}, Flow: func(c *flow.Context) (any, error) {
		if fails {
			return nil, errors.New("not now")
		}
		return c.BaseBranch()
	}}
	for given, want := range map[string]string{"": `"trunk"`, "mine": `"mine"`} {
		fails = true
		r := must(t, flow.Failed)(w.engine(t, nil).Run(context.Background(), def, nil, local.Options{WorkDir: w.work, BaseBranch: "trunk"}))
		fails = false
		e := w.engine(t, func(c *local.Config) { c.Defaults.BaseBranch = "main" })
		if got := string(must(t, flow.Completed)(e.Resume(context.Background(), def, r.ID, local.Options{BaseBranch: given})).Outputs); got != want {
			t.Errorf("option %q: %s, not %s", given, got, want)
		}
	}
}

func TestNothingIsWrittenToTheWorkingFolder(t *testing.T) {
	w := newWorld(t)
	must(t, flow.Completed)(w.engine(t, nil).Run(context.Background(), define("demo", step{key: "a", artifact: "x"}), nil, w.options()))
	err := filepath.WalkDir(w.work, func(path string, _ fs.DirEntry, err error) error {
		if path != w.work {
			return errors.New(path)
		}
		return err
	})
	if err != nil {
		t.Errorf("the working folder has %v", err)
	}
}

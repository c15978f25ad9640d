package local_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// readOnly is a workflow of one node that must not change the checkout.
func readOnly(key string) *flow.Definition {
	return &flow.Definition{Name: key, Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: key, Kind: "bash"}}, Uses: flow.Uses{SharedDir: true}, Flow: func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", ReadOnly: true, Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: key}))
		}})
		return nil, flow.Settle(c)
	}}
}

// A node that must not change the checkout fails if it does, and names the files. Ignored
// files and the run's own folders do not count, nor do changes from before.
func TestReadOnlyNodes(t *testing.T) {
	w := newWorld(t)
	e := w.engine(t, nil)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = w.work
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(w.work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet")
	for _, name := range []string{"kept", "gone", "dirty"} {
		write(name, "1")
	}
	write(".gitignore", "*.log\n")
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	write("dirty", "2")
	write("untracked", "1")
	git("init", "--quiet", "nested")
	write("nested/file", "1")
	for name, c := range map[string]struct {
		do   func(call *engine.Attempt)
		want string // the paths in the message; "" for none
	}{
		"nothing":       {func(*engine.Attempt) {}, ""},
		"ignored":       {func(*engine.Attempt) { write("a.log", "x") }, ""},
		"own folders":   {func(c *engine.Attempt) { _ = os.WriteFile(filepath.Join(c.Info.ArtifactsDir, "a"), nil, 0o600) }, ""},
		"shared":        {func(c *engine.Attempt) { _ = os.WriteFile(filepath.Join(c.Info.SharedDir, "a"), nil, 0o600) }, ""},
		"new":           {func(*engine.Attempt) { write("new file", "x") }, "new file"},
		"changed":       {func(*engine.Attempt) { write("kept", "x") }, "kept"},
		"changed again": {func(*engine.Attempt) { write("dirty", "3") }, "dirty"},
		"removed":       {func(*engine.Attempt) { _ = os.Remove(filepath.Join(w.work, "gone")) }, "gone"},
		"reverted":      {func(*engine.Attempt) { write("dirty", "1") }, "dirty"},
		"redirected":    {func(*engine.Attempt) { relink(t, filepath.Join(w.work, "link"), "kept") }, "link"},
		"two":           {func(*engine.Attempt) { write("kept", "y"); write("untracked", "2") }, "kept, untracked"},
	} {
		t.Run(name, func(t *testing.T) {
			git("checkout", "--quiet", "--", "kept", "gone")
			write("dirty", "2")
			write("untracked", "1")
			_ = os.Remove(filepath.Join(w.work, "new file"))
			relink(t, filepath.Join(w.work, "link"), "nested")
			w.performer.by["look"] = func(_ context.Context, call *engine.Attempt) flow.Result {
				c.do(call)
				return completed("looked")
			}
			r, err := e.Run(t.Context(), readOnly("look"), nil, w.options())
			if err != nil {
				t.Fatal(err)
			}
			step := w.steps(t, r.ID)["look"]
			switch {
			case c.want == "" && step.Status != flow.Completed:
				t.Errorf("the step is %s: %+v", step.Status, step.Failure)
			case c.want != "" && (step.Status != flow.Failed || step.Failure.Reason != "checkout" || !strings.HasSuffix(step.Failure.Message, "it changed "+c.want)):
				t.Errorf("the step is %s: %+v", step.Status, step.Failure)
			}
		})
	}
}

// relink makes a symbolic link to target, in place of one that is there.
func relink(t *testing.T, link, target string) {
	t.Helper()
	_ = os.Remove(link)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

// Without a repository nobody can tell, so the node fails before it runs.
func TestReadOnlyNodesOutsideOfRepositories(t *testing.T) {
	w := newWorld(t)
	r, err := w.engine(t, nil).Run(t.Context(), readOnly("look"), nil, w.options())
	if err != nil {
		t.Fatal(err)
	}
	if step := w.steps(t, r.ID)["look"]; step.Status != flow.Failed || step.Failure.Reason != "checkout" || w.performer.done["look"] != 0 {
		t.Errorf("the step is %s: %+v", step.Status, step.Failure)
	}
}

// Workflows that read the list of artifacts find in it what completed before.
func TestListOfArtifacts(t *testing.T) {
	w := newWorld(t)
	def := define("list", step{key: "a", artifact: "gate"}, step{key: "b", after: []string{"a"}, artifact: "gate"}, step{key: "plain", after: []string{"b"}}, step{key: "read", after: []string{"plain"}})
	def.Uses.ArtifactList = true
	type list struct {
		ByType map[string][]struct{ NodeID, Path string } `json:"artifactsByType"`
		Errors []string
	}
	var first, last list
	read := func(call *engine.Attempt, into *list) {
		raw, err := os.ReadFile(call.Info.ArtifactList())
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Error(err)
		}
	}
	w.performer.by["a"] = func(_ context.Context, call *engine.Attempt) flow.Result {
		read(call, &first)
		return completed("1")
	}
	w.performer.by["read"] = func(_ context.Context, call *engine.Attempt) flow.Result {
		read(call, &last)
		for i, a := range last.ByType["gate"] {
			if text, err := os.ReadFile(filepath.Join(call.Info.ArtifactsDir, a.Path)); err != nil || string(text) != []string{"1", "ran b"}[i] {
				t.Errorf("artifact %s is %q, %v", a.Path, text, err)
			}
		}
		return completed("")
	}
	if _, err := w.engine(t, nil).Run(t.Context(), def, nil, w.options()); err != nil {
		t.Fatal(err)
	}
	if gates := last.ByType["gate"]; len(first.ByType) > 0 || len(last.ByType) != 1 || len(gates) != 2 || gates[0].NodeID != "a" || gates[1].NodeID != "b" {
		t.Errorf("first %+v, last %+v", first, last)
	}
}

package durable_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/perform"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// origin returns a repository with a file, which runs share.
func origin(t *testing.T) git.Folder {
	t.Helper()
	dir := t.TempDir()
	home := t.TempDir() // nobody's settings
	g := git.Folder{Path: dir, Environ: append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=ann", "GIT_COMMITTER_EMAIL=ann@example.org")}
	run(t, g, "init", "--quiet", "--initial-branch=main", "--template=")
	write(t, filepath.Join(dir, "README"), "one\ntwo\n")
	write(t, filepath.Join(dir, ".gitignore"), "*.o\n")
	write(t, filepath.Join(dir, "sub", "x"), "x\n")
	run(t, g, "add", "--all")
	run(t, g, "commit", "--quiet", "-m", "begin")
	return g
}

func run(t *testing.T, g git.Folder, args ...string) string {
	t.Helper()
	out, err := g.Run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// edits performs an action that writes a file of the working folder.
func edits(name, text string) func(context.Context, *engine.Attempt) flow.Result {
	return func(_ context.Context, call *engine.Attempt) flow.Result {
		path := filepath.Join(call.Info.WorkDir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return flow.Result{Status: flow.Failed, Failure: flow.AsFailure(err)}
		}
		return flow.Result{Status: flow.Completed, Text: "wrote " + path}
	}
}

// reads performs an action that returns files of the working folder.
func reads(names ...string) func(context.Context, *engine.Attempt) flow.Result {
	return func(_ context.Context, call *engine.Attempt) flow.Result {
		var all []string
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(call.Info.WorkDir, name))
			if err != nil {
				text = []byte("no " + name)
			}
			all = append(all, strings.TrimSpace(string(text)))
		}
		return flow.Result{Status: flow.Completed, Text: strings.Join(all, ",")}
	}
}

// together has actions wait until all of them have begun.
func together(n int, perform func(context.Context, *engine.Attempt) flow.Result, begun *sync.WaitGroup) func(context.Context, *engine.Attempt) flow.Result {
	return func(ctx context.Context, call *engine.Attempt) flow.Result {
		begun.Done()
		begun.Wait()
		return perform(ctx, call)
	}
}

// shared returns a run whose files are in a repository, on two workers.
func shared(t *testing.T, g git.Folder, s stage, nodes string, fn func(c *flow.Context) (any, error)) *trial.World {
	t.Helper()
	w := world(t, s, nodes, fn)
	w.Workers = 2
	w.Options.Workspace, w.Options.Repository = wire.WorkspaceGit, g.Path
	w.Run.Info.WorkDir = ""
	w.Run.Environ = slices.DeleteFunc(slices.Clone(g.Environ), func(e string) bool { return strings.HasPrefix(e, "GIT_") })
	return w
}

// commits returns the steps of the commits on the branch of the run, the last first.
func commits(t *testing.T, g git.Folder) []string {
	t.Helper()
	return strings.Fields(run(t, g, "log", "--format=%(trailers:key=Wfc-Step,valueonly)", "--no-merges", "main..wfc/demo-000001"))
}

// Each step finds the files of those before it on whatever worker, and commits its own.
func TestGitChain(t *testing.T) {
	g := origin(t)
	s := stage{"a": edits("new", "from a\n"), "b": reads("new", "README"), "c": edits("README", "one\nTWO\n"), "d": reads("README", "new")}
	w := shared(t, g, s, "a b<a c<b d<c", func(c *flow.Context) (any, error) {
		bash(c, "d", bash(c, "c", bash(c, "b", bash(c, "a"))))
		return nil, flow.Settle(c)
	})
	must(t, flow.Completed)(w.Process())
	if b, d := step(w, "b").Text, step(w, "d").Text; b != "from a,one\ntwo" || d != "one\nTWO,from a" {
		t.Errorf("b has %q and d %q", b, d)
	}
	if got := commits(t, g); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("the branch has commits of %v", got)
	}
	if got := run(t, g, "log", "-1", "--format=%an <%ae> %cn: %s", "wfc/demo-000001"); got != "wfc <wfc@localhost> wfc: Step c of run demo-000001" {
		t.Error(got)
	}
	if got := run(t, g, "for-each-ref", "--format=%(refname)", "refs/wfc"); got != "refs/wfc/demo-000001/artifacts" {
		t.Errorf("refs that are left: %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(w.Run.RunDir, "machine*", "runs", "*", "attempts", "*")); len(left) > 0 {
		t.Errorf("clones that are left: %v", left)
	}
}

// Paths in outputs are valid for later steps, on whatever worker.
func TestGitPaths(t *testing.T) {
	g := origin(t)
	var said, artifact string
	s := stage{
		"a": edits("new", "from a\n"),
		"b": func(_ context.Context, call *engine.Attempt) flow.Result {
			said = call.Action.Payload.(flow.Bash).Bindings[0].Value
			text, err := os.ReadFile(strings.TrimPrefix(said, "wrote "))
			if err == nil {
				artifact = filepath.Join(call.Info.ArtifactsDir, "plan")
				err = os.WriteFile(artifact, text, 0o600)
			}
			if err != nil {
				return flow.Result{Status: flow.Failed, Failure: flow.AsFailure(err)}
			}
			return flow.Result{Status: flow.Completed, Text: artifact}
		},
		"c": func(_ context.Context, call *engine.Attempt) flow.Result {
			text, _ := os.ReadFile(filepath.Join(call.Info.ArtifactsDir, "plan"))
			return flow.Result{Status: flow.Completed, Text: string(text)}
		},
	}
	w := shared(t, g, s, "a b<a c<b", func(c *flow.Context) (any, error) {
		a := bash(c, "a")
		b := flow.Spawn(c, flow.Node[string]{Key: "b", Kind: "bash", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: "b", Bindings: []flow.Binding{{Name: "v", Value: a.MustOutput().Text}}}))
		}})
		bash(c, "c", b)
		return nil, flow.Settle(c)
	})
	w.Options.Folder = "sub"
	must(t, flow.Completed)(w.Process())
	if got := step(w, "c").Text; got != "from a\n" {
		t.Errorf("c read %q", got)
	}
	if text := step(w, "b").Text; text == artifact || !strings.Contains(text, filepath.Join("demo-000001", "artifacts", "plan")) {
		t.Errorf("the journal has the path %s of an attempt", text)
	}
	if got := run(t, g, "show", "wfc/demo-000001:sub/new"); got != "from a" {
		t.Errorf("the branch has %q", got)
	}
	if got := run(t, g, "show", "refs/wfc/demo-000001/artifacts:plan"); got != "from a" {
		t.Errorf("the artifact is %q", got)
	}
}

// Steps that run at once start from the same commit; what they change is merged.
func TestGitParallel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		a, b   [2]string
		status flow.Status
		reads  string
	}{
		{"other files", [2]string{"x", "from a\n"}, [2]string{"y", "from b\n"}, flow.Completed, "from a,from b"},
		{"the same change", [2]string{"x", "same\n"}, [2]string{"x", "same\n"}, flow.Completed, "same,no y"},
		{"the same line", [2]string{"x", "from a\n"}, [2]string{"x", "from b\n"}, flow.Failed, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := origin(t)
			var begun sync.WaitGroup
			begun.Add(2)
			s := stage{
				"a": together(2, edits(tt.a[0], tt.a[1]), &begun), "b": together(2, edits(tt.b[0], tt.b[1]), &begun), "c": reads("x", "y"),
			}
			w := shared(t, g, s, "a b c<a<b", func(c *flow.Context) (any, error) {
				a, b := bash(c, "a"), bash(c, "b")
				bash(c, "c", a, b)
				return nil, flow.Settle(c)
			})
			must(t, tt.status)(w.Process())
			if got := step(w, "c").Text; got != tt.reads {
				t.Errorf("c read %q", got)
			}
			if tt.status != flow.Failed {
				return
			}
			for key, other := range map[string]string{"a": "b", "b": "a"} {
				if f := step(w, key).Failure; f != nil && (f.Reason != "conflict" ||
					f.Message != "step `"+key+"` and step `"+other+"`, which ran at the same time, changed the same lines: x; let one wait for the other by depends_on") {
					t.Errorf("%+v", f)
				}
			}
			if got := commits(t, g); len(got) != 1 {
				t.Errorf("the branch has commits of %v", got)
			}
		})
	}
}

// A step whose worker is lost after it has saved its changes runs again, and commits once.
func TestGitLost(t *testing.T) {
	g := origin(t)
	var tries atomic.Int64
	s := stage{"a": func(ctx context.Context, call *engine.Attempt) flow.Result {
		if seen := reads("new")(ctx, call).Text; seen != "no new" {
			t.Errorf("an attempt starts with %q", seen)
		}
		return edits("new", strings.Repeat("x", int(tries.Add(1))))(ctx, call)
	}}
	w := shared(t, g, s, "a", func(c *flow.Context) (any, error) {
		bash(c, "a")
		return nil, flow.Settle(c)
	})
	worker := perform.Worker{Workflow: w.Run.Definition, Performers: w.Run.Performers, Environ: w.Run.Environ}
	worker.State.Path = t.TempDir()
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
		env.OnActivity(wire.PerformGit, mock.Anything, mock.Anything).Return(func(ctx context.Context, call wire.Call) (*wire.Report, error) {
			p, err := worker.PerformGit(ctx, call)
			if tries.Load() == 1 {
				return nil, temporal.NewHeartbeatTimeoutError()
			}
			return &wire.Report{Of: call.Of(), Result: p}, err
		})
	}
	must(t, flow.Completed)(w.Process())
	if got := commits(t, g); !slices.Equal(got, []string{"a"}) || tries.Load() != 2 {
		t.Errorf("%d tries, commits of %v", tries.Load(), got)
	}
	if got := run(t, g, "for-each-ref", "--format=%(refname)", "refs/wfc"); got != "refs/wfc/demo-000001/artifacts" {
		t.Errorf("refs that are left: %s", got)
	}
}

// What a failed step changed is there for its next attempt, as on one machine; so is what a
// step has committed by itself, and nothing that git ignores.
func TestGitFailure(t *testing.T) {
	g := origin(t)
	s := stage{
		"a": func(ctx context.Context, call *engine.Attempt) flow.Result {
			if call.Number == 1 {
				edits("new", "half\n")(ctx, call)
				edits("new.o", "ignored\n")(ctx, call)
				return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Class: flow.ClassTransient, Message: "no"}}
			}
			return reads("new", "new.o")(ctx, call)
		},
		"b": func(ctx context.Context, call *engine.Attempt) flow.Result {
			edits("own", "committed\n")(ctx, call)
			mine := git.Folder{Path: call.Info.WorkDir, Environ: g.Environ}
			for _, args := range [][]string{{"checkout", "--quiet", "-b", "feature"}, {"add", "own"}, {"commit", "--quiet", "-m", "by b"}} {
				if _, err := mine.Run(ctx, args...); err != nil {
					return flow.Result{Status: flow.Failed, Failure: flow.AsFailure(err)}
				}
			}
			return edits("rest", "not committed\n")(ctx, call)
		},
		"c": reads("own", "rest"),
	}
	w := shared(t, g, s, "a b<a c<b", func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Retry: flow.Retry{Retries: 1}, Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: "a"}))
		}})
		bash(c, "c", bash(c, "b", a))
		return nil, flow.Settle(c)
	})
	must(t, flow.Completed)(w.Process())
	if a, c := step(w, "a").Text, step(w, "c").Text; a != "half,no new.o" || c != "committed,not committed" {
		t.Errorf("a has %q and c %q", a, c)
	}
	if got := run(t, g, "log", "--format=%s", "main..wfc/demo-000001"); got != "Step b of run demo-000001\nby b\nStep a of run demo-000001" {
		t.Error(got)
	}
}

// A long history and a pause change nothing.
func TestGitHandOver(t *testing.T) {
	g := origin(t)
	s := stage{"a": edits("a", "1"), "b": edits("b", "2"), "c": edits("c", "3"), "d": reads("a", "b", "c")}
	w := shared(t, g, s, "a b gate<a<b c<gate d<c", func(c *flow.Context) (any, error) {
		a, b := bash(c, "a"), bash(c, "b")
		bash(c, "d", bash(c, "c", gate(c, "gate", a, b)))
		return nil, flow.Settle(c)
	})
	w.Options.MaxEvents = 1
	w.Configure = func(env *testsuite.TestWorkflowEnvironment) { env.SetCurrentHistoryLength(0) }
	must(t, flow.Paused)(w.Process())
	must(t, flow.Paused)(w.Process()) // suspended, and begun again
	must(t, flow.Completed)(w.Process(approve("gate#1")))
	if got := step(w, "d").Text; got != "1,2,3" {
		t.Errorf("d read %q", got)
	}
}

// A child run starts from the files of its parent, which then has those of the child.
func TestGitChild(t *testing.T) {
	for _, apart := range []bool{false, true} {
		g := origin(t)
		s := stage{"a": edits("a", "1"), "in": edits("in", "2"), "check": reads("a"), "b": reads("a", "in")}
		w := shared(t, g, s, "a build<a b<build", func(c *flow.Context) (any, error) {
			a := bash(c, "a")
			build := flow.Spawn(c, flow.Node[string]{Key: "build", Kind: "workflow", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Child{Workflow: "inner", Inputs: json.RawMessage(`{}`), Worktree: apart}))
			}})
			bash(c, "b", build)
			return nil, flow.Settle(c)
		})
		w.Run.Definition.Children = []*flow.Definition{{
			Name: "inner", Fingerprint: "f2", Nodes: []flow.NodeInfo{{Key: "in", Kind: "bash"}, {Key: "check", Kind: "bash", After: []string{"in"}}},
			Flow: func(c *flow.Context) (any, error) {
				bash(c, "check", bash(c, "in"))
				return nil, flow.Settle(c)
			},
		}}
		must(t, flow.Completed)(w.Process())
		want := "1,2"
		if apart {
			want = "1,no in"
		}
		if build, b := step(w, "build").Text, step(w, "b").Text; build != "1" || b != want {
			t.Errorf("the child read %q and b %q", build, b)
		}
		if got := run(t, g, "show", "wfc/demo-000001--build:in"); got != "2" {
			t.Errorf("the branch of the child has %q", got)
		}
	}
}

// A run whose files are out of reach does not begin, and says why.
func TestGitRefused(t *testing.T) {
	for _, tt := range []struct{ base, want string }{
		{"nowhere", "unknown branch, tag or commit `nowhere` of the repository"},
		{strings.Repeat("12", 20), "does not have the commit " + strings.Repeat("12", 20) + "; push it first"},
		{"-x", "`-x` cannot be the name of a commit"},
	} {
		g := origin(t)
		w := shared(t, g, stage{}, "a", func(c *flow.Context) (any, error) {
			bash(c, "a")
			return nil, flow.Settle(c)
		})
		w.Options.Base = tt.base
		if end := must(t, flow.Failed)(w.Process()); !strings.Contains(end.Error, tt.want) {
			t.Errorf("%s: %+v", tt.base, end)
		}
	}
}

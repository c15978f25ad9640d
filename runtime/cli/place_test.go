package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// recorder is a cluster that notes what a command asks for, and does none of it.
type recorder struct {
	cluster.Cluster
	start  *cluster.Start
	worker *cluster.Worker
}

func (r *recorder) Start(_ context.Context, s cluster.Start) error {
	r.start = &s
	return errors.New("recorded")
}

func (r *recorder) Work(_ context.Context, w cluster.Worker) error {
	r.worker = &w
	return nil
}

func (*recorder) Close() error { return nil }

func (*recorder) Name() string { return "a recorder" }

func (r *recorder) Open(context.Context, cluster.Connection) (cluster.Cluster, error) { return r, nil }

// onCluster runs a command of a program that is built for a cluster.
func onCluster(t *testing.T, def *flow.Definition, args ...string) (r *recorder, said string) {
	t.Helper()
	r = &recorder{}
	p := program(def)
	p.OpenStore = nil
	p.Cluster = r
	t.Setenv("WFC_STATE", t.TempDir())
	var out, text bytes.Buffer
	cli.Run(p, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &text})
	return r, out.String() + text.String()
}

// flown returns a workflow of a node.
func flown(change func(d *flow.Definition)) *flow.Definition {
	d := &flow.Definition{
		Name: "demo", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "build", Kind: "bash"}},
		Flow: func(*flow.Context) (any, error) { return nil, nil },
	}
	change(d)
	return d
}

// A run is where the compiler says, and where the flags say unless the workflow cannot be
// there.
func TestWorkspaces(t *testing.T) {
	none := func(*flow.Definition) {}
	noFiles := func(d *flow.Definition) { d.Uses.NoFiles = true }
	for _, tt := range []struct {
		name      string
		def       func(d *flow.Definition)
		args      string
		workspace string
		says      string
	}{
		{"files", none, "", "host", ""},
		{"no files", noFiles, "", "none", ""},
		{"a child with files", func(d *flow.Definition) {
			d.Uses.NoFiles, d.Children = true, []*flow.Definition{flown(func(c *flow.Definition) { c.Name = "inner" })}
		}, "", "host", ""},
		{"files nowhere", none, "--workspace none", "none", "node `build` can use files"},
		{"unknown", none, "--workspace moon", "", "unknown value `moon` of `--workspace`: use one of `host`, `git`, `none`"},
		{"a session", func(d *flow.Definition) { d.Uses.SessionAt = "ask" }, "--workspace git", "", "node `ask` continues a session of its agent"},
		{"a graph", func(d *flow.Definition) { d.Graph = &flow.GraphInfo{} }, "--workspace none", "", "demo is a state graph"},
		{"shared state", func(d *flow.Definition) { d.Uses.SharedDir = true }, "--workspace git", "", "keeps files from one run for the next"},
		{"evidence", func(d *flow.Definition) { d.RequiresEvidence = true }, "--workspace none", "", "evidence.json"},
		{"worktree", none, "--worktree --branch x", "host", ""},
		{"worktree nowhere", noFiles, "--worktree", "", "has no git worktree; use `--workspace host`"},
		{"worktree of the workflow", func(d *flow.Definition) { d.Worktree = flow.WorktreeAlways }, "", "host", ""},
		{"worktree and git", none, "--workspace git --worktree", "", "every run works on its own branch"},
		{"repository", none, "--repository x", "", "`--repository` needs `--workspace git`"},
		{"git", none, "--workspace git --repository https://example.org/x.git --base v1", "git", ""},
		{"a password", none, "--workspace git --repository https://a:secret@example.org/x.git", "", "remove it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, errs := onCluster(t, flown(tt.def), append([]string{"run"}, strings.Fields(tt.args)...)...)
			got := ""
			if r.start != nil {
				got = r.start.Workspace
			}
			if got != tt.workspace || !strings.Contains(errs, tt.says) || strings.Contains(errs, "secret") {
				t.Errorf("workspace %q, want %q; says %s", got, tt.workspace, errs)
			}
			if tt.name == "git" && (r.start.Repository != "https://example.org/x.git" || r.start.Base != "v1") {
				t.Errorf("%+v", r.start)
			}
			if strings.HasPrefix(tt.name, "worktree") && tt.workspace != "" && r.start.Worktree == nil {
				t.Errorf("%+v", r.start)
			}
		})
	}
}

// Without --repository, a run uses the origin of the current checkout, its commit and its
// folder.
func TestRepositoryOfCheckout(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatal(err, string(out))
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	t.Chdir(dir)
	if _, errs := onCluster(t, flown(func(*flow.Definition) {}), "run", "--workspace", "git"); !strings.Contains(errs, "give --repository URL") {
		t.Error(errs)
	}
	git("remote", "add", "origin", "https://example.org/x.git")
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	git("commit", "--quiet", "--allow-empty", "-m", "x")
	if err := os.WriteFile(filepath.Join(dir, "sub", "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "sub"))
	r, errs := onCluster(t, flown(func(*flow.Definition) {}), "run", "--workspace", "git")
	if s := r.start; s == nil || s.Repository != "https://example.org/x.git" || s.Folder != "sub" || s.Base != git("rev-parse", "HEAD") {
		t.Errorf("%+v %s", s, errs)
	}
	if !strings.Contains(errs, "without the uncommitted changes") {
		t.Error(errs)
	}
}

func TestWorkerLimits(t *testing.T) {
	tagged := flown(func(d *flow.Definition) { d.Nodes[1].WorkerTags = []string{"gpu"} })
	for _, tt := range []struct {
		args  string
		total int
		agent int
		says  string
	}{
		{"", 0, 0, ""},
		{"--concurrency 8", 8, 0, ""},
		{"--concurrency agent=2,bash=8", 0, 2, ""},
		{"--concurrency 5,agent=2 --tags gpu", 5, 2, ""},
		{"--tags cpu", 0, 0, "no node of demo needs the tag `cpu`"},
		{"--concurrency bush=2", -1, 0, "unknown kind of step `bush`"},
		{"--concurrency agent=0", -1, 0, "give a number above 0"},
		{"--concurrency x", -1, 0, "give a number above 0"},
	} {
		r, errs := onCluster(t, tagged, append([]string{"worker"}, strings.Fields(tt.args)...)...)
		if tt.total < 0 {
			if r.worker != nil || !strings.Contains(errs, tt.says) {
				t.Errorf("%s: %s", tt.args, errs)
			}
			continue
		}
		if w := r.worker; w == nil || w.MaxActions != tt.total || w.Limits["prompt"] != tt.agent || !strings.Contains(errs, tt.says) {
			t.Errorf("%s: %+v %s", tt.args, w, errs)
		}
	}
}

func TestInfoOfCluster(t *testing.T) {
	for name, tt := range map[string]struct {
		def  func(d *flow.Definition)
		want []string
	}{
		"files":    {func(d *flow.Definition) { d.Nodes[1].WorkerTags = []string{"gpu"} }, []string{"host, because node `build` can use files", "gpu"}},
		"no files": {func(d *flow.Definition) { d.Uses.NoFiles = true }, []string{"none: no node uses files"}},
	} {
		_, said := onCluster(t, flown(tt.def), "info")
		for _, want := range tt.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in %s", name, want, said)
			}
		}
	}
}

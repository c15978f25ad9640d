package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
)

// Where the files of a run on a cluster are.
const (
	workspaceHost = "host" // on the worker that begins the run
	workspaceGit  = "git"  // on a branch of a repository
	workspaceNone = "none" // the steps use no files
)

func (f *placeFlags) checkValues() error {
	if known := []string{workspaceHost, workspaceGit, workspaceNone}; f.workspace != "" && !slices.Contains(known, f.workspace) {
		return usageError("%s", plain.UnknownValue("workspace", f.workspace, known))
	}
	if known := []string{"fail", "move"}; !slices.Contains(known, f.deadWorker) {
		return usageError("%s", plain.UnknownValue("dead-worker", f.deadWorker, known))
	}
	if f.repository != "" && f.workspace != workspaceGit {
		return usageError("`--repository` needs `--workspace git`")
	}
	return nil
}

// defaultWorkspace is where the files of the workflow's steps are unless somebody chooses.
func defaultWorkspace(defs []*flow.Definition) string {
	if slices.ContainsFunc(defs, func(d *flow.Definition) bool { return !d.Uses.NoFiles }) {
		return workspaceHost
	}
	return workspaceNone
}

func (b *clusterBackend) placeRun(ctx context.Context, n *newRun) error {
	def := b.program.Definition
	defs := flow.Reachable(def)
	if err := n.flags.leavesSandbox(); err != nil {
		return err
	}
	if err := b.placing.checkValues(); err != nil {
		return err
	}
	b.start = cluster.Start{Workspace: cmp.Or(b.placing.workspace, defaultWorkspace(defs)), DeadWorker: b.placing.deadWorker}
	if b.start.Workspace != workspaceHost {
		if err := needsHost(defs, b.start.Workspace); err != nil {
			return err
		}
	}
	if b.start.Workspace == workspaceGit {
		if n.tree.on || n.tree.off || n.tree.branch != "" {
			return usageError("with `--workspace git`, every run works on its own branch, wfc/ and the run's id; leave out --worktree, --no-worktree and --branch")
		}
		return b.findRepository(ctx, n)
	}
	tree, err := n.tree.worktreeRequest(def.Worktree)
	if err != nil {
		return err
	}
	if b.start.Workspace == workspaceNone {
		if tree != nil {
			return usageError("a run with `--workspace none` has no git worktree; use `--workspace host`, or `--workspace git` for a branch per run")
		}
		if node := filesNode(defs); node != "" {
			fmt.Fprintf(b.streams.Err, "%s: warning: node `%s` can use files; with --workspace none, other steps may run on workers without them\n", b.name, node)
		}
	}
	b.start.Worktree = (*worktree.Tree)(tree)
	return nil
}

// needsHost returns an error if a workflow can only run where its earlier steps and runs ran.
func needsHost(defs []*flow.Definition, workspace string) error {
	for _, d := range defs {
		switch {
		case d.Graph != nil:
			return usageError("`--workspace %s`: %s is a state graph, which keeps its state in a task folder on one machine; use `--workspace host`", workspace, d.Name)
		case d.Uses.SessionAt != "":
			return usageError("`--workspace %s`: node `%s` continues a session of its agent, which only the machine of the session has; use `--workspace host`, or set `context: fresh` or `fresh_context: true` where the format has them", workspace, d.Uses.SessionAt)
		case d.Uses.SharedDir:
			return usageError("`--workspace %s`: %s keeps files from one run for the next, in the state folder of one machine; use `--workspace host`", workspace, d.Name)
		case d.RequiresEvidence && workspace == workspaceNone:
			return usageError("`--workspace none`: a run of %s completes only with the file evidence.json in its artifacts; use `--workspace host` or `--workspace git`", d.Name)
		}
	}
	return nil
}

// filesNode is the first node that can use files of the run, or "".
func filesNode(defs []*flow.Definition) string {
	for _, d := range defs {
		if d.Uses.NoFiles {
			continue
		}
		for _, n := range d.Nodes {
			switch n.Kind {
			case "approval", "wait", "cancel", "workflow", "include":
			default:
				return n.Key
			}
		}
	}
	return ""
}

// findRepository finds the repository of a run with the workspace git: that of the flag, or the
// remote origin of the current checkout, at its commit and in its folder.
func (b *clusterBackend) findRepository(ctx context.Context, n *newRun) error {
	s := &b.start
	s.Repository, s.Base = b.placing.repository, n.tree.base
	if s.Repository != "" {
		return checkRepository(s.Repository)
	}
	dir, err := os.Getwd()
	if err != nil {
		return failedError(err)
	}
	here := git.Folder{Path: dir, Environ: b.processEnviron()}
	if s.Repository, err = here.Run(ctx, "remote", "get-url", "origin"); err != nil {
		return usageError("`--workspace git` needs a repository that all workers reach: give --repository URL, or run in a checkout that has the remote origin (%v)", err)
	}
	root, err := here.Run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return failedError(err)
	}
	if !strings.Contains(s.Repository, ":") && !filepath.IsAbs(s.Repository) {
		s.Repository = filepath.Join(filepath.FromSlash(root), s.Repository)
	}
	prefix, err := here.Run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return failedError(err)
	}
	s.Folder = strings.TrimSuffix(prefix, "/")
	if n.scheduled {
		return checkRepository(s.Repository)
	}
	commit, err := here.Run(ctx, "rev-parse", "--verify", "--quiet", cmp.Or(s.Base, "HEAD")+"^{commit}")
	switch {
	case err == nil:
		s.Base = commit
	case s.Base == "":
		return usageError("the repository %s has no commit yet that a run could start at", root)
	}
	if changes, err := here.Status(ctx); err == nil && changes != "" && n.tree.base == "" {
		fmt.Fprintf(b.streams.Err, "%s: warning: the run starts at commit %.10s, without the uncommitted changes of %s\n", b.name, s.Base, root)
	}
	return checkRepository(s.Repository)
}

// checkRepository refuses a URL with a password: histories and the files of workers would
// have it.
func checkRepository(address string) error {
	if strings.HasPrefix(address, "-") {
		return usageError("`%s` is not the URL of a repository", address)
	}
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return nil
	}
	if _, secret := u.User.Password(); secret {
		return usageError("the URL of the repository has a password; remove it, and give the workers a credential helper of git or an SSH key")
	}
	return nil
}

func (b *clusterBackend) addInfo(d *infoDocument) {
	defs := flow.Reachable(b.program.Definition)
	d.Workspace, d.FilesNode, d.Workers = defaultWorkspace(defs), filesNode(defs), tagsOf(defs)
}

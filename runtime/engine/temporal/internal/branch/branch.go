// Package branch keeps the files of runs in a git repository that all workers reach, so that
// any worker can perform any step.
//
// A run has two lines of commits: the branch wfc/RUN with the files of the working folder,
// and the ref refs/wfc/RUN/artifacts with its artifacts. A step starts from a commit of each
// line. Save pushes its changes to a ref of the attempt alone; Join moves the line to them.
// The caller joins only the changes of attempts whose end it has, so an attempt that is lost
// leaves nothing on the branch.
package branch

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// A Repository is a repository as one worker sees it. Its methods are safe for concurrent use.
type Repository struct {
	// URL is what git push and git fetch call the repository.
	URL     string
	environ []string
	// cache is a bare repository on this machine with the objects that were fetched.
	cache string
	// fetching lets one fetch at a time into the cache.
	fetching sync.Mutex
}

// Open returns the repository of a URL, with a cache in a folder.
func Open(ctx context.Context, folder, url string, environ []string) (*Repository, error) {
	r := &Repository{URL: url, environ: environ, cache: filepath.Join(folder, runid.Hash(16, url)+".git")}
	if err := os.MkdirAll(r.cache, 0o700); err != nil {
		return nil, err
	}
	if _, err := r.gitFolder(r.cache).Run(ctx, "init", "--quiet", "--bare", "--template="); err != nil {
		return nil, err
	}
	return r, nil
}

// A folder is a folder in which git works the same for every user.
type folder struct{ git.Folder }

func (r *Repository) gitFolder(path string) folder {
	// Files that this package writes are in the formats named here.
	environ := append(r.environ[:len(r.environ):len(r.environ)], "GIT_DEFAULT_REF_FORMAT=files", "GIT_DEFAULT_HASH=sha1")
	return folder{git.Folder{Path: path, Environ: environ}}
}

// Run runs git without the hooks of users, and without removing objects that other
// commands use.
func (f folder) Run(ctx context.Context, args ...string) (string, error) {
	all := append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.filesRefLockTimeout=10000"}, args...)
	out, err := f.Folder.Run(ctx, all...)
	if err != nil {
		err = fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(err.Error(), "git -c: "))
	}
	return out, err
}

// Has reports whether a git command succeeds.
func (f folder) Has(ctx context.Context, args ...string) bool {
	_, err := f.Run(ctx, args...)
	return err == nil
}

// withCommitIdentity returns the folder with the identity of commits: wfc's own, at a time in a form that
// git reads; "" is now.
func (f folder) withCommitIdentity(at string) folder {
	f.Environ = append(f.Environ[:len(f.Environ):len(f.Environ)],
		"GIT_AUTHOR_NAME=wfc", "GIT_AUTHOR_EMAIL=wfc@localhost", "GIT_COMMITTER_NAME=wfc", "GIT_COMMITTER_EMAIL=wfc@localhost")
	if at != "" {
		f.Environ = append(f.Environ, "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	}
	return f
}

// Name returns the branch of a run.
func Name(run string) string { return "wfc/" + run }

// WorkRef returns the ref of a run's working folder, and ArtifactsRef that of its artifacts.
func WorkRef(run string) string { return "refs/heads/" + Name(run) }

// ArtifactsRef returns the ref of a run's artifacts.
func ArtifactsRef(run string) string { return "refs/wfc/" + run + "/artifacts" }

// attemptRef returns the ref to which an attempt saves one of the lines.
func attemptRef(run, attempt, line string) string {
	return "refs/wfc/" + run + "/attempts/" + attempt + "/" + line
}

// ensureCommits makes sure that the cache has commits, and fetches the refs of a run if it does not.
func (r *Repository) ensureCommits(ctx context.Context, run string, commits ...string) error {
	if r.hasCommits(ctx, commits...) {
		return nil
	}
	if err := r.fetchRunRefs(ctx, run); err != nil {
		return err
	}
	for _, commit := range commits {
		if r.hasCommits(ctx, commit) {
			continue
		}
		// A commit of no branch, such as one that a tag names.
		if _, err := r.gitFolder(r.cache).Run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", r.URL, commit); err != nil {
			return fmt.Errorf("the repository %s does not have the commit %s; push it first: %w", r.Shown(), commit, err)
		}
	}
	return nil
}

func (r *Repository) hasCommits(ctx context.Context, commits ...string) bool {
	for _, commit := range commits {
		if !r.gitFolder(r.cache).Has(ctx, "cat-file", "-e", commit+"^{commit}") {
			return false
		}
	}
	return true
}

func (r *Repository) fetchRunRefs(ctx context.Context, run string) error {
	r.fetching.Lock()
	defer r.fetching.Unlock()
	_, err := r.gitFolder(r.cache).Run(ctx, "fetch", "--quiet", "--no-tags", "--prune", "--no-write-fetch-head", r.URL,
		"+refs/heads/*:refs/remotes/origin/*", "+refs/wfc/"+run+"/*:refs/wfc/"+run+"/*")
	if err != nil {
		return fmt.Errorf("fetch from %s: %w", r.Shown(), err)
	}
	return nil
}

// Shown is the URL without a user's name and password.
func (r *Repository) Shown() string { return Shown(r.URL) }

// Shown returns a URL without the user's name and password.
func Shown(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return scheme + "://" + host + "/" + path
}

// remoteCommit returns the commit of a ref of the repository, or "".
func (r *Repository) remoteCommit(ctx context.Context, ref string) (string, error) {
	out, err := r.gitFolder(r.cache).Run(ctx, "ls-remote", r.URL, ref)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", r.Shown(), err)
	}
	commit, _, _ := strings.Cut(out, "\t")
	return commit, nil
}

// A Start is where the lines of a run start.
type Start struct {
	// Work and Artifacts are commits.
	Work, Artifacts string
	// Default is the default branch of the repository, or "".
	Default string
}

// Begin makes the lines of a run. base is a branch, a tag or a full commit id; "" is the
// default branch. Doing it again changes nothing.
func (r *Repository) Begin(ctx context.Context, run, base string) (*Start, error) {
	cache, s := r.gitFolder(r.cache), &Start{}
	out, err := cache.Run(ctx, "ls-remote", "--symref", r.URL, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.Shown(), err)
	}
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "ref: refs/heads/"); ok {
			s.Default, _, _ = strings.Cut(name, "\t")
		}
	}
	if s.Work, err = r.resolveCommit(ctx, run, base); err != nil {
		return nil, err
	}
	empty, err := cache.Run(ctx, "hash-object", "-t", "tree", "-w", os.DevNull)
	if err == nil {
		s.Artifacts, err = cache.withCommitIdentity("2000-01-01T00:00:00Z").Run(ctx, "commit-tree", "-m", "Artifacts of run "+run, empty)
	}
	if err != nil {
		return nil, err
	}
	// The run's own refs are there if an earlier attempt at this made them.
	there, err := r.remoteCommit(ctx, ArtifactsRef(run))
	if err != nil {
		return nil, err
	}
	work, err := r.remoteCommit(ctx, WorkRef(run))
	switch {
	case err != nil:
		return nil, err
	case there != "" && there != s.Artifacts, there == "" && work != "":
		return nil, fmt.Errorf("the repository %s already has the branch %s; start the run again to give it another id", r.Shown(), Name(run))
	case there == "":
		if err := r.pushCommit(ctx, cache, s.Artifacts, ArtifactsRef(run), ""); err != nil {
			return nil, err
		}
	}
	if work != "" {
		s.Work = work
		return s, r.ensureCommits(ctx, run, work)
	}
	return s, r.pushCommit(ctx, cache, s.Work, WorkRef(run), "")
}

// resolveCommit returns the commit of a name, which the cache has then.
func (r *Repository) resolveCommit(ctx context.Context, run, base string) (string, error) {
	base = cmp.Or(base, "HEAD")
	if strings.HasPrefix(base, "-") {
		return "", fmt.Errorf("`%s` cannot be the name of a commit", base)
	}
	if isCommit(base) {
		return base, r.ensureCommits(ctx, run, base)
	}
	for _, ref := range []string{base, "refs/heads/" + base, "refs/tags/" + base + "^{}", "refs/tags/" + base} {
		if ref == base && base != "HEAD" {
			continue
		}
		commit, err := r.remoteCommit(ctx, ref)
		if err != nil {
			return "", err
		}
		if commit != "" {
			return commit, r.ensureCommits(ctx, run, commit)
		}
	}
	if base == "HEAD" {
		return "", fmt.Errorf("the repository %s has no commit yet", r.Shown())
	}
	return "", fmt.Errorf("unknown branch, tag or commit `%s` of the repository %s", base, r.Shown())
}

func isCommit(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && (len(name) == 40 || len(name) == 64)
}

// pushCommit pushes a commit to a ref that has the commit old, or that does not exist if old is "".
func (r *Repository) pushCommit(ctx context.Context, from folder, commit, ref, old string) error {
	if _, err := from.Run(ctx, "push", "--quiet", "--no-verify", "--force-with-lease="+ref+":"+old, r.URL, commit+":"+ref); err != nil {
		return fmt.Errorf("push to %s: %w", r.Shown(), err)
	}
	return nil
}

// End removes the refs of attempts that a run has left: those that were lost.
func (r *Repository) End(ctx context.Context, run string) error {
	out, err := r.gitFolder(r.cache).Run(ctx, "ls-remote", r.URL, "refs/wfc/"+run+"/attempts/*")
	if err != nil {
		return err
	}
	var refs []string
	for line := range strings.Lines(out) {
		if _, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			refs = append(refs, ":"+ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	_, err = r.gitFolder(r.cache).Run(ctx, append([]string{"push", "--quiet", "--no-verify", r.URL}, refs...)...)
	return err
}

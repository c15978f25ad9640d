package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// worktreeFlags say whether a run works in a git worktree of its own.
type worktreeFlags struct {
	on, off      bool
	branch, base string
}

func (f *worktreeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.on, "worktree", false, "work in a separate git worktree on a new branch")
	flags.StringVar(&f.branch, "branch", "", "`NAME` of the worktree's branch (default: wfc/ and the run's id)")
	flags.StringVar(&f.base, "base", "", "`REF` where the worktree's branch starts (default: HEAD)")
	flags.BoolVar(&f.off, "no-worktree", false, "work in the current folder")
}

// request is what the flags ask for, by what the workflow lays down; nil is no
// worktree.
func (f *worktreeFlags) request(rule flow.WorktreeRule) (*local.WorktreeRequest, error) {
	detail := ""
	switch {
	case f.branch != "":
		detail = "--branch"
	case f.base != "":
		detail = "--base"
	}
	switch {
	case f.on && f.off:
		return nil, usage("`--worktree` and `--no-worktree` exclude each other")
	case f.off && detail != "":
		return nil, usage("`%s` is about the worktree that `--no-worktree` rules out", detail)
	case f.on && rule == flow.WorktreeNever:
		return nil, usage("`--worktree`: the workflow says `worktree: {enabled: false}`, so its runs work in the current folder itself")
	case f.off && rule == flow.WorktreeAlways:
		return nil, usage("`--no-worktree`: the workflow says `worktree: {enabled: true}`, so every run has a worktree of its own")
	case f.on || rule == flow.WorktreeAlways:
		return &local.WorktreeRequest{Branch: f.branch, Base: f.base}, nil
	case detail != "" && rule == flow.WorktreeNever:
		return nil, usage("`%s`: the workflow says `worktree: {enabled: false}`, so its runs have no worktree of their own", detail)
	case detail != "":
		return nil, usage("`%s` is about a worktree of the run's own; give `--worktree`, too", detail)
	}
	return nil, nil
}

// worktreeDocument is a run's worktree as --json prints it.
type worktreeDocument struct {
	Path       string `json:"path"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`
	Repository string `json:"repository"`
	// Gone says that it is not there any more.
	Gone bool `json:"gone,omitempty"`
	// Remove is the command that removes it.
	Remove string `json:"remove"`
}

func newWorktreeDocument(w *local.Worktree) *worktreeDocument {
	if w == nil {
		return nil
	}
	return &worktreeDocument{Path: w.Path, Branch: w.Branch, Base: w.Base, Repository: w.Repository, Gone: w.Gone(), Remove: w.Removal()}
}

// begunIn says where a run works that has a worktree of its own.
func begunIn(n *local.BeginNotice) []string {
	if n.Worktree == nil {
		return nil
	}
	lines := []string{fmt.Sprintf("in the git worktree %s, on branch %s", n.Worktree.Path, n.Worktree.Branch)}
	if n.Worktree.LeftOut && !n.Resumed {
		lines = append(lines, "what is changed in the checkout and not committed is not in it")
	}
	return lines
}

// writeWorktree tells where a run's work is and how it is removed.
func writeWorktree(b *strings.Builder, w *local.Worktree) {
	switch {
	case w == nil:
	case w.Gone():
		fmt.Fprintf(b, "  worktree: %s, which is gone; its branch was %s\n", w.Path, w.Branch)
	default:
		fmt.Fprintf(b, "  worktree: %s, on branch %s\n  remove:   %s\n", w.Path, w.Branch, w.Removal())
	}
}

package local

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
)

// A Worktree is the separate git worktree of a run.
type Worktree struct {
	// Path is the root of the worktree. The run works there or, if it was started in a
	// subfolder of its repository, in the same subfolder of the worktree.
	Path string `json:"path"`
	// Branch is the branch that was made for it.
	Branch string `json:"branch"`
	// Base is the commit at which the branch began.
	Base string `json:"base"`
	// Repository is the root of the checkout that the run was started in.
	Repository string `json:"repository"`
	// LacksUncommitted means that the checkout had uncommitted changes when the worktree was made;
	// the worktree lacks them.
	LacksUncommitted bool `json:"left_out,omitempty"`
	// Worker is the worker of a cluster that has the worktree, or "". A run whose files are on
	// a branch alone has no Path.
	Worker string `json:"worker,omitempty"`
}

// siteFor returns where a new run's worktree is made, or nil when it has none.
func (e *Engine) siteFor(ctx context.Context, def *flow.Definition, info flow.RunInfo, opt Options) (*worktree.Site, error) {
	request := opt.Worktree
	switch {
	case def.Worktree == flow.WorktreeNever && request != nil:
		return nil, fmt.Errorf("runs of workflow %s have no separate worktree: it says `worktree: {enabled: false}`", def.Name)
	case def.Worktree == flow.WorktreeAlways && request == nil:
		request = &Worktree{}
	case request == nil:
		return nil, nil
	}
	s := &worktree.Site{Folder: git.Folder{Path: info.WorkDir, Environ: e.cfg.Environ}, Branch: request.Branch}
	return s, s.Survey(ctx, request.Base)
}

// ownSettings are settings of a run that the engine keeps beside those of the command
// line.
type ownSettings struct {
	Worktree *Worktree          `json:"worktree,omitempty"`
	Graph    *flow.GraphOptions `json:"graph,omitempty"`
	Parent   *parent            `json:"parent,omitempty"`
	// Program is the Go program whose engine began or last took over the run, or "".
	Program string `json:"program,omitempty"`
}

// withOwn returns settings that hold those of the engine, too.
func withOwn(settings json.RawMessage, own ownSettings) (json.RawMessage, error) {
	if own == (ownSettings{}) {
		return settings, nil
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	return runstore.Overlay(settings, text)
}

// ownOf reads the engine's settings from those of a run.
func ownOf(settings json.RawMessage) ownSettings {
	var own ownSettings
	if len(settings) == 0 || json.Unmarshal(settings, &own) != nil {
		return ownSettings{}
	}
	return own
}

// EmbeddedIn returns the Go program that a run belongs to, from the run's settings, or "" if it
// belongs to commands.
func EmbeddedIn(settings json.RawMessage) string { return ownOf(settings).Program }

// worktreeOf reads the worktree from a run's settings; nil is none.
func worktreeOf(settings json.RawMessage) *Worktree { return ownOf(settings).Worktree }

// graphOf reads the caller's options for a state graph from a run's settings. Limits in
// now replace the earlier ones.
func graphOf(settings json.RawMessage, now *flow.GraphOptions) *flow.GraphOptions {
	kept := ownOf(settings).Graph
	if kept == nil || now == nil || now.Limits == nil {
		return cmp.Or(kept, now)
	}
	all := *kept
	all.Limits = now.Limits
	return &all
}

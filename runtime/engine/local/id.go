package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Latest stands for the run that was created last.
const Latest = "latest"

// newID makes an id for a run: the workflow's name in a form that is harmless
// everywhere, a hyphen and six random letters or digits.
func newID(workflow string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	var suffix strings.Builder
	for suffix.Len() < 6 {
		var b [8]byte
		rand.Read(b[:]) // never fails; the program ends if the system has no randomness
		for _, c := range b {
			// 252 is a multiple of 36; bytes above it would favour some letters.
			if c < 252 && suffix.Len() < 6 {
				suffix.WriteByte(letters[int(c)%len(letters)])
			}
		}
	}
	return slug(workflow) + "-" + suffix.String()
}

// NewID returns a new id for a run of a workflow, for callers that must know it
// before the run begins.
func (e *Engine) NewID(def *flow.Definition) string { return newID(def.Name) }

// validID reports whether a text can be the id of a run, which is also the name
// of its folder.
func validID(id string) bool {
	const most = 100
	alnum := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	for i := range len(id) {
		if !alnum(id[i]) && (i == 0 || !strings.ContainsRune(".-_", rune(id[i]))) {
			return false
		}
	}
	return id != "" && len(id) <= most && id != Latest && id[len(id)-1] != '.'
}

// slug is the name of a workflow as the beginning of an id.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 40 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-._"); s != "" {
		return s
	}
	return "run"
}

// Find returns the id of the run of a workflow that name stands for: an id, a
// prefix of one, with or without the workflow's name, that only one run has, or
// Latest.
func (e *Engine) Find(ctx context.Context, workflow, name string) (string, error) {
	if name == Latest || name == "" {
		runs, err := e.cfg.Store.Runs(ctx, store.Filter{Workflow: workflow, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(runs) == 0 {
			return "", fmt.Errorf("workflow %s has no runs in %s: %w", workflow, e.place(), store.ErrNotFound)
		}
		return runs[0].ID, nil
	}
	switch kept, err := e.cfg.Store.Run(ctx, name); {
	case err == nil && workflow != "" && kept.Workflow != workflow:
		return "", fmt.Errorf("run %s is of workflow %s, and this is %s", name, kept.Workflow, workflow)
	case err == nil:
		return kept.ID, nil
	case !errors.Is(err, store.ErrNotFound):
		return "", err
	}
	runs, err := e.cfg.Store.Runs(ctx, store.Filter{Workflow: workflow, Prefix: name})
	if err == nil && len(runs) == 0 {
		// The letters alone are what people remember.
		runs, err = e.cfg.Store.Runs(ctx, store.Filter{Workflow: workflow, Prefix: slug(workflow) + "-" + name})
	}
	switch {
	case err != nil:
		return "", err
	case len(runs) == 0:
		return "", fmt.Errorf("run %s: %w in %s", name, store.ErrNotFound, e.place())
	case len(runs) > 1:
		ids := make([]string, 0, 4)
		for _, r := range runs[:min(len(runs), 4)] {
			ids = append(ids, r.ID)
		}
		return "", fmt.Errorf("%d runs begin with %s: %s", len(runs), name, strings.Join(ids, ", "))
	}
	return runs[0].ID, nil
}

// place says where the runs are kept, for people.
func (e *Engine) place() string { return store.Place(e.cfg.Store, e.cfg.State.Path) }

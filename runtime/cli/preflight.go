package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
)

// checkAgents looks whether the workflow's agents could answer. The error says
// of each that could not why, and how that is mended. What cannot be told without
// asking a service does not stop a run.
func (a *app) checkAgents(ctx context.Context, f runFlags, prompts engine.Prompts) error {
	if prompts == nil || f.unchecked || f.Replay != "" || len(a.program.Definition.Agents) == 0 {
		return nil
	}
	states, err := a.inspect(ctx, prompts, engine.Inspection{Names: a.program.Definition.Agents})
	if err != nil {
		return err
	}
	var list []string
	for i := range states {
		if s := &states[i]; s.Usable == engine.No || s.Installed == engine.No {
			list = append(list, "  "+trouble(s))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return failed(fmt.Errorf("these agents could not answer:\n%s\n--skip-agent-check goes on all the same", strings.Join(list, "\n")))
}

// inspect finds out about agents in the environment and folder of this process.
func (a *app) inspect(ctx context.Context, prompts engine.Prompts, q engine.Inspection) ([]engine.AgentState, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, failed(fmt.Errorf("the current folder: %w", err))
	}
	q.Environ, q.WorkDir = a.environ(), dir
	return prompts.Inspect(ctx, &q), nil
}

// trouble says in one line why an agent cannot answer and what to do about it.
func trouble(s *engine.AgentState) string {
	text := s.Name
	if s.Kind != "" && s.Kind != s.Name {
		text += " (" + s.Kind + ")"
	}
	problem := strings.TrimPrefix(firstLine(s.Problem), "agent `"+s.Name+"`: ")
	if problem == "" {
		problem = "it cannot be used"
	}
	text += ": " + problem
	if hint := firstLine(s.Hint); hint != "" && !strings.Contains(problem, hint) {
		text += "; " + hint
	}
	if s.Kind != "" {
		text += fmt.Sprintf("; or let another one answer, with --agent %s=KIND", s.Name)
	}
	return text
}

// needsAgents reports whether resuming a run here may ask agents. A run at its
// limit asks nobody, and one of another build is resumed by that.
func (a *app) needsAgents(ctx context.Context, s *session, f runFlags, id string) bool {
	run, err := s.store.Run(ctx, id)
	if err != nil || run.Fingerprint != a.program.Definition.Fingerprint && !f.force {
		return false // resuming tells why
	}
	if run.Status == flow.Completed {
		return false
	}
	steps, err := s.store.Steps(ctx, id)
	return err == nil && sched.Reached(f.limits(a.program.Defaults.Limits, a.program.Definition.Graph != nil), sched.Used(steps)) == nil
}

// fresh reports as a mistake that a file for a new recording has something in it.
func fresh(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return usage("--record: %w", err)
	case info.IsDir():
		return usage("--record %s: it is a folder", path)
	case info.Size() > 0:
		return usage("--record %s: there is something in the file already, and a recording is of one run; name another file, or remove it", path)
	}
	return nil
}

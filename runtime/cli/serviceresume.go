package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
)

// notResumed words the error of a run that did not go on.
func notResumed(id string, err error) error {
	return fmt.Errorf("run %s does not continue: %w", id, err)
}

// Resume goes on with a run and returns its id when it has begun to. What completed is
// not done again; questions stay open: resuming answers nothing.
func (s *service) Resume(ctx context.Context, name string) (id string, err error) {
	if id, err = s.session.findRoot(ctx, name); err != nil {
		return "", err
	}
	return s.takeUp(ctx, id, "")
}

// takeUp goes on with a run, only to cancel it if cancelBy says who does, and returns its
// id when it has begun to.
func (s *service) takeUp(ctx context.Context, id, cancelBy string) (_ string, err error) {
	a := s.app
	run, err := s.session.store.Run(ctx, id)
	if err != nil {
		return "", err
	}
	f := s.flags
	if f.runSettings, err = s.flags.mergeOver(run.Settings); err != nil {
		return "", err
	}
	e, prompts, err := s.engineFor(f)
	if err != nil {
		return "", err
	}
	if cancelBy == "" {
		if err := a.checkAgents(ctx, f, prompts, s.session.agentsToAsk(ctx, f, id)); err != nil {
			return "", err
		}
	}
	if run.Status != flow.Running && run.Status != flow.Pending {
		s.awaitRelease(ctx, id)
	}
	if err := s.beginWork(); err != nil {
		return "", err
	}
	s.setEngine(id, e)
	err = e.ResumeAsync(ctx, a.program.Definition, id, local.Options{
		BaseBranch: f.BaseBranch, Limits: a.engineLimits(f.runSettings), CancelBy: cancelBy,
		Graph: s.session.graphOf(ctx, id, s.flags.runSettings, f.runSettings),
	})
	if err != nil {
		s.setEngine(id, nil)
		s.work.Done()
		if other := otherBuild(err); other != nil {
			return id, s.resumeElsewhere(id, other)
		}
		return id, err
	}
	go func() {
		defer s.work.Done()
		_, _ = e.Wait(context.Background(), id) // the store has its end
		s.setEngine(id, nil)
	}()
	return id, nil
}

// awaitRelease waits until this process has given back a run that has ended or paused;
// that is a moment after everybody can see that it has.
func (s *service) awaitRelease(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	_, _ = s.engineOf(id).Wait(ctx, id) // resuming tells what is wrong
}

// engineFor is the engine for runs of the given settings: the service's own
// where they have the same agents, recordings and limits.
func (s *service) engineFor(f runFlags) (*local.Engine, engine.PromptPerformer, error) {
	key := func(f runSettings) string {
		f.SessionKey, f.BaseBranch, f.Terms = "", "", actions.Terms{}
		return string(f.encodeJSON())
	}
	if key(f.runSettings) == key(s.flags.runSettings) {
		return s.session.engine, s.prompts, nil
	}
	with, prompts, err := s.app.setupFor(f)
	if err != nil {
		return nil, nil, err
	}
	with.watch = s.logNotice
	e, err := s.app.newEngine(s.session.store, s.session.folder, with)
	return e, prompts, err
}

// setEngine keeps the engine of a run while it works, unless it's the service's own; nil lets it go.
func (s *service) setEngine(id string, e *local.Engine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e == nil || e == s.session.engine {
		delete(s.others, id)
		return
	}
	s.others[id] = e
}

// resumeElsewhere has the build that a run began with go on with it, as a child
// of this process: one that ends with the server.
func (s *service) resumeElsewhere(id string, other *runerr.OtherBuildError) error {
	if err := s.beginWork(); err != nil {
		return err
	}
	cmd := exec.Command(other.Executable, "resume", id, "--jsonl", "--quiet", "--no-ask", "--state", s.session.folder.Path)
	cmd.Env = s.app.caller.passOn(append(os.Environ(), elsewhereVariable+"="+id))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.work.Done()
		return notResumed(id, fmt.Errorf("the build that started it does not start: %w", err))
	}
	s.mu.Lock()
	s.elsewhere[id] = cmd.Process
	s.mu.Unlock()
	s.log.Info("a run continues in the build that started it", "run", id, "process", cmd.Process.Pid)
	begun, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer s.work.Done()
		readRunEvents(out, begun)
		_ = cmd.Wait() // how it ended is in the store
		s.mu.Lock()
		delete(s.elsewhere, id)
		s.mu.Unlock()
		close(ended)
	}()
	select {
	case <-begun:
		return nil
	case <-ended:
	}
	select {
	case <-begun:
		return nil
	default:
		return notResumed(id, errors.New(cmp.Or(strings.TrimSpace(said.String()), "the build that started it ended without a reason")))
	}
}

// readRunEvents reads the events that a run prints, and tells of its begin.
func readRunEvents(out io.Reader, begun chan<- struct{}) {
	told := false
	for lines := bufio.NewReader(out); ; {
		line, err := wholefile.Output.Line(lines, "the output of the run")
		var event struct{ Type string }
		if !told && json.Unmarshal(line, &event) == nil && event.Type == "begin" {
			told = true
			close(begun)
		}
		if err != nil {
			return
		}
	}
}

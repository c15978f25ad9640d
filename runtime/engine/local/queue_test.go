package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A run that can continue, but whose checkout another run works on, continues when that has
// ended: after an answer, and when ResumeAll finds it.
func TestContinuesWhenTheCheckoutIsFree(t *testing.T) {
	for name, proceed := range map[string]func(ctx context.Context, e *local.Engine, id string) error{
		"Answer": func(ctx context.Context, e *local.Engine, id string) error {
			return e.Answer(ctx, id, store.Answer{Key: "gate", Text: "yes", By: "ann"})
		},
		"ResumeAll": func(ctx context.Context, e *local.Engine, id string) error {
			var failed error
			if err := e.ResumeAll(ctx, func(_ string, err error) { failed = err }); err != nil {
				return err
			}
			return failed
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := newWorld(t), t.Context()
			w.performer.set("hold", w.performer.block)
			ask, hold := define("ask", step{key: "gate", ask: "ship?"}), define("hold", step{key: "hold"})
			ask.ExclusiveCheckout, hold.ExclusiveCheckout = true, true
			id := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, ask, nil, w.options())).ID
			if name == "ResumeAll" {
				if err := w.store.Answer(ctx, id, store.Answer{Key: "gate", Text: "yes", Given: time.Now()}); err != nil {
					t.Fatal(err)
				}
			}
			// Another process holds the checkout.
			holder := w.engine(t, nil)
			other, err := holder.RunAsync(ctx, hold, nil, w.options())
			if err != nil {
				t.Fatal(err)
			}
			<-w.performer.begun
			e := w.engine(t, knows(ask))
			if err := proceed(ctx, e, id); err != nil {
				t.Fatal(err)
			}
			if s, err := e.Status(ctx, id); err != nil || s.Status != flow.Paused {
				t.Errorf("while the checkout is busy: %+v %v", s, err)
			}
			short, stop := context.WithTimeout(ctx, 30*time.Millisecond)
			defer stop()
			if _, err := e.Wait(short, id); err != context.DeadlineExceeded {
				t.Errorf("Wait returned %v before the run continued", err)
			}
			if err := holder.Cancel(ctx, other, ""); err != nil {
				t.Fatal(err)
			}
			if s, err := e.Wait(ctx, id); err != nil || s.Status != flow.Completed {
				t.Errorf("%+v %v", s, err)
			}
		})
	}
}

// Shutdown doesn't wait for the checkout, and a cancelled run does not continue.
func TestQueuedRunsThatDoNotContinue(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.performer.set("hold", w.performer.block)
	ask, hold := define("ask", step{key: "gate", ask: "ship?"}), define("hold", step{key: "hold"})
	ask.ExclusiveCheckout, hold.ExclusiveCheckout = true, true
	first := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, ask, nil, w.options())).ID
	second := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, ask, nil, w.options())).ID
	holder := w.engine(t, nil)
	if _, err := holder.RunAsync(ctx, hold, nil, w.options()); err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	e := w.engine(t, knows(ask))
	for _, id := range []string{first, second} {
		if err := e.Answer(ctx, id, store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Cancel(ctx, second, "ann"); err != nil {
		t.Fatal(err)
	}
	if s, err := e.Wait(ctx, second); err != nil || s.Status != flow.Cancelled {
		t.Errorf("%+v %v", s, err)
	}
	if err := e.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if s, err := holder.Status(ctx, first); err != nil || s.Status != flow.Paused || len(s.Answers) != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

// The runs of a Go program's engine are left to it: an engine of a command continues them only by
// force.
func TestRunsOfAProgram(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	ask := define("ask", step{key: "gate", ask: "ship?"})
	program := func(c *local.Config) { c.Program, c.Workflows = "/srv/service", []*flow.Definition{ask} }
	id := must(t, flow.Paused)(w.engine(t, program).Run(ctx, ask, nil, w.options())).ID
	command := w.engine(t, knows(ask))
	wantError(t, command.Answer(ctx, id, store.Answer{Key: "gate", Text: "yes", By: "ann"}), "is recorded, but the run does not continue", "belongs to the Go program /srv/service")
	_, err := command.Resume(ctx, ask, id, local.Options{})
	wantError(t, err, "run "+id+" belongs to the Go program /srv/service", "--force")
	e := w.engine(t, program)
	if err := e.ResumeAll(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if s, err := e.Wait(ctx, id); err != nil || s.Status != flow.Completed {
		t.Errorf("%+v %v", s, err)
	}
	id = must(t, flow.Paused)(e.Run(ctx, ask, nil, w.options())).ID
	newer := *ask
	newer.Fingerprint = "f2"
	_, err = e.Resume(ctx, &newer, id, local.Options{})
	wantError(t, err, "another version of its workflow; Engine.Resume with Options.Force moves it")
}

// A run that is forced to continue elsewhere belongs to that engine from then on, with its children.
func TestForceMovesARun(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	build := define("build", step{key: "gate", ask: "ship?"})
	for _, def := range []*flow.Definition{build, nested(build, "left")} {
		command := w.engine(t, knows(def))
		program := w.engine(t, func(c *local.Config) { c.Program, c.Workflows = "/srv/service", []*flow.Definition{def} })
		id := must(t, flow.Paused)(program.Run(ctx, def, nil, w.options())).ID
		must(t, flow.Paused)(command.Resume(ctx, def, id, local.Options{Force: true}))
		asking := id + strings.Repeat("--left", len(def.Children))
		for _, run := range []string{id, asking} {
			if s, err := command.Status(ctx, run); err != nil || local.EmbeddedIn(s.Settings) != "" {
				t.Errorf("%s belongs to %q, %v", run, local.EmbeddedIn(s.Settings), err)
			}
		}
		err := program.Answer(ctx, asking, store.Answer{Key: "gate", Text: "yes", By: "ann"})
		if wantError(t, err, "run "+id+" does not belong to a Go program", "Options.Force"); !errors.Is(err, local.ErrNotContinued) {
			t.Errorf("%v", err)
		}
		if err := program.ResumeAll(ctx, func(id string, err error) { t.Errorf("ResumeAll of the program reports %s, %v", id, err) }); err != nil {
			t.Fatal(err)
		}
		must(t, flow.Completed)(command.Resume(ctx, def, id, local.Options{}))

		id = must(t, flow.Paused)(command.Run(ctx, def, nil, w.options())).ID
		must(t, flow.Paused)(program.Resume(ctx, def, id, local.Options{Force: true}))
		_, err = command.Resume(ctx, def, id, local.Options{})
		wantError(t, err, "run "+id+" belongs to the Go program /srv/service")
	}
}

package local_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// knows makes an engine continue runs of workflows by itself.
func knows(defs ...*flow.Definition) func(*local.Config) {
	return func(c *local.Config) { c.Workflows = defs }
}

// One call after a restart continues every run that can continue, oldest first, and answers
// for those that cannot.
func TestResumeAll(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.performer.set("hold", w.performer.block)
	w.performer.set("broken", fails("no"))
	hold, ask, broken := define("hold", step{key: "hold"}), define("ask", step{key: "gate", ask: "ship?"}), define("broken", step{key: "broken"})
	changed, unknown := define("changed", step{key: "hold"}), define("unknown", step{key: "hold"})
	first := w.engine(t, nil)
	for _, begin := range []struct {
		id  string
		def *flow.Definition
	}{
		{"hold-1", hold}, {"ask-1", ask}, {"changed-1", changed}, {"ask-2", ask}, {"unknown-1", unknown}, {"broken-1", broken}, {"hold-2", hold},
	} {
		id, err := first.RunAsync(ctx, begin.def, nil, local.Options{ID: begin.id, WorkDir: w.work})
		if err != nil {
			t.Fatal(err)
		}
		if len(begin.def.Nodes) == 1 && begin.def.Nodes[0].Key == "hold" {
			<-w.performer.begun
		} else if _, err := first.Wait(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := w.engine(t, nil)
	if err := first.Answer(ctx, "ask-2", store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil { // this engine does not know the workflow
		t.Fatal(err)
	}
	if err := first.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := elsewhere.ResumeAsync(ctx, hold, "hold-2", local.Options{}); err != nil {
		t.Fatal(err)
	}
	<-w.performer.begun
	w.performer.set("hold", nil)

	next := *changed
	next.Fingerprint = "another"
	e := w.engine(t, knows(hold, ask, broken, &next))
	resumeAll := func() (answers []string) {
		err := e.ResumeAll(ctx, func(id string, err error) {
			answer := id
			switch busy, ok := errors.AsType[*local.BusyError](err); {
			case ok:
				answer += " busy " + busy.RunID
			case err != nil:
				answer += " refused"
				wantError(t, err, id)
			default:
				if s, err := e.Wait(ctx, id); err != nil || s.Status != flow.Completed {
					t.Errorf("%+v %v", s, err)
				}
			}
			answers = append(answers, answer)
		})
		if err != nil {
			t.Fatal(err)
		}
		return answers
	}
	want := []string{"hold-1", "changed-1 refused", "ask-2", "hold-2 busy hold-2"}
	if got := resumeAll(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := resumeAll(), []string{want[1], want[3]}; !reflect.DeepEqual(got, want) {
		t.Errorf("later: got %q, want %q", got, want)
	}
	if err := e.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := e.ResumeAll(ctx, nil); !errors.Is(err, local.ErrShutdown) {
		t.Errorf("after Shutdown: %v", err)
	}
}

// A paused run whose wait is over is one that ResumeAll continues, and not before.
func TestResumeAllAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ctx := newWorld(t), t.Context()
		def := gated(time.Hour, "gate")
		e := w.engine(t, knows(def))
		id := must(t, flow.Paused)(e.Run(ctx, def, nil, w.options())).ID
		var resumed []string
		for _, want := range []int{0, 1} {
			if err := e.ResumeAll(ctx, func(id string, err error) { resumed = append(resumed, fmt.Sprint(id, " ", err)) }); err != nil || len(resumed) != want {
				t.Errorf("%q %v", resumed, err)
			}
			time.Sleep(time.Hour + time.Second)
		}
		if s, err := e.Wait(ctx, id); err != nil || s.Status != flow.Failed {
			t.Errorf("%+v %v", s, err)
		}
	})
}

// An answer continues a run that nobody works on, also one of a child, if the engine knows the
// workflow.
func TestAnswerContinues(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	build := define("build", step{key: "gate", ask: "ship?"})
	for _, test := range []struct {
		def    *flow.Definition
		suffix string
	}{{build, ""}, {nested(build, "left"), "--left"}} {
		id := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, test.def, nil, w.options())).ID
		e := w.engine(t, knows(test.def))
		if err := e.Answer(ctx, id+test.suffix, store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil {
			t.Fatal(err)
		}
		if s, err := e.Wait(ctx, id); err != nil || s.Status != flow.Completed || !strings.Contains(string(s.Outputs), `"yes"`) {
			t.Errorf("%+v %v", s, err)
		}
	}
	id := must(t, flow.Paused)(w.engine(t, nil).Run(ctx, build, nil, w.options())).ID
	next := *build
	next.Fingerprint = "another"
	e := w.engine(t, knows(&next))
	err := e.Answer(ctx, id, store.Answer{Key: "gate", Text: "yes", By: "ann"})
	wantError(t, err, "`gate` of run "+id+": the answer is recorded, but the run does not continue: run "+id+" was started")
	if !errors.Is(err, local.ErrNotContinued) {
		t.Errorf("%v is not ErrNotContinued", err)
	}
	if err := e.Answer(ctx, id, store.Answer{Key: "gate", Text: "no", By: "ann"}); !errors.Is(err, store.ErrAnswered) || errors.Is(err, local.ErrNotContinued) {
		t.Errorf("the second answer: %v, want ErrAnswered", err)
	}
	if s, err := e.Status(ctx, id); err != nil || len(s.Answers) != 1 || s.Status != flow.Paused {
		t.Errorf("%+v %v", s, err)
	}
}

// pausing calls before, once, when a run commits its pause.
type pausing struct {
	store.Store
	once   sync.Once
	before func(id string)
}

func (p *pausing) Commit(ctx context.Context, id string, b flow.Batch) error {
	if b.Run != nil && b.Run.Status == flow.Paused {
		p.once.Do(func() { p.before(id) })
	}
	return p.Store.Commit(ctx, id, b)
}

// An answer that comes while a run pauses continues it, too.
func TestAnswerDuringThePause(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	def := define("ask", step{key: "gate", ask: "ship?"})
	var e *local.Engine
	completed := make(chan struct{})
	w.store = &pausing{Store: w.store, before: func(id string) {
		if err := e.Answer(ctx, id, store.Answer{Key: "gate", Text: "yes", By: "ann"}); err != nil {
			t.Error(err)
		}
	}}
	e = w.engine(t, func(c *local.Config) {
		knows(def)(c)
		c.Watch = func(n local.Notice) {
			if n.End != nil && n.End.Status == flow.Completed {
				close(completed)
			}
		}
	})
	if _, err := e.RunAsync(ctx, def, nil, w.options()); err != nil {
		t.Fatal(err)
	}
	<-completed
}

// editing performs prompts by agents of which some may edit files.
type editing struct {
	*performer
	may map[string]bool
}

func (editing) Kind() string                { return "prompt" }
func (e editing) MayEdit(agent string) bool { return e.may[agent] }

// Runs that only ask agents without permission to edit files share a checkout.
func TestPromptsShareACheckout(t *testing.T) {
	for _, test := range []struct {
		prompts engine.Performer
		agents  []string
		shared  bool
	}{
		{editing{newPerformer(), map[string]bool{"writer": true}}, []string{"reader"}, true},
		{editing{newPerformer(), map[string]bool{"writer": true}}, []string{"reader", "writer"}, false},
		{answers{}, []string{"reader"}, false}, // it cannot say
		{nil, nil, true},
	} {
		t.Run(fmt.Sprint(test.agents, test.shared), func(t *testing.T) {
			w, ctx := newWorld(t), t.Context()
			w.performer.set("hold", w.performer.block)
			def := define("w", step{key: "hold"})
			def.ExclusiveCheckout, def.PromptsOnly, def.Agents = true, true, test.agents
			e := w.engine(t, func(c *local.Config) {
				if test.prompts != nil {
					c.Performers = append(c.Performers, test.prompts)
				}
			})
			if _, err := e.RunAsync(ctx, def, nil, w.options()); err != nil {
				t.Fatal(err)
			}
			_, err := e.RunAsync(ctx, def, nil, w.options())
			if busy, ok := errors.AsType[*local.BusyError](err); ok == test.shared || !ok && err != nil || ok && !strings.Contains(busy.Error(), "set `mutates_checkout: false`") {
				t.Errorf("the second run: %v", err)
			}
		})
	}
}

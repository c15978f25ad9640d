package local_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// people receive notices in place of channels.
type people struct {
	mu sync.Mutex
	// got are the ids of the notices that arrived, in order, by event and target.
	got map[string][]string
	// last is the last notice by event and target.
	last map[string]outbox.Notice
	// refuse, unless it is nil, decides what becomes of a notice.
	refuse func(n *outbox.Notice) error
}

func newPeople() *people {
	return &people{got: map[string][]string{}, last: map[string]outbox.Notice{}}
}

func (p *people) Kind() string { return flow.Delivery{}.Kind() }

func (p *people) Perform(context.Context, *engine.Attempt) flow.Result { return completed("") }

func (p *people) Unready([]string, []string) []error { return nil }

func (p *people) SendNotice(_ context.Context, n *outbox.Notice, _ []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		if err := p.refuse(n); err != nil {
			return err
		}
	}
	key := string(n.Event) + " to " + n.Target
	p.got[key] = append(p.got[key], n.ID)
	p.last[key] = *n
	return nil
}

// counts are how often each notice arrived.
func (p *people) counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := map[string]int{}
	for key, ids := range p.got {
		counts[key] = len(ids)
	}
	return counts
}

var errCrash = errors.New("the process crashed")

// A mortal is a process that shares the store and crashes at one of its steps: before or after
// a change of the store, or before or after it sends a notice.
type mortal struct {
	store.Store
	runstore.Mailbox
	people *people

	mu sync.Mutex
	// left counts the steps until the crash.
	left    int
	crashed bool
	// unrecorded counts the notices that were sent and whose sending is not recorded yet.
	unrecorded int
}

// act does something unless the process has crashed, or crashes around it.
func (p *mortal) act(do func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range []func() error{func() error { return nil }, do} {
		if p.crashed {
			return errCrash
		}
		err := part()
		if p.left--; p.left == 0 {
			p.crashed = true
		}
		if err != nil {
			return err
		}
	}
	if p.crashed {
		return errCrash // what was done is durable, and the process doesn't learn of it
	}
	return nil
}

func (p *mortal) CreateRun(ctx context.Context, r store.Run, steps []flow.Record) error {
	return p.act(func() error { return p.Store.CreateRun(ctx, r, steps) })
}

func (p *mortal) Begin(ctx context.Context, id, holder, executable string) error {
	return p.act(func() error { return p.Store.Begin(ctx, id, holder, executable) })
}

func (p *mortal) Commit(ctx context.Context, id string, b flow.Batch) error {
	return p.act(func() error { return p.Store.Commit(ctx, id, b) })
}

func (p *mortal) ClaimMessage(ctx context.Context, m runstore.Message, now, until time.Time) (claimed bool, err error) {
	return claimed, p.act(func() (err error) {
		claimed, err = p.Mailbox.ClaimMessage(ctx, m, now, until)
		return err
	})
}

func (p *mortal) SettleMessage(ctx context.Context, m runstore.Message, now time.Time) error {
	return p.act(func() error {
		if m.State == runstore.MessageDone {
			p.unrecorded--
		}
		return p.Mailbox.SettleMessage(ctx, m, now)
	})
}

func (p *mortal) Kind() string { return p.people.Kind() }

func (p *mortal) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	return p.people.Perform(ctx, call)
}

func (p *mortal) SendNotice(ctx context.Context, n *outbox.Notice, environ []string) error {
	return p.act(func() error {
		p.unrecorded++
		return p.people.SendNotice(ctx, n, environ)
	})
}

// notify sends the notices of some events to two targets.
func notify(change func(*settings.Notify)) settings.Notify {
	var n settings.Notify
	for _, event := range settings.NoticeEvents() {
		n.Rules = append(n.Rules, settings.NoticeRule{Event: event, Targets: []string{"ops", "log"}})
	}
	if change != nil {
		change(&n)
	}
	return n
}

// watching returns an engine that notifies people, for a change of its settings.
func (w *world) watching(t *testing.T, p *people, def *flow.Definition, n settings.Notify) *local.Engine {
	t.Helper()
	return w.engine(t, func(c *local.Config) {
		c.Performers = append(c.Performers, p)
		c.SecretVariables = []string{"KEY"}
		c.Environ = append(c.Environ, "KEY=hunter2-hunter2")
		c.Notices = local.Notices{Notify: n, Workflows: []*flow.Definition{def}, Commands: func(run *flow.RunInfo, q *engine.Question) []string {
			if q == nil {
				return []string{"resume " + run.ID}
			}
			return []string{"answer " + run.ID + " " + q.Key}
		}}
	})
}

// A gate that was answered has no notices any more: neither those that wait for the end of the
// quiet hours nor those of its escalation. Urgent ones are not quiet.
func TestNoticesOfAnsweredGates(t *testing.T) {
	for name, answered := range map[string]bool{"answered": true, "open": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the clock begins at midnight UTC
				def := define("w", step{key: "gate", ask: "Ship with hunter2-hunter2?"})
				w, p := newWorld(t), newPeople()
				n := notify(func(n *settings.Notify) {
					n.Quiet = settings.QuietHours{From: "22:00", To: "06:30", Zone: "UTC"}
					n.Rules[0] = settings.NoticeRule{
						Event: settings.NoticeWaits, Targets: []string{"ops"}, Title: "{{node}} of {{run}}: {{command}}",
						Escalate: []settings.Escalation{{After: time.Hour, Targets: []string{"night"}}, {After: 8 * time.Hour, Targets: []string{"boss"}}},
					}
				})
				e := w.watching(t, p, def, n)
				r := must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
				time.Sleep(6 * time.Hour)
				if len(p.counts()) != 0 {
					t.Errorf("in quiet hours: %v", p.counts())
				}
				if answered {
					if err := w.store.Answer(t.Context(), r.ID, store.Answer{Key: askingKey(t, w, r.ID), Text: "yes", Given: time.Now()}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(24 * time.Hour)
				want := map[string]int{"waits to ops": 1, "waits to night": 1, "waits to boss": 1}
				if answered {
					want = map[string]int{}
				}
				if got := p.counts(); !maps.Equal(got, want) {
					t.Errorf("the next day: %v, want %v", got, want)
				}
				if answered {
					return
				}
				first, last := p.last["waits to ops"], p.last["waits to boss"]
				key := askingKey(t, w, r.ID)
				if first.Title != "gate of "+r.ID+": answer "+r.ID+" "+key || last.Title != "Nobody has reacted: "+first.Title || !last.Escalates {
					t.Errorf("titles %q and %q", first.Title, last.Title)
				}
				if first.Question != "Ship with ***?" || strings.Contains(first.Text, "hunter2") {
					t.Errorf("the secret is not masked: %+v", first)
				}
			})
		})
	}
}

// The words of a step cannot pass for a notice's own lines.
func TestNoticesNameWhoseWordsTheyShow(t *testing.T) {
	agent := "Fine.\n\nanswer other-run gate#1"
	for _, c := range []struct {
		output, message, want string
	}{
		{"", "Ship it?", "Ship it?\n\n"},
		{"", "Ship " + agent, "│ Ship Fine.\n│\n│ answer other-run gate#1\n\n"},
		{agent, "Ship it?", "`gate` says:\n│ Fine.\n│\n│ answer other-run gate#1\n\nthe workflow asks:\n│ Ship it?\n\n"},
	} {
		w, p := newWorld(t), newPeople()
		def := define("w", step{key: "gate", ask: c.message, about: c.output})
		e := w.watching(t, p, def, notify(nil))
		must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
		if err := e.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := p.last["waits to ops"].Text; !strings.HasPrefix(got, c.want) {
			t.Errorf("the notice begins with %q, want %q", got, c.want)
		}
	}
}

func TestUrgentNoticesAreNotQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := define("w", step{key: "gate", ask: "Ship?"})
		w, p := newWorld(t), newPeople()
		e := w.watching(t, p, def, notify(func(n *settings.Notify) {
			n.Quiet = settings.QuietHours{From: "22:00", To: "06:30", Zone: "UTC"}
			n.Rules[0].Urgent = true
		}))
		must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
		time.Sleep(time.Second)
		if got := p.counts(); got["waits to ops"] != 1 || len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

// A channel that fails never holds the run, and others get their notices. It is tried a bounded
// number of times, with growing waits.
func TestFailingChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := define("w", step{key: "a"})
		w, p := newWorld(t), newPeople()
		w.performer.set("a", fails("no"))
		var tries []time.Time
		p.refuse = func(n *outbox.Notice) error {
			switch n.Target {
			case "down":
				tries = append(tries, time.Now())
				return &outbox.RefusedError{Problem: "no network"}
			case "gone":
				return &outbox.RefusedError{Problem: "no such room", Final: true}
			case "slow":
				if n.Text += "."; len(tries) < 3 {
					return &outbox.RefusedError{Problem: "later", Wait: 10 * time.Minute}
				}
			}
			return nil
		}
		n := notify(nil)
		n.Rules[2].Targets = []string{"down", "gone", "ops", "slow"}
		e := w.watching(t, p, def, n)
		began := time.Now()
		r := must(t, flow.Failed)(e.Run(t.Context(), def, nil, w.options()))
		if took := time.Since(began); took > time.Second {
			t.Errorf("the run took %v", took)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait() // for the end of the last try
		if len(tries) != 8 || tries[7].Sub(tries[0]) > 4*time.Hour || tries[1].Sub(tries[0]) != time.Second {
			t.Errorf("%d tries: %v", len(tries), tries)
		}
		if got := p.counts(); got["failed to ops"] != 1 || got["failed to slow"] != 1 || len(got) != 2 {
			t.Errorf("%v", got)
		}
		failed, err := w.store.(runstore.Mailbox).Messages(t.Context(), runstore.MessageFilter{State: runstore.MessageFailed, RunID: r.ID})
		if err != nil || len(failed) != 2 || failed[0].Problem != "no network" || failed[1].Problem != "no such room" || failed[1].Attempts != 1 {
			t.Errorf("%+v %v", failed, err)
		}
		if text := p.last["failed to ops"].Text; !strings.Contains(text, "no") || !strings.Contains(text, "resume "+r.ID) {
			t.Errorf("%q", text)
		}
	})
}

// Another engine sends what a process left, unless it is of another workflow.
func TestNoticesOfOtherProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def, other := define("w", step{key: "a"}), define("other", step{key: "a"})
		w, lost, p := newWorld(t), newPeople(), newPeople()
		lost.refuse = func(*outbox.Notice) error { return errors.New("no address here") }
		for _, d := range []*flow.Definition{def, other} {
			e := w.watching(t, lost, d, notify(nil))
			must(t, flow.Completed)(e.Run(t.Context(), d, nil, w.options()))
			if err := e.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		w.watching(t, p, def, notify(nil))
		time.Sleep(time.Hour)
		if got := p.counts(); len(got) != 2 || p.last["completed to ops"].Workflow != "w" {
			t.Errorf("%v", got)
		}
	})
}

// askingKey returns the step of a run that asks something.
func askingKey(t *testing.T, w *world, id string) string {
	t.Helper()
	for key, s := range w.steps(t, id) {
		if s.Status == flow.Waiting && s.Question != nil {
			return key
		}
	}
	t.Fatalf("run %s asks nothing", id)
	return ""
}

// A thousand crashes, at every commit and around every send, lose no notice. One that arrives
// twice has the same id, and a crash is the reason.
func TestNoticesSurviveCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(35, 4))
		def := define("w", step{key: "a"}, step{key: "gate", after: []string{"a"}, ask: "Go on?"}, step{key: "b", after: []string{"gate"}})
		crashes, repeated, unrecorded := 0, 0, 0
		for round := 0; crashes < 1000; round++ {
			w, all := newWorld(t), newPeople()
			opt := w.options()
			opt.ID = fmt.Sprintf("w-%d", round)
			// until has processes work on the run until it has an end and each of its notices is sent.
			until := func(want flow.Status, notices ...string) {
				t.Helper()
				for try := 0; ; try++ {
					p := &mortal{Store: w.store, Mailbox: w.store.(runstore.Mailbox), people: all, left: 1 + random.IntN(30)}
					if try > 30 {
						p.left = 0 // it never crashes
					}
					e := w.engine(t, func(c *local.Config) {
						c.Store, c.Performers = p, []engine.Performer{w.performer, p}
						c.Notices = local.Notices{Notify: notify(nil), Workflows: []*flow.Definition{def}}
					})
					run, err := w.store.Run(t.Context(), opt.ID)
					switch {
					case errors.Is(err, store.ErrNotFound):
						_, err = e.Run(t.Context(), def, nil, opt)
					case run.Status != want:
						_, err = e.Resume(t.Context(), def, opt.ID, w.options())
					}
					if err != nil && !errors.Is(err, errCrash) {
						t.Fatal(err)
					}
					_ = e.Shutdown(t.Context())
					p.mu.Lock()
					if p.crashed {
						crashes++
					} else if p.unrecorded != 0 {
						t.Fatalf("round %d: %d notices are not recorded without a crash", round, p.unrecorded)
					}
					unrecorded += p.unrecorded
					p.mu.Unlock()
					run, _ = w.store.Run(t.Context(), opt.ID)
					queued, err := w.store.(runstore.Mailbox).Messages(t.Context(), runstore.MessageFilter{State: runstore.MessageQueued})
					if err != nil {
						t.Fatal(err)
					}
					if run.Status == want && len(queued) == 0 {
						break
					}
					time.Sleep(3 * time.Minute) // until claims have run out
				}
				for _, notice := range notices {
					if all.counts()[notice] == 0 {
						t.Fatalf("round %d: the notice %s is lost: %v", round, notice, all.counts())
					}
				}
			}
			until(flow.Paused, "waits to ops", "waits to log")
			if err := w.store.Answer(t.Context(), opt.ID, store.Answer{Key: askingKey(t, w, opt.ID), Text: "yes", Given: time.Now()}); err != nil {
				t.Fatal(err)
			}
			until(flow.Completed, "completed to ops", "completed to log")
			for notice, ids := range all.got {
				if len(slices.Compact(slices.Clone(ids))) != 1 {
					t.Fatalf("round %d: %s has several ids: %v", round, notice, ids)
				}
				repeated += len(ids) - 1
			}
			if len(all.got) != 4 {
				t.Fatalf("round %d: %v", round, all.counts())
			}
		}
		t.Logf("%d crashes, %d notices repeated", crashes, repeated)
		if repeated == 0 || repeated != unrecorded {
			t.Errorf("%d notices were repeated, and %d crashes came between sending and recording", repeated, unrecorded)
		}
	})
}

package local_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

var full = flag.Bool("full", false, "simulate ten months, and a death at each change of a day")

// errKilled is what everything answers after the process of an engine was killed.
var errKilled = errors.New("the process was killed")

// A mortalStore kills its process at a commit: just before it, so that the change is lost, or
// just after it, so that nobody hears of it.
type mortalStore struct {
	store.Store
	spending.Ledger
	runstore.Mailbox
	mu sync.Mutex
	// left counts the commits until the death; less than 0 is never.
	left, changes int
	before        bool
	dead          bool
	died          chan struct{}
	// committed is called with each batch that is in the store.
	committed func(id string, b flow.Batch)
}

func newMortalStore(s store.Store, left int, before bool, committed func(string, flow.Batch)) *mortalStore {
	return &mortalStore{Store: s, Ledger: s.(spending.Ledger), Mailbox: s.(runstore.Mailbox), left: left, before: before, died: make(chan struct{}), committed: committed}
}

func (s *mortalStore) kill() {
	if !s.dead {
		s.dead = true
		close(s.died)
	}
}

// change makes a change, unless the process is dead or dies before it.
func (s *mortalStore) change(write func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return errKilled
	}
	last := s.left == 0
	s.left--
	s.changes++
	if last && s.before {
		s.kill()
		return errKilled
	}
	err := write()
	if last {
		s.kill()
		return errKilled
	}
	return err
}

// Commit implements store.Store.
func (s *mortalStore) Commit(ctx context.Context, id string, b flow.Batch) error {
	return s.change(func() error {
		err := s.Store.Commit(ctx, id, b)
		if err == nil {
			s.committed(id, b)
		}
		return err
	})
}

// Reserve implements spending.Ledger.
func (s *mortalStore) Reserve(ctx context.Context, q spending.Request) (r spending.Reservation, err error) {
	err = s.change(func() (err error) {
		r, err = s.Ledger.Reserve(ctx, q)
		return err
	})
	return r, err
}

const (
	turnDollars = 0.25
	// dayBudget allows a few turns more than the runs of a day need.
	dayBudget = 12.0
)

// A planAgent answers prompts until its plan is used up, which is reset at 05:00 and 17:00.
// Now and then its service is down.
type planAgent struct {
	name string
	plan int

	mu    sync.Mutex
	rnd   *rand.Rand
	used  int
	reset time.Time
	// answered are the turns that ended with a reply, by run and step.
	answered map[string]int
	refused  int
	outages  int
	// costs are the turns that cost something, by their ends.
	costs []turnCost
	began func(run, key string)
}

// ClaimMessage implements runstore.Mailbox.
func (s *mortalStore) ClaimMessage(ctx context.Context, m runstore.Message, now, until time.Time) (claimed bool, err error) {
	err = s.change(func() (err error) {
		claimed, err = s.Mailbox.ClaimMessage(ctx, m, now, until)
		return err
	})
	return claimed, err
}

// SettleMessage implements runstore.Mailbox.
func (s *mortalStore) SettleMessage(ctx context.Context, m runstore.Message, now time.Time) error {
	return s.change(func() error { return s.Mailbox.SettleMessage(ctx, m, now) })
}

// A channel receives notices. Now and then it is down.
type channel struct {
	mu  sync.Mutex
	rnd *rand.Rand
	// received counts the notices by event and step, and ids their ids.
	received map[string]int
	ids      map[string]int
	failures int
}

// Kind implements engine.Performer.
func (*channel) Kind() string { return flow.Delivery{}.Kind() }

// Perform implements engine.Performer.
func (*channel) Perform(context.Context, *engine.Attempt) flow.Result { return completed("") }

// SendNotice implements outbox.Sender.
func (c *channel) SendNotice(_ context.Context, n *outbox.Notice, _ []string) error {
	time.Sleep(time.Second)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rnd.IntN(5) == 0 {
		c.failures++
		return errors.New("the channel is down")
	}
	c.ids[n.ID]++
	if c.ids[n.ID] == 1 {
		c.received[noticeKey(n.Event, n.Run, n.Key)]++
	}
	return nil
}

func noticeKey(event settings.NoticeEvent, run, step string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", event, run, step))
}

type turnCost struct {
	end     time.Time
	dollars float64
}

func (*planAgent) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (a *planAgent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	a.began(r.RunID, r.Key)
	time.Sleep(90 * time.Second)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); !now.Before(a.reset) {
		a.used, a.reset = 0, now.Add(time.Hour).Truncate(12*time.Hour).Add(5*time.Hour)
		for !a.reset.After(now) {
			a.reset = a.reset.Add(12 * time.Hour)
		}
	}
	if a.rnd.IntN(12) == 0 {
		a.outages++
		return nil, failures.New(flow.ClassTransient, "agent", "503 service unavailable")
	}
	if a.used++; a.used > a.plan {
		a.refused++
		return nil, failures.OutOfQuota(failures.New(flow.ClassFatal, "agent", "the plan of %s is used up", a.name), a.reset)
	}
	a.answered[r.RunID+" "+r.Key]++
	a.costs = append(a.costs, turnCost{time.Now(), turnDollars})
	return &agent.Reply{Text: "done " + r.Key, Meta: flow.Meta{CostUSD: turnDollars, InputTokens: 1000, OutputTokens: 200, Turns: 1}}, nil
}

// A month is twelve workflows that start every day, two agents, a person who answers in the
// morning, and processes that die.
type month struct {
	t         *testing.T
	world     *world
	workflows []*flow.Definition
	agents    map[string]*planAgent
	channel   *channel
	rnd       *rand.Rand
	// lives draws after how many commits the next process dies, and whether before or after
	// that commit.
	lives func() (left int, before bool)

	mu sync.Mutex
	// settled are the steps that were committed as completed, by run and step.
	settled map[string]bool
	// opened are the gates that were asked, with the time, by run and step; expected are the
	// notices that must arrive.
	opened    map[string]time.Time
	expected  []string
	started   map[string]bool
	stopped   bool
	processes int
	commits   int
	changes   int
	waited    map[flow.WaitKind]int
	faults    []string
	// dearest is the most that a day has cost.
	dearest float64
	// repeated counts the notices that arrived again.
	repeated int
}

func (m *month) fault(format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, args...))
}

// monthWorkflow is a workflow of an agent's step, a gate on some days' runs, a loop and a report.
func monthWorkflow(i int) *flow.Definition {
	name := fmt.Sprintf("job%02d", i)
	agent := []string{"claude", "codex"}[i%2]
	prompt := func(c *flow.Context, text string) (string, error) {
		r, err := c.Do(flow.Prompt{Agent: agent, Text: text})
		return r.Text, err
	}
	keys := []string{"plan", "gate", "fix", "report"}
	if i%3 != 0 {
		keys = slices.Delete(keys, 1, 2)
	}
	def := &flow.Definition{Name: name, Fingerprint: "f1", Returns: "report"}
	for i, key := range keys {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: map[string]string{"gate": "approval"}[key], After: keys[max(i-1, 0):i]})
	}
	retry := flow.Retry{Retries: 20, Delay: time.Minute}
	def.Flow = func(c *flow.Context) (any, error) {
		var last flow.AnyTask
		for _, key := range keys {
			n := flow.Node[string]{Key: key, Kind: "prompt", Retry: retry, Run: func(c *flow.Context) (string, error) { return prompt(c, key) }}
			if key == "gate" {
				n = flow.Node[string]{Key: key, Kind: "approval", Run: steps.Approval{Message: "Continue?"}.Run}
			}
			if last != nil {
				n.After = []flow.AnyTask{last}
			}
			last = flow.Spawn(c, n)
		}
		return nil, flow.Settle(c)
	}
	return def
}

func newMonth(t *testing.T, seed uint64) *month {
	logger := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // what a killed process says
	t.Cleanup(func() { slog.SetDefault(logger) })
	m := &month{
		t: t, world: newWorld(t), agents: map[string]*planAgent{}, rnd: rand.New(rand.NewPCG(seed, 1)),
		channel: &channel{rnd: rand.New(rand.NewPCG(seed, 9)), received: map[string]int{}, ids: map[string]int{}},
		opened:  map[string]time.Time{}, settled: map[string]bool{}, started: map[string]bool{}, waited: map[flow.WaitKind]int{},
	}
	for i := range 12 {
		m.workflows = append(m.workflows, monthWorkflow(i))
	}
	for i, name := range []string{"claude", "codex"} {
		m.agents[name] = &planAgent{
			name: name, plan: 10, rnd: rand.New(rand.NewPCG(seed, uint64(i+2))), answered: map[string]int{},
			began: func(run, key string) {
				m.mu.Lock()
				defer m.mu.Unlock()
				if m.settled[run+" "+key] {
					m.fault("%s of %s began again after it was completed", key, run)
				}
			},
		}
	}
	return m
}

// live lets one process work until it dies or ctx ends, and reports whether it died.
func (m *month) live(ctx context.Context) bool {
	m.processes++
	left, before := m.lives()
	s := newMortalStore(m.world.store, left, before, m.noteCommit)
	agents := map[string]agent.Agent{}
	for name, a := range m.agents {
		agents[name] = a
	}
	prompts := agent.New(agent.Options{Agents: agents, OnQuota: func(string) settings.Quota {
		return settings.Quota{Policy: settings.QuotaWait, MaxWait: 40 * 24 * time.Hour}
	}})
	e := m.world.engine(m.t, func(c *local.Config) {
		c.Store, c.Workflows, c.Poll = s, m.workflows, time.Minute
		c.Performers = []engine.Performer{prompts, m.channel}
		c.MaxWait = -1
		c.Notices.Notify.Rules = []settings.NoticeRule{
			{Event: settings.NoticeWaits, Targets: []string{"webhook:ops"}}, {Event: settings.NoticeCompleted, Targets: []string{"webhook:ops"}},
		}
		c.Budgets.All = settings.Budgets{Day: settings.Budget{CostUSD: dayBudget}}
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.died:
			cancel()
		case <-ctx.Done():
		}
	}()
	for ctx.Err() == nil {
		m.startDue(ctx, e)
		if err := e.ResumeAll(ctx, nil); err != nil && ctx.Err() == nil {
			m.fault("resume all: %v", err)
		}
		if h := time.Now().UTC().Hour(); h >= 8 && h < 18 {
			m.answerGates(ctx, e)
		}
		select {
		case <-time.After(10 * time.Minute):
		case <-ctx.Done():
		}
	}
	_ = e.Shutdown(context.Background())
	m.changes += s.changes
	return s.dead
}

// noteCommit checks what came into the store.
func (m *month) noteCommit(id string, b flow.Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.commits++
	for _, s := range b.Steps {
		if s.Question != nil && s.Status == flow.Waiting {
			m.waited[s.Question.Wait]++
			if gate := id + " " + s.Key; s.Question.Wait == "" && m.opened[gate].IsZero() {
				m.opened[gate] = time.Now()
			}
		}
		key := id + " " + s.Key
		if m.settled[key] && s.Status != flow.Completed {
			m.fault("%s became %s after it was completed", key, s.Status)
		}
		if s.Status == flow.Completed {
			m.settled[key] = true
		}
		// Nobody needs the notice of a gate that was answered at once.
		if asked := m.opened[key]; s.Status == flow.Completed && !asked.IsZero() && time.Since(asked) > time.Hour {
			m.expected = append(m.expected, noticeKey(settings.NoticeWaits, id, s.Key))
		}
	}
	if b.Run != nil && b.Run.Status == flow.Completed {
		m.expected = append(m.expected, noticeKey(settings.NoticeCompleted, id, ""))
	}
}

// startDue starts the runs whose time has come. The id of a run is that of its time, so that
// no time has two.
func (m *month) startDue(ctx context.Context, e *local.Engine) {
	now := time.Now().UTC()
	if m.stopped {
		return
	}
	for i, def := range m.workflows {
		id := fmt.Sprintf("%s-%s", def.Name, now.Format("0102"))
		if now.Hour() < 1+i/3 || m.started[id] {
			continue
		}
		_, err := e.RunAsync(ctx, def, nil, local.Options{ID: id, WorkDir: m.world.work})
		if err == nil || errors.Is(err, store.ErrExists) {
			m.started[id] = true
		}
	}
}

// stopStarting ends the schedules.
func (m *month) stopStarting() { m.stopped = true }

// answerGates is what a person does in the morning.
func (m *month) answerGates(ctx context.Context, e *local.Engine) {
	for _, def := range m.workflows {
		runs, err := e.ListRuns(ctx, store.Filter{Workflow: def.Name}, flow.Paused)
		if err != nil {
			return // the process was killed
		}
		for _, r := range runs {
			status, err := e.Status(ctx, r.ID)
			if err != nil {
				return
			}
			for _, q := range status.Questions {
				if q.Wait == "" {
					_ = e.Answer(ctx, r.ID, store.Answer{Key: q.Key, Choice: "approve", By: "mia"})
				}
			}
		}
	}
}

// pass lets a time pass, with as many processes as it needs, and then lets the runs end.
func (m *month) pass(length time.Duration) {
	ctx, cancel := context.WithTimeout(m.t.Context(), length)
	defer cancel()
	for ctx.Err() == nil {
		if !m.live(ctx) && ctx.Err() == nil {
			m.fault("a process ended by itself")
			return
		}
	}
}

// check compares what is in the store at the end with what should have happened.
func (m *month) check(days int) {
	if want := days * len(m.workflows); len(m.started) != want {
		m.fault("%d runs were started, want %d", len(m.started), want)
	}
	for id := range m.started {
		if r := m.world.run(m.t, id); r.Status != flow.Completed {
			m.fault("run %s is %s: %s", id, r.Status, r.Error)
			continue
		}
		for key, step := range m.world.steps(m.t, id) {
			if step.Status != flow.Completed {
				m.fault("%s of run %s is %s", key, id, step.Status)
			}
		}
	}
	m.checkBudget()
	m.checkNotices()
	slices.Sort(m.faults)
	for i, f := range slices.Compact(m.faults) {
		if i == 20 {
			m.t.Errorf("and %d more", len(m.faults)-i)
			break
		}
		m.t.Error(f)
	}
}

// checkBudget wants no day, whenever it begins, to cost more than its budget.
func (m *month) checkBudget() {
	var costs []turnCost
	for _, a := range m.agents {
		costs = append(costs, a.costs...)
	}
	slices.SortFunc(costs, func(a, b turnCost) int { return a.end.Compare(b.end) })
	for i, last := range costs {
		var sum float64
		for j := i; j >= 0 && last.end.Sub(costs[j].end) < 24*time.Hour; j-- {
			sum += costs[j].dollars
		}
		m.dearest = max(m.dearest, sum)
	}
	if m.dearest > dayBudget {
		m.fault("a day cost $%.2f, more than its budget", m.dearest)
	}
}

// checkNotices wants each notice to have arrived, and again only if a process died meanwhile.
func (m *month) checkNotices() {
	for _, key := range m.expected {
		switch n := m.channel.received[key]; {
		case n == 0:
			m.fault("the notice %q did not arrive", key)
		case n > 1:
			m.fault("the notice %q arrived under %d ids", key, n)
		}
	}
	for _, n := range m.channel.ids {
		m.repeated += n - 1
	}
	if m.repeated >= m.processes {
		m.fault("%d notices arrived again, but only %d processes died", m.repeated, m.processes-1)
	}
}

// A month of twelve workflows that nobody watches: their agents refuse when their plans are
// used up, and fail now and then; processes die at any commit. No run is lost, and no completed
// step is performed again.
func TestMonth(t *testing.T) {
	days, months := 30, uint64(1)
	switch {
	case *full:
		months = 10
	case testing.Short():
		days = 8
	}
	for seed := range months {
		synctest.Test(t, func(t *testing.T) {
			m := newMonth(t, seed+1)
			m.lives = func() (int, bool) { return m.rnd.IntN(150), m.rnd.IntN(2) == 0 }
			m.pass(time.Duration(days) * 24 * time.Hour)
			m.stopStarting()
			m.pass(4 * 24 * time.Hour)
			m.check(days)
			var refused, outages int
			for _, a := range m.agents {
				refused, outages = refused+a.refused, outages+a.outages
			}
			t.Logf("%d runs, %d commits, %d processes, %d refusals, %d outages, %d notices and %d again, waits %v, at most $%.2f a day", len(m.started), m.commits, m.processes, refused, outages, len(m.channel.ids), m.repeated, m.waited, m.dearest)
			if !testing.Short() && (refused == 0 || outages == 0 || m.waited[flow.WaitQuota] == 0 || m.waited[""] == 0 || m.waited[flow.WaitBudget] == 0 || m.channel.failures == 0 || m.processes < 20) {
				t.Error("the month was too quiet to show anything")
			}
		})
	}
}

// One process dies at each change of the store in a day, before it and after it; without the
// flag full, at each fourth one.
func TestEveryChangeOfADay(t *testing.T) {
	day := func(death int, before bool) (changes int) {
		synctest.Test(t, func(t *testing.T) {
			m := newMonth(t, 7)
			m.lives = func() (int, bool) {
				if m.processes == 1 {
					return death, before
				}
				return -1, false
			}
			m.pass(24 * time.Hour)
			m.stopStarting()
			m.pass(2 * 24 * time.Hour)
			m.check(1)
			changes = m.changes
		})
		return changes
	}
	changes := day(-1, false)
	step := 4
	switch {
	case *full:
		step = 1
	case testing.Short():
		step = 20
	}
	for death := 0; death < changes && !t.Failed(); death += step {
		day(death, true)
		day(death, false)
	}
	t.Logf("%d changes", changes)
}

package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sched"
)

// epoch is when runs begin.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A host is the world of one run: real performers, a journal in memory, and a
// clock that stands still while something is performed and else jumps to the
// next deadline, so that nobody waits for retries.
type host struct {
	job        *Job
	def        *flow.Definition
	info       *flow.RunInfo
	dir        string // the run's own folder
	environ    []string
	performers map[string]engine.Performer

	journal []flow.Record
	// reviewed counts the answers to reviews.
	reviewed int
	index    map[string]int
	now      time.Time

	running map[string]context.CancelFunc
	ready   []sched.Signal
	ended   chan sched.Done
}

func (h *host) Commit(b flow.Batch) error {
	for _, r := range b.Steps {
		if i, ok := h.index[r.Key]; ok {
			h.journal[i] = r
			continue
		}
		h.index[r.Key] = len(h.journal)
		h.journal = append(h.journal, r)
	}
	return nil
}

func (h *host) Start(a flow.Action, attempt int) {
	if r, ok := h.job.Results[a.Key]; ok {
		h.ready = append(h.ready, sched.Done{Key: a.Key, Result: r})
		return
	}
	p := h.performers[a.Payload.Kind()]
	if p == nil {
		h.ready = append(h.ready, sched.Done{Key: a.Key, Result: flow.Result{Status: flow.Failed,
			Failure: &flow.Failure{Message: fmt.Sprintf("nothing performs actions of kind %s", a.Payload.Kind())}}})
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.running[a.Key] = cancel
	call := &engine.Call{Run: h.info, Workflow: h.def, Action: a, Attempt: attempt, Dir: h.dir, Environ: h.environ, Log: slog.New(slog.DiscardHandler)}
	go func() { h.ended <- sched.Done{Key: a.Key, Result: p.Perform(ctx, call)} }()
}

func (h *host) Cancel(key string) {
	if cancel := h.running[key]; cancel != nil {
		cancel()
	}
}

// Ask leaves a question open: people answer when the process has ended.
func (h *host) Ask(flow.Question) {}

// answer gives the answer of a step to the first question that is open. The
// next process hears it when it first looks.
func (h *host) answer(step Step) error {
	if step.Choice == "" {
		return nil
	}
	for _, r := range h.journal {
		if r.Status == flow.Waiting && r.Question != nil {
			h.ready = append(h.ready, sched.Answered{Key: r.Key, Result: flow.Result{
				Status: flow.Completed, Text: step.Text, Meta: flow.Meta{Choice: step.Choice, By: "somebody"},
			}})
			return nil
		}
	}
	return errors.New("there is an answer, but no question is open")
}

func (h *host) Next(wake time.Time) []sched.Signal {
	signals := h.ready
	h.ready = nil
	for {
		select {
		case done := <-h.ended:
			signals = append(signals, h.end(done))
			continue
		default:
		}
		break
	}
	asked := !wake.IsZero() && !wake.After(h.now)
	switch {
	case len(signals) > 0 || asked:
		return signals
	case len(h.running) > 0:
		return []sched.Signal{h.end(<-h.ended)}
	case !wake.IsZero():
		h.now = wake
		return nil
	}
	return []sched.Signal{sched.Stop{}}
}

func (h *host) end(done sched.Done) sched.Signal {
	h.running[done.Key]()
	delete(h.running, done.Key)
	return done
}

func (h *host) Now() time.Time { return h.now }

func (*host) Pick(int) int { return 0 }

// write writes the job's files into the folder that the run works in.
func (h *host) write() error {
	for name, content := range h.job.Files {
		if !filepath.IsLocal(name) {
			return errors.New("the file " + name + " is outside the folder")
		}
		path := filepath.Join(h.info.WorkDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// environ returns this process's environment with a job's own variables.
func environ(own []string) []string {
	path := os.Getenv("PATH")
	if bun := os.Getenv("WFC_TEST_BUN"); bun != "" {
		path = filepath.Dir(bun) + string(filepath.ListSeparator) + path
	}
	return slices.Concat(os.Environ(), []string{"PATH=" + path}, own)
}

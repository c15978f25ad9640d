// Package metrics writes figures about the runs of stores in the text format of Prometheus.
// They come from the stores, so every process shows the same, also about runs of processes that
// died.
package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/webserver"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/store"
)

const contentType = "text/plain; version=0.0.4; charset=utf-8"

// Figures are the figures of all sources together. They are safe for concurrent use.
type Figures struct {
	sources func(ctx context.Context) (list []serving.Source, problems []string)

	mu   sync.Mutex
	seen string // the generations of the sources
	read time.Time
	last string
}

// New returns the figures of the sources that a function returns. problems say which others cannot
// be read.
func New(sources func(ctx context.Context) (list []serving.Source, problems []string)) *Figures {
	return &Figures{sources: sources}
}

// longestUse is how long figures count if the store does not change: a process may have died.
const longestUse = 15 * time.Second

// Text returns the text. It reads the stores again only after a change, or when its figures are 15
// seconds old. Sums must not shrink because a store cannot be read, so that is an error.
func (h *Figures) Text(ctx context.Context) (string, error) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	sources, problems := h.sources(ctx)
	if len(problems) > 0 {
		return "", errors.New(strings.Join(problems, "; "))
	}
	seen := ""
	for i := range sources {
		generation, err := sources[i].Store.Generation(ctx)
		if err != nil {
			return "", err
		}
		seen += fmt.Sprint(generation, " ")
	}
	if seen == h.seen && now.Sub(h.read) < longestUse {
		return h.last, nil
	}
	p := page{}
	for i := range sources {
		if err := errors.Join(p.addRuns(ctx, &sources[i], now), p.addCosts(ctx, &sources[i])); err != nil {
			return "", err
		}
	}
	h.seen, h.read, h.last = seen, now, p.String()
	return h.last, nil
}

// Serve answers GET /metrics at an address until stop is called; "" is no address.
func (h *Figures) Serve(ctx context.Context, address string) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := webserver.Open(ctx, address, "", "")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		text, err := h.Text(r.Context())
		if err != nil {
			http.Error(w, "the runs cannot be read: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, text) // a client that is gone asks again
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

// A page has the samples of metrics by the names of these and by their labels.
type page map[string]map[string]float64

// known are the kinds and descriptions of the metrics.
var known = map[string][2]string{
	"wfc_runs":                          {"gauge", "Runs in the store by workflow and status."},
	"wfc_run_duration_seconds_sum":      {"counter", "Time from the creation of runs to their end, pauses included, by workflow and status. A prune lowers it."},
	"wfc_run_duration_seconds_count":    {"counter", "Runs that have ended by workflow and status. A prune lowers it."},
	"wfc_waiting_steps":                 {"gauge", "Steps that wait, by workflow and kind: person, time, event, quota, budget, attention, or agent for the turn or the recovery of an agent."},
	"wfc_waiting_oldest_seconds":        {"gauge", "Age of the oldest such wait."},
	"wfc_quota_reset_timestamp_seconds": {"gauge", "When the quota is reset for which steps wait, by agent."},
	"wfc_agent_cost_usd_total":          {"counter", "Cost of agents in US dollars."},
	"wfc_agent_tokens_total":            {"counter", "Tokens of agents by direction: input or output."},
	"wfc_agent_turns_total":             {"counter", "Attempts at prompts by state: settled, reserved for those under way, or lost."},
}

// add adds to a sample. labels are names and values.
func (p page) add(name string, value float64, labels ...string) {
	p.set(name, func(old float64) float64 { return old + value }, labels...)
}

// set changes a sample.
func (p page) set(name string, change func(old float64) float64, labels ...string) {
	if p[name] == nil {
		p[name] = map[string]float64{}
	}
	var parts []string
	for i := 0; i+1 < len(labels); i += 2 {
		parts = append(parts, labels[i]+`="`+escape(labels[i+1])+`"`)
	}
	key := strings.Join(parts, ",")
	p[name][key] = change(p[name][key])
}

// escape escapes the value of a label.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

// String returns the page as text.
func (p page) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, known[name][1], known[name][0])
		for _, labels := range slices.Sorted(maps.Keys(p[name])) {
			fmt.Fprintf(&b, "%s{%s} %s\n", name, labels, strconv.FormatFloat(p[name][labels], 'g', -1, 64))
		}
	}
	return b.String()
}

func (p page) addRuns(ctx context.Context, s *serving.Source, now time.Time) error {
	runs, err := s.Runs(ctx, store.Filter{Brief: true})
	if err != nil {
		return err
	}
	for i := range runs {
		r := &runs[i]
		if s.Counts != nil && !s.Counts(r.Workflow) {
			continue
		}
		p.add("wfc_runs", 1, "workflow", r.Workflow, "status", string(r.Status))
		if !r.Finished.IsZero() {
			p.add("wfc_run_duration_seconds_sum", r.Finished.Sub(r.Created).Seconds(), "workflow", r.Workflow, "status", string(r.Status))
			p.add("wfc_run_duration_seconds_count", 1, "workflow", r.Workflow, "status", string(r.Status))
			continue
		}
		steps, err := s.Store.Steps(ctx, r.ID)
		if err != nil {
			return err
		}
		for j := range steps {
			p.addWait(r.Workflow, &steps[j], now)
		}
	}
	return nil
}

// addWait adds a step if it waits by itself.
func (p page) addWait(workflow string, s *flow.Record, now time.Time) {
	kind := ""
	switch {
	case s.Status != flow.Waiting:
	case s.Question != nil:
		kind = cmp.Or(string(s.Question.Wait), "person")
	case sched.HeldFor(s.Reason) != "":
		kind = "agent"
	}
	if kind == "" {
		return // it waits for a part of it
	}
	p.add("wfc_waiting_steps", 1, "workflow", workflow, "kind", kind)
	if !s.Started.IsZero() {
		age := max(0, now.Sub(s.Started).Seconds())
		p.set("wfc_waiting_oldest_seconds", func(old float64) float64 { return max(old, age) }, "workflow", workflow, "kind", kind)
	}
	if kind == string(flow.WaitQuota) && !s.Deadline.IsZero() {
		reset := float64(s.Deadline.Unix())
		p.set("wfc_quota_reset_timestamp_seconds", func(old float64) float64 { return max(old, reset) }, "agent", s.Question.Message)
	}
}

func (p page) addCosts(ctx context.Context, s *serving.Source) error {
	ledger, ok := s.Store.(spending.Ledger)
	if !ok {
		return nil
	}
	rows, err := ledger.Spending(ctx, spending.Filter{})
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if s.Counts != nil && !s.Counts(r.Workflow) {
			continue
		}
		labels := []string{"workflow", r.Workflow, "agent", r.Agent, "model", r.Model}
		p.add("wfc_agent_turns_total", 1, slices.Concat(labels, []string{"state", string(r.State)})...)
		if r.State != spending.Settled {
			continue // an estimate
		}
		p.set("wfc_agent_cost_usd_total", func(old float64) float64 { return math.Round(old*1e6+float64(r.Micros)) / 1e6 }, labels...)
		p.add("wfc_agent_tokens_total", float64(r.Input), slices.Concat(labels, []string{"direction", "input"})...)
		p.add("wfc_agent_tokens_total", float64(r.Output), slices.Concat(labels, []string{"direction", "output"})...)
	}
	return nil
}

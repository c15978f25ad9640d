package serve

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// pageLength is how many rows a page has.
const pageLength = 50

// A filter is what a form says of the runs to show.
type filter struct {
	Workflow, Place, Search, Since string
	Status                         []flow.Status
	Problem                        string
}

// A period is a value of Since.
type period struct {
	Value, Words string
	days         int
}

var periods = []period{{"24h", "last 24 hours", 1}, {"7d", "last 7 days", 7}, {"30d", "last 30 days", 30}, {"", "any time", 0}}

func readFilter(v url.Values) filter {
	f := filter{Workflow: strings.TrimSpace(v.Get("workflow")), Place: v.Get("place"), Search: strings.TrimSpace(v.Get("search")), Since: v.Get("since")}
	for _, name := range v["status"] {
		if s := flow.Status(name); document.IsStatus(s) {
			f.Status = append(f.Status, s)
		} else if name != "" {
			f.Problem = "Unknown status " + name + "."
		}
	}
	if _, ok := sinceTime(f.Since); !ok {
		f.Problem = "The time " + f.Since + " is not one of the list."
		f.Since = ""
	}
	return f
}

// sinceTime returns the begin of a period; the zero time is no limit.
func sinceTime(name string) (begin time.Time, ok bool) {
	i := slices.IndexFunc(periods, func(p period) bool { return p.Value == name })
	if i >= 0 && periods[i].days > 0 {
		begin = time.Now().Add(-24 * time.Hour * time.Duration(periods[i].days)) // also across a change of the clock
	}
	return begin, i >= 0
}

func (f filter) query() desk.Query {
	since, _ := sinceTime(f.Since)
	return desk.Query{Place: f.Place, RunQuery: runstore.RunQuery{Workflow: f.Workflow, Statuses: f.Status, Search: f.Search, Since: since}}
}

// Has reports whether a status is selected.
func (f filter) Has(status string) bool { return slices.Contains(f.Status, flow.Status(status)) }

// A selection is the form with a filter, and what is wrong with it or with places.
type selection struct {
	Filter   filter
	Places   []desk.Place
	Periods  []period
	Problems []string
}

func (h *handler) selection(f filter, problems []string) selection {
	if f.Problem != "" {
		problems = append(problems, f.Problem)
	}
	return selection{f, h.desk.Places(), periods, problems}
}

// values are the filter as parameters of an address.
func (f filter) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"workflow": f.Workflow, "place": f.Place, "search": f.Search, "since": f.Since} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for _, s := range f.Status {
		v.Add("status", string(s))
	}
	return v
}

// An overviewView is the first page.
type overviewView struct {
	selection
	Filtered bool
	Statuses []string
	Waiting  *waitingView
	Runs     *desk.Page
	Next     string
}

func (h *handler) overview(r *request) error {
	h.follow(r, desk.Ref{})
	f := readFilter(r.URL.Query())
	q := f.query()
	q.Limit = pageLength
	after, ok := readCursor(r.URL.Query().Get("after"))
	if !ok {
		return &actions.RefusedError{Reason: "the address has no place in the list"}
	}
	q.After = after
	v := &overviewView{Filtered: len(f.values()) > 0 || after != nil, Statuses: document.StatusNames()}
	var err error
	if v.Runs, err = h.desk.Runs(r.Context(), q); err != nil {
		return err
	}
	v.selection = h.selection(f, v.Runs.Problems)
	if !v.Filtered {
		w, err := h.desk.Waiting(r.Context())
		if err != nil {
			return err
		}
		v.Waiting = newWaitingView(w)
		v.Problems = plain.AddNew(v.Problems, w.Problems...)
	}
	if next := v.Runs.Next; next != nil {
		values := f.values()
		values.Set("after", writeCursor(next))
		v.Next = "/?" + values.Encode()
	}
	return h.render(r, http.StatusOK, "overview", "Runs", v)
}

// A waitingView is what waits.
type waitingView struct {
	*desk.Waiting
	// Kinds counts the items by their kind.
	Kinds map[string]int
	// Cards are the oldest that wait, and below them the newest that have ended.
	Cards []card
	// MoreOpen and MoreEnded count the items without a card.
	MoreOpen, MoreEnded int
}

// The largest numbers of cards, and of runs that a card names.
const (
	mostOpen  = 200
	mostEnded = 100
	mostSame  = 100
)

// A card is an item with the later ones that ended in the same way, of which Named are named.
type card struct {
	desk.Item
	Same []desk.Item
}

// Named are the newest of the items that ended in the same way.
func (c *card) Named() []desk.Item { return c.Same[max(0, len(c.Same)-mostSame):] }

func newWaitingView(w *desk.Waiting) *waitingView {
	v, seen := &waitingView{Waiting: w, Kinds: map[string]int{}}, map[[4]string]int{}
	var ended []card
	for _, item := range w.Items {
		v.Kinds[item.Kind]++
		end := [...]string{item.Kind, item.Project, item.Workflow, item.Message}
		i, known := seen[end]
		switch {
		case known:
			ended[i].Same = append(ended[i].Same, item)
		case item.Ended():
			seen[end] = len(ended)
			ended = append(ended, card{Item: item})
		case len(v.Cards) < mostOpen:
			v.Cards = append(v.Cards, card{Item: item})
		default:
			v.MoreOpen++
		}
	}
	older := max(0, len(ended)-mostEnded)
	for _, c := range ended[:older] {
		v.MoreEnded += 1 + len(c.Same)
	}
	v.Cards = append(v.Cards, ended[older:]...)
	return v
}

// writeCursor writes a place in a list as a parameter.
func writeCursor(c *runstore.RunCursor) string {
	return fmt.Sprintf("%d.%s", c.Created.UnixNano(), c.ID)
}

func readCursor(text string) (*runstore.RunCursor, bool) {
	if text == "" {
		return nil, true
	}
	created, id, ok := strings.Cut(text, ".")
	n, err := strconv.ParseInt(created, 10, 64)
	return &runstore.RunCursor{Created: time.Unix(0, n), ID: id}, ok && err == nil
}

// A totalsView is the page with sums.
type totalsView struct {
	selection
	Runs       int
	Took       time.Duration
	Spent      runstore.SpendingTotal
	ByStatus   []runstore.RunTotal
	ByWorkflow []workflowTotal
	ByAgent    []runstore.SpendingTotal
	Failures   []desk.Failure
	Sampled    int
}

// A workflowTotal sums up the runs of a workflow.
type workflowTotal struct {
	Name                    string
	Runs, Completed, Failed int
	Took                    time.Duration
	Spent                   runstore.SpendingTotal
}

// Average is the mean time of a run that has ended.
func (w workflowTotal) Average() time.Duration {
	if w.Completed+w.Failed == 0 {
		return 0
	}
	return w.Took / time.Duration(w.Completed+w.Failed)
}

func (h *handler) totals(r *request) error {
	values := r.URL.Query()
	if !values.Has("since") {
		values.Set("since", "7d")
	}
	f := readFilter(values)
	t, err := h.desk.Totals(r.Context(), f.query())
	if err != nil {
		return err
	}
	v := &totalsView{selection: h.selection(f, t.Problems), Failures: t.Failures, Sampled: t.Sampled}
	workflows, statuses, agents := map[string]*workflowTotal{}, map[flow.Status]int{}, map[[2]string]runstore.SpendingTotal{}
	workflow := func(name string) *workflowTotal {
		if workflows[name] == nil {
			workflows[name] = &workflowTotal{Name: name}
		}
		return workflows[name]
	}
	for _, one := range t.Runs {
		w := workflow(one.Workflow)
		w.Runs += one.Runs
		w.Took += one.Took
		switch one.Status {
		case flow.Completed:
			w.Completed += one.Runs
		case flow.Failed, flow.Cancelled, flow.LimitReached:
			w.Failed += one.Runs
		}
		statuses[one.Status] += one.Runs
		v.Runs += one.Runs
		v.Took += one.Took
	}
	for _, one := range t.Spending {
		w := workflow(one.Workflow)
		w.Spent = w.Spent.Plus(one)
		v.Spent = v.Spent.Plus(one)
		if one.Agent == "" {
			continue // nobody knows
		}
		key := [2]string{one.Agent, one.Model}
		sum := agents[key]
		sum.Agent, sum.Model = one.Agent, one.Model
		agents[key] = sum.Plus(one)
	}
	for s, n := range statuses {
		v.ByStatus = append(v.ByStatus, runstore.RunTotal{Status: s, Runs: n})
	}
	for _, w := range workflows {
		v.ByWorkflow = append(v.ByWorkflow, *w)
	}
	v.ByAgent = slices.Collect(maps.Values(agents))
	slices.SortFunc(v.ByStatus, func(a, b runstore.RunTotal) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Status, b.Status))
	})
	slices.SortFunc(v.ByWorkflow, func(a, b workflowTotal) int {
		return cmp.Or(cmp.Compare(b.Spent.Micros, a.Spent.Micros), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(v.ByAgent, func(a, b runstore.SpendingTotal) int {
		return cmp.Or(cmp.Compare(b.Micros, a.Micros), cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Model, b.Model))
	})
	return h.render(r, http.StatusOK, "totals", "Totals", v)
}

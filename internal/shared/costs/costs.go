// Package costs is the report of the command costs: sums over attempts at prompts, budgets, and
// attempts under way. Programs make it from their stores; wfc joins those of several stores. It
// is for wfc and for the programs that wfc builds.
package costs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// BudgetsVariable is the environment variable by which wfc tells a program the budgets of the
// project's wfc.yaml, as JSON: the program may be older than the file.
const BudgetsVariable = "WFC_PROJECT_BUDGETS"

// A Report is the JSON document of the command.
type Report struct {
	SchemaVersion int `json:"schema_version"`
	// Since is the beginning of the report, or zero for everything.
	Since time.Time `json:"since,omitzero"`
	// By are the columns by which the costs are grouped.
	By      []string  `json:"by"`
	Costs   []Cost    `json:"costs"`
	Budgets []Budget  `json:"budgets"`
	Open    []Attempt `json:"open"`
	// Skipped are the state folders that could not be read.
	Skipped []state.Skipped `json:"skipped,omitempty"`
}

// A Cost is the sum over a group of attempts. Columns that are not in Report.By are empty.
type Cost struct {
	Project  string `json:"project,omitempty"`
	Workflow string `json:"workflow,omitempty"`
	Agent    string `json:"agent,omitempty"`
	Model    string `json:"model,omitempty"`
	Node     string `json:"node,omitempty"`
	// Day is the local day of the attempts' ends, such as 2026-05-31.
	Day string `json:"day,omitempty"`
	// Turn identifies an attempt in all stores: an exported run has it where it was imported, too.
	Turn string `json:"turn,omitempty"`
	// CostUSD is the reported cost. Unpriced counts the attempts whose cost is unknown.
	CostUSD  float64 `json:"cost_usd"`
	Unpriced int     `json:"unpriced"`
	// LostUSD is the estimated cost of the attempts that were cut off, which Lost counts.
	LostUSD      float64 `json:"lost_usd"`
	Lost         int     `json:"lost"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	Attempts     int     `json:"attempts"`
}

// A Budget is the state of a budget.
type Budget struct {
	Project string `json:"project"`
	// Workflow is the workflow that it is for, or "" for the project.
	Workflow string `json:"workflow,omitempty"`
	// Store is the state folder or the database whose runs count: each enforces the budget itself.
	Store string `json:"store,omitempty"`
	// Window is day or month.
	Window  string `json:"window"`
	AtLimit string `json:"at_limit"`
	CostUSD Limit  `json:"cost_usd,omitzero"`
	Tokens  Limit  `json:"tokens,omitzero"`
}

// A Limit is a limit and how much of it is used. Reserved is the estimate of attempts under way.
// The zero Limit is none.
type Limit struct {
	Limit    float64 `json:"limit"`
	Spent    float64 `json:"spent"`
	Reserved float64 `json:"reserved"`
	Left     float64 `json:"left"`
}

// NewLimit returns a limit with what is left of it.
func NewLimit(limit, spent, reserved float64) Limit {
	return Limit{limit, spent, reserved, max(0, exact(limit-spent-reserved))}
}

// The states of attempts.
const (
	UnderWay = "under way"
	// Interrupted: its process died, and no other one has taken the run up yet.
	Interrupted = "interrupted"
	CutOff      = "cut off"
)

// An Attempt is one that is under way, or was cut off. Its amounts are estimates.
type Attempt struct {
	Run      string    `json:"run_id"`
	Step     string    `json:"step"`
	Attempt  int       `json:"attempt"`
	Project  string    `json:"project"`
	Workflow string    `json:"workflow"`
	Agent    string    `json:"agent"`
	Model    string    `json:"model,omitempty"`
	State    string    `json:"state"`
	Since    time.Time `json:"since"`
	CostUSD  float64   `json:"cost_usd"`
	Priced   bool      `json:"priced"`
	Tokens   int64     `json:"tokens"`
}

// TurnID returns what identifies an attempt in all stores. Stores keep times with different
// precision, milliseconds at least.
func TurnID(run, step string, attempt int, ended time.Time) string {
	return fmt.Sprintf("%s/%s/%d/%d", run, step, attempt, ended.UnixMilli())
}

// Columns are the columns by which costs can be grouped.
var Columns = []string{"workflow", "agent", "node", "day", "model", "project"}

// Ungrouped are all columns: costs that are grouped by them are those of single attempts.
var Ungrouped = append(slices.Clone(Columns), "turn")

// column returns a column of a cost.
func (c *Cost) column(name string) *string {
	return []*string{&c.Workflow, &c.Agent, &c.Node, &c.Day, &c.Model, &c.Project, &c.Turn}[slices.Index(Ungrouped, name)]
}

// ParseBy checks the columns of the flag --by; none is the workflow.
func ParseBy(names []string) ([]string, error) {
	for _, name := range names {
		if !slices.Contains(Ungrouped, name) {
			return nil, fmt.Errorf("%s", plain.UnknownValue("by", name, Columns))
		}
	}
	if len(names) == 0 {
		names = Columns[:1]
	}
	return plain.AddNew([]string(nil), names...), nil
}

// GroupBy replaces the costs by the sums over groups that are alike in some columns. Days come in
// order, other groups by falling cost.
func (r *Report) GroupBy(by []string) {
	at := map[Cost]int{}
	groups := []Cost{}
	for i := range r.Costs {
		c := &r.Costs[i]
		var group Cost
		for _, name := range by {
			*group.column(name) = *c.column(name)
		}
		n, ok := at[group]
		if !ok {
			n = len(groups)
			at[group] = n
			groups = append(groups, group)
		}
		groups[n].add(c)
	}
	slices.SortStableFunc(groups, func(a, b Cost) int {
		if slices.Contains(by, "day") && a.Day != b.Day {
			return cmp.Compare(a.Day, b.Day)
		}
		order := cmp.Compare(b.CostUSD+b.LostUSD, a.CostUSD+a.LostUSD)
		for _, name := range by {
			order = cmp.Or(order, cmp.Compare(*a.column(name), *b.column(name)))
		}
		return order
	})
	r.By, r.Costs = by, groups
}

// add adds the amounts of another cost.
func (c *Cost) add(o *Cost) {
	c.CostUSD = exact(c.CostUSD + o.CostUSD)
	c.Unpriced += o.Unpriced
	c.LostUSD = exact(c.LostUSD + o.LostUSD)
	c.Lost += o.Lost
	c.InputTokens += o.InputTokens
	c.OutputTokens += o.OutputTokens
	c.Attempts += o.Attempts
}

// exact rounds a sum to millionths, in which stores keep money.
func exact(sum float64) float64 { return math.Round(sum*1e6) / 1e6 }

// Join adds the report of another store, which is grouped by the same columns. Attempts that both
// stores have count once.
func (r *Report) Join(o *Report) {
	r.Costs = addNew(r.Costs, o.Costs, func(c *Cost) string { return c.Turn })
	r.Open = addNew(r.Open, o.Open, func(a *Attempt) string { return TurnID(a.Run, a.Step, a.Attempt, a.Since) })
	r.Budgets = addNew(r.Budgets, o.Budgets, func(b *Budget) string { return fmt.Sprint(*b) })
	r.Since = o.Since
}

// addNew adds the items whose ids are not among those of a list.
func addNew[T any](list, more []T, id func(*T) string) []T {
	known := map[string]bool{}
	for i := range list {
		known[id(&list[i])] = true
	}
	for i := range more {
		if own := id(&more[i]); own == "" || !known[own] {
			list = append(list, more[i])
		}
	}
	return list
}

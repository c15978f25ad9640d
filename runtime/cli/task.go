package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// taskDocument is what --json says of the task of a state graph's run.
type taskDocument struct {
	// Folder keeps the state. Its run may be another by now: then the rest is
	// missing.
	Folder string `json:"folder"`
	Status string `json:"status,omitempty"`
	// CurrentNode is the node at which the run is or goes on, END behind the last.
	CurrentNode string         `json:"current_node,omitempty"`
	Reason      string         `json:"exit_reason,omitempty"`
	Limits      limitsDocument `json:"limits"`
	Usage       *usageDocument `json:"usage,omitempty"`
}

// limitsDocument are the limits that there are.
type limitsDocument struct {
	Iterations int     `json:"max_iterations,omitempty"`
	Minutes    float64 `json:"max_time_minutes,omitempty"`
	CostUSD    float64 `json:"max_cost_dollars,omitempty"`
	Parallel   int     `json:"max_parallel_branches,omitempty"`
}

type usageDocument struct {
	Iterations int     `json:"iterations_used"`
	Minutes    float64 `json:"time_elapsed_minutes"`
	CostUSD    float64 `json:"estimated_cost_dollars"`
}

func limitsOf(l flow.Limits) limitsDocument {
	return limitsDocument{l.Iterations, l.Time.Minutes(), l.CostUSD, l.Parallel}
}

func (a *app) taskDocument(r *local.RunStatus) *taskDocument {
	task, folder := a.taskOf(r)
	if folder == "" {
		return nil
	}
	d := &taskDocument{Folder: folder, Limits: limitsOf(a.program.Definition.Graph.Limits)}
	if task == nil {
		return d
	}
	s := task.State
	d.Status, d.Reason, d.CurrentNode, d.Limits = s.Status, s.Reason, s.Next, limitsOf(s.Limits)
	if d.CurrentNode == "" {
		d.CurrentNode = "END"
	}
	d.Usage = &usageDocument{s.Iteration, s.Usage.Elapsed.Minutes(), s.Usage.CostUSD}
	return d
}

// lines tell a person of the task.
func (d *taskDocument) lines() string {
	var b strings.Builder
	if d.Usage != nil {
		used := func(amount, most string) string {
			if most == "" {
				return amount
			}
			return amount + " of " + most
		}
		most := func(limit float64, text string) string {
			if limit == 0 {
				return ""
			}
			return text
		}
		l, u := d.Limits, d.Usage
		elapsed := func(m float64) string { return minutes(time.Duration(m * float64(time.Minute))) }
		fmt.Fprintf(&b, "at %s: %s nodes, %s minutes", plain.Line(d.CurrentNode),
			used(fmt.Sprint(u.Iterations), most(float64(l.Iterations), fmt.Sprint(l.Iterations))), used(elapsed(u.Minutes), most(l.Minutes, elapsed(l.Minutes))))
		if u.CostUSD > 0 || l.CostUSD > 0 {
			fmt.Fprintf(&b, ", %s", used(fmt.Sprintf("$%.2f", u.CostUSD), most(l.CostUSD, fmt.Sprintf("$%.2f", l.CostUSD))))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "task: %s\n", d.Folder)
	return b.String()
}

// text is the limits for a person, or "".
func (l limitsDocument) text() string {
	var list []string
	if l.Iterations > 0 {
		list = append(list, fmt.Sprintf("%d nodes", l.Iterations))
	}
	if l.Minutes > 0 {
		list = append(list, minutes(time.Duration(l.Minutes*float64(time.Minute)))+" minutes")
	}
	if l.CostUSD > 0 {
		list = append(list, fmt.Sprintf("$%.2f", l.CostUSD))
	}
	if l.Parallel > 0 {
		list = append(list, fmt.Sprintf("%d branches at once", l.Parallel))
	}
	return strings.Join(list, ", ")
}

// taskFolder is the folder of a run that is begun here without saying which.
func (a *app) taskFolder() string {
	keeper := a.keeper()
	dir, err := os.Getwd()
	if keeper == nil || err != nil {
		return ""
	}
	return keeper.Folder(&flow.RunInfo{Workflow: a.program.Definition.Name, WorkDir: dir}, a.program.Definition)
}

// lastNodes are the nodes that lead to the end of a state graph.
func lastNodes(g *flow.GraphInfo) []string {
	var list []string
	seen := map[string]bool{}
	for _, e := range g.Edges {
		if e.To == "" && e.From != "" && !seen[e.From] {
			seen[e.From] = true
			list = append(list, e.From)
		}
	}
	return list
}

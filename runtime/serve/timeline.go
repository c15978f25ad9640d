package serve

import (
	"cmp"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// A nodeRow is a node of a run with its parts folded: the iterations of a loop, the items of a
// list, the attempts and questions of a step.
type nodeRow struct {
	flow.Record
	// Parts counts the steps below the node, Failed those that failed, Open those that run or wait.
	Parts, Failed, Open int
	// Spent is what the node and its parts have cost.
	Spent flow.Meta
	Bar   bar
}

// A bar is a part of the time of a run, in thousandths.
type bar struct{ From, Width int }

// foldSteps returns the nodes of a run in their order.
func foldSteps(steps []flow.Record) []nodeRow {
	keys := stepkey.KeysOf(steps)
	at := make(map[string]int, len(steps))
	var rows []nodeRow
	for _, s := range steps {
		node := keys.Outermost(s.Key)
		i, ok := at[node]
		if !ok {
			i, at[node] = len(rows), len(rows)
			rows = append(rows, nodeRow{Record: flow.Record{Key: node, Kind: s.Kind, Status: flow.Pending}})
		}
		row := &rows[i]
		if s.Key == node {
			row.Record = s
			row.Spent = row.Spent.Plus(s.Meta)
			continue
		}
		if s.Status == flow.Pending {
			continue // the run has not come to it again
		}
		row.Parts++
		switch s.Status {
		case flow.Failed:
			row.Failed++
		case flow.Running, flow.Waiting:
			row.Open++
		}
		if !row.Status.Ended() { // the record of a node that has ended has the cost of its parts
			row.Spent = row.Spent.Plus(s.Meta)
			if s.Status == flow.Waiting {
				row.Status = flow.Waiting
			}
		}
		if row.Started.IsZero() || !s.Started.IsZero() && s.Started.Before(row.Started) {
			row.Started = s.Started
		}
	}
	return rows
}

// partsOf returns the steps below a node that the run has come to.
func partsOf(steps []flow.Record, node string) []flow.Record {
	keys := stepkey.KeysOf(steps)
	var list []flow.Record
	for _, s := range steps {
		if s.Key != node && s.Status != flow.Pending && keys.Outermost(s.Key) == node {
			list = append(list, s)
		}
	}
	stepkey.SortItems(list, func(s flow.Record) string { return s.Key })
	return list
}

// setBars sets the bars of rows in the time of a run.
func setBars(rows []nodeRow, run *desk.Run) {
	for i := range rows {
		rows[i].Bar = newBar(rows[i].Record, run.Created, cmp.Or(run.Finished, time.Now()))
	}
}

func newBar(s flow.Record, from, to time.Time) bar {
	whole := to.Sub(from)
	if s.Started.IsZero() || whole <= 0 {
		return bar{}
	}
	part := func(t time.Time) int { return int(min(1000, max(0, 1000*t.Sub(from)/whole))) }
	b := bar{From: part(s.Started)}
	b.Width = max(4, part(cmp.Or(s.Finished, to))-b.From)
	b.From = min(b.From, 1000-b.Width)
	return b
}

// A part is a page of a list.
type part[T any] struct {
	Items []T
	// Number counts from 1. Before and After are the numbers of the pages beside it, or 0.
	Number, Pages, Before, After int
	Total                        int
}

// newPart returns a page of a list.
func newPart[T any](list []T, number, size int) part[T] {
	p := part[T]{Number: max(1, number), Pages: max(1, (len(list)+size-1)/size), Total: len(list)}
	p.Number = min(p.Number, p.Pages)
	p.Items = list[min(len(list), (p.Number-1)*size):min(len(list), p.Number*size)]
	if p.Before = p.Number - 1; p.Number < p.Pages {
		p.After = p.Number + 1
	}
	return p
}

package report

import (
	"bufio"
	"cmp"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/finding"
)

// writeBounds writes how long runs of a workflow can be, for people.
func writeBounds(out *bufio.Writer, name string, b *explore.Report) {
	row := func(what, text string) { fmt.Fprintf(out, "  %-18s %s\n", what, text) }
	fmt.Fprintf(out, "%s: bounds of a run\n", name)
	if b.Complete {
		row("explored", fmt.Sprintf("%s (all)", finding.Count(b.Configurations, "configuration")))
	} else {
		row("explored", fmt.Sprintf("more than %d configurations; the figures are upper or lower bounds", b.Bound))
	}
	if b.ShortestWay == nil {
		row("shortest run", "no run reaches END")
	} else {
		row("shortest run", finding.Count(b.Shortest, "node")+": "+b.ShortestWay.String()+" → END")
	}
	row("longest run", boundText(finding.Count(b.Longest, "node"), b.LongestBy))
	for i, c := range b.Calls {
		what := ""
		if i == 0 {
			what = "calls at most"
		}
		row(what, c.Agent+": "+boundText(fmt.Sprint(c.Most), c.By))
	}
	row("time limits allow", boundText(b.Time.Round(time.Second).String(), b.TimeBy))
	for i, e := range b.Unsuccessful {
		what := ""
		if i == 0 {
			what = "unsuccessful ends"
		}
		label := cmp.Or(e.Label, "skipped")
		sure := ""
		if e.Meets != nil {
			sure = ", or successful"
		}
		row(what, fmt.Sprintf("at %s [%s]%s", e.Node.ID, label, sure))
	}
}

// boundNames are the names of what bounds figures, in JSON.
var boundNames = [...]string{explore.Nothing: "nothing", explore.Structure: "structure", explore.Iterations: "max_iterations", explore.Clock: "max_time_minutes"}

func boundText(figure string, by explore.Bounded) string {
	switch by {
	case explore.Structure:
		return figure
	case explore.Iterations, explore.Clock:
		return figure + ", bounded only by " + boundNames[by]
	}
	return "not bounded"
}

type jsonBounds struct {
	File           string      `json:"file"`
	Configurations int         `json:"configurations"`
	Complete       bool        `json:"complete"`
	Shortest       *int        `json:"shortest_run,omitempty"`
	ShortestWay    []jsonHop   `json:"shortest_way,omitempty"`
	Longest        *int        `json:"longest_run,omitempty"`
	LongestBy      string      `json:"longest_bounded_by"`
	Calls          []jsonCalls `json:"calls_at_most"`
	Minutes        *float64    `json:"minutes_at_most,omitempty"`
	TimeBy         string      `json:"time_bounded_by"`
	Unsuccessful   []jsonHop   `json:"unsuccessful_ends"`
}

type jsonHop struct {
	Node  string `json:"node"`
	Label string `json:"label,omitempty"`
}

type jsonCalls struct {
	Agent string `json:"agent"`
	Most  *int   `json:"most,omitempty"`
	By    string `json:"bounded_by"`
}

func jsonBoundsOf(name string, b *explore.Report) jsonBounds {
	doc := jsonBounds{
		File: name, Configurations: b.Configurations, Complete: b.Complete, LongestBy: boundNames[b.LongestBy],
		TimeBy: boundNames[b.TimeBy], Calls: []jsonCalls{}, Unsuccessful: []jsonHop{},
	}
	if b.ShortestWay != nil {
		doc.Shortest = &b.Shortest
		for _, h := range b.ShortestWay {
			doc.ShortestWay = append(doc.ShortestWay, jsonHop{h.Node.ID, h.Label})
		}
	}
	if b.LongestBy != explore.Nothing {
		doc.Longest = &b.Longest
	}
	for _, c := range b.Calls {
		calls := jsonCalls{Agent: c.Agent, By: boundNames[c.By]}
		if c.By != explore.Nothing {
			calls.Most = &c.Most
		}
		doc.Calls = append(doc.Calls, calls)
	}
	if b.TimeBy != explore.Nothing {
		minutes := b.Time.Minutes()
		doc.Minutes = &minutes
	}
	for _, e := range b.Unsuccessful {
		doc.Unsuccessful = append(doc.Unsuccessful, jsonHop{e.Node.ID, e.Label})
	}
	return doc
}

// Package cover reports what the tests of a workflow cover: nodes, edges, results of
// conditions and of each of their terms, inputs of trigger rules, ends of loops, answers at
// gates, retries, and alternatives of schemas.
//
// The items come from the compiled program, with their lines. Which of them the tests
// covered comes from the test program, by name: runtime/internal/testrun lists the names.
package cover

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/ir"
)

// kinds are the kinds of items, in the order of reports.
var kinds = []string{"nodes", "edges", "conditions", "terms", "rules", "loops", "gates", "retries", "alternatives"}

// An Item is something that tests can cover.
type Item struct {
	// Kind is one of kinds.
	Kind string
	// Node is the key of the node to which the item belongs, or "".
	Node string
	// Text describes the item.
	Text string
	// Line is its line in the workflow file.
	Line int
	// At is its place, which may be in another file.
	At source.Span
	// Hits is the number of times that tests covered it.
	Hits int
	// Name is the name of its hits: see testrun.Hits. For a term it is `term PLACE RESULT`.
	Name string
}

// Counts is the coverage of a workflow by its tests, as the test program writes it.
type Counts struct {
	// Hits counts facts by name.
	Hits map[string]int
	// Terms counts how often a term did not hold and held, by its offsets in the file.
	Terms map[string][2]uint64
}

// Of returns the items of a program in the order of their lines.
func Of(p *ir.Program, c Counts) []Item {
	l := &list{file: p.File, seen: map[string]bool{}, branches: map[*ir.Node]string{}}
	l.addBody(p.Workflow.Body)
	switch body := p.Workflow.Body.(type) {
	case *ir.Graph:
		for _, e := range body.Start {
			l.addEdge("START", e)
		}
		for _, n := range body.Nodes {
			for _, e := range n.Out {
				l.addEdge(n.ID, e)
			}
		}
	case *ir.Sequence:
		l.addSequence(body)
	}
	for i := range l.items {
		l.items[i].Hits = c.Hits[l.items[i].Name]
	}
	l.addTerms(c.Terms, singleTermGuards(p.Workflow.Body))
	slices.SortStableFunc(l.items, func(a, b Item) int { return a.Line - b.Line })
	return l.items
}

type list struct {
	file  *source.File
	items []Item
	seen  map[string]bool
	// branches are the keys of the branches of forks, whose ids lack the fork's.
	branches map[*ir.Node]string
}

// keyInRun is the key of a node in a run, with dots between its parts.
func (l *list) keyInRun(n *ir.Node) string {
	if key, ok := l.branches[n]; ok {
		return key
	}
	return n.ID
}

func (l *list) add(kind, node string, at source.Span, name, format string, args ...any) {
	if l.seen[name] {
		return
	}
	l.seen[name] = true
	line := 1
	if at.IsValid() && at.File == l.file {
		line = at.Position().Line
	}
	l.items = append(l.items, Item{Kind: kind, Node: node, Text: fmt.Sprintf(format, args...), Line: line, At: at, Name: name})
}

func (l *list) addBody(b ir.Body) {
	ir.Walk(b, func(n *ir.Node) {
		id := l.keyInRun(n)
		if fork, ok := n.Action.(*ir.Fork); ok {
			for _, branch := range fork.Nodes {
				l.branches[branch] = id + "." + branch.Local()
			}
		}
		l.add("nodes", id, n.IDSpan, "node "+id, "node `%s` runs", id)
		rest := false // a dependency may be skipped
		for _, need := range n.Needs {
			if _, cancels := need.Node.Action.(*ir.Cancel); cancels && !need.Order {
				// A cancelled run starts no node any more: only a skipped one leads on.
				l.add("edges", id, need.Span, "past "+l.keyInRun(need.Node)+" "+id, "edge `%s` → `%s` past the skipped `%[1]s`", l.keyInRun(need.Node), id)
				rest = true
			} else if !need.Order {
				l.add("edges", id, need.Span, "edge "+l.keyInRun(need.Node)+" "+id, "edge `%s` → `%s`", l.keyInRun(need.Node), id)
				rest = rest || need.Node.When != nil || len(need.Node.Needs) > 0
			}
		}
		if n.When != nil {
			for _, result := range []string{"true", "false"} {
				l.add("conditions", id, n.When.Span(), "when "+id+" "+result, "condition of `%s` is %s", id, result)
			}
		}
		if n.Rule != ir.AllSuccess && len(n.Needs) > 0 {
			if rest {
				l.add("rules", id, n.IDSpan, "rule "+id+" skipped", "`%s` of `%s` with a skipped input", n.Rule, id)
			}
			l.add("rules", id, n.IDSpan, "rule "+id+" failed", "`%s` of `%s` with a failed input", n.Rule, id)
		}
		if n.Retry != nil && n.Retry.Max > 0 && n.Retry.Span.IsValid() {
			l.add("retries", id, n.Retry.Span, "retry "+id, "retry of `%s`", id)
		}
		l.addAction(n)
		if n.Schema != "" {
			l.addSchemaValues(n)
		}
	})
}

func (l *list) addAction(n *ir.Node) {
	id := l.keyInRun(n)
	exit := func(end, text string) {
		l.add("loops", id, n.IDSpan, "loop "+id+" "+end, "loop `%s` ends %s", id, text)
	}
	switch a := n.Action.(type) {
	case *ir.Loop:
		exit("done", "by its signal or its test")
		exit("limit", "by its limit")
		exit("error", "by an error")
		if a.Gate != nil {
			l.addAnswers(n, n.IDSpan, "approve", "reject")
		}
	case *ir.Repeat:
		exit("done", "by its condition")
		exit("limit", "by its limit")
		exit("error", "by an error")
	case *ir.ForEach:
		exit("done", "after its last item")
		exit("error", "by an error")
	case *ir.Approval:
		if len(a.Decisions) > 0 {
			l.addAnswers(n, n.IDSpan, a.Decisions...)
		} else {
			l.addAnswers(n, n.IDSpan, "approve", "reject")
		}
	case *ir.Human:
		for _, label := range n.Labels {
			l.addAnswers(n, n.IDSpan, label.Name)
		}
	}
	if n.Review != nil {
		l.addAnswers(n, n.Review.Span, "accept", "reject")
	}
}

func (l *list) addAnswers(n *ir.Node, at source.Span, choices ...string) {
	for _, choice := range choices {
		l.add("gates", l.keyInRun(n), at, "gate "+l.keyInRun(n)+" "+choice, "answer `%s` at `%s`", choice, l.keyInRun(n))
	}
}

func (l *list) addEdge(from string, e *ir.Edge) {
	to := "END"
	if e.To != nil {
		to = e.To.ID
	}
	l.add("edges", from, e.Span, "edge "+from+" "+to, "edge `%s` → `%s`", from, to)
}

// mostAlternatives bounds the alternatives of a schema, and deepest its depth.
const (
	mostAlternatives = 200
	deepest          = 8
)

// addSchemaValues adds the values of enums and bools, and null where it is one of several types.
func (l *list) addSchemaValues(n *ir.Node) {
	var root map[string]any
	if json.Unmarshal([]byte(n.Schema), &root) != nil {
		return
	}
	at := n.SchemaSpan
	if !at.IsValid() {
		at = n.IDSpan
	}
	before := len(l.items)
	var visit func(s map[string]any, path string, depth int)
	value := func(path string, v any) {
		text, err := json.Marshal(v)
		if err == nil && len(l.items)-before < mostAlternatives {
			l.add("alternatives", l.keyInRun(n), at, "alt "+l.keyInRun(n)+" "+path+" "+string(text), "`%s%s` is %s", l.keyInRun(n), path, text)
		}
	}
	visit = func(s map[string]any, path string, depth int) {
		if depth > deepest {
			return
		}
		if values, ok := s["enum"].([]any); ok {
			for _, v := range values {
				switch v.(type) {
				case string, bool, nil:
					value(path, v)
				}
			}
			return
		}
		types, _ := s["type"].([]any)
		if t, ok := s["type"].(string); ok {
			types = []any{t}
		}
		for _, t := range types {
			switch {
			case t == "boolean":
				value(path, true)
				value(path, false)
			case t == "null" && len(types) > 1:
				value(path, nil)
			}
		}
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if of, ok := properties[name].(map[string]any); ok {
				visit(of, path+"."+name, depth+1)
			}
		}
		if of, ok := s["items"].(map[string]any); ok {
			visit(of, path+"[]", depth+1)
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			list, _ := s[key].([]any)
			for _, of := range list {
				if of, ok := of.(map[string]any); ok {
					visit(of, path, depth+1)
				}
			}
		}
	}
	visit(root, "", 0)
}

// singleTermGuards returns the places of the guards of a state graph that have a single term. The
// edges say all about them.
func singleTermGuards(b ir.Body) map[string]bool {
	places := map[string]bool{}
	g, ok := b.(*ir.Graph)
	if !ok {
		return places
	}
	add := func(edges []*ir.Edge) {
		for _, e := range edges {
			if e.Guard != nil {
				places[fmt.Sprintf("%d-%d", e.Guard.Span().Start, e.Guard.Span().End)] = true
			}
		}
	}
	add(g.Start)
	for _, n := range g.Nodes {
		add(n.Out)
	}
	return places
}

// addTerms adds both results of each term of a condition, without those at the places.
func (l *list) addTerms(counts map[string][2]uint64, without map[string]bool) {
	for _, place := range slices.Sorted(maps.Keys(counts)) {
		first, last, _ := strings.Cut(place, "-")
		start, err := strconv.Atoi(first)
		end, err2 := strconv.Atoi(last)
		if without[place] || err != nil || err2 != nil {
			continue // the test program writes only offsets
		}
		at := source.Span{File: l.file, Start: start, End: end}
		text := strings.Join(strings.Fields(at.Text()), " ")
		for i, result := range []string{"false", "true"} {
			l.add("terms", "", at, "term "+place+" "+result, "`%s` is %s", text, result)
			l.items[len(l.items)-1].Hits = int(min(counts[place][i], 1<<31))
		}
	}
}

package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// workerKinds are the kinds of steps that a worker can limit, and their actions.
var workerKinds = map[string]string{
	"agent": flow.Prompt{}.Kind(), "bash": flow.Bash{}.Kind(), "script": flow.Script{}.Kind(), "deliver": flow.Delivery{}.Kind(),
}

// workerLimits reads --concurrency, such as 8, agent=2 or 8,agent=2,bash=4, and checks the
// tags.
func (a *app) workerLimits(w *cluster.Worker, text string) error {
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		name, number, byKind := strings.Cut(strings.TrimSpace(part), "=")
		if !byKind {
			name, number = "", name
		}
		n, err := strconv.Atoi(number)
		kind, known := workerKinds[name]
		switch {
		case err != nil || n < 1:
			return usage("`--concurrency %s`: give a number above 0, or numbers by kind such as agent=2,bash=8", text)
		case !byKind:
			w.MaxActions = n
		case !known:
			return usage("`--concurrency %s`: `%s` is not a kind of steps; give agent, bash, script or deliver", text, name)
		default:
			if w.Limits == nil {
				w.Limits = map[string]int{}
			}
			w.Limits[kind] = n
		}
	}
	if w.MaxActions > 0 {
		if w.Limits == nil {
			w.Limits = map[string]int{}
		}
		w.Limits[""] = w.MaxActions
	}
	needed := tagsOf(definitions(a.program.Definition))
	for _, tag := range w.Tags {
		if !slices.Contains(needed, tag) {
			fmt.Fprintf(a.streams.Err, "%s: warning: no node of %s needs the tag `%s`\n", a.name, a.program.Definition.Name, tag)
		}
	}
	return nil
}

// tagsOf returns the tags that nodes of workflows need, in order.
func tagsOf(defs []*flow.Definition) []string {
	var tags []string
	for _, d := range defs {
		for _, n := range d.Nodes {
			tags = append(tags, n.Tags...)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

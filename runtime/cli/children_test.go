package cli_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// whileHeld is a script that stays while there is a file `hold`.
const whileHeld = `if [ -e hold ]; then echo $$ >held; while [ -e hold ]; do read -r -t 0.05 <> <(:); done; fi; `

// untilShipped is a script that stays until build has shipped.
const untilShipped = `while [ ! -e performed ] || ! grep -q shipped performed; do read -r -t 0.05 <> <(:); done; true`

// build is a workflow that others run.
func build() *flow.Definition {
	def := &flow.Definition{Name: "build", Fingerprint: "b1", Nodes: []flow.NodeInfo{
		{Key: "make", Kind: "bash"}, {Key: "gate", Kind: "approval", After: []string{"make"}}, {Key: "ship", Kind: "bash", After: []string{"gate"}},
	}}
	def.Flow = func(c *flow.Context) (any, error) {
		a := node(c, "make", "echo made >>performed; "+whileHeld+"printf made", nil)
		g := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Ship it?", Capture: true}.Run(c)
		}})
		s := node(c, "ship", `echo shipped >>performed; `+strings.ReplaceAll(whileHeld, "held", "held2")+`if [ -e fail ]; then echo no ship >&2; exit 3; fi; printf shipped`, nil, g)
		err := flow.Settle(c)
		return map[string]string{"ship": s.Final().Text}, err
	}
	return def
}

// child spawns a node that runs a workflow.
func child(c *flow.Context, key, workflow string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "workflow", After: after, Run: func(c *flow.Context) (string, error) {
		return flow.TextOf(c.Do(flow.Child{Workflow: workflow}))
	}})
}

// releases runs build between two steps.
func releases() *flow.Definition {
	def := &flow.Definition{Name: "release", Fingerprint: "r1", Children: []*flow.Definition{build()}, Nodes: []flow.NodeInfo{
		{Key: "prepare", Kind: "bash"}, {Key: "build", Kind: "workflow", Workflow: "build", After: []string{"prepare"}}, {Key: "tell", Kind: "bash", After: []string{"build"}},
	}}
	if os.Getenv("RELEASE_BESIDE") != "" {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "beside", Kind: "bash"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		p := node(c, "prepare", "echo prepared >>performed", nil)
		b := child(c, "build", "build", p)
		node(c, "tell", `echo told >>performed; printf 'released: %s' "$B"`, []flow.Binding{{Name: "B", Value: "it"}}, b)
		if os.Getenv("RELEASE_BESIDE") != "" {
			node(c, "beside", untilShipped, nil)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// outer runs release, which runs build.
func outer() *flow.Definition {
	def := &flow.Definition{Name: "outer", Fingerprint: "o1", Children: []*flow.Definition{releases()}, Nodes: []flow.NodeInfo{{Key: "all", Kind: "workflow", Workflow: "release"}}}
	if os.Getenv("OUTER_BESIDE") != "" {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "beside", Kind: "bash"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		if os.Getenv("OUTER_BESIDE") != "" {
			node(c, "beside", untilShipped, nil)
		}
		child(c, "all", "release")
		return nil, flow.Settle(c)
	}
	return def
}

// waitQuestions waits for what the environment says: a duration, an event or a person.
func waitQuestions() *flow.Definition {
	def := &flow.Definition{Name: "waits", Fingerprint: "w1", Schedule: "TZ=UTC 0 9 1 1 *", Nodes: []flow.NodeInfo{{Key: "pause", Kind: "wait"}, {Key: "after", Kind: "bash", After: []string{"pause"}}}}
	w := steps.Wait{Event: os.Getenv("WAIT_EVENT"), Attention: os.Getenv("WAIT_ATTENTION")}
	if os.Getenv("WAIT_TWICE") != "" {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "again", Kind: "wait"})
	}
	w.For, _ = time.ParseDuration(os.Getenv("WAIT_FOR"))
	w.EventTimeout = time.Hour
	if d := os.Getenv("WAIT_DEADLINE"); d != "" {
		w.EventTimeout, _ = time.ParseDuration(d)
	}
	def.Flow = func(c *flow.Context) (any, error) {
		p := flow.Spawn(c, flow.Node[string]{Key: "pause", Kind: "wait", Run: func(c *flow.Context) (string, error) { return w.Run(c) }})
		if os.Getenv("WAIT_TWICE") != "" {
			flow.Spawn(c, flow.Node[string]{Key: "again", Kind: "wait", Run: func(c *flow.Context) (string, error) { return w.Run(c) }})
		}
		flow.Spawn(c, flow.Node[string]{Key: "after", Kind: "bash", After: flow.After(p), Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: `echo once >>performed; printf 'after: %s' "$P"`, Bindings: []flow.Binding{{Name: "P", Value: p.MustOutput().Text}}})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	return def
}

// decides has a gate with three decisions.
func decides() *flow.Definition {
	def := &flow.Definition{Name: "decides", Fingerprint: "d1", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "after", Kind: "bash", After: []string{"gate"}}}}
	choices := []string{"approve", "revise", "reject"}
	if os.Getenv("NO_REJECT") != "" {
		choices = choices[:2]
	}
	def.Flow = func(c *flow.Context) (any, error) {
		g := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Decision[string]{Message: "What now?", Choices: choices}.Run(c)
		}})
		flow.Spawn(c, flow.Node[string]{Key: "after", Kind: "bash", After: flow.After(g), Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: `printf '%s' "$G"`, Bindings: []flow.Binding{{Name: "G", Value: g.MustOutput().Text}}})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	return def
}

// fan runs a workflow for each of twelve items, the later ones first.
func fan() *flow.Definition {
	part := &flow.Definition{Name: "part", Fingerprint: "p1", Nodes: []flow.NodeInfo{{Key: "do", Kind: "bash"}}}
	part.Flow = func(c *flow.Context) (any, error) {
		node(c, "do", "true", nil)
		return nil, flow.Settle(c)
	}
	def := &flow.Definition{Name: "fan", Fingerprint: "f1", Children: []*flow.Definition{part}, Nodes: []flow.NodeInfo{{Key: "items", Kind: "workflow", Workflow: "part"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "items", Kind: "workflow", Run: func(c *flow.Context) (string, error) {
			var items []string
			for i := range 12 {
				items = append(items, fmt.Sprintf("file %d of a long list of files with long names, which no line can show", i))
			}
			return steps.FanOut{}.Each(c, items, func(c *flow.Context, item string) (string, error) {
				r, err := c.Do(part.Child(map[string]string{"file": item, "mode": "fast"}))
				return r.Text, err
			})
		}})
		return nil, flow.Settle(c)
	}
	return def
}

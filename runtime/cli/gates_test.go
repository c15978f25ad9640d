package cli_test

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
)

// gate spawns an approval. A time limit in seconds may be in GATE_TIMEOUT.
func gate(c *flow.Context, key, message string, after ...flow.AnyTask) *flow.Task[string] {
	seconds, _ := strconv.Atoi(os.Getenv("GATE_TIMEOUT"))
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "approval", After: after, Run: func(c *flow.Context) (string, error) {
		return steps.Approval{Message: message, Capture: true, Timeout: time.Duration(seconds) * time.Second}.Run(c)
	}})
}

// ship begins with a gate. Beside that runs `side`, which fails while there is a
// file `fail` and holds while there is a file `hold`.
func ship() *flow.Definition {
	def := &flow.Definition{
		Name: "ship", Fingerprint: "s1",
		Nodes: []flow.NodeInfo{
			{Key: "gate", Kind: "approval"}, {Key: "side", Kind: "bash"},
			{Key: "publish", Kind: "bash", After: []string{"gate"}},
		},
	}
	if f := os.Getenv("SHIP_FINGERPRINT"); f != "" && os.Getenv("WFC_RESUMED_FOR") == "" {
		def.Fingerprint = f // as another build has it
	}
	message := "Ship it?\nSee $(the notes)."
	if os.Getenv("SHIP_ESCAPES") != "" {
		message = "harm\x1b[2Kless\r\x1b[1A"
	}
	if os.Getenv("SHIP_LONG") != "" {
		message = "Shall this be published to all customers, after everybody has read it?"
	}
	def.Flow = func(c *flow.Context) (any, error) {
		g := gate(c, "gate", message)
		node(c, "side", `if [ -e hold ]; then echo $$ >held; while [ -e hold ]; do read -r -t 0.05 <> <(:); done; fi; if [ -e fail ]; then echo broken >&2; exit 1; fi; echo ran >>side`, nil)
		said := ""
		publish := flow.Spawn(c, flow.Node[string]{Key: "publish", Kind: "bash", After: []flow.AnyTask{g}, Run: func(c *flow.Context) (string, error) {
			said = g.Final().Text
			r, err := c.Do(flow.Bash{Script: `echo "published: $SAID" >>published; echo "published: $SAID"`, Bindings: []flow.Binding{{Name: "SAID", Value: said}}})
			return r.Text, err
		}})
		err := flow.Settle(c)
		return map[string]string{"publish": publish.Final().Text}, err
	}
	return def
}

// two has two gates that are open at one time.
func two() *flow.Definition {
	def := &flow.Definition{Name: "two", Fingerprint: "t1", Nodes: []flow.NodeInfo{
		{Key: "first", Kind: "approval"}, {Key: "second", Kind: "approval"}, {Key: "end", Kind: "bash", After: []string{"first", "second"}},
	}}
	def.Flow = func(c *flow.Context) (any, error) {
		a, b := gate(c, "first", "The first?"), gate(c, "second", "The second?")
		node(c, "end", `echo both`, nil, a, b)
		return nil, flow.Settle(c)
	}
	return def
}

// fix plans, and then repeats until the agent says DONE and a person agrees.
func fix() cli.Program {
	def := &flow.Definition{Name: "fix", Fingerprint: "f1", Agents: []string{"claude"}, Nodes: []flow.NodeInfo{
		{Key: "plan", Kind: "prompt", Agent: "claude"}, {Key: "fix", Kind: "loop", After: []string{"plan"}},
	}}
	def.Flow = func(c *flow.Context) (any, error) {
		plan := flow.Spawn(c, flow.Node[string]{Key: "plan", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: "make a plan"})
			return r.Text, err
		}})
		flow.Spawn(c, flow.Node[string]{Key: "fix", Kind: "loop", After: []flow.AnyTask{plan}, Run: func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: 3, Gate: "Is it fixed?", Goal: "DONE",
				Done: func(text string) bool { return strings.Contains(text, "DONE") },
				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
					return c.Do(flow.Prompt{Agent: "claude", Text: "fix it; the person says: " + i.Answer})
				},
			}.Run(c)
		}})
		return nil, flow.Settle(c)
	}
	p := program(def)
	p.Prompts = prompts.Opener(nil)
	return p
}

// self tries to pass its own gate, in as many ways as it can think of.
func self() *flow.Definition {
	def := &flow.Definition{Name: "self", Fingerprint: "s1", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "try", Kind: "bash"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		gate(c, "gate", "Really?")
		node(c, "try", `run=$WFC_RUN_ID
			tried() { printf '%s: exit %s\n' "$1" "$2" >>tried; }
			self approve "$run" 2>>said; tried plain $?
			self reject "$run" 2>>said; tried reject $?
			self answer "$run" --choice approve 2>>said; tried answer $?
			env -u WFC_RUN_ID self approve "$run" 2>>said; tried unset $?
			(unset WFC_RUN_ID; exec self approve "$run") 2>>said; tried exec $?
			env -i PATH="$PATH" WFC_STATE="$WFC_STATE" setsid -w self approve "$run" 2>>said; tried setsid $?
			WFC_RUN_ID=other self approve "$run" 2>>said; tried other $?
			echo approve | self approve "$run" 2>>said; tried piped $?`, nil)
		return nil, flow.Settle(c)
	}
	return def
}

// picks asks for one of several things, and for words.
func picks() *flow.Definition {
	def := &flow.Definition{Name: "pick", Fingerprint: "p1", Nodes: []flow.NodeInfo{{Key: "target", Kind: "approval"}, {Key: "name", Kind: "approval"}}}
	ask := func(c *flow.Context, key string, q flow.Question) *flow.Task[string] {
		return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "approval", Run: func(c *flow.Context) (string, error) {
			r, err := c.Ask("", q)
			return r.Meta.Choice + "/" + r.Text, err
		}})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		target := ask(c, "target", flow.Question{Message: "Where to?", Choices: []string{"staging", "the moon"}})
		name := ask(c, "name", flow.Question{Message: "Which name?"})
		err := flow.Settle(c)
		return map[string]string{"target": target.Final().Text, "name": name.Final().Text}, err
	}
	return def
}

// mute is a workflow without a word.
func mute() *flow.Definition {
	def := &flow.Definition{Name: "mute", Fingerprint: "m1", Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		node(c, "a", "true", nil)
		return map[string]string{}, flow.Settle(c)
	}
	return def
}

// tidies is a sequence of a step that holds while there is a file `hold`, a gate, and a step that
// cleans up.
func tidies() *flow.Definition {
	def := &flow.Definition{
		Name: "tidies", Fingerprint: "i1",
		Nodes: []flow.NodeInfo{{Key: "work", Kind: "bash"}, {Key: "gate", Kind: "approval"}, {Key: "tidy", Kind: "bash", Finally: true}},
	}
	bash := func(script string) func(c *flow.Context) (string, error) {
		return func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: script})
			return r.Text, err
		}
	}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.RunNext(c, flow.Node[string]{Key: "work", Kind: "bash", Run: bash(`if [ -e hold ]; then echo $$ >held; sleep 600; fi`)})
		flow.RunNext(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) { return steps.Approval{Message: "Go on?"}.Run(c) }})
		flow.RunNext(c, flow.Node[string]{Key: "tidy", Kind: "bash", Finally: true, Run: bash(`echo tidied >>tidied`)})
		return nil, flow.Settle(c)
	}
	return def
}

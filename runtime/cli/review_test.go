package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/output"
)

// drafts has an output reviewed: with feedback, as if an agent had made it, or with
// rerun when the input says so.
func drafts() *flow.Definition {
	spec := &output.Spec{Step: "plan", Kind: "bash", Fields: []output.Field{{Name: "text", Type: "text"}, {Name: "n", Type: "int"}}}
	def := &flow.Definition{
		Name: "draft", Fingerprint: "d1", Nodes: []flow.NodeInfo{{Key: "plan", Kind: "bash"}, {Key: "use", Kind: "bash", After: []string{"plan"}}},
		Inputs: []flow.InputInfo{{Name: "program", Type: "bool", Default: "false"}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct {
			Program bool `json:"program"`
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		plan := flow.RunNext(c, flow.Node[string]{Key: "plan", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			return steps.Review{
				Step: "plan", ByAgent: !in.Program, Accept: spec.Accept, ReadEdit: spec.FromEdit,
				Make: func(c *flow.Context, a steps.Draft) (string, error) {
					r, err := c.Do(flow.Bash{Script: `echo made >>made; echo "text=$SAID"; echo "n=$N"`,
						Bindings: []flow.Binding{{Name: "SAID", Value: fmt.Sprintf("draft %d %v", a.Number, a.Feedback)}, {Name: "N", Value: fmt.Sprint(a.Number)}}})
					if err != nil {
						return "", err
					}
					return spec.FromStdout(r, nil)
				},
			}.Run(c)
		}})
		use := flow.RunNext(c, flow.Node[string]{Key: "use", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: `printf '%s' "$PLAN"`, Bindings: []flow.Binding{{Name: "PLAN", Value: plan.Final().Text}}})
			return r.Text, err
		}})
		return map[string]string{"use": use.Final().Text}, flow.Settle(c)
	}
	return def
}

// places has inputs that have places among the free arguments, and one that takes
// the place of a step.
func places() *flow.Definition {
	def := &flow.Definition{
		Name: "places", Fingerprint: "p1", Nodes: []flow.NodeInfo{{Key: "gen", Kind: "bash"}, {Key: "show", Kind: "bash"}},
		Inputs: []flow.InputInfo{
			{Name: "who", Type: "word", Position: 1},
			{Name: "times", Type: "int", Default: "1", Position: 2},
			{Name: "note", Type: "line", Default: "null", Position: 3},
			{Name: "gen", Type: "text", Default: "null", Position: 4, Replaces: "gen"},
		},
	}
	spec := &output.Spec{Step: "gen", Kind: "bash", Fields: []output.Field{{Name: "n", Type: "int"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct {
			Gen any `json:"gen"`
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		gen := flow.RunNext(c, flow.Node[string]{Key: "gen", Kind: "bash",
			Replace: func() (string, bool, error) { return spec.FromInput(in.Gen) },
			Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: "echo n=1"})
				if err != nil {
					return "", err
				}
				return spec.FromStdout(r, nil)
			}})
		return map[string]string{"gen": gen.Final().Text, "inputs": string(c.Scheduler().Run().Inputs)}, flow.Settle(c)
	}
	return def
}

// lists has an input with choices, and one that takes the remaining free arguments.
func lists() *flow.Definition {
	return &flow.Definition{
		Name: "lists", Fingerprint: "l1", Nodes: []flow.NodeInfo{{Key: "show", Kind: "bash"}},
		Inputs: []flow.InputInfo{
			{Name: "env", Type: "word", Choices: []string{"test", "prod"}, Position: 1},
			{Name: "counts", Type: "list", Items: "int", Default: "[7]", Position: 2},
		},
		Flow: func(c *flow.Context) (any, error) {
			show := flow.RunNext(c, flow.Node[string]{Key: "show", Kind: "bash", Run: func(c *flow.Context) (string, error) {
				return string(c.Scheduler().Run().Inputs), nil
			}})
			return map[string]string{"inputs": show.Final().Text}, flow.Settle(c)
		},
	}
}

// editor is a program that shows a file and replaces OLD by NEW when it is told so in
// a line OLD/NEW. It writes a file at an interrupt, or exits if its first argument says so.
func editor() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	path := os.Args[len(os.Args)-1]
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	fmt.Printf("editing %s\n", strings.ReplaceAll(string(text), "\n", "~"))
	go func() {
		<-interrupts
		if os.Args[1] == "quits" {
			os.Exit(1)
		}
		if err := os.WriteFile("signals", []byte("1"), 0o600); err != nil {
			panic(err)
		}
	}()
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		panic(err)
	}
	before, after, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "/")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), before, after)), 0o600); err != nil {
		panic(err)
	}
}

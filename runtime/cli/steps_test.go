package cli_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/output"
)

// sequence is a sequence of a loop over items, rounds, a fork and a reviewed loop. Each
// action notes its key in `performed`, and kills the program when the file
// `kill-KEY` is there.
func sequence() *flow.Definition {
	def := &flow.Definition{Name: "steps", Fingerprint: "s1"}
	for _, n := range strings.Fields("each:for rounds:repeat fork:parallel review:for") {
		key, kind, _ := strings.Cut(n, ":")
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: kind})
	}
	act := func(c *flow.Context, out string) (string, error) {
		r, err := c.Do(flow.Bash{
			Script:   `echo "$KEY" >>performed; name="kill-${KEY//\//-}"; if [ -e "$name" ]; then rm "$name"; kill -9 $PPID; exit 1; fi; echo "v=$OUT"`,
			Bindings: []flow.Binding{{Name: "KEY", Value: c.Key()}, {Name: "OUT", Value: out}},
		})
		if err != nil {
			return "", err
		}
		return (*output.Spec)(nil).FromStdout(r, nil)
	}
	each := func(c *flow.Context) (string, error) {
		return steps.Each(c, 3, output.JoinArray, func(c *flow.Context, i int) (string, error) { return act(c, fmt.Sprint(i)) })
	}
	def.Flow = func(c *flow.Context) (any, error) {
		step := func(key string, run func(c *flow.Context) (string, error)) string {
			return flow.RunNext(c, flow.Node[string]{Key: key, Kind: "step", Run: run}).Final().Text
		}
		all := []string{
			step("each", each),
			step("rounds", func(c *flow.Context) (string, error) {
				return steps.Repeat{
					Max: 5, Condition: "three",
					Body: func(c *flow.Context, p steps.Previous) (string, error) {
						return act(c, strings.Repeat("x", strings.Count(p.Text, "x")+1))
					},
					Until: func(text string) (bool, error) { return strings.Contains(text, "xxx"), nil },
				}.Run(c)
			}),
			step("fork", func(c *flow.Context) (string, error) {
				var branches []steps.Branch
				for _, name := range []string{"a", "b"} {
					branches = append(branches, steps.Branch{Name: name, Kind: "bash", Run: func(c *flow.Context) (string, error) { return act(c, name) }})
				}
				return steps.Fork{FailFast: true, Branches: branches}.Run(c, output.JoinObject)
			}),
			step("review", func(c *flow.Context) (string, error) {
				return steps.Review{
					Step: "review", Make: func(c *flow.Context, _ steps.Draft) (string, error) { return each(c) },
					Accept: output.Undeclared.Accept, ReadEdit: output.Undeclared.FromEdit,
				}.Run(c)
			}),
		}
		return all, flow.Settle(c)
	}
	return def
}

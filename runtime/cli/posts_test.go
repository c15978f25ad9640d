package cli_test

import (
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// posts is demo with its result delivered to the targets of the project, if any.
func posts(targets ...string) cli.Program {
	p := program(demo())
	inner := p.Definition.Flow
	p.Definition.Flow = func(c *flow.Context) (any, error) {
		out, err := inner(c)
		if err == nil {
			flow.DeliverResult(c, "the result")
		}
		return out, err
	}
	p.Performers = append(p.Performers, deliver.New())
	p.Defaults.DeliverTo = targets
	return p
}

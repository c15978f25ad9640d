package gen_test

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// blocks runs nodes for each item of a list, which they read as if it were an input.
func blocks() *ir.Program {
	p := workflow("blocks", `nodes:
  - id: list
    bash: ./list
  - id: each
    depends_on: [list]
    loop_group:
      until_bash: "true"
      max_iterations: 1
      nodes:
        - id: look
          bash: ./look $INPUTS.item in "$list.output"
        - id: fix
          depends_on: [look]
          when: $INPUTS.item != 'skip' && $look.output != ''
          prompt: Fix $INPUTS.item after $look.output
        - id: rest
          depends_on: [look]
          loop_group:
            until: DONE
            max_iterations: 2
            nodes:
              - {id: inner, bash: 'echo $INPUTS.item "$look.output" DONE'}
  - id: after
    depends_on: [each]
    bash: echo "$each.output"
`)
	item := &expr.Declared{Name: "item", Typ: types.Text}
	p.Workflow.Rewrite(func(e expr.Expr) expr.Expr {
		if in, ok := e.(*expr.Input); ok && in.Name == item.Name {
			return &expr.Local{At: in.At, Of: item}
		}
		return e
	})
	p.Workflow.MoreEnv = nil // has the input, too
	each := p.Workflow.Body.All()[1]
	loop := each.Action.(*ir.Loop)
	each.Action = &ir.Block{
		Workflow: "other", Body: loop.Body.(*ir.DAG), Last: loop.Last,
		Fan: &ir.Fan{Items: &expr.Output{Node: "list"}, Item: item, Max: 2, AllSuccess: false},
	}
	return p
}

// typedGroup is a group with the output of its only last node.
func typedGroup() *ir.Program {
	return workflow("typedgroup", `nodes:
  - id: fix
    loop_group:
      until: DONE
      max_iterations: 3
      nodes:
        - id: check
          prompt: Say DONE at the end.
          output_format: {type: object, properties: {ok: {type: boolean}, note: {type: string}}, required: [ok]}
  - id: end
    depends_on: [fix]
    when: $fix.output.ok == true
    bash: echo "$fix.output.note" "$fix.output"
`)
}

// cutGroup has a group so long that its iterations are several functions.
func cutGroup() *ir.Program {
	var b strings.Builder
	b.WriteString("nodes:\n  - {id: plan, bash: echo plan}\n  - id: fix\n    depends_on: [plan]\n    loop_group:\n      until: DONE\n      max_iterations: 3\n      nodes:\n")
	for i := range 230 {
		fmt.Fprintf(&b, "        - {id: n%d, bash: 'echo $plan.output $LOOP_PREV.n%d.output'", i, i)
		if i > 0 {
			fmt.Fprintf(&b, ", depends_on: [n%d]", i-1)
		}
		b.WriteString("}\n")
	}
	return workflow("cutgroup", b.String())
}

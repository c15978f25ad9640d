package gen_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// Scripts get the variables of inputs that are constants, too.
func TestScriptsGetConstants(t *testing.T) {
	for want, constants := range map[string][]string{
		"c.ScriptEnv(in.Arguments, in.Context)": nil,
		`c.ScriptEnv("same", in.Context)`:       {"arguments"},
		`c.ScriptEnv(in.Arguments, "same")`:     {"context"},
		`c.ScriptEnv("same", "same")`:           {"arguments", "context"},
	} {
		p := workflow("fixed", "nodes:\n  - {id: a, bash: 'true'}\n")
		p.Workflow.Rewrite(func(e expr.Expr) expr.Expr {
			for _, name := range constants {
				if in, ok := e.(*expr.Input); ok && in.Name == name {
					return &expr.Literal{Text: "same", Typ: types.Text}
				}
			}
			return e
		})
		if code := string(gen.Generate(p, gen.Options{})[0].Content); !strings.Contains(code, want) {
			t.Errorf("no %s in\n%s", want, code)
		}
	}
}

package config

import (
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// budgetsReader reads budgets: at least one, with at least one limit each.
func (r reader) budgetsReader(b *settings.Budgets) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) {
		keys := r.budgetsKeys(b)
		r.readSection(setting, n, keys)
		if n.IsNull() || n.Kind == yamlsrc.Mapping && n.Get("day") == nil && n.Get("month") == nil && hasOnly(n, keys) {
			r.reportWrong(setting, n, "a mapping with `day` or `month`")
		}
	}
}

func (r reader) budgetsKeys(b *settings.Budgets) []key {
	budget := func(b *settings.Budget) func(setting string, n *yamlsrc.Node) {
		return func(setting string, n *yamlsrc.Node) {
			r.readSection(setting, n, r.budgetKeys(b))
			if n.Kind == yamlsrc.Mapping && len(n.Pairs) == 0 || n.IsNull() {
				r.reportWrong(setting, n, "a mapping with `cost_usd` or `tokens`")
			}
		}
	}
	return []key{
		newSetting("day", decode.Object(&budgetLevel), "Limits of the last 24 hours.", budget(&b.Day)).withExamples(`{"cost_usd": 20}`),
		newSetting("month", decode.Object(&budgetLevel), "Limits of the last 30 days.", budget(&b.Month)).withExamples(`{"cost_usd": 300, "tokens": 50000000}`),
		newSetting("at_limit", decode.OneOf(plain.Strings(budgetPolicies)...),
			"At a limit, `wait`: the run waits until enough of the day or month has passed; `ask`: a person may lift the budgets for the run; `fail`: the prompt fails.",
			readInto(&b.AtLimit, oneOf(r, budgetPolicies...))).withDefault(`"wait"`),
	}
}

func (r reader) budgetKeys(b *settings.Budget) []key {
	return []key{
		newSetting("cost_usd", decode.Number.Above(0), "Maximum cost in US dollars.", readInto(&b.CostUSD, r.readCost)).withExamples("20"),
		newSetting("tokens", someCount, "Maximum number of tokens.", readInto(&b.Tokens, countReader[int64](r))).withExamples("5000000"),
	}
}

// hasOnly reports whether a mapping has no unknown keys: those are reported, and may be misspelt.
func hasOnly(n *yamlsrc.Node, keys []key) bool {
	return !slices.ContainsFunc(n.Pairs, func(p yamlsrc.Pair) bool {
		return !slices.ContainsFunc(keys, func(k key) bool { return k.Name == p.Key.Value })
	})
}

// readCost reads an amount of money.
func (r reader) readCost(setting string, n *yamlsrc.Node) float64 {
	return r.numberReader("an amount in US dollars above 0", func(v float64) bool { return v > 0 })(setting, n)
}

// budgetsOf returns the budgets of the workflow in the file of an absolute path: those of the
// first pattern with budgets.
func (c *Config) budgetsOf(path string) settings.Budgets {
	return firstSetting(c, path, func(r *rule) settings.Budgets { return r.budgets })
}

// WorkflowBudgets returns the budgets of a program and of the workflows that it calls, by name, or
// nil if they have none. path is the absolute path of the program's file.
func (c *Config) WorkflowBudgets(p *ir.Program, path string) map[string]settings.Budgets {
	var all map[string]settings.Budgets
	put := func(name, path string) {
		if b := c.budgetsOf(path); b != (settings.Budgets{}) {
			plain.PutEntry(&all, name, b)
		}
	}
	for _, called := range p.Callees() {
		if path, err := filepath.Abs(called.File.Name); err == nil {
			put(called.Workflow.Name, path)
		}
	}
	put(p.Workflow.Name, path)
	return all
}

package settings_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// The settings of a caller override those of a project.
func ExampleProject_With() {
	project := settings.Project{
		Agents:  []settings.Agent{{Name: "reviewer", Kind: "claude", Permission: "edit"}},
		Limits:  settings.Limits{CostUSD: 2.5, Tokens: 200_000},
		Environ: []string{"A=1"},
	}
	all := project.With(settings.Project{Limits: settings.Limits{CostUSD: 1}, Environ: []string{"B=2"}})
	fmt.Println(all.Agents[0].Name, all.Limits, all.Environ)
	// Output: reviewer {1 200000} [A=1 B=2]
}

// An agent inherits the settings that it lacks. An empty list is a setting, too.
func ExampleAgent_Inherit() {
	api := settings.Agent{Name: "api", Kind: "openai", Model: "large", PassEnv: []string{"A_*"}}
	cheap := settings.Agent{Name: "cheap", Model: "small", PassEnv: []string{}}.Inherit(api)
	fmt.Println(cheap.Name, cheap.Kind, cheap.Model, cheap.PassEnv)
	// Output: cheap openai small []
}

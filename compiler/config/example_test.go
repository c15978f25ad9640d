package config_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A program checks a file by the settings of its project.
func Example() {
	c, findings := config.Parse(source.NewFile(config.FileName, []byte(`
agents: {reviewer: {use: claude, permission: edit}}
severities: {shell-unquoted-variable: off}
limits: {cost_usd: 2.5}
`)))
	for _, d := range findings {
		fmt.Println(d.Message)
	}
	c.Dir = "/project"
	flow := source.NewFile("review.yaml", []byte("name: review\ndescription: d\nnodes: [{id: a, prompt: Review, provider: reviewer}]\n"))
	result := compiler.Compile(flow, c.Options("/project/review.yaml"))
	fmt.Println(result.Agents(), result.HasErrors())
	fmt.Println(c.Settings("/project").Limits.CostUSD)
	// Output:
	// [reviewer] false
	// 2.5
}

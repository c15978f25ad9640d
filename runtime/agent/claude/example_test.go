package claude_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Opening an agent starts no program and uses no network.
func ExampleKind() {
	prompts, err := prompts.Opener(structured.Check, claude.Kind())(engine.Agents{List: settings.Agents{
		{Name: "reviewer", Kind: "claude", Model: "opus"},
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println(prompts.AgentKinds())
	// Output: [command scripted claude]
}

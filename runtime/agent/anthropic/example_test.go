package anthropic_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/anthropic"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Open starts no program and uses no network.
func ExampleKind() {
	a, err := anthropic.Kind().Open(settings.Agent{Name: "reviewer", Kind: "anthropic", Model: "claude-sonnet-4-5"})
	if err != nil {
		panic(err)
	}
	fmt.Println("enforces schemas:", a.Capabilities().Structured)
	// Output: enforces schemas: true
}

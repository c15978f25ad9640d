package codex_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/codex"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Open starts no program and uses no network.
func ExampleKind() {
	a, err := codex.Kind().Open(settings.Agent{Name: "reviewer", Kind: "codex", Model: "gpt-5.1"})
	if err != nil {
		panic(err)
	}
	fmt.Println("enforces schemas:", a.Capabilities().Structured)
	// Output: enforces schemas: true
}

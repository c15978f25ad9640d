package acp_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/acp"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Open starts no program and uses no network.
func ExampleKind() {
	a, err := acp.Kind().Open(settings.Agent{Name: "reviewer", Kind: "acp", Program: "gemini", Args: []string{"--acp"}})
	if err != nil {
		panic(err)
	}
	fmt.Println("enforces schemas:", a.Capabilities().Structured)
	// Output: enforces schemas: false
}

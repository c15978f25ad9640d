package openai_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/openai"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Open starts no program and uses no network.
func ExampleKind() {
	a, err := openai.Kind().Open(settings.Agent{Name: "reviewer", Kind: "openai", Model: "gpt-5.1"})
	if err != nil {
		panic(err)
	}
	fmt.Println("enforces schemas:", a.Capabilities().Structured)
	// Output: enforces schemas: true
}

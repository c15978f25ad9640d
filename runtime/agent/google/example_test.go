package google_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent/google"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Open starts no program and uses no network.
func ExampleKind() {
	a, err := google.Kind().Open(settings.Agent{Name: "reviewer", Kind: "google", Model: "gemini-3-pro"})
	if err != nil {
		panic(err)
	}
	fmt.Println("enforces schemas:", a.Capabilities().Structured)
	// Output: enforces schemas: true
}

package diag_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
)

func ExampleLookup() {
	for _, name := range []string{"WFC301", "condition-operator", "nothing"} {
		code, ok := diag.Lookup(name)
		if !ok {
			fmt.Println("no", name)
			continue
		}
		fmt.Println(code.ID, code.Slug, code.Severity)
	}
	// Output:
	// WFC301 condition-operator error
	// WFC301 condition-operator error
	// no nothing
}

package trust_test

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/trust"
)

// A program refuses a file of another user unless the user of the program trusts it.
func ExampleOwner() {
	path := "example_test.go"
	info, err := os.Stat(path)
	if err != nil {
		panic(err)
	}
	if owner, foreign := trust.Owner(info); foreign && !trust.Trusted(path) {
		fmt.Printf("%s belongs to %s; %s to use it anyway\n", path, owner, trust.Advice(path))
		return
	}
	// use the file
}

package plain_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// The output of a script cannot pass for a line of the program that shows it.
func ExampleBelow() {
	fmt.Printf("lint: %s\n", plain.Below("2 problems\ndeploy: ok\n", "    "))
	// Output:
	// lint: 2 problems
	//     │ deploy: ok
}

func ExampleLine() {
	fmt.Println(plain.Line("one\ntwo\tthree"))
	// Output: one␊two three
}

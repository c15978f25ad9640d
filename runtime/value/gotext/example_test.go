package gotext_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/value/gotext"
)

func ExampleArgs() {
	fmt.Println(gotext.Args{"<b>", int64(3)}.HTML())
	fmt.Println(gotext.Args{"Ann", int64(3)}.Printf("%s has %d issues"))
	// Output:
	// &lt;b&gt;3
	// Ann has 3 issues
}

func ExampleSlice() {
	fmt.Println(gotext.Slice("feature/x", 8))
	// Output: x <nil>
}

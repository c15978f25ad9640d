package signal_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/signal"
)

func ExampleWord() {
	done := signal.Word("DONE")
	fmt.Println(done.Said("All tests pass. DONE!"), done.Said("UNDONE"))
	fmt.Printf("%q\n", done.Clean("Fixed it. <promise>DONE</promise>"))
	// Output:
	// true false
	// "Fixed it."
}

package outcome_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/outcome"
)

func ExampleReply() {
	labels := []string{"approved", "rework"}
	fmt.Println(outcome.Reply("Two tests fail.\n[OUTPUT:rework]", labels))
	fmt.Println(outcome.Reply("I approved it after some rework.", labels))
	// Output:
	// rework <nil>
	//  the text names several of its outputs: `approved`, `rework`
}

func ExampleScript() {
	labels := []string{"pass", "fail"}
	fmt.Println(outcome.Script("ok\n", 0, labels))
	fmt.Println(outcome.Script("2 errors\n", 1, labels))
	// Output:
	// pass <nil>
	// fail <nil>
}

func ExampleRead() {
	fmt.Println(outcome.Read[int64]("test_coverage", "12 tests, coverage: 81%"))
	fmt.Println(outcome.Read[bool]("ready", "Yes."))
	// Output:
	// 81 <nil>
	// true <nil>
}

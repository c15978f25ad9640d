package reply_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/reply"
)

func ExampleLabel() {
	labels := []string{"approved", "rework"}
	fmt.Println(reply.Label("Two tests fail.\n[OUTPUT:rework]", labels))
	fmt.Println(reply.Label("I approved it after some rework.", labels))
	// Output:
	// rework <nil>
	//  the text names several of its outputs: `approved`, `rework`
}

func ExampleScriptLabel() {
	labels := []string{"pass", "fail"}
	fmt.Println(reply.ScriptLabel("ok\n", 0, labels))
	fmt.Println(reply.ScriptLabel("2 errors\n", 1, labels))
	// Output:
	// pass <nil>
	// fail <nil>
}

func ExampleRead() {
	fmt.Println(reply.Read[int64]("test_coverage", "12 tests, coverage: 81%"))
	fmt.Println(reply.Read[bool]("ready", "Yes."))
	// Output:
	// 81 <nil>
	// true <nil>
}

package output_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/output"
)

func ExampleSpec() {
	spec := &output.Spec{Step: "count", Kind: "bash", Fields: []output.Field{
		{Name: "files", Type: "int", Required: true},
		{Name: "clean", Type: "bool", Default: "false"},
	}}
	fmt.Println(spec.FromStdout(flow.Result{Text: "files=1_000\n"}, nil))
	fmt.Println(spec.FromStdout(flow.Result{Text: "files=many\n"}, nil))
	// Output:
	// {"files":1000,"clean":false} <nil>
	//  the output of bash step `count`: `files` must be an integer (int), but it is 'many'
}

func ExampleJoinArray() {
	fmt.Println(output.JoinArray([]string{`{"n":1}`, `{}`, `{"n":2}`}))
	fmt.Println(output.JoinText([]string{`{"n":1}`, `{}`, `{"n":2}`}))
	// Output:
	// [{"n":1},{"n":2}] <nil>
	// n=1
	// n=2 <nil>
}

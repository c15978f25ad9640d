package draw_test

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/flow"
)

var triage = []flow.NodeInfo{
	{Key: "fetch", Kind: "bash"},
	{Key: "classify", Kind: "prompt", Agent: "claude", After: []string{"fetch"}},
	{Key: "note", Kind: "bash", After: []string{"fetch"}},
	{Key: "report", Kind: "bash", After: []string{"classify", "note"}},
}

func ExampleWrite() {
	if err := draw.Write(os.Stdout, "mermaid", "triage", triage[:2], nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart TD
	//     n0["fetch<br/><small>bash</small>"]
	//     n1(["classify<br/><small>prompt claude</small>"])
	//     n0 --> n1
}

func ExampleWriteLayers() {
	if err := draw.WriteLayers(os.Stdout, triage); err != nil {
		fmt.Println(err)
	}
	// Output: [fetch] [classify note] [report]
}

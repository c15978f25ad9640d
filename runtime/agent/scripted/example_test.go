package scripted_test

import (
	"context"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
)

// The step classify gets its replies in order; the last one repeats.
func ExampleNew() {
	a, err := scripted.New([]byte(`{"classify": ["bug", "feature"]}`), scripted.Options{})
	if err != nil {
		panic(err)
	}
	for range 3 {
		reply, err := a.Turn(context.Background(), &agent.Request{RunID: "triage-k3x9qz", Key: "classify", Attempt: 1})
		if err != nil {
			panic(err)
		}
		fmt.Println(reply.Text)
	}
	// Output:
	// bug
	// feature
	// feature
}

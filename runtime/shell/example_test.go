//go:build unix

package shell_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// A value never becomes code, whatever it holds.
func ExamplePerformer() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	r := (&shell.Performer{}).Perform(context.Background(), &engine.Attempt{
		Info: &flow.RunInfo{WorkDir: dir},
		Action: flow.Action{Key: "greet", Payload: flow.Bash{
			Script:   `echo "Hello, ${who}!"`,
			Bindings: []flow.Binding{{Name: "who", Value: "$(echo hacked)"}},
		}},
		Number: 1, RunDir: dir, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler),
	})
	fmt.Println(r.Status, r.Text)
	// Output: completed Hello, $(echo hacked)!
}

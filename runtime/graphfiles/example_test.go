package graphfiles_test

import (
	"context"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// An engine that runs state graphs with bash nodes.
func ExampleNew() {
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	e, err := local.New(local.Config{
		Store: memory.New(), OwnsStore: true, State: folder,
		Performers: []engine.Performer{&shell.Performer{}, graphfiles.New()},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Live(), e.Shutdown(context.Background()))
	// Output: [] <nil>
}

package entstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// Open creates the database if it does not exist.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	ctx := context.Background()
	runs, err := entstore.Open(ctx, filepath.Join(folder, "runs.db"))
	if err != nil {
		panic(err)
	}
	defer runs.Close()
	list, err := runs.Runs(ctx, store.Filter{Limit: 20})
	fmt.Println(len(list), err)
	// Output: 0 <nil>
}

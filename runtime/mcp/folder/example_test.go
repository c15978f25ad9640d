package folder_test

import (
	"os"

	"github.com/wfc-lang/wfc/runtime/mcp/folder"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// The main function of the program behind `wfc mcp`, for runs in the state folder.
func ExampleMain() {
	os.Exit(folder.Main(entstore.OpenState, nil))
}

package folder_test

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/mcp/folder"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// The main function of the program behind `wfc mcp`, for runs in the state folder. It
// serves a folder that does not exist, so it prints an error to standard error and ends.
func ExampleMain() {
	os.Args = []string{"wfc-mcp", "--wfc", "/usr/bin/wfc", "--state", "/var/lib/wfc", "missing"}
	fmt.Println("exit code", folder.Main(entstore.OpenState, nil))
	// Output: exit code 1
}

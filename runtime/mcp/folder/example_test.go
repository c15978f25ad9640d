package folder_test

import (
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/runtime/mcp/folder"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// The main function of the program behind `wfc mcp`, for runs in the state folder. It
// cannot serve the file missing.yaml, which does not exist, so it prints an error to
// standard error and ends.
func ExampleMain() {
	os.Args = []string{"wfc-mcp", "--wfc", "/usr/bin/wfc", "--dir", "workflows", "--state", "/var/lib/wfc", "missing.yaml"}
	fmt.Println("exit code", folder.Main(entstore.OpenState, nil))
	// Output: exit code 1
}

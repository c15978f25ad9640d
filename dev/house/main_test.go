package house

import (
	"os"
	"testing"

	"github.com/wfc-lang/wfc/dev/devkit"
)

// TestMain leaves all out with -short: these tests read the tree and run none of its code.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

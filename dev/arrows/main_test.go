package arrows

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain leaves all out with -short: these tests read the tree and run none of its code.
func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped: these tests run nothing of wfc")
		return
	}
	os.Exit(m.Run())
}

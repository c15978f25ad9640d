package storetest_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
	"github.com/wfc-lang/wfc/runtime/store/storetest"
)

// The test of a store: a function TestStore in the package of the store.
func ExampleRun() {
	TestStore := func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return memory.New() })
	}
	fmt.Println("passed:", goTest(TestStore))
	// Output: passed: true
}

// goTest runs a test as `go test` does and reports whether it passed. What the test
// prints goes to standard error.
func goTest(test func(*testing.T)) bool {
	defer func(out *os.File) { os.Stdout = out }(os.Stdout)
	os.Stdout = os.Stderr
	all := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(all, []testing.InternalTest{{Name: "TestStore", F: test}})
}

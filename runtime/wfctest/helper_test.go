package wfctest_test

import (
	"os"
	"testing"
)

// goTest runs a test as `go test` does and reports whether it passed. What the test
// prints goes to standard error.
func goTest(test func(*testing.T)) bool {
	defer func(out *os.File) { os.Stdout = out }(os.Stdout)
	os.Stdout = os.Stderr
	all := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(all, []testing.InternalTest{{Name: "Test", F: test}})
}

package conformance

import (
	"fmt"
	"os"
	"testing"
)

// summaryVariable names a file that gets the summaries, too: a run of all tests
// shows no logs of those that pass, and CI is to say how many cases ran.
const summaryVariable = "WFC_CONFORMANCE_SUMMARY"

// summary logs what a test has come to.
func summary(t *testing.T, format string, args ...any) {
	t.Helper()
	t.Logf(format, args...)
	name := os.Getenv(summaryVariable)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, t.Name()+": "+format+"\n", args...); err != nil {
		t.Error(err)
	}
}

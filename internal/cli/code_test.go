package cli

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// codeCommand is the script command `code N ARGS…`: it runs wfc in this
// process's binary and fails unless it exits with N.
func codeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("wfc", args[1:]...)
	got := 0
	if err != nil {
		text := err.Error()
		i := strings.LastIndex(text, "exit status ")
		if i < 0 {
			ts.Fatalf("run wfc: %v", err)
		}
		got, err = strconv.Atoi(text[i+len("exit status "):])
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("wfc %s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func TestInternalFault(t *testing.T) {
	var out, err bytes.Buffer
	code := Main([]string{"check", "-"}, Streams{In: panicReader{}, Out: &out, Err: &err})
	if code != ExitInternal || !strings.Contains(err.String(), "internal error: the reader fell over") {
		t.Errorf("exit code %d, %s", code, err.String())
	}
}

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic("the reader fell over") }

package cli

import (
	"fmt"
	"strings"
	"testing"
)

// frame is a message of the Language Server Protocol.
func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// TestLanguageServer speaks with `wfc lsp` over its standard streams, as clients start it.
func TestLanguageServer(t *testing.T) {
	hello := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`)
	shutdown := frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	exit := frame(`{"jsonrpc":"2.0","method":"exit"}`)
	for _, test := range []struct {
		name, in string
		args     []string
		code     int
	}{
		{"shutdown and exit", hello + shutdown + exit, []string{"lsp"}, ExitClean},
		{"the flag of other servers", hello + shutdown + exit, []string{"lsp", "--stdio"}, ExitClean},
		{"exit without shutdown", hello + exit, []string{"lsp"}, ExitFindings},
		{"the end of the input", hello, []string{"lsp"}, ExitFindings},
		{"an argument", "", []string{"lsp", "flow.yaml"}, ExitUsage},
	} {
		var out, err strings.Builder
		code := Main(test.args, Streams{In: strings.NewReader(test.in), Out: &out, Err: &err})
		if code != test.code {
			t.Errorf("%s: exit code %d, want %d: %s", test.name, code, test.code, err.String())
		}
		if test.in != "" && !strings.Contains(out.String(), `"renameProvider"`) {
			t.Errorf("%s: the answer is %q", test.name, out.String())
		}
	}
}

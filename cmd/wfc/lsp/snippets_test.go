package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// snippetFolder has the snippets of the extension for VS Code.
const snippetFolder = "../../../editors/vscode/snippets"

// snippetsOf returns the texts of a file of snippets, with their default values.
func snippetsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(snippetFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	var list map[string]struct {
		Prefix string          `json:"prefix"`
		Body   json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, s := range list {
		var lines []string
		if json.Unmarshal(s.Body, &lines) != nil {
			lines = make([]string, 1)
			if err := json.Unmarshal(s.Body, &lines[0]); err != nil {
				t.Fatal(err)
			}
		}
		texts[s.Prefix] = expandSnippet(strings.Join(lines, "\n"))
	}
	return texts
}

var snippetStop = regexp.MustCompile(`\$\{\d+:((?:\\.|[^\\{}]|\$\{\d+:(?:\\.|[^\\}])*\})*)\}|\$\d`)

// expandSnippet replaces the placeholders of a snippet by their default values.
func expandSnippet(body string) string {
	for snippetStop.MatchString(strings.ReplaceAll(body, `\$`, "\x00")) {
		body = strings.ReplaceAll(body, `\$`, "\x00")
		body = snippetStop.ReplaceAllString(body, "$1")
		body = strings.ReplaceAll(body, "\x00", `\$`)
	}
	return strings.NewReplacer(`\$`, "$", `\}`, "}", `\\`, `\`).Replace(body)
}

// TestSnippets opens every workflow and test file that a snippet writes: the server reports
// nothing. Parts are appended to the workflow of their format.
func TestSnippets(t *testing.T) {
	whole := snippetsOf(t, "workflows.json")
	texts := map[string]string{}
	for prefix, text := range whole {
		if prefix != "wfc-tests" {
			texts[prefix] = text
		}
	}
	if len(texts) != 4 {
		t.Fatalf("%d formats have a snippet", len(texts))
	}
	for prefix, part := range snippetsOf(t, "parts.json") {
		format, _, _ := strings.Cut(strings.TrimPrefix(prefix, "wfc-"), "-")
		base := whole["wfc-"+format]
		switch {
		case prefix == "wfc-ignore":
			continue
		case base == "":
			t.Errorf("%s names no format", prefix)
		case format == "graphloop":
			before, edges, _ := strings.Cut(base, "\nedges:\n")
			edges = strings.ReplaceAll(edges, `to: END, condition: "pass"`, `to: approve, condition: "pass"`)
			texts[prefix] = before + indented(part) + "\nedges:\n" + edges +
				"  - {from: approve, to: END, condition: \"yes_publish\"}\n  - {from: approve, to: END, condition: \"no_publish\"}\n"
		default:
			texts[prefix] = strings.TrimRight(base, "\n") + "\n\n" + indented(part)
		}
	}
	for prefix, text := range texts {
		t.Run(prefix, func(t *testing.T) {
			folder := t.TempDir()
			checkSnippet(t, folder, "flow.yaml", text)
		})
	}
	t.Run("wfc-tests", func(t *testing.T) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "flow.yaml"), []byte(whole["wfc-archon"]), 0o600); err != nil {
			t.Fatal(err)
		}
		checkSnippet(t, folder, "flow.test.yaml", whole["wfc-tests"])
	})
}

func checkSnippet(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	c := connect(t, folder, nil)
	c.open(path, text)
	var report protocol.DocumentDiagnosticReport
	c.call("textDocument/diagnostic", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(path)}}, &report)
	for _, d := range report.Items {
		t.Errorf("%d: %s %s", d.Range.Start.Line+1, d.Code, d.Message)
	}
	if t.Failed() {
		t.Log("\n" + text)
	}
	var symbols []protocol.DocumentSymbol
	c.call("textDocument/documentSymbol", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(path)}}, &symbols)
	if len(symbols) == 0 {
		t.Error("the file has no names: is it a workflow?")
	}
}

// indented indents the lines of a text by two columns.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

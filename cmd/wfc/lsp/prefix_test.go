package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// examples returns the workflows of the examples, by path.
func examples(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		list, err := filepath.Glob(filepath.Join("../../../examples/*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			if path, err := filepath.Abs(file); err != nil {
				t.Fatal(err)
			} else if filepath.Base(file) != "wfc.yaml" {
				all = append(all, path)
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no examples")
	}
	return all
}

func read(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(content), "\r\n", "\n")
}

// requestsAt returns all requests about a place of a document.
func requestsAt(c *client, path string, offset int) map[string]any {
	at := c.at(path, offset)
	whole := protocol.RangeParams{TextDocument: at.TextDocument, Range: protocol.Range{End: referenceSpan(c.files[path], len(c.files[path]))}}
	return map[string]any{
		"textDocument/hover": at, "textDocument/completion": at, "textDocument/definition": at,
		"textDocument/documentHighlight": at, "textDocument/prepareCallHierarchy": at,
		"textDocument/references":          protocol.ReferenceParams{TextDocumentPositionParams: at},
		"textDocument/diagnostic":          protocol.DocumentDiagnosticParams{TextDocument: at.TextDocument},
		"textDocument/codeAction":          protocol.CodeActionParams{TextDocument: at.TextDocument, Range: protocol.Range{Start: at.Position, End: at.Position}},
		"textDocument/documentSymbol":      protocol.DocumentParams{TextDocument: at.TextDocument},
		"textDocument/foldingRange":        protocol.DocumentParams{TextDocument: at.TextDocument},
		"textDocument/inlayHint":           whole,
		"textDocument/semanticTokens/full": protocol.DocumentParams{TextDocument: at.TextDocument},
		"textDocument/codeLens":            protocol.DocumentParams{TextDocument: at.TextDocument},
	}
}

// checkRanges fails for a range of an answer that is not in the document.
func checkRanges(here protocol.URI, text string, answer any) error {
	lines := strings.Split(text, "\n")
	var visit func(v any) error
	visit = func(v any) error {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				if err := visit(item); err != nil {
					return err
				}
			}
		case map[string]any:
			if other, ok := v["uri"].(string); ok && other != string(here) {
				return nil // a place in another file
			}
			line, isLine := v["line"].(float64)
			character, isCharacter := v["character"].(float64)
			if isLine && isCharacter {
				if int(line) >= len(lines) || int(character) > max(1, units(lines[int(line)])) {
					return fmt.Errorf("position %v:%v is not in the document", line, character)
				}
			}
			for _, item := range v {
				if err := visit(item); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return visit(answer)
}

func units(text string) (n int) {
	for _, r := range text {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}

// sampled is the distance of the prefixes that are tried without WFC_TEST_ALL: a number
// that has nothing in common with the lengths of lines.
const sampled = 61

// TestEveryPrefix types each example character by character and asks everything at the
// ends of prefixes: of all with WFC_TEST_ALL (`make test-lsp`). A panic of the server is
// logged, which fails the test.
func TestEveryPrefix(t *testing.T) {
	for _, file := range examples(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text := read(t, file)
			c := connect(t, filepath.Dir(file), func(p *protocol.InitializeParams) {
				p.Capabilities.TextDocument.Diagnostic = &struct {
					RelatedDocumentSupport bool `json:"relatedDocumentSupport,omitempty"`
				}{}
			})
			c.open(file, "")
			at, version := 0, int32(1)
			for i := range text + "\x00" {
				if i == 0 {
					continue
				}
				version++
				c.replace(file, version, at, at, text[at:i])
				at = i
				if os.Getenv("WFC_TEST_ALL") == "" && i%sampled != 0 && i < len(text) {
					continue
				}
				for method, params := range requestsAt(c, file, i) {
					var answer any
					code, message := c.try(method, params, &answer)
					if code != 0 {
						t.Fatalf("%s at %d: %s", method, i, message)
					}
					if err := checkRanges(uri(file), text[:i], answer); err != nil {
						encoded, _ := json.Marshal(answer)
						t.Fatalf("%s at %d: %v\n%s", method, i, err, encoded)
					}
				}
			}
		})
	}
}

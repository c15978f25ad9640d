package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// TestKeysOfConfiguration completes and describes the keys of wfc.yaml, whole or half typed.
func TestKeysOfConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wfc.yaml")
	c := connect(t, filepath.Dir(file), nil)
	for _, test := range []struct{ text, with, without string }{
		{"", "agents", "nodes"},
		{"store: sqlite\n", "gates", "store"},
		{"store: ", "postgres", "agents"},
		{"agents:\n  reviewer:\n    ", "system_prompt", "store"},
		{"agents:\n  reviewer: {use: ", "claude", "store"},
		{"agents:\n  reviewer:\n    permission: ", "safe", "store"},
		{"severities:\n  unused-ignore: ", "off", "store"},
		{"limits:\n  ", "cost_usd", "limits"},
	} {
		c.open(file, test.text)
		var list protocol.CompletionList
		c.call("textDocument/completion", c.at(file, len(test.text)), &list)
		var got []string
		for _, item := range list.Items {
			got = append(got, item.Label)
		}
		if !slices.Contains(got, test.with) || slices.Contains(got, test.without) {
			t.Errorf("%q: %q, want %q and no %q", test.text, got, test.with, test.without)
		}
	}
	const text = "agents:\n  reviewer: {use: claude}\nstore: sqlite\n"
	c.open(file, text)
	for _, test := range []struct{ at, want string }{
		{"sto", "Store that keeps the runs. Default: `sqlite`."}, {"{us", "Another agent that does the work"}, {"age", "Agents by the names that workflows give them."},
	} {
		var hover *protocol.Hover
		c.call("textDocument/hover", c.at(file, c.after(file, test.at, 1)), &hover)
		if hover == nil || !strings.Contains(hover.Contents.Value, test.want) {
			t.Errorf("the hover at %q is %+v", test.at, hover)
		}
	}
}

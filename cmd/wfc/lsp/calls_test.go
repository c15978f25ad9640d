package lsp_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

const callee = `name: clean
description: Cleans a room.
inputs:
  room: {description: The room to clean., required: true}
  soap: {default: green}
nodes:
  - id: wash
    bash: echo "$INPUTS_ROOM with $INPUTS.soap"
    output_format: {type: object, properties: {stains: {type: number}}, required: [stains]}
returns: wash
`

const calling = `name: house
description: Cleans a house.
nodes:
  - id: list
    bash: echo '["kitchen"]'
  - id: kitchen
    workflow: clean
    with: {room: kitchen, soap: blue}
  - id: all
    depends_on: [list, kitchen]
    workflow: clean
    fan_out: {items: $list.output, as: room}
  - id: count
    depends_on: [kitchen]
    bash: echo $kitchen.output.stains
`

// renamed renames the name behind a text to zq and returns the files with the edits, or why
// the server refuses.
func (c *client) renamed(files map[string]string, file, text string) (changed map[string]string, message string) {
	c.t.Helper()
	var edit struct {
		DocumentChanges []protocol.TextDocumentEdit `json:"documentChanges"`
	}
	params := protocol.RenameParams{TextDocumentPositionParams: c.at(file, c.after(file, text, 1)), NewName: "zq"}
	_, message = c.try("textDocument/rename", params, &edit)
	changed = maps.Clone(files)
	for _, change := range edit.DocumentChanges {
		file := path(change.TextDocument.URI)
		changed[file] = applied(c.t, changed[file], change.Edits)
	}
	return changed, message
}

func TestCalledWorkflows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".archon/workflows")
	called, caller, test := filepath.Join(dir, "clean.yaml"), filepath.Join(dir, "house.yaml"), filepath.Join(filepath.Dir(filepath.Dir(dir)), "clean.test.yaml")
	const tests = "workflow: .archon/workflows/clean.yaml\ntests:\n  - name: a\n    inputs: {room: bath}\n"
	write(t, called, callee)
	write(t, caller, calling)
	write(t, test, tests)
	c := connect(t, root(called), nil)
	c.open(called, callee)
	c.open(caller, calling)
	if list := c.diagnostics(caller, 1); len(list) > 0 {
		t.Fatalf("%+v", list)
	}

	for text, want := range map[string]string{"with: {ro": "room", "as: ro": "room", "workflow: cl": "", "output.sta": "stains"} {
		at := c.at(caller, c.after(caller, text, 1))
		var places []protocol.Location
		c.call("textDocument/definition", at, &places)
		if len(places) != 1 || places[0].URI != uri(called) || textOf(t, callee, places[0].Range) != want {
			t.Errorf("the definition at %q is %+v", text, places)
		}
	}
	var hover *protocol.Hover
	c.call("textDocument/hover", c.at(caller, c.after(caller, "with: {ro", 1)), &hover)
	if hover == nil || !strings.Contains(hover.Contents.Value, "The room to clean.") {
		t.Errorf("the hover of an input is %+v", hover)
	}
	all := map[string]string{called: callee, caller: calling, test: tests}
	for _, from := range []struct{ file, text, name string }{
		{called, "  ro", "room"}, {caller, "with: {ro", "room"}, {caller, "as: ro", "room"}, {called, "INPUTS_RO", "room"},
		{called, "  so", "soap"}, {caller, "sta", "stains"}, {called, "sta", "stains"},
	} {
		changed, message := c.renamed(all, from.file, from.text)
		if message != "" {
			t.Errorf("the rename at %q is refused: %s", from.text, message)
			continue
		}
		for file, got := range changed {
			want := strings.ReplaceAll(all[file], from.name, "zq")
			want = strings.ReplaceAll(strings.ReplaceAll(want, "The zq to", "The room to"), "a zq.", "a room.")
			if from.name == "room" {
				want = strings.ReplaceAll(want, "INPUTS_ROOM", "INPUTS_ZQ")
			}
			if got != want {
				t.Errorf("the rename at %q makes of %s\n%s\nwant\n%s", from.text, filepath.Base(file), got, want)
			}
		}
	}
	if _, message := c.try("textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: c.at(caller, c.after(caller, "workflow: cl", 1)), NewName: "zq"}, nil); !strings.Contains(message, "change it there") {
		t.Errorf("the rename of a called workflow says %q", message)
	}
	if _, message := c.try("textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: c.at(called, c.after(called, "  ro", 1)), NewName: "soap"}, nil); message == "" {
		t.Error("an input can get the name of another one")
	}

	for _, proposal := range []struct{ old, new, label string }{
		{"workflow: clean\n    with", "workflow: \n    with", "clean"},
		{"with: {room: kitchen, soap: blue}", "with:\n      ", "soap"},
		{"as: room", "as: ", "room"},
	} {
		before, after, _ := strings.Cut(calling, proposal.old)
		text := before + proposal.new + after
		at := len(before) + len(strings.TrimSuffix(proposal.new, "\n    with"))
		c.notify("textDocument/didChange", protocol.DidChangeTextDocumentParams{
			TextDocument:   protocol.VersionedTextDocumentIdentifier{URI: uri(caller), Version: 2},
			ContentChanges: []protocol.TextDocumentContentChangeEvent{{Text: text}},
		})
		c.files[caller] = text
		var list protocol.CompletionList
		c.call("textDocument/completion", c.at(caller, at), &list)
		if !slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == proposal.label }) {
			t.Errorf("no proposal %q for %q: %+v", proposal.label, proposal.new, list.Items)
		}
	}
}

// TestGroups follows names inside groups of nodes.
func TestGroups(t *testing.T) {
	const text = `name: g
description: d
nodes:
  - id: fix
    loop_group:
      until_bash: 'true'
      max_iterations: 3
      nodes:
        - id: try
          prompt: Try. The tests said $LOOP_PREV.check.output
        - id: check
          depends_on: [try]
          bash: echo "$try.output"
  - id: verify
    depends_on: [fix]
    bash: echo "$fix.output"
`
	file := filepath.Join(t.TempDir(), "g.yaml")
	c := connect(t, filepath.Dir(file), nil)
	c.open(file, text)
	if list := c.diagnostics(file, 1); len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	for _, test := range []struct {
		at, want string
	}{
		{"id: tr", strings.NewReplacer("id: try", "id: zq", "[try]", "[zq]", "$try.", "$zq.").Replace(text)},
		{"[tr", strings.NewReplacer("id: try", "id: zq", "[try]", "[zq]", "$try.", "$zq.").Replace(text)},
		{"id: che", strings.NewReplacer("id: check", "id: zq", "PREV.check", "PREV.zq").Replace(text)},
	} {
		var edit struct {
			DocumentChanges []protocol.TextDocumentEdit `json:"documentChanges"`
		}
		if _, message := c.try("textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: c.at(file, c.after(file, test.at, 1)), NewName: "zq"}, &edit); message != "" {
			t.Errorf("%q: %s", test.at, message)
			continue
		}
		if got := applied(t, text, edit.DocumentChanges[0].Edits); got != test.want {
			t.Errorf("the rename at %q makes\n%s", test.at, got)
		}
	}
	var list []protocol.DocumentSymbol
	c.call("textDocument/documentSymbol", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(file)}}, &list)
	if len(list) != 2 || list[0].Name != "fix" || len(list[0].Children) != 2 || list[0].Children[1].Name != "check" {
		t.Errorf("the outline is %+v", list)
	}
	var folds []protocol.FoldingRange
	c.call("textDocument/foldingRange", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(file)}}, &folds)
	if !slices.ContainsFunc(folds, func(f protocol.FoldingRange) bool { return f.StartLine == 10 && f.EndLine == 12 }) {
		t.Errorf("the folds are %+v", folds)
	}
}

// TestIncludedWorkflows follows names between a workflow and one that includes it.
func TestIncludedWorkflows(t *testing.T) {
	const including = `name: house
description: Cleans a house.
nodes:
  - id: bath
    include: clean
    with: {room: bath}
  - id: count
    depends_on: [bath]
    bash: echo $bath.output.stains
`
	included := strings.Replace(callee, "returns: wash\n", "  - id: dry\n    depends_on: [wash]\n    bash: echo $wash.output.stains\nreturns: wash\n", 1)
	dir := filepath.Join(t.TempDir(), ".archon/workflows")
	used, user := filepath.Join(dir, "clean.yaml"), filepath.Join(dir, "house.yaml")
	write(t, used, included)
	write(t, user, including)
	c := connect(t, root(used), nil)
	c.open(used, included)
	c.open(user, including)
	if list := c.diagnostics(user, 1); len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	for text, want := range map[string]string{"with: {ro": "room", "include: cl": "", "output.sta": "stains"} {
		var places []protocol.Location
		c.call("textDocument/definition", c.at(user, c.after(user, text, 1)), &places)
		if len(places) != 1 || places[0].URI != uri(used) || textOf(t, included, places[0].Range) != want {
			t.Errorf("the definition at %q is %+v", text, places)
		}
	}
	var hover *protocol.Hover
	c.call("textDocument/hover", c.at(user, c.after(user, "with: {ro", 1)), &hover)
	if hover == nil || !strings.Contains(hover.Contents.Value, "The room to clean.") {
		t.Errorf("the hover of an input is %+v", hover)
	}
	all := map[string]string{used: included, user: including}
	for _, from := range []struct{ file, text, name string }{
		{used, "  ro", "room"}, {user, "with: {ro", "room"}, {used, "  so", "soap"}, {user, "sta", "stains"}, {used, "sta", "stains"},
		{used, "id: wa", "wash"}, {used, "$wa", "wash"}, {user, "id: ba", "bath"},
	} {
		changed, message := c.renamed(all, from.file, from.text)
		if message != "" {
			t.Errorf("the rename at %q is refused: %s", from.text, message)
			continue
		}
		for file, got := range changed {
			// The first three stay as they are.
			want := strings.NewReplacer("a room", "a room", "The room", "The room", "{room: bath}", "{room: bath}", from.name, "zq").Replace(all[file])
			if from.name == "room" {
				want = strings.NewReplacer("INPUTS_ROOM", "INPUTS_ZQ", "{room:", "{zq:").Replace(want)
			}
			if got != want {
				t.Errorf("the rename at %q makes of %s\n%s\nwant\n%s", from.text, filepath.Base(file), got, want)
			}
		}
	}
	var list []protocol.DocumentSymbol
	c.call("textDocument/documentSymbol", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(user)}}, &list)
	if len(list) != 2 || list[0].Name != "bath" || list[1].Name != "count" {
		t.Errorf("the outline is %+v", list)
	}
	text := strings.Replace(including, "with: {room: bath}", "with:\n      ", 1)
	c.notify("textDocument/didChange", protocol.DidChangeTextDocumentParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{URI: uri(user), Version: 2},
		ContentChanges: []protocol.TextDocumentContentChangeEvent{{Text: text}},
	})
	c.files[user] = text
	var proposals protocol.CompletionList
	c.call("textDocument/completion", c.at(user, strings.Index(text, "with:\n      ")+len("with:\n      ")), &proposals)
	if !slices.ContainsFunc(proposals.Items, func(i protocol.CompletionItem) bool { return i.Label == "soap" }) {
		t.Errorf("no input is proposed: %+v", proposals.Items)
	}
}

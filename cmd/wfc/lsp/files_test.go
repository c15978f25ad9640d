package lsp_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

const caller = `name: caller
description: Uses a command file.
nodes:
  - id: fetch
    bash: echo
  - id: review
    depends_on: [fetch]
    command: check-it
`

// project writes two workflows that use a command file, and returns their paths and that
// of the file.
func project(t *testing.T) (first, second, command string) {
	t.Helper()
	dir := t.TempDir()
	first, second = filepath.Join(dir, ".archon/workflows/first.yaml"), filepath.Join(dir, ".archon/workflows/second.yaml")
	command = filepath.Join(dir, ".archon/commands/check-it.md")
	write(t, first, caller)
	write(t, second, strings.ReplaceAll(caller, "caller", "other"))
	write(t, command, "Check $fetch.output for $ARGUMENTS.\n")
	return first, second, command
}

func root(file string) string { return filepath.Dir(filepath.Dir(filepath.Dir(file))) }

func TestCommandFile(t *testing.T) {
	first, second, command := project(t)
	c := connect(t, root(first), nil)
	c.open(first, read(t, first))
	c.open(command, read(t, command))
	if list := c.diagnostics(first, 1); len(list) != 0 {
		t.Fatalf("%+v", list)
	}

	var hover *protocol.Hover
	at := c.at(command, c.after(command, "$fet", 1))
	c.call("textDocument/hover", at, &hover)
	if hover == nil || !strings.Contains(hover.Contents.Value, "**node** `fetch`") {
		t.Errorf("the hover in the command file is %+v", hover)
	}
	var places []protocol.Location
	c.call("textDocument/definition", at, &places)
	if len(places) != 1 || places[0].URI != uri(first) || textOf(t, c.files[first], places[0].Range) != "fetch" {
		t.Errorf("the definition is %+v", places)
	}
	c.call("textDocument/definition", c.at(first, c.after(first, "command: che", 1)), &places)
	if len(places) != 1 || places[0].URI != uri(command) {
		t.Errorf("the definition of the command is %+v", places)
	}
	var list protocol.CompletionList
	c.replace(command, 2, 0, 0, "See $")
	c.call("textDocument/completion", c.at(command, len("See $")), &list)
	if !slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == "fetch" }) {
		t.Errorf("the command file completes %+v", list.Items)
	}
	c.replace(command, 3, 0, len("See $"), "")

	// A fault in the command file is shown there, without saving, and goes away.
	c.replace(command, 4, 0, 0, "$fetch.outptu ")
	if list := c.diagnostics(command, 4); len(list) == 0 {
		t.Error("the fault in the command file is not shown in it")
	}
	c.replace(command, 5, 0, len("$fetch.outptu "), "")
	if list := c.diagnostics(command, 5); len(list) != 0 {
		t.Errorf("the fault in the command file is still shown: %+v", list)
	}

	// References and rename reach workflows that are not open.
	params := protocol.ReferenceParams{TextDocumentPositionParams: c.at(first, c.after(first, "command: che", 1))}
	c.call("textDocument/references", params, &places)
	if len(places) != 2 || !slices.ContainsFunc(places, func(l protocol.Location) bool { return l.URI == uri(second) }) {
		t.Errorf("the references to the command are %+v", places)
	}
	var edit struct {
		DocumentChanges []struct {
			Kind         string                   `json:"kind"`
			OldURI       protocol.URI             `json:"oldUri"`
			NewURI       protocol.URI             `json:"newUri"`
			TextDocument protocol.OptionalVersion `json:"textDocument"`
			Edits        []protocol.TextEdit      `json:"edits"`
		} `json:"documentChanges"`
	}
	c.call("textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: params.TextDocumentPositionParams, NewName: "verify"}, &edit)
	var changed []string
	for _, change := range edit.DocumentChanges {
		changed = append(changed, change.Kind+filepath.Base(path(change.TextDocument.URI))+" "+filepath.Base(path(change.NewURI)))
	}
	if want := []string{"first.yaml .", "second.yaml .", "rename. verify.md"}; !slices.Equal(changed, want) {
		t.Errorf("the rename changes %q, want %q", changed, want)
	}
	if code, message := c.try("textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: c.at(first, c.after(first, "id: fet", 1)), NewName: "review"}, nil); code == 0 {
		t.Error("a node can get the name of another one")
	} else if message == "" {
		t.Error("a refused rename does not say why")
	}
	// The rename of a node changes the command file, too, if that keeps the other
	// workflows right: here it does not.
	if code, _ := c.try("textDocument/rename", protocol.RenameParams{TextDocumentPositionParams: c.at(first, c.after(first, "id: fet", 1)), NewName: "load"}, nil); code == 0 {
		t.Error("a rename changes a command file that another workflow uses with the old name")
	}
}

// TestConfiguration changes wfc.yaml in the editor: the workflows follow.
func TestConfiguration(t *testing.T) {
	first, _, _ := project(t)
	c := connect(t, root(first), nil)
	c.open(first, strings.Replace(caller, "bash: echo", "prompt: Hi\n    provider: mine", 1))
	config := filepath.Join(root(first), "wfc.yaml")
	count := func(list []protocol.Diagnostic) (n int) {
		for _, d := range list {
			if d.Code == "WFC222" {
				n++
			}
		}
		return n
	}
	if count(c.diagnostics(first, 1)) != 1 {
		t.Fatal("the agent is known")
	}
	c.open(config, "agents:\n  mine: {use: claude}\n")
	c.diagnostics(config, 1)
	c.until(func() bool { return count(c.messages[first].Diagnostics) == 0 })
	var places []protocol.Location
	c.call("textDocument/definition", c.at(first, c.after(first, "provider: m", 1)), &places)
	if len(places) != 1 || places[0].URI != uri(config) {
		t.Errorf("the definition of the agent is %+v", places)
	}
}

// TestChangedOnDisk reports a file that changed outside the editor.
func TestChangedOnDisk(t *testing.T) {
	first, _, command := project(t)
	c := connect(t, root(first), nil)
	c.open(first, read(t, first))
	c.diagnostics(first, 1)
	write(t, command, "Check $fetch.outptu.\n")
	c.notify("workspace/didChangeWatchedFiles", protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{{URI: uri(command), Type: 2}}})
	c.until(func() bool { return len(c.messages[command].Diagnostics) > 0 })
	c.notify("textDocument/didClose", protocol.DocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(first)}})
	c.until(func() bool { return len(c.messages[command].Diagnostics) == 0 })
}

// TestWorkspaceDiagnostics pulls the findings of all files.
func TestWorkspaceDiagnostics(t *testing.T) {
	first, second, _ := project(t)
	write(t, second, strings.Replace(caller, "bash: echo", "bash: echo\n    zzz: 1", 1))
	c := connect(t, root(first), nil)
	var report protocol.WorkspaceDiagnosticReport
	c.call("workspace/diagnostic", protocol.WorkspaceDiagnosticParams{}, &report)
	var ids []protocol.PreviousResultID
	for _, item := range report.Items {
		if want := item.URI == uri(second); (len(item.Items) > 0) != want {
			t.Errorf("%s: %+v", item.URI, item.Items)
		}
		ids = append(ids, protocol.PreviousResultID{URI: item.URI, Value: item.ResultID})
	}
	c.call("workspace/diagnostic", protocol.WorkspaceDiagnosticParams{PreviousResultIDs: ids}, &report)
	if len(report.Items) != len(ids) || slices.ContainsFunc(report.Items, func(i protocol.WorkspaceDocumentDiagnosticReport) bool { return i.Kind != "unchanged" }) {
		t.Errorf("pulled again: %+v", report.Items)
	}
}

// TestCancel cancels requests that wait: each is answered, with the error of the protocol
// or its result.
func TestCancel(t *testing.T) {
	first, _, _ := project(t)
	c := connect(t, root(first), nil)
	c.open(first, read(t, first))
	var waiting []jsonrpc2.Waiter
	for i := range uint64(50) {
		id := jsonrpc2.ID{Num: 1000 + i}
		w, err := c.conn.DispatchCall(context.Background(), "workspace/symbol", protocol.WorkspaceSymbolParams{}, jsonrpc2.PickID(id))
		if err != nil {
			t.Fatal(err)
		}
		c.notify("$/cancelRequest", map[string]any{"id": 1000 + i})
		waiting = append(waiting, w)
	}
	cancelled := 0
	for _, w := range waiting {
		if err := w.Wait(context.Background(), nil); err != nil {
			if !strings.Contains(err.Error(), "-32800") {
				t.Error(err)
			}
			cancelled++
		}
	}
	if cancelled == 0 {
		t.Error("no request was cancelled")
	}
}

// TestLifeCycle checks the order of the life of a server.
func TestLifeCycle(t *testing.T) {
	first, _, _ := project(t)
	c := connect(t, root(first), nil)
	if code, _ := c.try("initialize", protocol.InitializeParams{}, nil); code != -32600 {
		t.Errorf("a second initialize has the code %d", code)
	}
	c.notify("$/setTrace", map[string]string{"value": "off"})
	c.notify("textDocument/didChange", protocol.DidChangeTextDocumentParams{}) // of no document
	c.call("shutdown", nil, nil)
	if code, _ := c.try("textDocument/hover", c.at(first, 0), nil); code != -32600 {
		t.Errorf("a request after shutdown has the code %d", code)
	}
}

// TestIgnoreHere applies the action that ignores a warning: the warning goes away, and no
// other comes.
func TestIgnoreHere(t *testing.T) {
	for name, text := range map[string]string{
		"a key":            "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo\n    zzz: 1\n",
		"the first key":    "zzz: 1\nname: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo\n",
		"a block scalar":   "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: |\n      One\n      $b.output is here\n",
		"a flow mapping":   "name: w\ndescription: d\nnodes:\n  - {id: a, bash: echo, zzz: 1}\n",
		"carriage returns": "name: w\r\ndescription: d\r\nnodes:\r\n  - id: a\r\n    bash: echo\r\n    zzz: 1\r\n",
	} {
		file := filepath.Join(t.TempDir(), "w.yaml")
		c := connect(t, filepath.Dir(file), nil)
		c.open(file, text)
		list := c.diagnostics(file, 1)
		if len(list) != 1 || list[0].Severity != protocol.SeverityWarning {
			t.Errorf("%s: %+v", name, list)
			continue
		}
		var actions []struct {
			Title string `json:"title"`
			Edit  struct {
				DocumentChanges []protocol.TextDocumentEdit `json:"documentChanges"`
			} `json:"edit"`
		}
		c.call("textDocument/codeAction", protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri(file)}, Range: list[0].Range}, &actions)
		done := false
		for _, a := range actions {
			if strings.HasPrefix(a.Title, "Ignore") {
				done = true
				after := applied(t, text, a.Edit.DocumentChanges[0].Edits)
				c.replace(file, 2, 0, len(text), after)
				if list := c.diagnostics(file, 2); len(list) != 0 {
					t.Errorf("%s: after\n%s\n%+v", name, after, list)
				}
			}
		}
		if !done {
			t.Errorf("%s: no action ignores %s: %+v", name, list[0].Code, actions)
		}
	}
}

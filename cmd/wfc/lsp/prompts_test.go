package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// TestPromptFiles follows the references of xprompt to other prompts.
func TestPromptFiles(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a.yaml":                   "xprompts:\n  near: \"Be near. #style\"\nsteps:\n  - name: one\n    prompt: |\n      Review this. #style\n      See #lang/go and #near and #given.\n",
		"b.yaml":                   "steps:\n  - name: two\n    prompt: \"#style #lang/go\"\n",
		".xprompts/style.md":       "Be short. #given\n",
		".xprompts/lang/go.md":     "Write Go. #style\n",
		".xprompts/other.md":       "---\nname: given\n---\nBe kind.\n",
		".git/HEAD":                "ref: refs/heads/main\n",
		".xprompts/unused/file.md": "#style\n",
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	c := connect(t, dir, nil)
	a := filepath.Join(dir, "a.yaml")
	c.open(a, files["a.yaml"])
	if list := c.diagnostics(a, 1); len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	for text, want := range map[string]string{"this. #sty": "style.md", "#lang/g": "go.md", "and #nea": "a.yaml", "#giv": "other.md"} {
		var places []protocol.Location
		c.call("textDocument/definition", c.at(a, c.after(a, text, 1)), &places)
		if len(places) != 1 || filepath.Base(path(places[0].URI)) != want {
			t.Errorf("the definition at %q is %+v", text, places)
		}
	}
	for text, want := range map[string]int{"this. #sty": 4, "#lang/g": 2, "and #nea": 2, "#giv": 3} {
		var places []protocol.Location
		params := protocol.ReferenceParams{TextDocumentPositionParams: c.at(a, c.after(a, text, 1))}
		params.Context.IncludeDeclaration = true
		if c.call("textDocument/references", params, &places); len(places) != want {
			t.Errorf("%d references at %q, want %d: %+v", len(places), text, want, places)
		}
	}
	type change struct {
		Kind         string                   `json:"kind"`
		NewURI       protocol.URI             `json:"newUri"`
		TextDocument protocol.OptionalVersion `json:"textDocument"`
		Edits        []protocol.TextEdit      `json:"edits"`
	}
	for _, test := range []struct {
		text, old, moved string
		files            []string
	}{
		{"this. #sty", "#style", ".xprompts/zq.md", []string{"a.yaml", "b.yaml", ".xprompts/lang/go.md"}},
		{"#lang/g", "#lang/go", ".xprompts/lang/zq.md", []string{"a.yaml", "b.yaml"}},
		{"and #nea", "near", "", []string{"a.yaml"}},
		{"#giv", "given", "", []string{"a.yaml", ".xprompts/style.md", ".xprompts/other.md"}},
	} {
		var edit struct {
			DocumentChanges []change `json:"documentChanges"`
		}
		params := protocol.RenameParams{TextDocumentPositionParams: c.at(a, c.after(a, test.text, 1)), NewName: "zq"}
		if _, message := c.try("textDocument/rename", params, &edit); message != "" {
			t.Errorf("%q: %s", test.text, message)
			continue
		}
		want := map[string]string{}
		for _, name := range test.files {
			to := strings.NewReplacer("#style", "#zq", "#lang/go", "#lang/zq", "near", "zq", "given", "zq").Replace(test.old)
			want[name] = strings.ReplaceAll(files[name], test.old, to)
		}
		want["a.yaml"] = strings.Replace(want["a.yaml"], "Be zq.", "Be near.", 1)
		moved := ""
		for _, one := range edit.DocumentChanges {
			if one.Kind == "rename" {
				moved, _ = filepath.Rel(dir, path(one.NewURI))
				continue
			}
			name, _ := filepath.Rel(dir, path(one.TextDocument.URI))
			if got := applied(t, files[name], one.Edits); got != want[name] {
				t.Errorf("%q makes of %s\n%s\nwant\n%s", test.text, name, got, want[name])
			}
			delete(want, name)
		}
		if len(want) > 0 || moved != test.moved {
			t.Errorf("%q leaves out %v and moves the file to %q", test.text, want, moved)
		}
	}
}

// TestPromptCompletion proposes prompts behind a #, and their arguments behind a
// parenthesis, where the text may refer to prompts.
func TestPromptCompletion(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".xprompts/style.md":   "---\ndescription: How to write.\ninput: {tone: word, length: {type: int, default: 3}}\n---\nBe {{ tone }}.\n",
		".xprompts/lang/go.md": "Write Go. # MARK\n",
		"xprompts/plain.md":    "Plain.\n",
		".git/HEAD":            "ref: refs/heads/main\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	const head = "xprompts:\n  near: \"Be near.\"\nsteps:\n  - name: one\n"
	all := []string{"near", "style", "lang/go", "plain"}
	for _, test := range []struct {
		text string
		want []string
	}{
		{"    prompt: |\n      Review. #@\n", all},
		{"    prompt: |\n      #@\n      more\n", all},
		{"    prompt: |\n      Review. #sty@ please\n", all},
		{"    prompt: |\n      Review (#lang/@\n", all},
		{"    prompt: \"#@\"\n", all},
		{"    prompt: '#ne@'\n", all},
		{"    agent: |\n      #@\n", all},
		{"    prompt: |\n      #style(@\n", []string{"tone", "length"}},
		{"    prompt: |\n      #style(calm, len@\n", []string{"tone", "length"}},
		{"    prompt: |\n      #plain(@\n", nil},
		{"    prompt: |\n      Issue#@\n", nil},
		{"    prompt: |\n      #1@\n", nil},
		{"    prompt: Review #@\n", nil},
		{"    bash: |\n      echo #@\n", nil},
	} {
		c := connect(t, dir, nil)
		path := filepath.Join(dir, "flow.yaml")
		text := head + test.text
		at := strings.IndexByte(text, '@')
		c.open(path, strings.Replace(text, "@", "", 1))
		var list protocol.CompletionList
		c.call("textDocument/completion", c.at(path, at), &list)
		var got []string
		for _, item := range list.Items {
			if item.Kind == protocol.CompleteFile || strings.HasSuffix(item.TextEdit.NewText, "=") {
				got = append(got, item.Label)
			}
			if item.Label == "style" && (item.Documentation == nil || item.Documentation.Value != "How to write." || item.Detail != "(tone, length?) · .xprompts/style.md") {
				t.Errorf("style is %+v", item)
			}
		}
		if strings.Join(got, " ") != strings.Join(test.want, " ") {
			t.Errorf("%q proposes %v, want %v", test.text, got, test.want)
		}
	}
}

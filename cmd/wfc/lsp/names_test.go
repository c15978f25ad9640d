package lsp_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
)

// namesProject has each source of names, and beside it names that look like ones.
var namesProject = map[string]string{
	"wfc.yaml": "commands: [shared]\nscripts: [tools]\nagents:\n  own: {use: claude}\n  other: {use: openai, model: m}\nmodels:\n  medium: sonnet\n  '@deep': opus\n",

	"commands/top.md": "text", ".archon/commands/own.md": "---\ndescription: d\n---\ntext", ".archon/commands/defaults/usual.md": "text",
	".archon/commands/defaults/archon-assist.md": "text", ".archon/commands/team/inner.md": "text", "shared/common.md": "text",
	".archon/commands/team/deep/lost.md": "text", ".archon/commands/blank.md": "---\ndescription: d\n---\n", ".archon/commands/notes.txt": "text",

	"scripts/first.ts": "", ".archon/scripts/second.py": "print(1)", ".archon/scripts/team/third.js": "1", "tools/fourth.py": "print(1)", ".archon/scripts/read.me": "",

	".archon/workflows/near.yaml": workflowNamed("near"), ".archon/workflows/team/far.yaml": workflowNamed("far"), ".archon/workflows/defaults/usual.yaml": workflowNamed("usual-flow"),
	".archon/workflows/one.yaml": workflowNamed("twice"), ".archon/workflows/two.yaml": workflowNamed("twice"),
	"action.yml": "name: Docker action\ndescription: d\nruns: {using: docker, image: Dockerfile}\n", ".github/workflows/ci.yaml": "name: ci\non: push\njobs: {}\n",
	"elsewhere/flow.yaml": workflowNamed("elsewhere"),

	".archon/config.yaml": "tiers:\n  small: {provider: claude, model: haiku}\naliases:\n  fast: {provider: claude, model: haiku}\n",

	".claude/skills/mending/SKILL.md": "text", ".claude/skills/empty/README.md": "text",
}

func workflowNamed(name string) string {
	return "name: " + name + "\ndescription: d\nnodes:\n  - id: only\n    bash: ls\n"
}

// TestCompletionIsWhatCheckAccepts completes each key whose value is a name from outside of
// its file: it offers each known name that the check accepts, and no other.
func TestCompletionIsWhatCheckAccepts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range namesProject {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	file := filepath.Join(dir, ".archon", "workflows", "main.yaml")
	const head = "name: main\ndescription: d\nnodes:\n  - id: first\n    bash: ls\n"
	tools := []string{"Read", "Bash", "Grep", "Rread"}
	models := []string{"small", "medium", "large", "'@deep'", "'@fast'", "'@none'"}
	c := connect(t, dir, nil)
	c.open(file, head)
	version := int32(1)
	for _, key := range []struct {
		text  string // | is the place of the name
		names []string
	}{
		{"  - {id: n, command: |}\n", []string{"top", "own", "usual", "archon-assist", "inner", "common", "lost", "blank", "notes"}},
		{"  - id: n\n    loop: {command: |, until_bash: ls, max_iterations: 2}\n", []string{"top", "usual", "lost"}},
		{"  - {id: n, runtime: bun, script: |}\n", []string{"first", "second", "third", "fourth", "read"}},
		{"  - {id: n, runtime: uv, script: |}\n", []string{"first", "second", "third", "fourth", "read"}},
		{"  - {id: n, workflow: |}\n", []string{"near", "far", "usual-flow", "twice", "Docker action", "ci", "elsewhere", "main"}},
		{"  - {id: n, include: |}\n", []string{"near", "far", "usual-flow", "twice", "Docker action", "ci", "elsewhere", "main"}},
		{"  - {id: n, prompt: x, provider: |}\n", []string{"claude", "codex", "own", "other", "openai", "none"}},
		{"  - {id: n, prompt: x, model: |}\n", models},
		{"  - {id: n, prompt: x, provider: own, model: |}\n", models},
		{"  - {id: n, prompt: x, provider: other, model: |}\n", []string{"large"}},
		{"  - {id: n, prompt: x, allowed_tools: [|]}\n", tools},
		{"  - id: n\n    prompt: x\n    denied_tools:\n      - |\n", tools},
		{"  - {id: n, prompt: x, skills: [|]}\n", []string{"mending", "empty", "sewing"}},
		{"  - {id: n, bash: ls, depends_on: [|]}\n", []string{"first", "n", "near"}},
	} {
		show := func(name string) {
			version++
			c.replace(file, version, 0, len(c.files[file]), head+strings.Replace(key.text, "|", name, 1))
		}
		show("")
		var list protocol.CompletionList
		c.call("textDocument/completion", c.at(file, len(head)+strings.IndexByte(key.text, '|')), &list)
		var offered []string
		for _, item := range list.Items {
			offered = append(offered, item.TextEdit.NewText)
		}
		for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(key.names, offered)))) {
			show(name)
			var found []string
			for _, d := range c.diagnostics(file, version) {
				if d.Severity <= 2 { // errors and warnings
					found = append(found, d.Message)
				}
			}
			if accepted := len(found) == 0; accepted != slices.Contains(offered, name) {
				t.Errorf("%s: %s is offered: %v, and accepted: %v %q", strings.TrimSpace(key.text), name, !accepted, accepted, found)
			}
		}
	}
}

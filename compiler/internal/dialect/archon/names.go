package archon

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/markdown"
)

// Names returns the names from outside of a file that a key of it can have, each with its file,
// or for a model its agent, or "". of is what the key names: a command, script, workflow, provider, model, tool or skill.
// agent is the node's agent, or "" for the default, and self the path of the file.
func Names(env *dialect.Env, of, agent, self string) map[string]string {
	l, names := newLibrary(env), map[string]string{}
	add := func(name, path string) {
		if _, there := names[name]; !there {
			names[name] = path
		}
	}
	agent = cmp.Or(agent, defaultProvider)
	switch of {
	case "command":
		for _, dir := range l.searchFolders("commands", env.Settings.Commands) {
			for _, entry := range l.listFolder(dir) {
				path := filepath.Join(dir, entry)
				name, ok := strings.CutSuffix(entry, ".md")
				if f, err := l.openFile(path); ok && isCommandName(name) && err == nil && trimSpace(string(f.Content[markdown.FrontMatterEnd(string(f.Content)):])) != "" {
					add(name, path)
				}
			}
		}
	case "script":
		for _, dir := range l.searchFolders("scripts", env.Settings.Scripts) {
			for _, entry := range l.listFolder(dir) {
				if name, runtime := scriptStem(entry); runtime != "" && !isInline(name) {
					add(name, filepath.Join(dir, entry))
				}
			}
		}
	case "workflow":
		for _, w := range l.listWorkflows() {
			if found, _ := l.findWorkflows(w.name); len(found) == 1 && found[0].path != self {
				add(w.name, found[0].path)
			}
		}
	case "provider":
		for _, name := range env.Settings.Agents.Names(Agents()...) {
			add(name, "")
		}
	case "model":
		for _, m := range env.Settings.Models {
			add(m.Name, m.Agent)
		}
		m := l.models
		m.readFile(l, new(diag.Bag)) // a check reports its faults
		for name, entry := range m.entries {
			agent := ""
			if provider := entry.Get("provider"); provider != nil {
				agent = provider.Value
			}
			add(name, agent)
		}
		for name := range tiers[(&agents{env: env}).baseAgent(agent)] {
			add(name, "")
		}
	case "tool":
		kind, _ := env.Kind(agent)
		for _, name := range kind.Tools {
			add(name, "")
		}
	case "skill":
		for _, dir := range skillDirs(env) {
			for _, entry := range l.listFolder(dir) {
				if name, ok := strings.CutSuffix(entry, "/"); ok && l.hasFile(filepath.Join(dir, name), "SKILL.md") {
					add(name, filepath.Join(dir, name, "SKILL.md"))
				}
			}
		}
	}
	return names
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/compiler/config"
)

// commandGroups are the groups of commands in the help of wfc, by what a person wants to do.
var commandGroups = []struct {
	id, title string
	commands  []string
}{
	{"write", "Write workflows:", []string{"init", "add", "check", "test", "diff", "graph", "explain", "build", "gen"}},
	{"run", "Run them:", []string{"run", "resume", "wake", "listen", "signal", "cancel", "mcp"}},
	{"answer", "Answer their questions:", []string{"approve", "reject", "answer"}},
	{"look", "Look at runs:", []string{"serve", "list", "top", "waiting", "status", "logs", "trace", "costs", "export", "import", "prune"}},
	{"project", "Set up projects and machines:", []string{"doctor", "schema", "lsp", "vettool", "completion", "man", "upgrade", "version", "help"}},
}

// Commands keep the order of their groups, which is that of a workflow's life.
func init() { cobra.EnableCommandSorting = false }

// groupCommands puts the commands of wfc into groups, which its help shows.
func groupCommands(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range root.Commands() {
			if slices.Contains(g.commands, cmd.Name()) {
				cmd.GroupID = g.id
			}
		}
	}
	all := root.Commands()
	root.RemoveCommand(all...)
	slices.SortStableFunc(all, func(a, b *cobra.Command) int { return helpRank(a) - helpRank(b) })
	root.AddCommand(all...)
}

// helpRank orders commands as the groups list them, and others after them.
func helpRank(cmd *cobra.Command) int {
	rank := 0
	for _, g := range commandGroups {
		if i := slices.Index(g.commands, cmd.Name()); i >= 0 {
			return rank + i
		}
		rank += len(g.commands)
	}
	return rank
}

// helpWithNextStep returns the help of all commands, which for wfc itself begins with what to do
// in a folder without workflows.
func helpWithNextStep(root *cobra.Command) func(*cobra.Command, []string) {
	help := root.HelpFunc()
	return func(cmd *cobra.Command, args []string) {
		if cmd == root {
			fmt.Fprint(cmd.OutOrStdout(), nextStep())
		}
		help(cmd, args)
	}
}

// nextStep is the first line of help in a folder without workflows, or "".
func nextStep() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	entries := mostEntries
	if file, err := config.Find(dir); err != nil || file != "" || mayHoldWorkflows(dir, &entries) {
		return ""
	}
	return "This folder has no workflows. `wfc init review` writes a first one with its tests.\n\n"
}

// mostEntries is how many files and folders help looks at.
const mostEntries = 500

// mayHoldWorkflows reports whether a folder has a YAML file, or more entries than help looks at.
func mayHoldWorkflows(dir string, entries *int) bool {
	list, err := os.ReadDir(dir)
	if *entries -= len(list); err != nil || *entries < 0 {
		return true
	}
	return slices.ContainsFunc(list, func(e os.DirEntry) bool {
		if e.IsDir() {
			return e.Name() != ".git" && mayHoldWorkflows(filepath.Join(dir, e.Name()), entries)
		}
		ext := filepath.Ext(e.Name())
		return ext == ".yaml" || ext == ".yml"
	})
}

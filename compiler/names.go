package compiler

import (
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// Programs returns the names of the programs that Compile knows to run text or a command, sorted. A
// bash script may pass a value to any other program.
func Programs() []string { return shell.Programs() }

// Names returns, for editors, the names from outside of an archon workflow file that a key of
// it can have: those that Compile finds. opt.Path is the path of the file. of is what the key
// names: "command", "script", "workflow", "provider", "model", "tool" or "skill". agent is the
// agent of the node, or "" for the default. Each name comes with the path of its file, a model with its
// agent; both may be "".
func Names(opt Options, of, agent string) map[string]string {
	env := &dialect.Env{Root: opt.Root, Dir: filepath.Dir(opt.Path), Home: opt.Home, Files: opt.Files, Settings: opt.Settings}
	if env.Files == nil {
		env.Files = workspace.Disk{}
	}
	if env.Root == "" {
		env.Root = workspace.Root(opt.Path, opt.Home)
	}
	return archon.Names(env, of, agent, opt.Path)
}

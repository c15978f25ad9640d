package cli

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A caller is how a person calls this program.
type caller struct {
	// name is what the program calls itself, typed what a person types.
	name, typed string
	// wfc says that a person types a command of wfc, and file which workflow file
	// or name stands behind the command, or "".
	wfc  bool
	file string
}

// whoCalls returns how this process was called, and takes the caller's variable
// out of its environment.
func whoCalls(p Program) caller {
	if file, ok := os.LookupEnv(state.CallerVariable); ok {
		os.Unsetenv(state.CallerVariable)
		return caller{name: "wfc", typed: "wfc", wfc: true, file: file}
	}
	c := caller{}
	c.name, c.typed = programNames(p)
	return c
}

// passOn adds to an environment what tells another build of this program how it
// is called.
func (c caller) passOn(environ []string) []string {
	if c.wfc {
		environ = append(environ, state.CallerVariable+"="+c.file)
	}
	return environ
}

// command is the command line that a person types for a command on a run, without
// the flags that choose the state folder.
func (c caller) command(verb, run string) string {
	words := []string{c.typed, verb}
	if c.wfc && c.file != "" {
		words = append(words, plain.ShellWord(c.file))
	}
	if run != "" {
		words = append(words, run)
	}
	return strings.Join(words, " ")
}

// use is how a command's usage begins: with wfc, the workflow file follows the
// command.
func (c caller) use(use string) string {
	if !c.wfc || c.file == "" {
		return use
	}
	verb, rest, _ := strings.Cut(use, " ")
	return strings.TrimRight(verb+" "+plain.ShellWord(c.file)+" "+rest, " ")
}

// keepOrigin has a watch record what began each run that it is told of.
func (a *app) keepOrigin(st store.Store, folder state.Folder, watch func(local.Notice)) func(local.Notice) {
	program, err := os.Executable()
	if _, forgets := st.(interface{ Forgets() }); forgets || err != nil || watch == nil {
		return watch
	}
	o := state.Origin{Workflow: a.program.Definition.Name, Program: program, Store: state.StoreSQLite}
	if a.program.OpenDatabase != nil {
		o.Store = state.StorePostgres
	}
	if a.caller.wfc && a.caller.file != "" {
		if path, err := filepath.Abs(a.caller.file); err == nil && isFile(path) {
			o.Source = path
		}
	}
	return func(n local.Notice) {
		if begin, ok := n.(*local.BeginNotice); ok {
			o := o
			o.Run, o.Created = begin.RunID(), time.Now()
			_ = folder.KeepOrigin(o) // a run that wfc finds less quickly is no reason to fail
		}
		watch(n)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

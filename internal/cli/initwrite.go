package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/starter"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// write writes the project, or lists its files, and says what to type next.
func (i *initRun) write(o starter.Options, folder string) error {
	plan, err := starter.NewPlan(o)
	if err != nil {
		return err
	}
	conflicts, err := plan.Conflicts()
	if err != nil {
		return err
	}
	shown := shownNames(o.Folder, folder)
	if len(conflicts) > 0 {
		return i.refusal(o, conflicts, shown)
	}
	lines, err := plan.NewIgnored()
	if err != nil {
		return err
	}
	_, missing := os.Stat(plan.IgnoreFile)
	if !i.dry {
		if err := plan.Write(replaceFile); err != nil {
			return fmt.Errorf("%w\nnothing was written", err)
		}
	}
	wrote, added := "wrote %s\n", "added lines to %s\n"
	out := i.Err
	if i.dry {
		wrote, added, out = "would write %s\n", "would add lines to %s\n", i.Out
	}
	for _, f := range plan.Files {
		fmt.Fprintf(out, wrote, plain.Line(shown(f.Path)))
	}
	if len(lines) > 0 && missing == nil {
		fmt.Fprintf(out, added, plain.Line(shown(plan.IgnoreFile)))
	} else if len(lines) > 0 {
		fmt.Fprintf(out, wrote, plain.Line(shown(plan.IgnoreFile)))
	}
	if !i.dry {
		i.next(o, folder)
	}
	return nil
}

// shownNames returns a function that names files of a project as the user named its
// folder, and files outside of it by their path from the current folder.
func shownNames(folder, typed string) func(string) string {
	return func(name string) string {
		if rel, err := filepath.Rel(folder, name); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(typed, rel)
		}
		if wd, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(wd, name); err == nil {
				return rel
			}
		}
		return name
	}
}

// refusal is the error about files that exist.
func (i *initRun) refusal(o starter.Options, conflicts []string, shown func(string) string) error {
	var b strings.Builder
	b.WriteString("init overwrites no files, so it wrote nothing; these files exist:\n")
	for _, name := range conflicts {
		fmt.Fprintf(&b, "  %s\n", plain.Line(shown(name)))
	}
	fmt.Fprintf(&b, "move them away, or name another folder: `wfc init %s FOLDER`", o.Template.Name)
	without := o
	without.CI, without.Go = false, false
	if plan, err := starter.NewPlan(without); err == nil {
		left, err := plan.Conflicts()
		if err == nil && !slices.ContainsFunc(conflicts, func(c string) bool { return slices.Contains(left, c) }) {
			b.WriteString("; the project also works with --ci none and without --go")
		}
	}
	return errors.New(b.String())
}

// next prints the next commands.
func (i *initRun) next(o starter.Options, folder string) {
	run := []string{"wfc", "run", o.Template.Workflow}
	for _, arg := range o.Template.Arguments {
		run = append(run, plain.ShellWord(arg))
	}
	commands := []string{"wfc check --strict", "wfc test", strings.Join(run, " ")}
	if filepath.Clean(folder) != "." {
		commands[0] = "cd " + plain.ShellWord(folder)
	}
	if o.Go {
		fmt.Fprintf(i.Err, "\n`go generate` in this folder writes the Go package %s. In a Go module, its code needs:\n  go get github.com/wfc-lang/wfc\n", o.GoPackage())
	}
	fmt.Fprintf(i.Err, "\n%s answers the prompts; wfc.yaml can name another agent. Next, type:\n", o.Agent)
	for _, command := range commands {
		fmt.Fprintf(i.Err, "  %s\n", command)
	}
}

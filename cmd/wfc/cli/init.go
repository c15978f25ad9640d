package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/starter"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// An initRun is the command `wfc init` with its flags.
type initRun struct {
	*app
	list   bool
	format string
	dry    bool
	ci     string
	agent  string
	goFile bool
	// absent says that the agent is not installed.
	absent bool
}

// The values of flags of `wfc init`.
var (
	initFormats = []string{"text", "json"}
	initCI      = []string{"github", "none"}
)

func initCommand(a *app) *cobra.Command {
	i := &initRun{app: a}
	cmd := &cobra.Command{
		Use:   "init [TEMPLATE [FOLDER]]",
		Short: "Write a new project with a workflow and its tests",
		Long: `init writes a project from a template: a workflow, wfc.yaml, tests, a CI file for GitHub
Actions, and lines for .gitignore. FOLDER is the current folder unless you name another
one, which init creates. The templates are:

` + templateTable() + `
Without TEMPLATE, init asks for it and for the other choices, if it runs at a terminal.

init overwrites no file: if one exists, it names the file and writes nothing. It only
adds lines to an existing .gitignore. In a git repository, the CI file goes into the
repository's top folder, because GitHub reads it only there.

--agent is the program that answers the prompts; the default is the first one on PATH,
or claude if none is there.
--go adds generate.go, with which go generate writes the workflow's Go package.`,
		Example: "  wfc init\n  wfc init review\n  wfc init extract invoices --agent codex --ci none\n  wfc init --list",
		Args:    i.validateArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return i.run(cmd, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				described := func(t starter.Template) string { return t.Name + "\t" + t.Description }
				return plain.Texts(starter.Templates(), described), cobra.ShellCompDirectiveNoFileComp
			case 1:
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&i.list, "list", false, "list the templates")
	cmd.Flags().StringVar(&i.format, "format", "text", "`FORMAT` of --list: text or json")
	cmd.Flags().BoolVar(&i.dry, "dry-run", false, "list the files and write nothing")
	cmd.Flags().StringVar(&i.agent, "agent", "", "`AGENT` for prompts: "+strings.Join(starter.AgentNames(), ", "))
	cmd.Flags().StringVar(&i.ci, "ci", initCI[0], "CI file for `SERVICE`: github or none")
	cmd.Flags().BoolVar(&i.goFile, "go", false, "add generate.go for go generate")
	offerFlagValues(cmd, "format", initFormats)
	offerFlagValues(cmd, "agent", starter.AgentNames())
	offerFlagValues(cmd, "ci", initCI)
	return cmd
}

// templateTable lists the templates, one a line.
func templateTable() string {
	var b strings.Builder
	for _, t := range starter.Templates() {
		fmt.Fprintf(&b, "  %-10s %-10s %s\n", t.Name, t.Dialect, t.Description)
	}
	return b.String()
}

// validateArgs checks the arguments of the command.
func (i *initRun) validateArgs(cmd *cobra.Command, args []string) error {
	switch {
	case i.list && len(args) > 0:
		return fmt.Errorf("`wfc init --list` takes no arguments; remove `%s`", args[0])
	case len(args) > 2:
		return fmt.Errorf("`wfc init` takes a template and a folder; remove `%s`\nsee `wfc init --help`", args[2])
	case cmd.Flags().Changed("format") && !i.list:
		return errors.New("--format needs --list")
	}
	if err := cmp.Or(oneOf("--format", i.format, initFormats), oneOf("--ci", i.ci, initCI)); err != nil {
		return err
	}
	if cmd.Flags().Changed("agent") {
		return oneOf("--agent", i.agent, starter.AgentNames())
	}
	return nil
}

func (i *initRun) run(cmd *cobra.Command, args []string) error {
	if i.list {
		return i.printTemplates()
	}
	folder := "."
	if len(args) == 2 {
		folder = args[1]
	}
	o := starter.Options{Agent: i.agent, Go: i.goFile, CI: i.ci == initCI[0]}
	if len(args) == 0 {
		var err error
		if folder, err = i.askOptions(cmd, &o); err != nil {
			return err
		}
	} else {
		t, err := templateNamed(args[0])
		if err != nil {
			return err
		}
		o.Template = t
	}
	if folder == "" {
		return errors.New("the name of the folder is empty")
	}
	if o.Agent == "" {
		o.Agent, _ = starter.InstalledAgent()
	}
	i.absent = !starter.IsInstalled(o.Agent)
	if s := probeSandbox(); !s.Usable {
		o.NoSandbox = s.Missing[0].Layer + ": " + s.Missing[0].Problem
	}
	var err error
	if o.Folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	o.Repository = (&repositories{}).findRoot(o.Folder)
	return i.writeProject(o, folder)
}

// templateNamed returns the template with a name. The error suggests another name.
func templateNamed(name string) (starter.Template, error) {
	t, ok := starter.Named(name)
	if ok {
		return t, nil
	}
	hint := plain.DidYouMean(name, starter.Names())
	if hint == "" && (strings.ContainsAny(name, `/\`) || isFolder(name)) {
		hint = fmt.Sprintf("; the template comes before the folder: `wfc init TEMPLATE %s`", plain.ShellWord(name))
	}
	return t, fmt.Errorf("unknown template `%s`%s\nsee `wfc init --list`", name, hint)
}

// printTemplates prints the templates.
func (i *initRun) printTemplates() error {
	if i.format == initFormats[0] {
		for line := range strings.Lines(templateTable()) {
			if _, err := fmt.Fprint(i.Out, strings.TrimPrefix(line, "  ")); err != nil {
				return fmt.Errorf("list the templates: %w", err)
			}
		}
		return nil
	}
	err := json.NewEncoder(i.Out).Encode(struct {
		SchemaVersion int                `json:"schema_version"`
		Templates     []starter.Template `json:"templates"`
	}{1, starter.Templates()})
	if err != nil {
		return fmt.Errorf("list the templates: %w", err)
	}
	return nil
}

// writeProject writes the project, or lists its files, and says what to type next.
func (i *initRun) writeProject(o starter.Options, folder string) error {
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
		return i.conflictError(o, conflicts, shown)
	}
	lines, err := plan.NewIgnored()
	if err != nil {
		return err
	}
	_, missing := os.Stat(plan.IgnoreFile)
	if !i.dry {
		if err := plan.Write(func(path string, content []byte) error {
			return writeFile(path, content, filepath.Dir(path))
		}); err != nil {
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
		i.printNextSteps(o, folder)
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

// conflictError is the error about files that exist.
func (i *initRun) conflictError(o starter.Options, conflicts []string, shown func(string) string) error {
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

// printNextSteps prints the next commands.
func (i *initRun) printNextSteps(o starter.Options, folder string) {
	run := []string{"wfc", "run", o.Template.Workflow}
	run = append(run, plain.Texts(o.Template.Arguments, plain.ShellWord)...)
	commands := []string{"wfc check --strict", "wfc test", strings.Join(run, " ")}
	if filepath.Clean(folder) != "." {
		commands[0] = "cd " + plain.ShellWord(folder)
	}
	if o.Go {
		fmt.Fprintf(i.Err, "\n`go generate` in this folder writes the Go package %s. In a Go module, its code needs:\n  go get github.com/wfc-lang/wfc\n", o.GoPackage())
	}
	who := o.Agent + " answers the prompts; wfc.yaml can name another agent."
	if i.absent {
		who = o.Agent + " answers the prompts, but it is not installed: `wfc doctor` says how to install it."
		commands[2] += " --dry-run" // which needs no agent
	}
	fmt.Fprintf(i.Err, "\n%s Next, type:\n", who)
	for _, command := range commands {
		fmt.Fprintf(i.Err, "  %s\n", command)
	}
}

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/starter"
	"github.com/wfc-lang/wfc/runtime/plain"
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
		Args:    i.arguments,
		RunE:    func(cmd *cobra.Command, args []string) error { return i.run(cmd, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				var list []string
				for _, t := range starter.Templates() {
					list = append(list, t.Name+"\t"+t.Description)
				}
				return list, cobra.ShellCompDirectiveNoFileComp
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
	offer(cmd, "format", initFormats)
	offer(cmd, "agent", starter.AgentNames())
	offer(cmd, "ci", initCI)
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

// arguments checks the arguments of the command.
func (i *initRun) arguments(cmd *cobra.Command, args []string) error {
	switch {
	case i.list && len(args) > 0:
		return fmt.Errorf("`wfc init --list` takes no arguments; remove `%s`", args[0])
	case len(args) > 2:
		return fmt.Errorf("`wfc init` takes a template and a folder; remove `%s`\nsee `wfc init --help`", args[2])
	case cmd.Flags().Changed("format") && !i.list:
		return errors.New("--format needs --list")
	}
	if err := oneOf("--format", i.format, initFormats); err != nil {
		return err
	}
	if err := oneOf("--ci", i.ci, initCI); err != nil {
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
		if folder, err = i.ask(cmd, &o); err != nil {
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
	var err error
	if o.Folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	o.Repository = (&repositories{}).root(o.Folder)
	return i.write(o, folder)
}

// templateNamed returns the template with a name. The error suggests another name.
func templateNamed(name string) (starter.Template, error) {
	t, ok := starter.Named(name)
	if ok {
		return t, nil
	}
	hint := ""
	info, err := os.Stat(name)
	if best := finding.Nearest(name, starter.Names()); best == "" && (strings.ContainsAny(name, `/\`) || err == nil && info.IsDir()) {
		hint = fmt.Sprintf("; the template comes before the folder: `wfc init TEMPLATE %s`", plain.ShellWord(name))
	} else if best != "" {
		hint = fmt.Sprintf("; did you mean `%s`?", best)
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

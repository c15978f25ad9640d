package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A genRun is the command `wfc gen` with its flags.
type genRun struct {
	*app
	flags compileFlags
	dir   string
	pkg   string
	store string
	main  bool
	// engine adds the functions that open an engine.
	engine bool
	check  bool
}

func genCommand(a *app) *cobra.Command {
	g := &genRun{app: a}
	cmd := &cobra.Command{
		Use:   "gen FILE|NAME… -o DIR",
		Short: "Generate Go code from workflows",
		Long: `gen writes the Go package of a workflow to the folder DIR. For several workflows, a
folder or a pattern, each package gets a folder in DIR, named like the package. gen
does not touch files that are up to date.

A workflow that runs others has a package for each of them, in a folder of its package.
Then DIR must be in a Go module, because the code contains its import path. If the workflow
no longer runs one of them, gen removes that package's generated file.

With --check, gen writes nothing. If the code is stale, it prints the difference
and the command that updates the code, and exits with 1. It ignores the workflow's
line numbers in the code.`,
		Example: "  wfc gen triage.yaml -o internal/triage\n  wfc gen flows -o internal/flows --check",
		Args:    someWorkflow,
		RunE:    func(cmd *cobra.Command, args []string) error { return g.run(cmd, args) },
	}
	g.flags.register(cmd)
	cmd.Flags().StringVarP(&g.dir, "output", "o", "", "folder for the code")
	cmd.Flags().StringVar(&g.pkg, "package", "", "name of the package (default: from the workflow's name)")
	cmd.Flags().BoolVar(&g.main, "main", false, "write a program: package main with main.go")
	cmd.Flags().BoolVar(&g.engine, "engine", false, "add engine.go, which opens an engine with wfc.yaml's settings")
	cmd.Flags().StringVar(&g.store, "store", "", "for --main and --engine: "+storeUse())
	cmd.Flags().BoolVar(&g.check, "check", false, "write nothing; print the difference and exit with 1")
	cmd.MarkFlagsMutuallyExclusive("package", "main")
	cmd.MarkFlagsMutuallyExclusive("engine", "main")
	return cmd
}

// someWorkflow asks for at least one file.
func someWorkflow(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("`%s` needs a workflow file\nsee `%s --help`", cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

// oneWorkflow asks for exactly one file.
func oneWorkflow(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("`%s` takes one workflow file; remove `%s`\nsee `%s --help`", cmd.CommandPath(), args[1], cmd.CommandPath())
	}
	return someWorkflow(cmd, args)
}

func (g *genRun) run(cmd *cobra.Command, args []string) error {
	opt := gen.Options{Package: g.pkg, Main: g.main, Engine: g.engine}
	switch {
	case g.dir == "":
		return errors.New("`wfc gen` needs -o DIR, the folder for the code")
	case g.pkg == "main":
		return errors.New("use --main instead of `--package main`")
	case g.pkg != "" && !gen.ValidPackage(g.pkg):
		return fmt.Errorf("invalid Go package name `%s`", g.pkg)
	}
	if _, err := storeNamed(g.store); err != nil {
		return err
	}
	outcomes, err := g.compileWorkflows(&g.flags, args)
	if err != nil {
		return err
	}
	all, err := g.generateCode(outcomes, true, opt, g.store)
	if err != nil {
		return err
	}
	single := len(args) == 1 && len(all) == 1 && all[0].input.named
	if !single && g.pkg != "" {
		return errors.New("--package needs exactly one workflow file")
	}
	dirs, err := g.outputFolders(all, single)
	if err != nil {
		return err
	}
	stale := false
	for i, w := range all {
		if len(w.result.Workflow.Callees()) > 0 {
			if w.opt.ImportPath, err = importPath(dirs[i]); err != nil {
				return fmt.Errorf("%s runs other workflows, whose packages the code imports: %w", w.input.name, err)
			}
			w.files = gen.Generate(w.result.Workflow, w.opt)
		}
		if g.check {
			changed, diff, err := gen.Diff(dirs[i], w.files)
			if err != nil {
				return err
			}
			stale = stale || len(changed) > 0
			fmt.Fprint(g.Out, diff)
			continue
		}
		changed, err := gen.Write(dirs[i], w.files)
		if err != nil {
			return err
		}
		for _, name := range changed {
			done := "removed"
			if slices.ContainsFunc(w.files, func(f gen.File) bool { return f.Name == name }) {
				done = "wrote"
			}
			fmt.Fprintf(g.Err, "%s %s\n", done, plain.Line(filepath.Join(dirs[i], name)))
		}
	}
	if g.check && stale {
		return &exitError{ExitFindings, fmt.Errorf("the generated code is stale; run `%s`", regenerateCommand(cmd, args))}
	}
	return nil
}

// importPath returns the import path of the package in a folder, which need not exist: it
// begins with that of the module around it.
func importPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	module, err := workspace.FindGoModule(dir)
	if errors.Is(err, workspace.ErrNoGoModule) {
		return "", fmt.Errorf("%w; run `go mod init` in a folder above it, or write the code to a module", err)
	}
	if err != nil {
		return "", err
	}
	return module.ImportPath(dir)
}

// outputFolders returns the folder of each workflow's code.
func (g *genRun) outputFolders(all []generated, single bool) ([]string, error) {
	if single {
		return []string{g.dir}, nil
	}
	var dirs []string
	owner := map[string]string{}
	for _, w := range all {
		dir := filepath.Join(g.dir, gen.PackageName(w.result.Workflow.Workflow.Name))
		if other, taken := owner[dir]; taken {
			return nil, fmt.Errorf("the code of %s and %s has the same folder %s; give the workflows names that differ in letters or digits", other, w.input.name, dir)
		}
		owner[dir] = w.input.name
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// regenerateCommand is the command line that writes what --check found stale.
func regenerateCommand(cmd *cobra.Command, args []string) string {
	words := strings.Fields(cmd.CommandPath())
	words = append(words, plain.Texts(args, plain.ShellWord)...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "check" || f.Name == "color" || f.Name == "verbose":
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name)
		case f.Name == "output":
			words = append(words, "-o", plain.ShellWord(f.Value.String()))
		default:
			words = append(words, "--"+f.Name, plain.ShellWord(f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

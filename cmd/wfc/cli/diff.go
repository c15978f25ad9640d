package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/compare"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A differ is the command `wfc diff` with its flags.
type differ struct {
	*app
	flags  compileFlags
	format string
	failOn []string
}

// The words of --fail-on beside the classes of changes.
const (
	failOnAny   = "any"
	failOnRisky = "risky"
)

// someVersions asks for one or two versions of workflows.
func someVersions(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("`%[1]s` needs what to compare the files with, such as a git revision: `%[1]s HEAD`\nsee `%[1]s --help`", cmd.CommandPath())
	}
	return argumentsUpTo(2)(cmd, args)
}

func diffCommand(a *app) *cobra.Command {
	d := &differ{app: a}
	classes := append([]string{failOnAny, failOnRisky}, plain.Strings(compare.Classes())...)
	cmd := &cobra.Command{
		Use:   "diff OLD [NEW]",
		Short: "Show how two versions of workflows differ in meaning",
		Long: `diff compares the meaning of workflows: nodes, conditions, prompts, tools, gates, limits,
schemas. How the YAML is written does not count. The settings of wfc.yaml count, too.

OLD and NEW are files, names of workflows of the project, or git revisions (main, HEAD~3,
v1.2 or main:flows/a.yaml). For two revisions, diff compares all workflows of the
repository. Without NEW, it compares OLD with the files as they are now.

A change with a ! removes a safeguard: a gate, a limit, a sandbox, a restriction of tools.
--fail-on exits with 1 if there is a change of a kind: ` + strings.Join(classes, ", ") + `.
The exit code is 2 if a workflow has errors in one of two compared versions.`,
		Example: "  wfc diff main\n  wfc diff main flows/triage.yaml --fail-on risky\n  wfc diff old.yaml new.yaml --format markdown",
		Args:    someVersions,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, class := range d.failOn {
				if err := oneOf("--fail-on", class, classes); err != nil {
					return err
				}
			}
			return d.run(append(args, "")[:2])
		},
	}
	d.flags.registerReading(cmd)
	cmd.Flags().StringVar(&d.format, "format", string(compare.Text), "output format: "+strings.Join(plain.Strings(compare.Formats()), ", "))
	cmd.Flags().StringSliceVar(&d.failOn, "fail-on", nil, "kinds of changes to exit with 1 for")
	return cmd
}

func (d *differ) run(args []string) error {
	if err := oneOf("--format", d.format, plain.Strings(compare.Formats())); err != nil {
		return err
	}
	for i := range args {
		file, err := d.namedSide(args[i])
		if err != nil {
			return err
		}
		args[i] = file
	}
	sides, clean, err := d.resolveSides(args[0], args[1])
	defer clean()
	if err != nil {
		return err
	}
	old, err := d.compileSide(sides[0])
	if err != nil {
		return err
	}
	fresh, err := d.compileSide(sides[1])
	if err != nil {
		return err
	}
	configs := &configPairs{sides: sides, known: map[[2]*loadedConfig]compare.File{}}
	files := pairVersions(old, fresh, configs)
	files = append(configs.files(), files...)
	for _, f := range files {
		for _, c := range f.Changes {
			makeSpanRelative(c.At, sides)
		}
	}
	if err := compare.Write(d.Out, compare.Format(d.format), files); err != nil {
		return fmt.Errorf("write changes: %w", err)
	}
	return silentExit(d.changesExitCode(files))
}

// namedSide returns the file of a workflow for its name, unless that is a file or a revision,
// and otherwise the argument.
func (d *differ) namedSide(arg string) (string, error) {
	if arg == "" || isFile(arg) || strings.Contains(arg, ":") {
		return arg, nil
	}
	if root, err := d.repositoryRoot(); err == nil {
		if _, err := gitRoot(root).resolveCommit(arg); err == nil {
			return arg, nil
		}
	}
	file, err := d.projects.fileNamed(arg, "file, revision or workflow")
	if missing := (*missingError)(nil); errors.As(err, &missing) && missing.help == "" {
		return arg, nil // resolveSides says why it is no revision
	}
	return file, err
}

// makeSpanRelative makes the name of a span's file relative to its version of the repository, which
// may be a temporary folder.
func makeSpanRelative(at source.Span, sides [2]side) {
	for _, s := range sides {
		if !at.IsValid() || s.under == "" {
			continue
		}
		if rel, err := filepath.Rel(s.under, filepath.FromSlash(at.File.Name)); err == nil && filepath.IsLocal(rel) {
			at.File.Name = filepath.ToSlash(rel)
			return
		}
	}
}

// changesExitCode is the exit code for the changes.
func (d *differ) changesExitCode(files []compare.File) int {
	for _, f := range files {
		if f.Broken != "" {
			return ExitUsage
		}
	}
	for _, class := range d.failOn {
		for _, f := range files {
			switch {
			case class == failOnAny && f.Differs(),
				class == failOnRisky && slices.ContainsFunc(f.Changes, func(c compare.Change) bool { return c.Risky }),
				compare.Any(f.Changes, compare.Class(class)):
				return ExitFindings
			}
		}
	}
	return ExitClean
}

// A side is one of the two versions: files below a folder, or a file.
type side struct {
	// path is where they are, and shown the name for it: the revision, or "".
	path, shown string
	// file says that it is one file.
	file bool
	// under is the folder that names are relative to.
	under string
}

// resolveSides finds the two versions. clean removes their temporary folders.
func (d *differ) resolveSides(old, fresh string) (sides [2]side, clean func(), err error) {
	var made []string
	clean = func() {
		for _, dir := range made {
			os.RemoveAll(dir)
		}
	}
	other := [2]string{fresh, old}
	for i, arg := range [2]string{old, fresh} {
		switch {
		case isFile(arg):
			sides[i] = side{path: arg, file: true}
			continue
		case arg == "" && isFile(old):
			return sides, clean, fmt.Errorf("diff needs a second file to compare %s with", plain.Line(old))
		case arg == "":
			root, err := d.repositoryRoot()
			if err != nil {
				return sides, clean, err
			}
			sides[i] = side{path: root, under: root}
			if _, file, ok := strings.Cut(old, ":"); ok {
				sides[i] = side{path: filepath.Join(root, filepath.FromSlash(file)), file: true, under: root}
			}
			continue
		}
		rev, file, ok := strings.Cut(arg, ":")
		if !ok && isFile(other[i]) {
			if file, err = d.inRepository(other[i]); err != nil {
				return sides, clean, err
			}
		}
		dir, err := d.checkoutRevision(rev)
		if err != nil {
			return sides, clean, err
		}
		made = append(made, dir)
		if file != "" && !workspace.Exists(filepath.Join(dir, filepath.FromSlash(file))) {
			return sides, clean, fmt.Errorf("revision %s has no file %s", plain.Line(rev), plain.Line(file))
		}
		sides[i] = side{path: filepath.Join(dir, filepath.FromSlash(file)), shown: rev + ":", file: file != "", under: dir}
	}
	if sides[0].file != sides[1].file {
		return sides, clean, errors.New("diff compares two files or two revisions, not one of each")
	}
	return sides, clean, nil
}

// repositoryRoot is the root of the current folder's repository.
func (d *differ) repositoryRoot() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root := (&repositories{}).findRoot(wd)
	if root == "" {
		return "", errors.New("diff needs two files, or a git repository to find revisions in")
	}
	return root, nil
}

// inRepository is the path of a file in the repository.
func (d *differ) inRepository(name string) (string, error) {
	root, err := d.repositoryRoot()
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the repository %s", plain.Line(name), plain.Line(root))
	}
	return filepath.ToSlash(rel), nil
}

// compileSide compiles the workflows of a side.
func (d *differ) compileSide(s side) ([]outcome, error) {
	ins, err := d.projects.findInputs([]string{s.path}, "")
	if err != nil {
		return nil, err
	}
	outcomes, err := d.projects.compileAll(&d.flags, ins)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(outcomes, func(o outcome) bool { return o.isConfig() || o.isSkipped() || !s.file && !o.isWorkflow() })
	for i := range kept {
		name := kept[i].input.name
		if s.under != "" {
			if rel, err := filepath.Rel(s.under, kept[i].input.path); err == nil {
				name = filepath.ToSlash(rel)
			}
		}
		kept[i].input.name = s.shown + name
		if err := kept[i].err; err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// pairVersions compares the versions of each workflow. They have the same path or, if one has no
// such partner, the same name.
func pairVersions(old, fresh []outcome, configs *configPairs) []compare.File {
	path := func(o *outcome) string {
		if _, file, ok := strings.Cut(o.input.name, ":"); ok {
			return file
		}
		return o.input.name
	}
	name := func(o *outcome) string {
		if o.result.Workflow == nil {
			return ""
		}
		return o.result.Workflow.Workflow.Name
	}
	partner := make([]*outcome, len(fresh))
	taken := map[*outcome]bool{}
	if len(old) == 1 && len(fresh) == 1 {
		partner[0], taken[&old[0]] = &old[0], true
	}
	for _, by := range []func(*outcome) string{path, name} {
		for i := range fresh {
			for k := range old {
				if key := by(&fresh[i]); partner[i] == nil && !taken[&old[k]] && key != "" && key == by(&old[k]) {
					partner[i], taken[&old[k]] = &old[k], true
				}
			}
		}
	}
	var files []compare.File
	for i := range fresh {
		if partner[i] == nil {
			files = append(files, compare.File{New: fresh[i].input.name})
			continue
		}
		files = append(files, compareVersions(partner[i], &fresh[i], configs))
	}
	for k := range old {
		if taken[&old[k]] {
			continue
		}
		f := compare.File{Old: old[k].input.name}
		// A workflow with errors never ran, so its removal removes no safeguard.
		if r := old[k].result; r.Workflow != nil && !r.HasErrors() {
			f.Changes = compare.Removal(r.Workflow)
		}
		files = append(files, f)
	}
	return files
}

// checkoutRevision writes the files of a revision to a new folder, which the caller removes.
// The folder is marked as a repository, so that searches from the root find its files.
func (d *differ) checkoutRevision(rev string) (dir string, err error) {
	repository, err := d.repositoryRoot()
	if err != nil {
		return "", err
	}
	commit, err := gitRoot(repository).resolveCommit(rev)
	if unknown := (*unknownRevisionError)(nil); errors.As(err, &unknown) {
		return "", fmt.Errorf("no file is named %s, and %w", plain.Line(rev), err)
	} else if err != nil {
		return "", err
	}
	tree, err := gitRoot(repository).readTree(commit)
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "wfc-diff-"); err != nil {
		return "", err
	}
	if err := errors.Join(writeCommitFiles(dir, gitRoot(repository), tree), os.MkdirAll(filepath.Join(dir, ".git"), 0o700)); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("read revision %s: %w", plain.Line(rev), err)
	}
	return dir, nil
}

// writeCommitFiles writes the files of a commit below a folder, and the links that do not lead out of
// it. Files that are too large for wfc are too large there, too, and have no content.
func writeCommitFiles(dir string, from gitRoot, tree gitTree) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	place := func(path string) (string, error) {
		name := filepath.FromSlash(path)
		return name, root.MkdirAll(filepath.Dir(name), 0o700)
	}
	write := func(f gitFile, fill func(*os.File) error) error {
		name, err := place(f.path)
		if err != nil {
			return err
		}
		file, err := root.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(fill(file), file.Close())
	}
	small, large, err := from.splitBySize(tree.files)
	if err != nil {
		return err
	}
	for _, f := range large {
		if err := write(f, func(file *os.File) error { return file.Truncate(int64(wholefile.Source) + 1) }); err != nil {
			return err
		}
	}
	err = from.readContents(small, func(f gitFile, content io.Reader) error {
		return write(f, func(file *os.File) error {
			_, err := io.Copy(file, content)
			return err
		})
	})
	if err != nil {
		return err
	}
	return from.readContents(tree.links, func(f gitFile, content io.Reader) error {
		name, err := place(f.path)
		if err != nil {
			return err
		}
		target, err := io.ReadAll(io.LimitReader(content, 1<<16)) // longer ones cannot be links
		if err != nil || !filepath.IsLocal(filepath.Join(filepath.Dir(name), string(target))) {
			return err
		}
		return root.Symlink(string(target), name)
	})
}

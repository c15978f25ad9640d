package vet

import (
	"cmp"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/gen/internal/callees"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A workflowFile is the file that a package was generated from, and how.
type workflowFile struct {
	path string
	// shown is the path relative to the folder of the module.
	shown string
	// module is the module of the package; without a path if there is none.
	module workspace.GoModule
	// how is the command that generates the package: of a line //go:generate, or without a
	// folder, as the files of the package show.
	how *directive
	// name is the usual name of the package.
	name string
}

// findWorkflow finds the workflow file of the package in a folder by its name: the one of a
// line //go:generate in a folder above, or else the nearest one.
func findWorkflow(dir, name string) (*workflowFile, error) {
	w := &workflowFile{how: inferDirective(dir)}
	above := []string{dir}
	switch module, err := workspace.FindGoModule(dir); {
	case errors.Is(err, workspace.ErrNoGoModule):
		w.module.Dir = dir
	case err != nil:
		return nil, err
	default:
		w.module = module
		for folder := dir; folder != module.Dir; {
			folder = filepath.Dir(folder)
			above = append(above, folder)
		}
	}
	for _, folder := range above {
		for _, file := range goFiles(folder) {
			for _, d := range parseDirectives(folder, file.text) {
				if found := d.workflowPath(dir, name); found != "" {
					w.how = d
					return w.setPath(found), nil
				}
			}
		}
	}
	for _, folder := range above {
		switch found := workflowsNear(folder, name); {
		case len(found) == 1:
			return w.setPath(found[0]), nil
		case len(found) > 1:
			return nil, fmt.Errorf("%d workflow files are named %s: write the command that generates this package into a line //go:generate of a Go file in a folder above it", len(found), name)
		}
	}
	return nil, fmt.Errorf("the workflow file %s of this package was not found: write the command that generates the package into a line //go:generate of a Go file in a folder above it", name)
}

func (w *workflowFile) setPath(path string) *workflowFile {
	w.path, w.shown = path, path
	if rel, err := filepath.Rel(w.module.Dir, path); err == nil {
		w.shown = filepath.ToSlash(rel)
	}
	return w
}

// workflowsNear returns the workflow files of a name in a folder and the folders in it, and
// where archon keeps workflows.
func workflowsNear(folder, name string) []string {
	if path := filepath.Join(folder, name); isFile(path) {
		return []string{path}
	}
	found := findFilesUnder(filepath.Join(folder, ".archon", "workflows"), name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return found
	}
	for _, entry := range entries {
		if path := filepath.Join(folder, entry.Name(), name); entry.IsDir() && isFile(path) {
			found = append(found, path)
		}
	}
	return found
}

// findFilesUnder returns the files of a name in a folder and in all folders below.
func findFilesUnder(folder, name string) []string {
	var found []string
	filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.Name() == name && isFile(path):
			found = append(found, path)
		}
		return nil
	})
	return found
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// generateFiles generates the code of the package in a folder, with the settings of the
// workflow's project.
func (w *workflowFile) generateFiles(dir string) ([]gen.File, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then only the project's own files are found
	}
	project := &config.Config{}
	found, err := config.Find(filepath.Dir(w.path))
	if err != nil {
		return nil, err
	}
	if found != "" {
		if project, _, err = config.Load(found, found); err != nil {
			return nil, err
		}
	}
	content, err := workspace.Disk{}.Read(w.path)
	if err != nil {
		return nil, err
	}
	root := workspace.Root(w.path, home)
	project = project.WithArchonOf(root)
	opt := project.Options(w.path)
	opt.Root, opt.Home, opt.Files, opt.Ask = root, home, new(workspace.Snapshot), oracle.OnPath()
	if w.how.dialect != "" {
		opt.Dialect = w.how.dialect
	}
	result := compiler.Compile(source.NewFile(w.shown, content), opt)
	if result.HasErrors() || result.Workflow == nil {
		return nil, fmt.Errorf("%s does not compile any more: run `wfc check %s`", w.shown, plain.ShellWord(w.shown))
	}
	w.name = gen.PackageName(result.Workflow.Workflow.Name)
	options := gen.Options{Package: w.how.name, Main: w.how.main, Engine: w.how.engine, Defaults: project.Settings("")}
	options.Defaults.Budgets.Workflows = project.WorkflowBudgets(result.Workflow, w.path)
	options.Defaults.Notify = project.NotifyOf(w.path)
	options.Defaults.OnQuota, options.Defaults.Concurrency = project.TurnsOf(w.path, result.Dialect)
	options.Store = cmp.Or(settings.Store(w.how.store), options.Defaults.Store)
	if len(result.Workflow.Callees()) > 0 {
		if options.ImportPath, err = w.module.ImportPath(dir); err != nil {
			return nil, err
		}
	}
	return gen.Generate(result.Workflow, options), nil
}

// inferDirective returns the command that generates the package in a folder, as its files show.
func inferDirective(dir string) *directive {
	d := new(directive)
	for _, file := range goFiles(dir) {
		if generatedName(file.text) == "" {
			continue
		}
		d.main = d.main || file.name == "main.go"
		d.engine = d.engine || file.name == "engine.go"
		if parsed, err := parser.ParseFile(token.NewFileSet(), file.name, file.text, parser.PackageClauseOnly); err == nil {
			d.name = parsed.Name.Name
		}
		for _, store := range catalog.Stores()[1:] { // the directive doesn't name the default
			if strings.Contains(file.text, strconv.Quote(module+store.Package)) {
				d.store = string(store.Kind)
			}
		}
	}
	if d.main {
		d.name = ""
	}
	return d
}

// regenerateCommand returns the command line that generates the package in a folder again.
func (w *workflowFile) regenerateCommand(dir string) string {
	within := func(path string) string {
		rel, err := filepath.Rel(w.module.Dir, path)
		if err != nil {
			return path
		}
		return filepath.ToSlash(rel)
	}
	if w.how.folder != "" {
		if rel := within(w.how.folder); rel != "." {
			return "go generate ./" + rel
		}
		return "go generate ."
	}
	words := []string{"wfc", "gen", plain.ShellWord(w.shown), "-o", plain.ShellWord(within(dir))}
	if name := w.how.name; name != "" && name != w.name {
		words = append(words, "--package", name)
	}
	if w.how.main {
		words = append(words, "--main")
	}
	if w.how.engine {
		words = append(words, "--engine")
	}
	if w.how.store != "" {
		words = append(words, "--store", w.how.store)
	}
	return strings.Join(words, " ")
}

// A goFile is a Go file with its text.
type goFile struct {
	name, text string
}

// goFiles returns the Go files of a folder in order, but for tests.
func goFiles(folder string) []goFile {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var list []goFile
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			list = append(list, goFile{name, readText(filepath.Join(folder, name))})
		}
	}
	return list
}

// readText returns the text of a file, or "" if it cannot be read.
func readText(path string) string {
	content, err := wholefile.Source.Read(path)
	if err != nil {
		return ""
	}
	return string(content)
}

// generatedName returns the name of the workflow file that Go code was generated from, or "".
func generatedName(content string) string {
	line, _, _ := strings.Cut(content, "\n")
	return callees.Workflow(strings.TrimSuffix(line, "\r"))
}

// A directive is a line //go:generate that calls `wfc gen`.
type directive struct {
	// folder is the folder of the Go file with the line: paths are relative to it.
	folder string
	// inputs are the workflow files, folders and patterns.
	inputs []string
	// output, name, store and dialect are the values of flags.
	output, name, store, dialect string
	main, engine                 bool
}

// parseDirectives returns the lines of a Go file in a folder that generate workflows.
func parseDirectives(folder, content string) []*directive {
	var list []*directive
	for line := range strings.Lines(content) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:generate ")
		if !ok {
			continue
		}
		if d := parseDirective(folder, splitCommand(command)); d != nil {
			list = append(list, d)
		}
	}
	return list
}

// splitCommand splits a command as go generate does: at spaces, and text in double quotes is one
// word.
func splitCommand(command string) []string {
	var list []string
	for {
		command = strings.TrimLeft(command, " \t")
		if command == "" {
			return list
		}
		if quoted, err := strconv.QuotedPrefix(command); err == nil && command[0] == '"' {
			word, _ := strconv.Unquote(quoted)
			list, command = append(list, word), command[len(quoted):]
			continue
		}
		end := strings.IndexAny(command, " \t")
		if end < 0 {
			end = len(command)
		}
		list, command = append(list, command[:end]), command[end:]
	}
}

// parseDirective reads the command `wfc gen …`, which may be called by `go run` or
// `go tool`; nil if it is another command.
func parseDirective(folder string, command []string) *directive {
	at := slices.Index(command, "gen")
	if at < 1 {
		return nil
	}
	program, _, _ := strings.Cut(command[at-1], "@")
	if name := path.Base(filepath.ToSlash(program)); name != "wfc" && name != "wfc.exe" {
		return nil
	}
	d := &directive{folder: folder}
	texts := map[string]*string{"-o": &d.output, "--output": &d.output, "--package": &d.name, "--store": &d.store, "--dialect": &d.dialect}
	switches := map[string]*bool{"--main": &d.main, "--engine": &d.engine}
	rest := command[at+1:]
	for i := 0; i < len(rest); i++ {
		flag, value, given := strings.Cut(rest[i], "=")
		switch text, on := texts[flag], switches[flag]; {
		case text != nil && given:
			*text = value
		case text != nil && i+1 < len(rest):
			i++
			*text = rest[i]
		case on != nil:
			*on = value != "false"
		case strings.HasPrefix(flag, "-o") && !strings.HasPrefix(flag, "--"):
			d.output = rest[i][len("-o"):]
		case !strings.HasPrefix(flag, "-"):
			d.inputs = append(d.inputs, rest[i])
		}
	}
	return d
}

// workflowPath returns the path of the workflow file of a name if the line generates the package
// in a folder from it, or "".
func (d *directive) workflowPath(dir, name string) string {
	output := filepath.Join(d.folder, filepath.FromSlash(d.output))
	for _, input := range d.inputs {
		at := filepath.Join(d.folder, filepath.FromSlash(input))
		if isFile(at) {
			single := len(d.inputs) == 1 && output == dir
			if filepath.Base(at) == name && (single || len(d.inputs) > 1 && filepath.Dir(dir) == output) {
				return at
			}
			continue
		}
		if filepath.Dir(dir) != output {
			continue
		}
		if i := strings.IndexAny(at, "*?[{"); i >= 0 {
			at = filepath.Dir(at[:i] + "x")
		}
		if found := findFilesUnder(at, name); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

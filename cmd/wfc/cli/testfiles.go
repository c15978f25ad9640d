package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/cmd/wfc/placeholder"
	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// testSources finds the test files that arguments stand for, each once, in order, with the
// paths of their workflows.
func (p *projects) testSources(args []string) ([]testjob.Source, error) {
	var all []testjob.Source
	add := func(name string) error {
		path, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(s testjob.Source) bool { return s.Path == path }) {
			return nil
		}
		s := testjob.Source{Path: path, Shown: filepath.ToSlash(name), Syntax: syntaxFaults(path)}
		// A broken file may name its workflow in a part that cannot be read.
		if s.WorkflowPath = workflowOf(path); s.WorkflowPath == "" && len(s.Syntax) == 0 {
			s.Problem = missingWorkflow(path)
		}
		all = append(all, s)
		return nil
	}
	join := func(more []testjob.Source, err error) error {
		for _, s := range more {
			if !slices.ContainsFunc(all, func(o testjob.Source) bool { return o.Path == s.Path && o.WorkflowPath == s.WorkflowPath }) {
				all = append(all, s)
			}
		}
		return err
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err != nil && strings.ContainsAny(arg, `/\.`):
			return nil, fmt.Errorf("file or folder `%s` does not exist", arg)
		case err != nil:
			err = p.addNamedTests(arg, join, add)
		case info.IsDir():
			err = p.walkAll(arg, func(name string) error {
				if search.IsFixture(name) {
					return join(p.fixtureSources(name, ""))
				}
				if path, err := filepath.Abs(name); err != nil || !search.IsTest(path) {
					return err
				}
				return add(name)
			})
		case strings.HasSuffix(arg, search.TestSuffix):
			err = add(arg)
		case search.IsFixture(arg):
			err = join(p.fixtureSources(arg, ""))
		default:
			before := len(all)
			if err = join(p.fixturesOf(arg)); err == nil {
				err = addTestsOf(arg, len(all) > before, add)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addNamedTests adds the fixtures that have a name, and the tests of the workflow with that name.
func (p *projects) addNamedTests(name string, join func([]testjob.Source, error) error, add func(string) error) error {
	fixtures, known, err := p.namedFixtures(name)
	if err := join(fixtures, err); err != nil {
		return err
	}
	file, err := p.fileNamed(name, "file or folder")
	switch missing := (*missingError)(nil); {
	case err == nil:
		return addTestsOf(file, len(fixtures) > 0, add)
	case len(fixtures) > 0:
		return nil
	case errors.As(err, &missing):
		missing.help = ", and no workflow or folder with fixtures has this name" + cmp.Or(missing.help, plain.DidYouMean(name, known))
	}
	return err
}

// addTestsOf adds the test files of a workflow, which may have none if it has fixtures.
func addTestsOf(workflow string, found bool, add func(name string) error) error {
	names := testsOf(workflow)
	for _, name := range names {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		found = true
		if err := add(name); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("`%s` has no tests; write them into %s, or let `wfc test --generate %s` do it", workflow, names[0], plain.ShellWord(workflow))
	}
	return nil
}

// testsOf returns the names that the test file of a workflow can have.
func testsOf(workflow string) []string {
	if abs, err := filepath.Abs(workflow); err == nil {
		workflow = abs
	}
	names := search.TestsOf(workflow)
	for i := range names {
		names[i] = displayPath(names[i])
	}
	return names
}

// workflowOf returns the path of the workflow that a test file is for, or "".
func workflowOf(path string) string {
	return search.TestedBy(path, givenWorkflow(path), isFile)
}

// workflowName returns the name that a workflow file gives, or "".
func workflowName(path string) string { return topLevel(path, "name") }

// givenWorkflow returns the path that a test file gives for its workflow, or "".
func givenWorkflow(path string) string { return topLevel(path, "workflow") }

// topLevel returns the value of a key at the top of a YAML file, or "".
func topLevel(path, key string) string {
	root := parsedYAML(path)
	if root == nil {
		return ""
	}
	if n := root.Get(key); n != nil {
		return n.Value
	}
	return ""
}

// syntaxFaults returns why a test file is not YAML, in the words for workflows: the test
// program has only the YAML library, which knows neither the exact place nor the cause.
func syntaxFaults(path string) (faults []testjob.Fault) {
	text, err := wholefile.Source.Read(path)
	if err != nil {
		return nil
	}
	file, bag := source.NewFile(path, text), &diag.Bag{}
	if doc := yamlsrc.Parse(file, bag); doc.Root != nil {
		return nil
	}
	for _, d := range bag.Sorted() {
		at := file.Position(d.Span.Start)
		faults = append(faults, testjob.Fault{Line: at.Line, Column: at.Column, Message: strings.Join(append([]string{d.Message}, d.Help...), "; ")})
	}
	return faults
}

// parsedYAML returns the content of a YAML file without its faults, which others report;
// nil if there is none.
func parsedYAML(path string) *yamlsrc.Node {
	text, err := wholefile.Source.Read(path)
	if err != nil {
		return nil
	}
	doc := yamlsrc.Parse(source.NewFile(path, text), &diag.Bag{})
	if doc == nil {
		return nil
	}
	return doc.Root
}

func missingWorkflow(path string) string {
	if given := givenWorkflow(path); given != "" {
		return fmt.Sprintf("the workflow `%s` does not exist", given)
	}
	base := strings.TrimSuffix(filepath.Base(path), search.TestSuffix)
	return fmt.Sprintf("missing workflow %s.yaml beside this file; add `workflow: PATH`", base)
}

// testedWorkflows compiles the workflows of test files, each once, and gives the test files
// the names that the workflows have in the test program.
func (a *app) testedWorkflows(flags *compileFlags, found []testjob.Source) ([]outcome, []testjob.Source, error) {
	var ins []input
	for _, s := range found {
		if s.WorkflowPath != "" && !slices.ContainsFunc(ins, func(in input) bool { return in.path == s.WorkflowPath }) {
			ins = append(ins, input{name: displayPath(s.WorkflowPath), path: s.WorkflowPath, named: s.Label == ""})
		}
	}
	outcomes, err := a.projects.compileAll(flags, ins)
	if err != nil {
		return nil, nil, err
	}
	outcomes, found, faulty := withoutFaulty(outcomes, found)
	if err := a.refuseAny(outcomes, false); err != nil {
		return nil, nil, err
	}
	if err := a.showFindings(faulty); err != nil {
		return nil, nil, err
	}
	found = withoutOthers(found, outcomes)
	outcomes = slices.DeleteFunc(outcomes, func(o outcome) bool { return !o.isWorkflow() })
	for i := range found {
		for _, o := range outcomes {
			if o.input.path != found[i].WorkflowPath {
				continue
			}
			found[i].Project = testProjectOf(&o)
			found[i].Diagnostics = []string{}
			for _, d := range o.result.Diagnostics {
				found[i].Diagnostics = append(found[i].Diagnostics, d.Code.ID)
			}
			if found[i].Label != "" {
				found[i].Placeholders = placeholder.Tolerated(o.result.Workflow)
			}
			slices.Sort(found[i].Diagnostics)
			found[i].Diagnostics = slices.Compact(found[i].Diagnostics)
		}
	}
	return outcomes, found, nil
}

// cachedTests returns the test program of workflows, from the cache if possible, and its
// builder. It gives the test files the names of the workflows in the program.
func (a *app) cachedTests(ctx context.Context, workflows []outcome, found []testjob.Source, cover bool) (string, *build.Builder, error) {
	builder, err := a.newBuilder("", "")
	if err != nil {
		return "", nil, err
	}
	program, err := builder.BuildCached(ctx, testProgram(builder, workflows, found, cover), "wfc-test")
	if err != nil {
		return "", nil, buildError(ctx, err)
	}
	return program, builder, nil
}

// testProgram returns the files of the test program: a package for each workflow, and a
// main package that has wfctest run the tests. Equal workflows share a package.
func testProgram(builder *build.Builder, workflows []outcome, found []testjob.Source, cover bool) []gen.File {
	var files []gen.File
	var ids []string
	for _, o := range workflows {
		opt := gen.Options{Package: "workflow", LineDirectives: true, Cover: cover}
		generated := gen.Generate(o.result.Workflow, opt)
		sum := sha256.New()
		for _, f := range generated {
			fmt.Fprintf(sum, "%s %d\n%s", f.Name, len(f.Content), f.Content)
		}
		id := "w" + hex.EncodeToString(sum.Sum(nil)[:8])
		for i := range found {
			if found[i].WorkflowPath == o.input.path {
				found[i].Workflow = id
			}
		}
		if slices.Contains(ids, id) {
			continue
		}
		ids = append(ids, id)
		if len(generated) > 1 {
			opt.ImportPath = builder.ImportPath(id)
			generated = gen.Generate(o.result.Workflow, opt)
		}
		for _, f := range generated {
			files = append(files, gen.File{Name: id + "/" + f.Name, Content: f.Content})
		}
	}
	slices.Sort(ids)
	counters := "nil, nil"
	if cover {
		counters = byPackage("func() map[string][2]uint64", ids, "%[1]s.Terms") + ", nil"
	}
	return withTestMain(builder, files, ids, counters)
}

// withTestMain returns the files of the packages of a test program with its main package, which has
// wfctest run the tests. functions are the last arguments of wfctest.Main.
func withTestMain(builder *build.Builder, files []gen.File, ids []string, functions string) []gen.File {
	imports := ""
	for _, id := range ids {
		imports += fmt.Sprintf("\t%s %q\n", id, builder.ImportPath(id))
	}
	main := fmt.Sprintf(testMain, imports, byPackage("*flow.Definition", ids, "&%[1]s.Workflow"), functions)
	files = append(files, gen.File{Name: "main.go", Content: []byte(main)})
	slices.SortFunc(files, func(x, y gen.File) int { return strings.Compare(x.Name, y.Name) })
	return files
}

// byPackage is a map of Go with a value of each package, whose format has the package's name.
func byPackage(typ string, ids []string, value string) string {
	text := "map[string]" + typ + "{\n"
	for _, id := range ids {
		text += fmt.Sprintf("\t\t%q: "+value+",\n", id)
	}
	return text + "\t}"
}

// testMain is the main package of a test program.
const testMain = `package main

import (
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/wfctest"
%s)

func main() {
	wfctest.Main(%s, %s)
}
`

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A fixture of archon is a file NAME.stubs.yaml in a folder `fixtures`. It tests every
// workflow in the folder around that one.

// fixtureDepth bounds the folders between a scope and a fixture.
const fixtureDepth = 12

// pathBelowWorkflows is the path of a fixture below the folder of workflows in which it is
// (below the root of its repository if there is none), without the suffix.
func pathBelowWorkflows(path, home string) string {
	slashed, folder := filepath.ToSlash(path), "/"+archonWorkflows+"/"
	rel := ""
	if i := strings.LastIndex(slashed, folder); i >= 0 {
		rel = slashed[i+len(folder):]
	} else if r, err := filepath.Rel(workspace.Root(path, home), path); err == nil {
		rel = filepath.ToSlash(r)
	}
	return strings.TrimSuffix(rel, search.StubsSuffix)
}

// filesBesideFixture returns the files beside the folder of a fixture that can be workflows.
func filesBesideFixture(fixture string) (paths []string) {
	dir := filepath.Dir(filepath.Dir(fixture))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // the report then says that no workflow matches
	}
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if (ext == ".yaml" || ext == ".yml") && !search.BelongsToTests(e.Name()) {
			if path := filepath.Join(dir, e.Name()); isFile(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// fixtureSources are the tests of a fixture: one for each workflow, or for the one with
// the path only. A fixture without workflows has one, which fails.
func (p *projects) fixtureSources(name, only string) ([]testjob.Source, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	base := testjob.Source{Path: path, Shown: filepath.ToSlash(name), Label: pathBelowWorkflows(path, p.home), Syntax: syntaxFaults(path)}
	var all []testjob.Source
	for _, workflow := range filesBesideFixture(path) {
		if only == "" || only == workflow {
			s := base
			s.WorkflowPath = workflow
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		base.Problem = noWorkflows(path)
		all = []testjob.Source{base}
	}
	return all, nil
}

func noWorkflows(fixture string) string {
	names := plain.Texts(filesBesideFixture(fixture), func(path string) string { return "`" + filepath.Base(path) + "`" })
	if len(names) == 0 {
		names = []string{"no YAML files beside its folder"}
	}
	return fmt.Sprintf("no discovered workflow matches (%s)", strings.Join(names, ", "))
}

// withoutFaulty separates the workflows with errors that only fixtures test, which do not
// stop other fixtures: those of these workflows fail. A file without nodes that has errors
// is not a workflow, so its errors don't matter.
func withoutFaulty(outcomes []outcome, found []testjob.Source) (good []outcome, tests []testjob.Source, faulty []outcome) {
	tests = slices.Clone(found)
	for _, o := range outcomes {
		of := func(s testjob.Source) bool { return s.WorkflowPath == o.input.path }
		if !o.isWorkflow() || !o.result.HasErrors() || o.result.Stack != "" || slices.ContainsFunc(found, func(s testjob.Source) bool { return of(s) && s.Label == "" }) {
			good = append(good, o)
			continue
		}
		if doc := parsedYAML(o.input.path); doc == nil || doc.Get("nodes") == nil {
			continue
		}
		faulty = append(faulty, o)
		for i, s := range tests {
			if of(s) {
				tests[i].WorkflowPath, tests[i].Problem = "", fmt.Sprintf("the workflow `%s` has errors", o.input.name)
			}
		}
	}
	return good, tests, faulty
}

// withoutOthers removes the tests of fixtures whose files beside them are not workflows,
// and duplicates among those of broken fixtures.
func withoutOthers(found []testjob.Source, outcomes []outcome) []testjob.Source {
	loads := func(s testjob.Source) bool {
		return s.Label == "" || slices.ContainsFunc(outcomes, func(o outcome) bool { return o.input.path == s.WorkflowPath && o.isWorkflow() })
	}
	var kept []testjob.Source
	for _, s := range found {
		others := slices.ContainsFunc(found, func(o testjob.Source) bool { return o.Path == s.Path && loads(o) })
		switch {
		case loads(s), s.Problem != "":
			kept = append(kept, s)
		case !others && !slices.ContainsFunc(kept, func(o testjob.Source) bool { return o.Path == s.Path }):
			s.WorkflowPath, s.Problem = "", noWorkflows(s.Path)
			kept = append(kept, s)
		}
	}
	return kept
}

// fixturesOf adds the fixtures beside a workflow, for this workflow only.
func (p *projects) fixturesOf(workflow string) (all []testjob.Source, err error) {
	path, err := filepath.Abs(workflow)
	if err != nil {
		return nil, err
	}
	names, err := filepath.Glob(search.FixturesOf(workflow))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		more, err := p.fixtureSources(name, path)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// namedFixtures finds the fixtures whose workflow, or a folder on the way to them, has a
// name, and all names that they have. A fixture of the project hides one of the home folder
// with the same label.
func (p *projects) namedFixtures(target string) (all []testjob.Source, known []string, err error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	for _, root := range []string{workspace.Root(filepath.Join(wd, "x"), p.home), p.home} {
		scope := filepath.Join(root, filepath.FromSlash(archonWorkflows))
		if root == "" || !isFolder(scope) {
			continue
		}
		var own []testjob.Source
		err := filepath.WalkDir(scope, func(name string, e os.DirEntry, err error) error {
			rel, _ := filepath.Rel(scope, name)
			switch {
			case err != nil:
				return err
			case e.IsDir() && strings.Count(filepath.ToSlash(rel), "/") >= fixtureDepth:
				return filepath.SkipDir
			case !search.IsFixture(name):
				return nil
			}
			sources, err := p.fixtureSources(name, "")
			if err != nil {
				return err
			}
			label := sources[0].Label
			if slices.ContainsFunc(all, func(s testjob.Source) bool { return s.Label == label }) {
				return nil // the one in a nearer scope hides it
			}
			folders := strings.Split(label, "/")
			inFolder := slices.Contains(folders[:len(folders)-2], target)
			known = append(known, folders[:len(folders)-2]...)
			for _, s := range sources {
				workflow := workflowName(s.WorkflowPath)
				known = append(known, workflow)
				if inFolder || workflow == target {
					s.Shown = displayPath(s.Path)
					own = append(own, s)
				}
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		slices.SortStableFunc(own, func(x, y testjob.Source) int { return strings.Compare(x.Label, y.Label) })
		all = append(all, own...)
	}
	return all, known, nil
}

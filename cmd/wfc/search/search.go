// Package search finds the workflow files of folders.
package search

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/gitignore"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// YAML visits the YAML files below a folder in order, by names that begin with that of the
// folder. It leaves out hidden folders (except .archon, which holds workflows, and
// .github), folders of other people's code, files that git ignores, and files and folders
// for which excluded is true. An error of excluded or visit ends the search.
func YAML(dir string, excluded func(name string) (bool, error), visit func(name string) error) error {
	top, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	folders := map[string]*gitignore.Folder{} // by name, as WalkDir has them
	return filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if name != dir && errors.Is(err, fs.ErrNotExist) {
			return nil // it has gone since its folder was read
		}
		if err != nil {
			return err
		}
		if e.IsDir() && name == dir {
			folders[filepath.Clean(name)] = gitignore.Open(top)
			return nil
		}
		folder := folders[filepath.Dir(name)]
		if e.IsDir() {
			if PassesOver(e.Name()) || folder.Ignores(e.Name(), true) {
				return filepath.SkipDir
			}
			folders[name] = folder.Enter(e.Name())
			left, err := excluded(name)
			if err == nil && left {
				return filepath.SkipDir
			}
			return err
		}
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
			return nil
		}
		if !e.Type().IsRegular() {
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				return nil // a dangling link, or nothing that can be read to its end
			}
		}
		if folder.Ignores(e.Name(), false) {
			return nil
		}
		if left, err := excluded(name); err != nil || left {
			return err
		}
		return visit(name)
	})
}

// PassesOver reports whether a search leaves out the folders of a name.
func PassesOver(folder string) bool {
	switch folder {
	case ".archon", ".github":
		return false
	case "node_modules", "vendor", "__pycache__":
		return true
	}
	return strings.HasPrefix(folder, ".")
}

const (
	// TestSuffix is the end of the names of test files.
	TestSuffix = ".test.yaml"
	// StubsSuffix is the end of the names of archon's fixtures.
	StubsSuffix = ".stubs.yaml"
	// fixtureFolder is the folder of archon's fixtures beside workflows.
	fixtureFolder = "fixtures"
	// testFolder is the folder of test files beside a workflow.
	testFolder = "tests"
)

// BelongsToTests reports whether a file belongs to the tests of a workflow.
func BelongsToTests(path string) bool {
	return strings.HasSuffix(path, TestSuffix) || strings.HasSuffix(path, StubsSuffix)
}

// IsFixture reports whether a file is a fixture of archon.
func IsFixture(path string) bool {
	return strings.HasSuffix(path, StubsSuffix) && filepath.Base(filepath.Dir(path)) == fixtureFolder
}

// FixturesOf returns the pattern of the fixtures beside a workflow.
func FixturesOf(workflow string) string {
	return filepath.Join(filepath.Dir(workflow), fixtureFolder, "*"+StubsSuffix)
}

// IsTest reports whether a path is that of a test file. The folders of archon's workflows
// have none: archon would take one for a workflow.
func IsTest(path string) bool {
	return strings.HasSuffix(path, TestSuffix) && !strings.Contains(filepath.ToSlash(path), "/.archon/workflows/")
}

// TestsOf returns the paths that the test file of a workflow with an absolute path can
// have. That of a workflow in .archon/workflows is in the folder tests of the project.
func TestsOf(workflow string) []string {
	dir := filepath.Dir(workflow)
	base := strings.TrimSuffix(filepath.Base(workflow), filepath.Ext(workflow)) + TestSuffix
	if project, folder, ok := archonProject(dir); ok {
		return []string{filepath.Join(project, testFolder, folder, base)}
	}
	return []string{filepath.Join(dir, base), filepath.Join(dir, testFolder, base)}
}

// TestRoot returns the folder that contains all places of tests of a workflow.
func TestRoot(workflow string) string {
	dir := filepath.Dir(workflow)
	if project, _, ok := archonProject(dir); ok {
		return project
	}
	return dir
}

// archonProject splits an absolute folder in .archon/workflows into the project's folder and
// the rest.
func archonProject(dir string) (project, folder string, ok bool) {
	project, folder, ok = strings.Cut(filepath.ToSlash(dir)+"/", workspace.ArchonFolder)
	return filepath.FromSlash(project + "/"), filepath.FromSlash(folder), ok
}

// TestedBy returns the path of the workflow that a test file is for, or "". given is the
// path that the file gives for it, or "".
func TestedBy(test, given string, exists func(path string) bool) string {
	dir := filepath.Dir(test)
	if given != "" {
		if path := filepath.Join(dir, filepath.FromSlash(given)); exists(path) {
			return path
		}
		return ""
	}
	base := strings.TrimSuffix(filepath.Base(test), TestSuffix)
	folders := []string{dir}
	if filepath.Base(dir) == testFolder {
		folders = append(folders, filepath.Dir(dir))
	}
	slashed := filepath.ToSlash(dir) + "/"
	if i := strings.LastIndex(slashed, "/"+testFolder+"/"); i >= 0 {
		folders = append(folders, filepath.FromSlash(slashed[:i]+workspace.ArchonFolder+slashed[i+len("/"+testFolder+"/"):]))
	}
	for _, folder := range folders {
		for _, ext := range []string{".yaml", ".yml"} {
			if path := filepath.Join(folder, base+ext); exists(path) {
				return path
			}
		}
	}
	return ""
}

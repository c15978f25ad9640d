package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// fileNamed returns the project's file that declares the name of a workflow; a file that
// declares none counts by its own name, without the ending. what names the missing thing in
// the error, such as "file or folder".
func (p *projects) fileNamed(name, what string) (string, error) {
	file, offered, err := p.fileOfPack(name)
	if file != "" || err != nil {
		return file, err
	}
	missing := &missingError{what: what, name: name}
	if offered != nil {
		missing.help = cmp.Or(plain.DidYouMean(name, offered), "; `wfc add --list` shows the packs of this project")
		return "", &usageError{missing}
	}
	if strings.ContainsAny(name, `/\`) || filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" {
		return "", &usageError{missing}
	}
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	dir, err := state.Root(wd)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Rel(wd, dir); err != nil || outsideGit(wd) {
		dir = "."
	}
	var files, stems, known []string
	err = p.walkWorkflows(dir, func(path string) error {
		if filepath.Base(path) == config.FileName {
			return nil
		}
		stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		declared := cmp.Or(workflowName(path), topLevel(path, "workflow"), stem)
		known = append(known, declared)
		switch name {
		case declared:
			files = append(files, filepath.ToSlash(path))
		case stem:
			stems = append(stems, filepath.ToSlash(path))
		}
		return nil
	})
	if len(files) > 1 { // other YAML files have names, too, such as jobs of a forge
		files = slices.DeleteFunc(files, func(file string) bool { return !p.isWorkflowFile(file) })
	}
	switch {
	case err != nil:
		return "", err
	case len(files) == 1:
		return files[0], nil
	case len(files) > 1:
		return "", &usageError{fmt.Errorf("`%s` is the name of %d workflows%s", name, len(files), meantFiles(files))}
	}
	missing.help = meantFiles(stems)
	if missing.help == "" {
		missing.help = plain.DidYouMean(name, known)
	}
	return "", &usageError{missing}
}

// namedInstead returns the file of the workflow with a name, if the current folder has something else
// of that name, such as the binary that `wfc build review -o review` wrote; else "".
func (p *projects) namedInstead(name string, info os.FileInfo) string {
	if strings.ContainsAny(name, `/\.`) || mayBeWorkflow(name, info) && p.isWorkflowFile(name) {
		return ""
	}
	file, err := p.fileNamed(name, "file")
	if err != nil {
		return "" // what is there says what is wrong
	}
	return file
}

// isWorkflowFile reports whether a file is a workflow of any format, with errors or without.
func (p *projects) isWorkflowFile(path string) bool {
	o, err := p.compileOne(&compileFlags{}, path)
	return err == nil && o.isWorkflow()
}

// meantFiles asks whether one of the files was meant.
func meantFiles(files []string) string {
	switch len(files) {
	case 0:
		return ""
	case 1:
		return "; did you mean `" + files[0] + "`?"
	}
	return "; name one file: `" + strings.Join(files[:min(len(files), 4)], "`, `") + "`"
}

// fileOfPack returns the file of a workflow that a pack of the project offers under a name, such as
// acme/kit:review, or "" and the names that the packs offer.
func (p *projects) fileOfPack(name string) (file string, offered []string, err error) {
	if !strings.Contains(name, ":") {
		return "", nil, nil
	}
	pr, err := p.currentProject()
	if err != nil {
		return "", nil, err
	}
	dir := workspace.PackProject(pr.root)
	lock, err := p.files.Read(filepath.Join(dir, workspace.LockName))
	if err != nil {
		return "", nil, nil // there are no packs
	}
	for workflow, file := range workspace.PackWorkflows(lock) {
		if strings.EqualFold(workflow, name) {
			return displayPath(filepath.Join(dir, filepath.FromSlash(file))), nil, nil
		}
		offered = append(offered, workflow)
	}
	slices.Sort(offered)
	return "", offered, nil
}

package archon

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A packaged workflow has a folder .archon/workflows/PACK/WORKFLOW: one YAML file, and the
// folders commands, scripts and fixtures. Its commands and scripts are there only.
// Scripts may import modules of PACK/.shared.

// packageFolder returns the folder of the packaged workflow to which files of the folder
// dir belong, or "".
func packageFolder(dir string) string {
	folders, _ := workspace.ArchonFolders(filepath.Join(dir, "x"))
	if len(folders) < 2 || workspace.IsArchonPart(folders) {
		return ""
	}
	for range len(folders) - 2 {
		dir = filepath.Dir(dir)
	}
	return dir
}

// checkPackage reports faults of the folder of a packaged workflow, at the top of its file.
func (d *decoder) checkPackage(root *yamlsrc.Node) {
	folder := d.library.packaged
	if folder == "" {
		return
	}
	at := value{Node: root}.FirstKey()
	folders, _ := workspace.ArchonFolders(filepath.Join(folder, "x"))
	shown := strings.Join(folders, "/")
	for _, name := range folders {
		if strings.HasPrefix(name, ".") {
			d.Bag.Add(finding.InvalidPackage(at, fmt.Sprintf("the folder `%s` of a packaged workflow starts with a dot", name), "rename the folder"))
			return
		}
	}
	files := workflowFiles(d.library.list(folder))
	switch {
	case folder != d.env.Dir:
		d.Bag.Add(finding.InvalidPackage(at, "this file is more than two folders below `.archon/workflows`",
			"move it to `"+d.library.shown(folder)+"`, the folder of its packaged workflow"))
	case len(files) > 1:
		d.Bag.Add(finding.InvalidPackage(at, fmt.Sprintf("the packaged workflow `%s` has %d workflow files: `%s`", shown, len(files), strings.Join(files, "`, `")),
			"give each workflow a separate folder, or move the files one folder up, where they share commands and scripts"))
	}
}

// workflowFiles are those entries of a folder that can be workflows.
func workflowFiles(entries []string) []string {
	return slices.DeleteFunc(slices.Clone(entries), func(name string) bool {
		stem := strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".yml")
		return stem == name || strings.HasSuffix(stem, ".stubs")
	})
}

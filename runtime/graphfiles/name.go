package graphfiles

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// root is the folder, below the one that a run works in, that holds a folder for
// each task, and reserved what else it may hold.
const (
	root     = ".graph-loop"
	reserved = "templates"
)

// TaskName is the name of the folder that a run's state is kept in: the one that
// the caller chose, or one made of the name of the workflow's file.
func TaskName(run *flow.RunInfo, def *flow.Definition) string {
	if run.Graph != nil && run.Graph.Task != "" {
		return run.Graph.Task
	}
	source := ""
	if def != nil {
		source = strings.TrimSuffix(strings.TrimSuffix(def.Source, ".yaml"), ".yml")
	}
	for _, from := range []string{source, run.Workflow} {
		switch name := slug(from); {
		case name == reserved:
			return name + "-task"
		case strings.Trim(name, "-") != "":
			return name
		}
	}
	return "task"
}

// slug is a name in small letters, digits and dashes.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '_':
			return '-'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-':
			return r
		}
		return -1
	}, name)
}

// longestName is how many bytes the name of a folder may have everywhere.
const longestName = 100

// checkName says why a name cannot be that of a task's folder.
func checkName(name string) error {
	bad := func(r rune) bool { return strings.ContainsRune(`/\<>:"|?*`, r) || unicode.IsControl(r) }
	switch {
	case name == "":
		return errors.New("the name is empty")
	case name == reserved:
		return fmt.Errorf("`%s` is the folder of templates", name)
	case len(name) > longestName:
		return fmt.Errorf("the name has %d bytes, and at most %d are possible", len(name), longestName)
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "."), strings.TrimSpace(name) != name:
		return fmt.Errorf("`%s` begins or ends with a dot or blank", name)
	case strings.ContainsFunc(name, bad), !filepath.IsLocal(name):
		return fmt.Errorf("`%s` is not the name of one folder", name)
	}
	return nil
}

// Name implements engine.TaskKeeper.
func (*Performer) Name(name string) error { return checkName(name) }

// folderOf is the folder of a run's task.
func folderOf(run *flow.RunInfo, def *flow.Definition) (string, error) {
	name := TaskName(run, def)
	if err := checkName(name); err != nil {
		return "", fmt.Errorf("the task's name: %w", err)
	}
	return filepath.Join(run.WorkDir, root, name), nil
}

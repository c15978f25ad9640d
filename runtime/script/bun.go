package script

import (
	"context"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// longestArgument is the length in bytes from which a script is read from
// standard input: less than every system's limit for one argument.
const longestArgument = 100 << 10

// bun makes the command line of a JavaScript or TypeScript script. An inline
// script is an argument, so that what it imports is looked for from the working
// directory; a long one is standard input, for the same reason.
func (j *job) bun(ctx context.Context) error {
	j.args = []string{"--no-env-file"}
	var modules []string
	if len(j.script.Deps) > 0 {
		folder, err := j.install(ctx)
		if err != nil {
			return err
		}
		modules = append(modules, filepath.Join(folder, "node_modules"))
	}
	if len(j.script.Bindings) > 0 {
		if err := j.preload(); err != nil {
			return err
		}
	}
	switch {
	case j.script.Name != "" && len(j.script.Bindings) == 0:
		path, inPlace, err := j.named()
		if err != nil {
			return err
		}
		if !inPlace {
			modules = append(modules, filepath.Join(j.call.Run.WorkDir, "node_modules"))
		}
		j.args = append(j.args, "run", path)
	case len(j.script.Source) < longestArgument:
		j.args = append(j.args, "-e", j.script.Source)
	default:
		j.args = append(j.args, "-")
		j.stdin = []byte(j.script.Source)
	}
	j.searchModules(modules)
	return nil
}

// preload lays down the values and the program that sets them.
func (j *job) preload() error {
	content, err := values(j.script.Bindings)
	if err != nil {
		return err
	}
	prelude := j.path(".js")
	if err := j.write(prelude+"on", content); err != nil {
		return err
	}
	j.args = append(j.args, "--preload="+prelude)
	return j.write(prelude, []byte(preludeJS))
}

// searchModules adds folders in which modules are looked for when the folders
// above the script have none of the name.
func (j *job) searchModules(folders []string) {
	if len(folders) == 0 {
		return
	}
	const name = "NODE_PATH"
	path := ""
	for _, f := range folders {
		path += f + string(os.PathListSeparator)
	}
	if own := process.Variable(j.environ, name); own != "" {
		path += own
	} else {
		path = path[:len(path)-1]
	}
	j.environ = append(j.environ, name+"="+path)
}

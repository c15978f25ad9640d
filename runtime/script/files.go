package script

import (
	"context"
	_ "embed" // for the preludes
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A script reads its values from variables of its language. Code that sets them cannot be
// in the script: it would have to come after `#!`, `from __future__`, documentation
// strings and "use strict", and in Python no line can hold two statements if one is
// compound. So a prelude sets them from outside: bun loads prelude.js first, and Python
// gets prelude.py, which runs the script. Lines, directives and the names in the script's
// own scope stay unchanged.

//go:embed prelude.js
var preludeJS string

//go:embed prelude.py
var preludePython string

// filePath returns the name of a file of this attempt.
func (j *job) filePath(ending string) string {
	return filepath.Join(j.dir, "bindings", fmt.Sprintf("%s.%d%s", process.FileName(j.call.Action.Key), j.call.Number, ending))
}

func (j *job) writeFile(path string, content []byte) error {
	j.files = append(j.files, path)
	if err := process.WriteFile(path, content); err != nil {
		return fmt.Errorf("write the script's files: %w", err)
	}
	return nil
}

// removeFiles removes the files.
func (j *job) removeFiles() {
	for _, path := range j.files {
		_ = os.Remove(path)
	}
}

// encodeValues returns what the preludes read.
func encodeValues(bindings []flow.Binding) ([]byte, error) {
	list := make([][3]any, 0, len(bindings))
	for _, b := range bindings {
		if b.Integer && !isInteger(b.Value) {
			return nil, process.Invalid("the value of %s must be an integer", b.Name)
		}
		list = append(list, [3]any{b.Name, b.Value, b.Literal})
	}
	return json.Marshal(list)
}

func isInteger(text string) bool {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "+-")
	return digits != "" && len(text)-len(digits) <= 1 && strings.Trim(digits, "0123456789") == ""
}

// folders are the folders of named scripts in the working directory.
var folders = []string{"scripts", filepath.Join(".archon", "scripts")}

// namedScriptFile returns the file to run a named script from. The build embedded the script, but
// not the files beside it that it loads. So if the working directory still has the script
// with the same content, it runs from there, and finds them. Otherwise it runs from a
// copy.
func (j *job) namedScriptFile() (file string, inPlace bool, err error) {
	name := path.Base(j.script.Name)
	if name != j.script.Name {
		own := j.ownPlace()
		if text, err := wholefile.Source.Read(own); err == nil && string(text) == j.script.Source {
			return own, true, nil
		}
		return j.copyScript(name)
	}
	for _, folder := range folders {
		// Scripts may be in a folder of that folder, too.
		for _, pattern := range []string{".", "*"} {
			matches, _ := filepath.Glob(filepath.Join(escapeGlob(j.call.Info.WorkDir), folder, pattern, escapeGlob(name)))
			for _, m := range matches {
				if text, err := wholefile.Source.Read(m); err == nil && string(text) == j.script.Source {
					return m, true, nil
				}
			}
		}
	}
	return j.copyScript(name)
}

// ownPlace returns the file of a script whose name has a folder; "" if the name leads out of
// the working directory or of the home folder.
func (j *job) ownPlace() string {
	name, inHome := strings.CutPrefix(j.script.Name, "~/")
	top := j.call.Info.WorkDir
	if inHome {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		top = home
	}
	own := filepath.FromSlash(name)
	if !filepath.IsLocal(own) {
		return ""
	}
	return filepath.Join(top, own)
}

// copyScript writes a named script to the run's folder.
func (j *job) copyScript(name string) (file string, inPlace bool, err error) {
	file = filepath.Join(j.dir, "scripts", fmt.Sprintf("%s.%d", process.FileName(j.call.Action.Key), j.call.Number), name)
	return file, false, j.writeFile(file, []byte(j.script.Source))
}

// escapeGlob makes a pattern that matches a path only.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no way to escape there
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// longestArgument is the length in bytes from which a script is read from
// standard input: less than every system's limit for one argument.
const longestArgument = 100 << 10

// prepareBun makes the command line of a JavaScript or TypeScript script. An inline
// script is an argument, so that imports resolve from the working directory; a
// long one is standard input, for the same reason.
func (j *job) prepareBun(ctx context.Context) error {
	j.args = []string{"--no-env-file"}
	var modules []string
	if len(j.script.Deps) > 0 {
		folder, err := j.installPackages(ctx)
		if err != nil {
			return err
		}
		modules = append(modules, filepath.Join(folder, "node_modules"))
	}
	if len(j.script.Bindings) > 0 {
		if err := j.writePreload(); err != nil {
			return err
		}
	}
	switch {
	case j.script.Name != "" && len(j.script.Bindings) == 0:
		path, inPlace, err := j.namedScriptFile()
		if err != nil {
			return err
		}
		if !inPlace {
			modules = append(modules, filepath.Join(j.call.Info.WorkDir, "node_modules"))
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

// writePreload lays down the values and the program that sets them.
func (j *job) writePreload() error {
	content, err := encodeValues(j.script.Bindings)
	if err != nil {
		return err
	}
	prelude := j.filePath(".js")
	if err := j.writeFile(prelude+"on", content); err != nil {
		return err
	}
	j.args = append(j.args, "--preload="+prelude)
	return j.writeFile(prelude, []byte(preludeJS))
}

// searchModules adds folders for modules that the folders above the script lack.
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

// preparePython makes the command line of a script for the Python that is installed.
// It runs as `python3 -c` would run it, and leaves no compiled modules beside
// those that it imports.
func (j *job) preparePython() error {
	j.environ = append(j.environ, "PYTHONDONTWRITEBYTECODE=1")
	return j.prepareInline()
}

// prepareInline lays down a script and its values, and adds what starts it to the
// command line: words that lead to an interpreter, and the interpreter's own.
func (j *job) prepareInline(interpreter ...string) error {
	source, vars := j.filePath(".py"), ""
	if err := j.writeFile(source, []byte(j.script.Source)); err != nil {
		return err
	}
	if len(j.script.Bindings) > 0 {
		content, err := encodeValues(j.script.Bindings)
		if err != nil {
			return err
		}
		vars = j.filePath(".json")
		if err := j.writeFile(vars, content); err != nil {
			return err
		}
	}
	j.args = append(append(j.args, interpreter...), "-c", preludePython, vars, source)
	return nil
}

// prepareUV makes the command line of a Python script. uv runs a named script as a file, which
// may declare its packages in its head; an inline one runs as with `python -c`.
func (j *job) prepareUV() error {
	j.args = []string{"run"}
	for _, d := range j.script.Deps {
		j.args = append(j.args, "--with", d)
	}
	if j.script.Name != "" && len(j.script.Bindings) == 0 {
		path, _, err := j.namedScriptFile()
		j.args = append(j.args, path)
		return err
	}
	return j.prepareInline("python")
}

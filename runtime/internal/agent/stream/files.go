package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
)

// Files are the files of one turn. They are in the run's own folder, readable by
// its owner.
type Files struct {
	// Dir is where they are made.
	Dir   string
	paths []string
}

// Write makes a file and returns its path; a * in the pattern becomes something
// that makes its name unique.
func (f *Files) Write(pattern string, content []byte) (string, error) {
	file, err := os.CreateTemp(f.Dir, pattern)
	if err != nil {
		return "", fmt.Errorf("make a file for the agent: %w", err)
	}
	f.paths = append(f.paths, file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write %s for the agent: %w", file.Name(), err)
	}
	return file.Name(), nil
}

// Remove removes the files.
func (f *Files) Remove() error {
	var faults error
	for _, path := range f.paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = errors.Join(faults, err)
		}
	}
	f.paths = nil
	return faults
}

// Prompt returns the text of a request, after the files that are to be read and
// the skills that are to be used first.
func Prompt(r *agent.Request, skills []string) string {
	var first strings.Builder
	if len(r.Files) > 0 {
		first.WriteString("Files to read first: " + strings.Join(r.Files, ", ") + "\n")
	}
	if len(skills) > 0 {
		first.WriteString("Skills to use: " + strings.Join(skills, ", ") + "\n")
	}
	if first.Len() == 0 {
		return r.Text
	}
	return first.String() + "\n" + r.Text
}

// Environ returns an environment without some variables.
func Environ(environ []string, without ...string) []string {
	kept := make([]string, 0, len(environ))
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		found := false
		for _, w := range without {
			found = found || name == w
		}
		if !found {
			kept = append(kept, entry)
		}
	}
	return kept
}

package flow

import (
	"path/filepath"
	"strings"
)

// StdoutPath returns the path of the file for the standard output of the step with a key.
func (r *RunInfo) StdoutPath(key string) string {
	// No name of a step has a dot, so no two keys get one name.
	name := strings.NewReplacer("/", ".", "#", ".", "[", ".", "]", "").Replace(key)
	return filepath.Join(r.ArtifactsDir, name+".stdout")
}

// keepsStdout reports whether an action also keeps its standard output as a file.
func keepsStdout(p Payload) bool {
	switch p := p.(type) {
	case Bash:
		return p.Artifact
	case Script:
		return p.Artifact
	}
	return false
}

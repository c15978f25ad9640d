package shell

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// lookBash prefers the bash of Git for Windows, which lies beside git and is
// often not on PATH. The bash.exe of the system folder starts another system,
// where the files of this one have other names.
func lookBash(environ []string) (string, error) {
	if git, err := process.LookPath("git", "", environ); err == nil {
		root := filepath.Dir(filepath.Dir(git))
		for _, path := range []string{filepath.Join(root, "bin", "bash.exe"), filepath.Join(root, "usr", "bin", "bash.exe")} {
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	var folders []string
	system := process.Variable(environ, "SystemRoot")
	for _, folder := range filepath.SplitList(process.Variable(environ, "PATH")) {
		if system == "" || !strings.HasPrefix(strings.ToLower(folder), strings.ToLower(system)) {
			folders = append(folders, folder)
		}
	}
	path := "PATH=" + strings.Join(folders, string(filepath.ListSeparator))
	return process.LookPath("bash", "", append(append([]string{}, environ...), path))
}

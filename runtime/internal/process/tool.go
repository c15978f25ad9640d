package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// installs says how to get the programs that steps start.
var installs = map[string]string{
	"bash":    "install it",
	"bun":     "install it as https://bun.sh says",
	"uv":      "install it as https://docs.astral.sh/uv says",
	"python3": "install Python 3",
	"git":     "install it as https://git-scm.com says",
	"gh":      "install it as https://cli.github.com says",
}

// LookTool finds a program that steps start, by its name on Unix. It knows what Windows
// calls it. The error says how to get it.
func LookTool(name string, environ []string) (path string, err error) {
	switch {
	case name == "bash" && runtime.GOOS == "windows":
		path, err = lookBash(environ)
	case name == "python3" && runtime.GOOS == "windows":
		if path, err = LookPath(name, "", environ); err != nil { // the installer calls it python alone
			path, err = LookPath("python", "", environ)
		}
	default:
		path, err = LookPath(name, "", environ)
	}
	if !errors.Is(err, exec.ErrNotFound) {
		return path, err
	}
	hint := ""
	if how := installs[name]; how != "" {
		hint = how + ", or "
	}
	return "", &flow.Failure{Class: flow.ClassFatal, Reason: ReasonStart,
		Message: fmt.Sprintf("%s is not on PATH; %sset PATH so that it is found", name, hint)}
}

// lookBash finds bash on Windows. It prefers the bash of Git for Windows, which is beside git
// and often not on PATH. The bash.exe of the system folder starts another system, where the
// files of this one have other names.
func lookBash(environ []string) (string, error) {
	if git, err := LookPath("git", "", environ); err == nil {
		root := filepath.Dir(filepath.Dir(git))
		for _, path := range []string{filepath.Join(root, "bin", "bash.exe"), filepath.Join(root, "usr", "bin", "bash.exe")} {
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	var folders []string
	system := Variable(environ, "SystemRoot")
	for _, folder := range filepath.SplitList(Variable(environ, "PATH")) {
		if system == "" || !strings.HasPrefix(strings.ToLower(folder), strings.ToLower(system)) {
			folders = append(folders, folder)
		}
	}
	path := "PATH=" + strings.Join(folders, string(filepath.ListSeparator))
	return LookPath("bash", "", append(append([]string{}, environ...), path))
}

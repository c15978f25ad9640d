package script

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// stoppedError says that the installation of packages was stopped.
type stoppedError struct{ end *process.End }

func (*stoppedError) Error() string { return "the installation of packages was stopped" }

// checkPackages refuses names that would be options on a command line.
func checkPackages(deps []string) error {
	for _, d := range deps {
		if strings.HasPrefix(d, "-") || strings.ContainsRune(d, 0) || strings.TrimSpace(d) == "" {
			return process.Invalid("`%s` in `deps` is not the name of a package", d)
		}
	}
	return nil
}

// installPackages puts the packages of a bun script into a folder and returns it. The
// folder is kept in the cache and serves every script with the same packages;
// remove it to get newer versions of packages without a fixed one. Packages
// that are folders or files here may change, so they are installed anew.
func (j *job) installPackages(ctx context.Context) (string, error) {
	deps, local := j.resolvePackages()
	root := cacheFolder(j.call.Environ)
	hash := sha256.Sum256([]byte(strings.Join(deps, "\x00")))
	name := fmt.Sprintf("bun-%x", hash[:12])
	if local || root == "" || j.dir != j.call.RunDir { // the sandbox does not show the cache
		root = j.dir
		name = fmt.Sprintf("%s.%d", process.FileName(j.call.Action.Key), j.call.Number)
	}
	folder := filepath.Join(root, "packages", name)
	if err := trust.Folder(root, "packages"); err != nil {
		return "", &flow.Failure{Class: flow.ClassFatal, Reason: process.ReasonStart, Message: "the cache cannot be trusted: " + err.Error()}
	}
	if !local && isInstalled(folder) {
		return folder, nil
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return "", fmt.Errorf("make a folder for packages: %w", err)
	}
	// Others may install the same packages now. Each does so in a separate folder, and
	// the first to finish gives its folder the name.
	work, err := os.MkdirTemp(filepath.Dir(folder), ".bun-")
	if err != nil {
		return "", fmt.Errorf("make a folder for packages: %w", err)
	}
	defer os.RemoveAll(work)
	if err := j.addPackages(ctx, work, deps); err != nil {
		return "", err
	}
	if local {
		_ = os.RemoveAll(folder)
	}
	if err := os.Rename(work, folder); err != nil && !isInstalled(folder) {
		return "", fmt.Errorf("keep the installed packages: %w", err)
	}
	return folder, nil
}

func isInstalled(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "node_modules"))
	return err == nil
}

// addPackages installs packages into a folder.
func (j *job) addPackages(ctx context.Context, folder string, deps []string) error {
	if err := process.WriteFile(filepath.Join(folder, "package.json"), []byte("{\"private\": true}\n")); err != nil {
		return fmt.Errorf("prepare a folder for packages: %w", err)
	}
	c := j.newCommand(append([]string{"add"}, deps...), folder)
	// The installer's output is not output of the script.
	output := j.call.Output
	c.Output = func(_ string, piece []byte) {
		if output != nil {
			output("stderr", piece)
		}
	}
	end, err := process.Run(ctx, c)
	switch {
	case err != nil:
		return err
	case end.Stopped != nil:
		return &stoppedError{end}
	case end.ExitCode != 0:
		return &flow.Failure{Class: flow.ClassUnknown, Reason: process.ReasonStart, ExitCode: end.ExitCode,
			Message: fmt.Sprintf("bun cannot install %s: %s", strings.Join(deps, ", "), end.Stderr)}
	}
	return nil
}

// resolvePackages returns the packages in order, with paths made absolute, and
// whether there are any paths.
func (j *job) resolvePackages() (deps []string, local bool) {
	for _, d := range j.script.Deps {
		path := strings.TrimPrefix(d, "file:")
		relative := strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || path != d && !filepath.IsAbs(path)
		switch {
		case relative:
			d, local = filepath.Join(j.call.Info.WorkDir, path), true
		case filepath.IsAbs(path):
			d, local = path, true
		}
		deps = append(deps, d)
	}
	slices.Sort(deps)
	return slices.Compact(deps), local
}

// cacheFolder returns the folder for caches, or "" if the environment names none.
func cacheFolder(environ []string) string {
	variable := func(name, below string) string {
		if v := process.Variable(environ, name); filepath.IsAbs(v) {
			return filepath.Join(v, below)
		}
		return ""
	}
	if own := variable("WFC_CACHE", ""); own != "" {
		return own
	}
	switch runtime.GOOS {
	case "windows":
		return variable("LocalAppData", "wfc")
	case "darwin":
		return variable("HOME", filepath.Join("Library", "Caches", "wfc"))
	}
	if cache := variable("XDG_CACHE_HOME", "wfc"); cache != "" {
		return cache
	}
	return variable("HOME", filepath.Join(".cache", "wfc"))
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/bundle"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/cli/commandline"
	"github.com/wfc-lang/wfc/runtime/plain"
)

func upgradeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "upgrade",
		Short: "Print the command that upgrades wfc",
		Long: `upgrade prints the command that installs a newer wfc, depending on how this one was
installed. It changes nothing and contacts no server: wfc never replaces itself.`,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find wfc: %w", err)
			}
			if real, err := filepath.EvalSymlinks(path); err == nil {
				path = real
			}
			how, command := upgradeOf(path, os.Getenv)
			fmt.Fprintf(a.Out, "%s\n%s, %s\n\nTo upgrade, run:\n\n  %s\n\nFirst, read which runs and generated code a newer wfc can use:\n\n  https://github.com/wfc-lang/wfc/blob/main/docs/upgrading.md\n",
				versionText(), plain.Line(path), how, plain.Line(command))
			return nil
		},
	}
}

// upgradeOf returns how the program at a path was installed, and the command that installs
// a newer one.
func upgradeOf(path string, env func(string) string) (how, command string) {
	const install = "go install github.com/wfc-lang/wfc/cmd/wfc@latest"
	dir := filepath.Dir(path)
	parts := strings.Split(filepath.ToSlash(path), "/")
	module, err := workspace.FindGoModule(dir)
	switch {
	case slices.Contains(parts, "node_modules"):
		return "installed by npm", "npm install --global wfc@latest"
	case slices.Contains(parts, "Cellar"):
		return "installed by Homebrew", "brew upgrade wfc"
	case err == nil && module.Path == "github.com/wfc-lang/wfc":
		return "built in a checkout", "git -C " + plain.ShellWord(module.Dir) + " pull && make -C " + plain.ShellWord(module.Dir) + " build"
	case slices.Contains(goBins(env), dir):
		return "installed by the go command", install
	case dir == "/usr/bin":
		return "installed by a package of the system", "apt-get install ./wfc.deb, with the package of the newer version"
	case bundle.Find(path) != "":
		top := filepath.Dir(filepath.Dir(dir))
		return "unpacked from an archive of wfc-full", "tar xzf wfc-full.tar.gz -C " + plain.ShellWord(top) + ", with the archive of the newer version"
	}
	if runtime.GOOS == "windows" { // whose shells set variables in another way
		return "installed by hand", install
	}
	return "installed by hand", "GOBIN=" + plain.ShellWord(dir) + " " + install
}

// goBins returns the folders to which `go install` installs.
func goBins(env func(string) string) []string {
	var list []string
	if bin := env("GOBIN"); bin != "" {
		list = append(list, bin)
	}
	for _, dir := range filepath.SplitList(env("GOPATH")) {
		list = append(list, filepath.Join(dir, "bin"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, filepath.Join(home, "go", "bin"))
	}
	return list
}

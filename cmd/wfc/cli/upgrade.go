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
	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
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
			u := upgradeOf(path, os.Getenv)
			fmt.Fprintf(a.Out, "%s\n%s, %s\n\n", versionText(), plain.Line(path), u.installed)
			if u.download != "" {
				fmt.Fprintf(a.Out, "To upgrade, download %s from\n\n  %s\n\nThen run in the folder of the download:\n\n", u.download, releases)
			} else {
				fmt.Fprint(a.Out, "To upgrade, run:\n\n")
			}
			fmt.Fprintf(a.Out, "  %s\n\nFirst, read which runs and generated code a newer wfc can use:\n\n  https://github.com/wfc-lang/wfc/blob/main/docs/upgrading.md\n", plain.Line(u.command))
			return nil
		},
	}
}

// releases is the address of the files of releases.
const releases = "https://github.com/wfc-lang/wfc/releases"

// An upgrade describes how wfc was installed, and the way to a newer one.
type upgrade struct {
	installed string
	// download is the file to download before the command, or "".
	download, command string
}

// upgradeOf returns the upgrade of the program at a path.
func upgradeOf(path string, env func(string) string) upgrade {
	const install = "go install github.com/wfc-lang/wfc/cmd/wfc@latest"
	dir := filepath.Dir(path)
	parts := strings.Split(filepath.ToSlash(path), "/")
	module, err := workspace.FindGoModule(dir)
	name := "wfc"
	if bundle.Find(path) != "" {
		name = "wfc-full"
	}
	switch cellar := slices.Index(parts, "Cellar"); {
	case slices.Contains(parts, "node_modules"):
		return upgrade{"installed by npm", "", "npm install --global wfc@latest"}
	case cellar >= 0 && cellar+1 < len(parts):
		return upgrade{"installed by Homebrew", "", "brew upgrade " + plain.ShellWord(parts[cellar+1])}
	case err == nil && module.Path == "github.com/wfc-lang/wfc":
		return upgrade{"built in a checkout", "", "git -C " + plain.ShellWord(module.Dir) + " pull && make -C " + plain.ShellWord(module.Dir) + " build"}
	case slices.Contains(goBins(env), dir):
		return upgrade{"installed by the go command", "", install}
	case dir == "/usr/bin":
		file := name + "_VERSION_" + runtime.GOARCH + ".deb"
		return upgrade{"installed by a package of the system", file, "sudo apt-get install ./" + file}
	case isUnpacked(filepath.Dir(dir)):
		v := name + "_VERSION_" + runtime.GOOS + "_" + runtime.GOARCH
		top := filepath.Dir(dir)
		if runtime.GOOS == "windows" {
			return upgrade{"unpacked from an archive of " + name, v + ".zip", "tar -xf " + v + ".zip --strip-components 1 -C " + plain.ShellWord(top)}
		}
		return upgrade{"unpacked from an archive of " + name, v + ".tar.gz", "tar xzf " + v + ".tar.gz --strip-components 1 -C " + plain.ShellWord(top)}
	}
	if runtime.GOOS == "windows" { // whose shells set variables in another way
		return upgrade{"installed by hand", "", install}
	}
	return upgrade{"installed by hand", "", "GOBIN=" + plain.ShellWord(dir) + " " + install}
}

// isUnpacked reports whether a folder has the files that each archive of a release has beside
// the program.
func isUnpacked(dir string) bool {
	return workspace.Exists(filepath.Join(dir, "LICENSES.txt")) && workspace.Exists(filepath.Join(dir, "share", "man", "man1", "wfc.1"))
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

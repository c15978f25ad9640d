//go:build unix

package devkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// MainWithWFC is the TestMain of a package whose tests share the program wfc: it builds the
// program, sets path to it, and runs the tests. With arguments, it first calls the program
// with them. In short mode it runs nothing, because these tests compile workflows.
func MainWithWFC(m *testing.M, path *string, first ...string) {
	ExitIfShort()
	os.Exit(runWithWFC(m, path, first))
}

func runWithWFC(m *testing.M, path *string, first []string) int {
	dir, err := os.MkdirTemp("", "wfc-shared-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*path = filepath.Join(dir, "wfc")
	build := exec.Command("go", "build", "-o", *path, "./cmd/wfc")
	if build.Dir, err = repository(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	commands := []*exec.Cmd{build}
	if len(first) > 0 {
		commands = append(commands, exec.Command(*path, first...))
	}
	for _, command := range commands {
		if out, err := command.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %s", err, out)
			return 1
		}
	}
	return m.Run()
}

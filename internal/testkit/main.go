//go:build unix

package testkit

import (
	"flag"
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
	flag.Parse()
	if testing.Short() {
		os.Exit(0)
	}
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
	commands := [][]string{{"go", "build", "-o", *path, "github.com/wfc-lang/wfc/cmd/wfc"}}
	if len(first) > 0 {
		commands = append(commands, append([]string{*path}, first...))
	}
	for _, command := range commands {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %s", err, out)
			return 1
		}
	}
	return m.Run()
}

package testkit

import (
	"os"
	"path/filepath"
)

// PathWithBun returns the environment variable PATH of programs that run scripts: with the
// folder of the bun that WFC_TEST_BUN names in front, if it names one.
func PathWithBun() string {
	path := os.Getenv("PATH")
	if bun := os.Getenv("WFC_TEST_BUN"); bun != "" {
		path = filepath.Dir(bun) + string(filepath.ListSeparator) + path
	}
	return "PATH=" + path
}

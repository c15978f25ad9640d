package state_test

import (
	"fmt"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/state"
)

// A state folder has one folder for each run. A service may choose the state folder itself.
func ExampleFolder() {
	f := state.Folder{Path: "/var/lib/notes"}
	fmt.Println(filepath.ToSlash(f.LogFile("release-k3x9qz")))
	fmt.Println(filepath.ToSlash(f.Artifacts("release-k3x9qz")))
	// Output:
	// /var/lib/notes/runs/release-k3x9qz/log.jsonl
	// /var/lib/notes/runs/release-k3x9qz/artifacts
}

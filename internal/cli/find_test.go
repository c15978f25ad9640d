package cli

import (
	"os"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/state"
)

// A run that another one began is found by its own name only.
func TestFindRuns(t *testing.T) {
	folder := runFolder{Folder: state.Folder{Path: t.TempDir()}}
	for id, parent := range map[string]string{"release-k3x9qz": "", "release-k3x9qz--build": "release-k3x9qz", "release-k3x9qz--build--test": "release-k3x9qz--build", "other-a1b2c3": ""} {
		if err := os.MkdirAll(folder.Run(id), 0o700); err != nil {
			t.Fatal(err)
		}
		o := state.Origin{Run: id, Parent: parent, Workflow: id[:len("other")], Program: "/bin/true", Store: settings.StoreSQLite, Created: time.Now()}
		if err := folder.KeepOrigin(o); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"release-k3": "release-k3x9qz", "release-k3x9qz": "release-k3x9qz", "k3x": "release-k3x9qz",
		"release-k3x9qz--": "release-k3x9qz--build", "release-k3x9qz--build": "release-k3x9qz--build", "release-k3x9qz--build--t": "release-k3x9qz--build--test",
		"build": "", "a1b": "other-a1b2c3",
	} {
		if got, err := folder.find(name); got != want || err != nil {
			t.Errorf("%s is %q %v, want %q", name, got, err, want)
		}
	}
	for _, o := range folder.LastOrigins() {
		if o.Parent != "" {
			t.Errorf("a child is the last run: %+v", o)
		}
	}
	if below := folder.Descendants("release-k3x9qz"); len(below) != 2 {
		t.Errorf("below: %v", below)
	}
}

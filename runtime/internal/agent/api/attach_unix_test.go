//go:build unix

package api_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// TestPipes waits for nobody who writes.
func TestPipes(t *testing.T) {
	r := request(t)
	if err := syscall.Mkfifo(filepath.Join(r.WorkDir, "pipe"), 0o600); err != nil {
		t.Skip("no pipe can be made here: ", err)
	}
	r.Files = []string{"pipe"}
	_, err := open(t, &service{}, true, settings.Agent{}).Turn(t.Context(), r)
	failed(t, err, flow.ClassFatal, "`pipe` that the prompt names cannot be read: it is not a regular file")
}

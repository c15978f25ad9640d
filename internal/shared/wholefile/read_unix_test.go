//go:build unix

package wholefile_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// TestPipe reads a pipe that nobody writes to.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := wholefile.Source.Read(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}

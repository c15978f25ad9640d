package process_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Services and cron start programs without PATH.
func TestLookPathWithoutPATH(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows always has a PATH")
	}
	path, err := process.LookPath("sh", t.TempDir(), nil)
	if err != nil || !filepath.IsAbs(path) {
		t.Errorf("sh is found at %q, error %v", path, err)
	}
}

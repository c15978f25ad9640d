package process_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// asOther makes the files of the test those of a user other than root, who may read
// everything. A folder becomes the user's.
func asOther(t *testing.T, folder string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	if err := os.Chown(folder, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	for dir := folder; len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	runtime.LockOSThread()
	if _, err := unix.SetfsuidRetUid(nobody); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := unix.SetfsuidRetUid(0); err == nil {
			runtime.UnlockOSThread()
		}
	})
}

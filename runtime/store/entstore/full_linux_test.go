package entstore_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// TestFullDisk opens stores on disks of all small sizes, in a child that has mounts of its
// own. Whatever the size, the store is usable once there is space: it is there whole or not
// at all. An attempt that failed leaves no file behind.
func TestFullDisk(t *testing.T) {
	if os.Getenv("WFC_TEST_FULL_DISK") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), "WFC_TEST_FULL_DISK=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if os.Getuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
			t.Skip("this system allows no mounts: ", err)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	disk := t.TempDir()
	t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
	if err := errors.Join(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""), syscall.Mount("none", disk, "tmpfs", 0, "size=4k")); err != nil {
		t.Skip(err)
	}
	resize := func(size int) {
		t.Helper()
		if err := syscall.Mount("none", disk, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%dk", size)); err != nil {
			t.Fatal(err)
		}
	}
	open := func() error {
		s, err := entstore.Open(t.Context(), filepath.Join(disk, "runs.db"))
		if err != nil {
			return err
		}
		_, err = s.Runs(t.Context(), store.Filter{})
		return errors.Join(err, s.Close())
	}
	refused, taken := 0, 0
	for size := 4; taken < 3 && size < 1<<10; size += 4 {
		resize(size)
		err := open()
		if err == nil {
			taken++
		} else {
			refused++
		}
		left, _ := filepath.Glob(filepath.Join(disk, ".new-*"))
		if len(left) > 0 {
			t.Errorf("%d KiB: %v left %q", size, err, left)
		}
		resize(8 << 10)
		if again := open(); again != nil {
			t.Errorf("%d KiB: %v; with more space: %v", size, err, again)
		}
		files, _ := os.ReadDir(disk)
		for _, f := range files {
			os.Remove(filepath.Join(disk, f.Name()))
		}
	}
	if refused == 0 || taken == 0 {
		t.Errorf("%d disks were too small, %d large enough", refused, taken)
	}
}

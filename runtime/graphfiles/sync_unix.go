//go:build unix

package graphfiles

import "os"

// syncFolder sees to it that a file's new name is on the disk, too.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

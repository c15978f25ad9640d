package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// checkOutput refuses to replace a file that isn't a program, so that `-o` with the workflow's
// own file doesn't cost the user that file.
func checkOutput(out string) error {
	info, err := os.Stat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", out)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", out)
	case info.Size() == 0:
		return nil
	}
	f, err := os.Open(out)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !isProgram(head) {
		return fmt.Errorf("%s exists and is not a program; wfc does not overwrite it", out)
	}
	return nil
}

// isProgram reports whether a file that begins with head is an executable of
// any system that workflows are built for.
func isProgram(head []byte) bool {
	magic := []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xfe\xed\xfa\xce", "\xca\xfe\xba\xbe", "\x00asm"}
	return slices.ContainsFunc(magic, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) })
}

// installProgram moves a built program to its place in one step, also from another
// file system. It is on the disk before it is in its place: half a program in
// the cache would be run again and again.
func installProgram(built, out string) error {
	if out == os.DevNull {
		return nil
	}
	if err := checkOutput(out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	if err := syncFile(built); err != nil {
		return err
	}
	if err := os.Rename(built, out); err == nil {
		return nil
	}
	return copyFile(built, out)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// copyFile copies a program to a file beside out and puts that in its place.
func copyFile(built, out string) error {
	src, err := os.Open(built)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	return wholefile.Stream(out, info.Mode().Perm(), true, func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
}

// Package trust distinguishes the files of the user and of root from files of other users
// of the machine.
//
//	if owner, foreign := trust.Owner(info); foreign && !trust.Trusted(path) {
//		return fmt.Errorf("%s belongs to %s; %s to use it all the same", path, owner, trust.Advice(path))
//	}
//
// The environment variable WFC_TRUST lists files and folders to trust, whoever
// they belong to, separated as in PATH; * trusts everything.
package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const variable = "WFC_TRUST"

// Trusted reports whether the user trusts a file: WFC_TRUST lists it, or a folder
// that it is in.
func Trusted(path string) bool {
	path = realPath(path)
	for _, entry := range filepath.SplitList(os.Getenv(variable)) {
		if entry == "*" {
			return true
		}
		if entry != "" && Within(realPath(entry), path) {
			return true
		}
	}
	return false
}

// Within reports whether a path is that of a folder or of something in it. It follows no links.
func Within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// realPath is a path from the root of the file system, without symbolic links as far
// as they can be followed.
func realPath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}
	return path
}

// Advice returns advice for the user who wants to trust a path, such as "set
// WFC_TRUST=/srv/flows".
func Advice(path string) string {
	if strings.ContainsRune(path, filepath.ListSeparator) {
		return "set " + variable + "=*"
	}
	return "set " + variable + "=" + path
}

// Owner reports whether a file belongs to another user, and to whom. Files of root are not
// foreign, because root can change everything. Under sudo, the caller's files are not
// foreign either. On systems that do not report owners no file is foreign.
func Owner(info fs.FileInfo) (owner string, foreign bool) { return foreignOwner(info) }

// A folderError says why a folder, or something in it, is not to be used.
type folderError struct {
	Path string
	// Why completes the sentence "it is not used: ", and Do says what to do.
	Why, Do string
}

func (e *folderError) Error() string {
	return fmt.Sprintf("%s is not used: %s; %s", e.Path, e.Why, e.Do)
}

// Folder returns an error unless path is a folder that belongs to the user and that nobody
// else can write to. The named entries, if they exist, must belong to the user and must not
// be symbolic links. A folder that does not exist is fine.
func Folder(path string, entries ...string) error {
	if Trusted(path) {
		return nil
	}
	link, err := os.Lstat(path)
	if err != nil {
		return nil // nothing is there, or making the folder will fail
	}
	info, err := os.Stat(path)
	if err != nil {
		return &folderError{path, "it is a broken link", "remove it"}
	}
	if !info.IsDir() {
		return &folderError{path, "it is not a folder", "give another one"}
	}
	for _, i := range []fs.FileInfo{link, info} {
		if owner, foreign := Owner(i); foreign {
			return &folderError{path, "it belongs to " + owner, "give another one, or " + Advice(path) + " to use it anyway"}
		}
	}
	if isWritableByOthers(info) {
		return &folderError{path, "others can write to it", "run `chmod go-w " + path + "`, or " + Advice(path) + " to use it anyway"}
	}
	for _, name := range entries {
		entry := filepath.Join(path, name)
		info, err := os.Lstat(entry)
		if err != nil {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &folderError{entry, "it is a symbolic link", "remove it, or " + Advice(path) + " to use it anyway"}
		}
		if owner, foreign := Owner(info); foreign {
			return &folderError{entry, "it belongs to " + owner, "remove it, or " + Advice(path) + " to use it anyway"}
		}
	}
	return nil
}

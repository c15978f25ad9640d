package confine

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Programs in the sandbox may still run while wfc moves away what they made, and put a link in the place
// of a folder. So wfc reaches planted files from the top of the work tree, and through no link that
// leads out of it: it would move files of people.

// isKept reports whether wfc can put the file back.
func (f guardedFile) isKept() bool { return f.link != "" || f.known }

// replacePlanted moves a planted file away, puts back what was there, and says what it has done.
func (r *Run) replacePlanted(top, path string, number int) string {
	var done []string
	if moved := r.moveAway(top, path, number); moved != "" {
		done = append(done, moved)
	}
	if before := r.turns.seen[path]; before.isKept() {
		err := before.putBack(top, path)
		if err == nil {
			before.FileInfo, err = os.Lstat(path)
		}
		if err != nil {
			return strings.Join(append(done, fmt.Sprintf("wfc could not put back what was there: %v", err)), "; ")
		}
		r.turns.seen[path] = before
		done = append(done, "wfc has put back what was there")
	}
	return strings.Join(done, "; ")
}

// moveAway moves a file to the run's folder, and says so. It says nothing of a file that is gone.
func (r *Run) moveAway(top, path string, number int) string {
	if !pathExists(path) {
		return ""
	}
	to := filepath.Join(r.Dir, "refused", fmt.Sprintf("%d-%s", number, filepath.Base(path)))
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if rest, ok := strings.CutPrefix(path, top+"/"); ok && err == nil {
		aside := ".refused-" + filepath.Base(to)
		err = inFolder(top, func(root *os.Root) error { return root.Rename(linkOut(root, rest), aside) })
		path = filepath.Join(top, aside)
	}
	if err != nil {
		return fmt.Sprintf("remove it: wfc could not move it away: %v", err)
	}
	if os.Rename(path, to) != nil { // it may be on another file system
		to = path
	}
	return "wfc has moved it to " + to
}

// linkOut returns the first part of a path that is a link out of the folder, or the path.
func linkOut(root *os.Root, path string) string {
	for i, c := range path {
		if c != filepath.Separator {
			continue
		}
		if info, err := root.Lstat(path[:i]); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if _, err := root.Stat(path[:i]); err != nil {
				return path[:i]
			}
		}
	}
	return path
}

// putBack puts back what was there.
func (f guardedFile) putBack(top, path string) error {
	rest, ok := strings.CutPrefix(path, top+"/")
	if !ok {
		top, rest = filepath.Dir(path), filepath.Base(path)
	}
	return inFolder(top, func(root *os.Root) error {
		if f.link != "" {
			return root.Symlink(f.link, rest)
		}
		file, err := root.OpenFile(rest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode().Perm())
		if err != nil {
			return err
		}
		_, err = file.Write(f.content)
		return cmp.Or(err, file.Close())
	})
}

func inFolder(dir string, do func(*os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}

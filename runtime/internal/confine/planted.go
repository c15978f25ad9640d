package confine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
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
		err := before.putBack(path)
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

// moveAway moves a file to the run's folder and says so, unless it is gone.
func (r *Run) moveAway(top, path string, number int) string {
	if !pathExists(path) {
		return ""
	}
	to := filepath.Join(r.Dir, "refused", fmt.Sprintf("%d-%s", number, filepath.Base(path)))
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if rest, ok := strings.CutPrefix(path, top+"/"); ok && err == nil {
		aside := ".refused-" + filepath.Base(to)
		var root *os.Root
		if root, err = os.OpenRoot(top); err == nil {
			err = root.Rename(linkOut(top, rest), aside)
			root.Close()
		}
		path = filepath.Join(top, aside)
	}
	if err != nil {
		return fmt.Sprintf("remove it: wfc could not move it away: %v", err)
	}
	if os.Rename(path, to) != nil { // on another file system, it stays as .refused-…
		to = path
	}
	return "wfc has moved it to " + to
}

// linkOut returns the first part of a path that is a link out of the folder, or the path.
func linkOut(top, path string) string {
	real := sandbox.RealPath(top)
	for i, c := range path {
		if c == filepath.Separator && !sandbox.Within(sandbox.RealPath(filepath.Join(top, path[:i])), real) {
			return path[:i]
		}
	}
	return path
}

// putBack puts back what was there, in a folder that no program can move.
func (f guardedFile) putBack(path string) error {
	if f.link != "" {
		return os.Symlink(f.link, path)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = file.Write(f.content)
	return cmp.Or(err, file.Close())
}

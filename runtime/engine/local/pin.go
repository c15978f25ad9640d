package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// A run continues with the code that it began with, so its folder keeps the binary until
// the run completes.
//
// A hard link to the binary costs nothing and survives if the binary is deleted, moved,
// or replaced by renaming, as builds do. It does not survive cp, which writes into the
// file itself: the link then shows another build. Nor can there be one if the state
// folder is on another file system. So the state folder has private copies of binaries,
// one for each build that runs depend on, and runs link to those. The first run of a
// build links to the binary itself and makes the copy after a while, or when it ends
// without having completed; the many runs that soon complete need none.
//
// The kept binary must be the running one. In a long-lived process, the binary's path may
// hold another build by the time that a run begins, and a step of a run may put another file
// there. So the engine opens the file when the run begins, before its first step, and compares
// it with what the engine was started from; then it copies what it has open, and keeps a link
// only to that. On some systems, the file can still be opened when its path holds another.
//
// A step in the sandbox cannot write the state folder. But if it can write the file itself, as in
// the work tree, a link is not safe: then the run begins with the copy.

// A pin is the binary that a run was begun or resumed with, kept in the run's
// folder.
type pin struct {
	path string
	// stop gives the copy up, and hurry has it made at once; nil when there is
	// nothing to be made.
	stop, hurry context.CancelFunc
	done        chan struct{} // closed when the copy is made, or has failed
}

// settled is how long a run works before the engine copies its binary.
const settled = time.Second

// An executable is the binary of this process, and keeps it for runs.
type executable struct {
	path   string // "" if none is kept
	folder state.Folder
	// info is what the file was when the engine was made, or nil if it was missing. Then
	// no binary is kept.
	info os.FileInfo
	// copied says that runs begin with a copy.
	copied func(path string) bool
}

func newExecutable(path string, folder state.Folder, copied func(path string) bool) executable {
	x := executable{path: path, folder: folder, copied: copied}
	if path == "" {
		return x
	}
	x.info, _ = os.Stat(path)
	// A step of another run may have put another file there since this process began.
	if own, err := os.Executable(); err == nil && own == path {
		if info, err := os.Stat(itself); err == nil {
			x.info = info
		}
	}
	return x
}

// itself is the file that this process was started from, on systems that have it.
const itself = "/proc/self/exe"

// pinPath returns where a run's binary is kept, or "" when none is.
func (x executable) pinPath(id string) string {
	if x.path == "" {
		return ""
	}
	return x.folder.Executable(id)
}

// pinBinary keeps the binary for a run in a folder. If it cannot, only a resume by another build fails.
func (x executable) pinBinary(id, fingerprint, workDir string) *pin {
	p := &pin{path: x.pinPath(id)}
	if p.path == "" || isSameFile(x.path, p.path) {
		return p
	}
	source := x.openRunning()
	if source == nil {
		os.Remove(p.path) // an earlier build's
		return p
	}
	build := x.folder.BinaryFile(buildName(fingerprint, x.info))
	if replaceLink(build, p.path) == nil {
		source.Close()
		return p
	}
	if x.copied(workDir) {
		defer source.Close()
		if copyBinaryAndPrune(context.Background(), source, build) != nil || replaceLink(build, p.path) != nil {
			os.Remove(p.path)
		}
		return p
	}
	linked := replaceLink(x.path, p.path) == nil && x.isRunning(os.Stat(p.path))
	if !linked {
		os.Remove(p.path)
	}
	p.copyLater(source, build, linked)
	return p
}

// copyLater makes the copy for all runs of the build, and links the run to it. It closes source.
func (p *pin) copyLater(source *os.File, build string, linked bool) {
	ctx, stop := context.WithCancel(context.Background())
	wait, hurry := context.WithTimeout(ctx, settled)
	if !linked {
		hurry()
	}
	p.stop, p.hurry, p.done = stop, hurry, make(chan struct{})
	go func() {
		defer close(p.done)
		defer source.Close()
		<-wait.Done()
		if ctx.Err() == nil && copyBinaryAndPrune(ctx, source, build) == nil {
			_ = replaceLink(build, p.path) // the link to the binary is still there
		}
	}()
}

// waitUntilKept waits until the binary is kept for good.
func (p *pin) waitUntilKept() {
	if p != nil && p.done != nil {
		p.hurry()
		<-p.done
		p.stop()
	}
}

// discardBinary gives the binary up.
func (p *pin) discardBinary() {
	if p == nil || p.path == "" {
		return
	}
	if p.done != nil {
		p.stop()
		<-p.done
		p.hurry()
	}
	os.Remove(p.path)
}

// openRunning opens the binary, or returns nil if that cannot be read any more.
func (x executable) openRunning() *os.File {
	for _, path := range []string{x.path, itself} {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		if x.isRunning(file.Stat()) {
			return file
		}
		file.Close()
	}
	return nil
}

// isRunning reports whether a file is the binary, unchanged.
func (x executable) isRunning(info os.FileInfo, err error) bool {
	return err == nil && x.info != nil && os.SameFile(info, x.info) && info.Size() == x.info.Size() && info.ModTime().Equal(x.info.ModTime())
}

// buildName names the copy of a binary. Builds of one workflow often differ in
// nothing that can be seen from outside but their fingerprint.
func buildName(fingerprint string, binary os.FileInfo) string {
	return runid.Hash(32, fmt.Sprintf("%s %d %d", fingerprint, binary.Size(), binary.ModTime().UnixNano()))
}

// replaceLink links to a file under another name, which may be taken.
func replaceLink(file, name string) error {
	tmp := name + ".new"
	os.Remove(tmp)
	if err := os.Link(file, tmp); err != nil {
		return err
	}
	// If both are links to one file, renaming does nothing.
	defer os.Remove(tmp)
	return os.Rename(tmp, name)
}

// copyBinaryAndPrune copies a binary to the file of its build, and removes the copies on which no
// run depends any more.
func copyBinaryAndPrune(ctx context.Context, source *os.File, build string) error {
	dir := filepath.Dir(build)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := copyFile(ctx, source, dir)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, build); err != nil {
		os.Remove(tmp)
		return err
	}
	state.SweepBuilds(dir, build, false)
	return nil
}

func isSameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// copyFile copies an open executable into a folder and returns its path there.
func copyFile(ctx context.Context, src *os.File, dir string) (path string, err error) {
	dst, err := os.CreateTemp(dir, state.UnfinishedBuild)
	if err != nil {
		return "", err
	}
	const step = 1 << 20
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(dst, src, step)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, ctx.Err(), dst.Chmod(0o700), dst.Close()); err != nil {
		os.Remove(dst.Name())
		return "", err
	}
	return dst.Name(), nil
}

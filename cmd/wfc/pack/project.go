package pack

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/gitignore"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// A Project is a folder with wfc.lock and packs. It follows no link out of the folder.
type Project struct {
	// Dir is the absolute path of the folder.
	Dir  string
	root *os.Root
	// reached is called before each step of a change, for tests.
	reached func(step string)
}

// Open opens the project of a folder.
func Open(dir string) (*Project, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Project{Dir: dir, root: root, reached: func(string) {}}, nil
}

// Close releases the folder.
func (p *Project) Close() error { return p.root.Close() }

// ErrNoLock says that a project has no wfc.lock.
var ErrNoLock = errors.New("this project has no " + workspace.LockName + ", so it has no packs; `wfc add OWNER/REPO@TAG` adds one")

// Lock returns the lock. The error is ErrNoLock, with an empty lock, if there is none.
func (p *Project) Lock() (*Lock, error) {
	content, err := p.read(workspace.LockName)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{Version: lockVersion}, ErrNoLock
	}
	if err != nil {
		return nil, err
	}
	return parseLock(content)
}

// read returns the content of a regular file. Links are an error.
func (p *Project) read(name string) ([]byte, error) {
	info, err := p.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := p.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return wholefile.Source.From(f, name)
}

// A Problem is a difference between a project and its lock.
type Problem struct {
	Pack string `json:"pack"`
	// File is the path from the project's folder.
	File string `json:"file"`
	What string `json:"problem"`
}

// The problems of files.
const (
	Missing = "is missing"
	Differs = "differs from wfc.lock"
	Unknown = "is not in wfc.lock"
	Special = "is not a regular file"
)

// Compare lists the differences between a pack's files and the lock. Files that git ignores may be
// there.
func (p *Project) Compare(l Locked) ([]Problem, error) {
	var list []Problem
	add := func(file, what string) {
		list = append(list, Problem{l.Name, path.Join(l.Folder, file), what})
	}
	for file, hash := range l.Files {
		content, err := p.read(path.Join(l.Folder, file))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			add(file, Missing)
		case err != nil:
			add(file, Special)
		case hashOf(content) != hash:
			add(file, Differs)
		}
	}
	if err := p.findUnknown(l, ".", gitignore.Open(filepath.Join(p.Dir, filepath.FromSlash(l.Folder))), add); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Problem) int { return cmp.Compare(a.File, b.File) })
	return list, nil
}

// findUnknown visits the files of a pack's folder that the lock does not name.
func (p *Project) findUnknown(l Locked, dir string, ignored *gitignore.Folder, add func(file, what string)) error {
	f, err := p.root.Open(path.Join(l.Folder, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return err
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if _, known := l.Files[file]; known || ignored.Ignores(e.Name(), e.IsDir()) {
			continue
		}
		switch {
		case e.IsDir():
			if err := p.findUnknown(l, file, ignored.Enter(e.Name()), add); err != nil {
				return err
			}
		case e.Type().IsRegular():
			add(file, Unknown)
		default:
			add(file, Special)
		}
	}
	return nil
}

// IgnoredFiles returns the files of a pack that the project's git would ignore, and not commit.
func (p *Project) IgnoredFiles(folder string, files []File) (list []string) {
	for _, f := range files {
		at, name := gitignore.Open(p.Dir), path.Join(folder, f.Path)
		for first, rest, inner := strings.Cut(name, "/"); ; first, rest, inner = strings.Cut(rest, "/") {
			if at.Ignores(first, inner) {
				list = append(list, name)
				break
			}
			if !inner {
				break
			}
			at = at.Enter(first)
		}
	}
	return list
}

// staging is the folder of a change that is being made.
const staging = ".wfc-add"

// A journal says what a change replaces, so that another process can take it back.
type journal struct {
	Folder string `json:"folder"`
	// Old says that the folder existed, Fresh that the change writes a new one.
	Old   bool `json:"old"`
	Fresh bool `json:"fresh"`
	// Known are the files that the pack in the folder has.
	Known []string `json:"known"`
	// Lock is the hash of the new wfc.lock: when it is there, the change is complete.
	Lock string `json:"lock"`
}

// IsInterrupted reports whether a change was interrupted and Recover has not run since. It waits for
// a change that another process is making.
func (p *Project) IsInterrupted() bool {
	if !p.isStaged() {
		return false
	}
	if release, err := p.hold(); err == nil {
		defer release()
	}
	return p.isStaged()
}

func (p *Project) isStaged() bool {
	_, err := p.root.Lstat(staging)
	return err == nil
}

// Recover completes an interrupted change if its lock was written, and takes it back otherwise.
func (p *Project) Recover() error {
	release, err := p.hold()
	if err != nil {
		return err
	}
	defer release()
	return p.recover()
}

// recover is Recover between hold and release.
func (p *Project) recover() error {
	if !p.isStaged() {
		return nil
	}
	text, err := p.read(staging + "/journal")
	var j journal
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.root.RemoveAll(staging) // it had replaced nothing
	case err == nil:
		err = json.Unmarshal(text, &j)
	}
	if err != nil || lockFolder.FindStringSubmatch(j.Folder) == nil {
		return fmt.Errorf("`%s` is not what an interrupted `wfc add` leaves; remove it", staging)
	}
	if lock, err := p.read(workspace.LockName); err == nil && hashOf(lock) == j.Lock {
		return p.complete(j)
	}
	_, oldMoved := p.root.Lstat(staging + "/old")
	_, freshWaits := p.root.Lstat(staging + "/new")
	if j.Fresh && freshWaits != nil && (!j.Old || oldMoved == nil) {
		if err := p.root.RemoveAll(j.Folder); err != nil {
			return err
		}
	}
	if j.Old && oldMoved == nil {
		if err := p.root.Rename(staging+"/old", j.Folder); err != nil {
			return err
		}
	}
	p.removeEmpty(path.Dir(j.Folder))
	return p.root.RemoveAll(staging)
}

// complete ends a change whose lock is written.
func (p *Project) complete(j journal) error {
	if j.Old {
		if err := p.carryIgnored(j); err != nil {
			return err
		}
	}
	p.removeEmpty(path.Dir(j.Folder))
	return p.root.RemoveAll(staging)
}

// removeEmpty removes a folder and those above it in the project, as far as they are empty.
func (p *Project) removeEmpty(dir string) {
	for ; dir != "."; dir = path.Dir(dir) {
		if p.root.Remove(dir) != nil {
			return
		}
	}
}

// Install writes a pack, in place of the one of its name, and its entry in the lock. If it fails or
// is interrupted, the project stays as it was, at the latest after Recover. lock is what the user saw
// of the project; edits are the edits of files that the pack may replace.
func (p *Project) Install(lock *Lock, l Locked, files []File, edits []Problem) error {
	release, err := p.hold()
	if err != nil {
		return err
	}
	defer release()
	now, err := p.currentLock(lock, l.Name, edits)
	if err != nil {
		return err
	}
	old, known := now.Find(l.Name)
	if !known {
		if err := p.refuseFolder(l.Folder); err != nil {
			return err
		}
	}
	if err := errors.Join(now.RefuseClash(l), p.refuseOverwriting(old, l.Folder, files, edits)); err != nil {
		return err
	}
	l.Files = map[string]string{}
	for _, f := range files {
		l.Files[f.Path] = hashOf(f.Content)
	}
	l.seal()
	return p.change(l.Folder, files, old, now.with(l))
}

// Remove removes a pack from the lock, and its files unless keep is true. The other parameters are
// those of Install.
func (p *Project) Remove(lock *Lock, l Locked, edits []Problem, keep bool) error {
	release, err := p.hold()
	if err != nil {
		return err
	}
	defer release()
	now, err := p.currentLock(lock, l.Name, edits)
	if err != nil {
		return err
	}
	if keep {
		return p.writeAtOnce(workspace.LockName+".new", workspace.LockName, encode(now.without(l.Name)))
	}
	return p.change(l.Folder, nil, l, now.without(l.Name))
}

// change replaces the folder of a pack and the lock, between hold and release.
func (p *Project) change(folder string, files []File, old Locked, lock *Lock) (err error) {
	if err := p.root.Mkdir(staging, 0o777); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.recover())
		}
	}()
	p.reached("stage")
	for _, f := range files {
		if err := p.stageFile(f); err != nil {
			return err
		}
	}
	content := encode(lock)
	_, missing := p.root.Lstat(folder)
	j := journal{folder, missing == nil, files != nil, slices.Sorted(maps.Keys(old.Files)), hashOf(content)}
	p.reached("journal")
	if err := p.writeAtOnce(staging+"/next", staging+"/journal", encode(j)); err != nil {
		return err
	}
	p.reached("move old")
	if j.Old {
		if err := p.root.Rename(folder, staging+"/old"); err != nil {
			return err
		}
	}
	p.reached("move new")
	if j.Fresh {
		if err := p.root.MkdirAll(path.Dir(folder), 0o777); err != nil {
			return err
		}
		p.reached("rename new")
		if err := p.root.Rename(staging+"/new", folder); err != nil {
			return err
		}
	}
	p.reached("lock")
	if err := p.writeAtOnce(staging+"/lock", workspace.LockName, content); err != nil {
		return err
	}
	p.reached("clean")
	return p.complete(j)
}

func (p *Project) stageFile(f File) error {
	name := path.Join(staging, "new", f.Path)
	if err := p.root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if f.Executable {
		mode = 0o777
	}
	return p.root.WriteFile(name, f.Content, mode)
}

// writeAtOnce replaces a file by way of the file next, so that a reader sees the old or the new
// content.
func (p *Project) writeAtOnce(next, name string, content []byte) error {
	f, err := p.root.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		p.reached("rename " + path.Base(name))
		err = p.root.Rename(next, name)
	}
	if err != nil {
		_ = p.root.Remove(next) // err says more
	}
	return err
}

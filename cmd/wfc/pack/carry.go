package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/gitignore"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A carrier moves the files that git ignores from the folder that a change replaces to the one that
// replaces it: secrets, caches and notes that do not belong to the pack.
type carrier struct {
	*Project
	// known are the files of the replaced pack.
	known map[string]bool
	// to is the folder of the pack.
	to string
}

// carryIgnored moves what git ignores from the replaced folder to the new one.
func (p *Project) carryIgnored(j journal) error {
	c := &carrier{p, map[string]bool{}, j.Folder}
	for _, file := range j.Known {
		c.known[file] = true
	}
	return c.carry("", gitignore.Open(filepath.Join(p.Dir, filepath.FromSlash(j.Folder))), false)
}

// carry moves the ignored entries of a folder of the pack, or all that the pack doesn't know.
func (c *carrier) carry(dir string, ignored *gitignore.Folder, all bool) error {
	from := path.Join(staging, "old", dir)
	entries, err := fs.ReadDir(c.root.FS(), from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		moved := all || ignored.Ignores(e.Name(), e.IsDir())
		_, missing := c.root.Lstat(path.Join(c.to, file))
		switch {
		case c.known[file]:
		case e.IsDir() && (!moved || missing == nil || c.holdsKnown(file)):
			if err := c.carry(file, ignored.Enter(e.Name()), moved); err != nil {
				return err
			}
		case moved && missing != nil:
			if err := c.root.MkdirAll(path.Join(c.to, dir), 0o777); err != nil {
				return err
			}
			if err := c.root.Rename(path.Join(from, e.Name()), path.Join(c.to, file)); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdsKnown reports whether files of the pack are in a folder.
func (c *carrier) holdsKnown(dir string) bool {
	for file := range c.known {
		if strings.HasPrefix(file, dir+"/") {
			return true
		}
	}
	return false
}

// refuseOverwriting returns an error if a new file of a pack is in the place of one that is there
// and that the pack does not have so far.
func (p *Project) refuseOverwriting(old Locked, folder string, files []File, edits []Problem) error {
	seen := map[string]bool{}
	for _, e := range edits {
		seen[e.File] = true
	}
	for _, f := range files {
		name := path.Join(folder, f.Path)
		if _, known := old.Files[f.Path]; known || seen[name] {
			continue
		}
		if _, err := p.root.Lstat(name); err == nil {
			return fmt.Errorf("the pack has a file `%s`, where there is one that git ignores; move it away", plain.Line(name))
		}
	}
	return nil
}

// refuseFolder returns an error if a new pack cannot have a folder: if it has files, or if the
// project spells its name otherwise.
func (p *Project) refuseFolder(folder string) error {
	if _, err := p.root.Lstat(folder); err == nil {
		var first string
		add := func(file, _ string) { first = file }
		ignored := gitignore.Open(filepath.Join(p.Dir, filepath.FromSlash(folder)))
		if err := p.findUnknown(Locked{Folder: folder}, ".", ignored, add); err != nil || first != "" {
			return fmt.Errorf("`%s` exists and belongs to no pack; move it away, or give the pack another name with --name", plain.Line(folder))
		}
	}
	for name := folder; name != "."; name = path.Dir(name) {
		entries, _ := fs.ReadDir(p.root.FS(), path.Dir(name))
		for _, e := range entries {
			if e.Name() != path.Base(name) && strings.EqualFold(e.Name(), path.Base(name)) {
				return fmt.Errorf("`%s` and `%s` are one folder on systems that ignore the case of letters; rename yours, or give the pack another name with --name",
					plain.Line(path.Join(path.Dir(name), e.Name())), plain.Line(name))
			}
		}
	}
	return nil
}

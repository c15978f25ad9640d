package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A fileLook finds the files of a pattern. It reads a file only if its size or its time has
// changed, and then only once it has been the same for two looks: somebody may be writing it.
type fileLook struct {
	*Watcher
	// last is what the look before saw, and hashes are those of the files that it has read.
	last   map[string]stamp
	hashes map[string]hashed
}

type stamp struct {
	size int64
	time time.Time
}

type hashed struct {
	stamp
	sum string
}

func (l *fileLook) look(ctx context.Context) ([]sight, error) {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	now := map[string]stamp{}
	err = matching(root.FS(), strings.Split(path.Clean(l.Trigger.On.Files), "/"), func(name string, info fs.FileInfo) {
		now[name] = stamp{info.Size(), info.ModTime()}
	})
	if err != nil {
		return nil, err
	}
	var found []sight
	if l.hashes == nil {
		l.hashes = map[string]hashed{}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		at := now[name]
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		known, read := l.hashes[name]
		if l.last[name] != at {
			continue
		}
		if !read || known.stamp != at {
			sum, err := hashOf(root, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			known = hashed{at, sum}
			l.hashes[name] = known
		}
		found = append(found, sight{key: name, value: known.sum, payload: map[string]string{"path": name, "name": path.Base(name), "sha256": known.sum}})
	}
	for name := range l.seen.Seen {
		if _, there := now[name]; !there {
			delete(l.hashes, name)
			found = append(found, sight{key: name}) // it is gone, and new if it comes again
		}
	}
	l.last = now
	return found, nil
}

// hashOf returns the hash of a file's content.
func hashOf(root *os.Root, name string) (string, error) {
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// matching calls found for the regular files whose path matches the parts of a pattern: names
// with *, ? and [a-z], and ** for any number of folders. It follows no links.
func matching(files fs.FS, pattern []string, found func(name string, info fs.FileInfo)) error {
	visited := map[string]bool{}
	var walk func(dir string, pattern []string) error
	walk = func(dir string, pattern []string) error {
		if len(pattern) == 0 {
			return nil
		}
		key := dir + "\x00" + strings.Join(pattern, "/")
		if visited[key] {
			return nil
		}
		visited[key] = true
		if pattern[0] == "**" {
			if err := walk(dir, pattern[1:]); err != nil {
				return err
			}
		}
		entries, err := fs.ReadDir(files, dir)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			deep := pattern[0] == "**"
			ok, err := path.Match(pattern[0], e.Name())
			switch {
			case err != nil:
				return err
			case e.IsDir() && deep && !strings.HasPrefix(e.Name(), "."):
				err = walk(name, pattern)
			case e.IsDir() && ok:
				err = walk(name, pattern[1:])
			case e.Type().IsRegular() && (ok || deep) && len(pattern) == 1:
				info, infoErr := e.Info()
				if infoErr == nil {
					found(name, info)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(".", pattern)
}

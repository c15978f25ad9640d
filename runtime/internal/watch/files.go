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

	"github.com/wfc-lang/wfc/internal/shared/glob"
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
	err = matching(root.FS(), path.Clean(l.Trigger.On.Files), func(name string, info fs.FileInfo) {
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

// matching calls found for the regular files whose path matches a pattern; see package glob. It
// follows no links, and ** matches no hidden folder.
func matching(files fs.FS, pattern string, found func(name string, info fs.FileInfo)) error {
	base := pattern
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		base = pattern[:i]
	}
	base = path.Dir(base)
	within := func(name, dir string) bool { return dir == "." || strings.HasPrefix(name+"/", dir+"/") }
	deep := strings.Contains(pattern, "**")
	return fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir() && !within(base, name) && (!within(name, base) || deep && e.Name()[0] == '.' || !deep && strings.Count(name, "/") >= strings.Count(pattern, "/")):
			return fs.SkipDir
		case e.Type().IsRegular() && glob.Match(pattern, name):
			if info, err := e.Info(); err == nil {
				found(name, info)
			}
		}
		return nil
	})
}

package claim

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// A Store keeps blobs by the SHA-256 of their content, in hexadecimal. It is safe for
// concurrent use. Blobs never change; putting one twice stores it once.
type Store interface {
	// Put stores a blob. It survives a crash of the machine once Put has returned.
	Put(sum string, blob []byte) error
	// Get returns a blob. The error wraps fs.ErrNotExist if the store lacks it.
	Get(sum string) ([]byte, error)
	// Prune removes the blobs that nobody has put or got since a time, except those in
	// keep. If dry is true, it only counts them.
	Prune(ctx context.Context, before time.Time, keep map[string]bool, dry bool) (Pruned, error)
	Close() error
}

// Pruned counts removed blobs.
type Pruned struct {
	Blobs int
	Bytes int64
}

// usePrecision is the precision of the time of a blob's last use: a use within this time after
// the recorded one does not update it.
const usePrecision = time.Hour

// Open opens the store at a place: a folder, or the URL of a PostgreSQL database. Each
// namespace has its own blobs there. folder is the folder of the namespace, or "" for a
// database. The store is nil if the place is "".
func Open(ctx context.Context, place, namespace string) (s Store, folder string, err error) {
	switch scheme, _, isURL := strings.Cut(place, "://"); {
	case place == "":
		return nil, "", nil
	case isURL && (scheme == "postgres" || scheme == "postgresql"):
		s, err := openDatabase(ctx, place, namespace)
		if err != nil {
			return nil, "", err
		}
		return s, "", nil
	case isURL:
		return nil, "", fmt.Errorf("--blobs: unknown kind of store %s://; give a folder or postgres://user@host/name", scheme)
	}
	name := url.PathEscape(namespace)
	if name == "." || name == ".." {
		return nil, "", fmt.Errorf("the namespace `%s` cannot be the name of a folder", namespace)
	}
	if folder, err = filepath.Abs(filepath.Join(place, name)); err != nil {
		return nil, "", err
	}
	return Folder(folder), folder, nil
}

// A Folder is a Store in a folder that all workers and clients share. The file of a blob has
// the name of its sum, in a folder with the first two digits, and the time of its last use.
type Folder string

// Names of files that are not blobs.
const (
	newPrefix = ".new-"
	oldPrefix = ".old-"
)

func (f Folder) blobPath(sum string) string {
	return filepath.Join(string(f), "values", sum[:min(2, len(sum))], filepath.Base(sum))
}

// Put implements Store.
func (f Folder) Put(sum string, blob []byte) error {
	path := f.blobPath(sum)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(blob)) && touchBlob(path, info) == nil {
		if _, err := os.Stat(path); err == nil { // or Prune had looked at its time before
			return nil
		}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, newPrefix+"*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // Rename has moved it unless something failed
	_, err = file.Write(blob)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return err
	}
	return syncFolder(dir)
}

// Get implements Store.
func (f Folder) Get(sum string) ([]byte, error) {
	path := f.blobPath(sum)
	blob, err := wholefile.Output.Read(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil {
		_ = touchBlob(path, info) // the owner of the file may be another user
	}
	return blob, nil
}

// touchBlob sets the time of the last use of a blob.
func touchBlob(path string, info fs.FileInfo) error {
	now := time.Now()
	if now.Sub(info.ModTime()) < usePrecision {
		return nil
	}
	return os.Chtimes(path, now, now)
}

// syncFolder writes the names in a folder to the disk. Some systems cannot, and need not.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// Prune implements Store.
func (f Folder) Prune(ctx context.Context, before time.Time, keep map[string]bool, dry bool) (Pruned, error) {
	var p Pruned
	err := filepath.WalkDir(filepath.Join(string(f), "values"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process has removed it, or nothing was stored yet
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !entry.Type().IsRegular() || keep[entry.Name()] {
			return err
		}
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(before) {
			return ignoreMissing(err)
		}
		removed := true
		if !dry {
			if removed, err = removeUnused(path, before); err != nil {
				return err
			}
		}
		if removed && !strings.HasPrefix(entry.Name(), ".") {
			p.Blobs, p.Bytes = p.Blobs+1, p.Bytes+info.Size()
		}
		return nil
	})
	return p, err
}

// removeUnused removes a file unless somebody uses it meanwhile. It first gives the file another
// name: a process that puts the blob from then on writes it again, and an earlier use
// shows in the time of the file.
func removeUnused(path string, before time.Time) (bool, error) {
	name := filepath.Base(path)
	if strings.HasPrefix(name, ".") { // a process died while it wrote or removed the blob
		return true, ignoreMissing(os.Remove(path))
	}
	old := filepath.Join(filepath.Dir(path), oldPrefix+name)
	if err := os.Rename(path, old); err != nil {
		return false, ignoreMissing(err)
	}
	info, err := os.Stat(old)
	if err != nil {
		return false, ignoreMissing(err)
	}
	if !info.ModTime().Before(before) {
		return false, os.Rename(old, path)
	}
	return true, ignoreMissing(os.Remove(old))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Close implements Store.
func (Folder) Close() error { return nil }

package claim

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"
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

// unused is the precision of the time of a blob's last use: a use within this time after
// the recorded one does not update it.
const unused = time.Hour

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

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// sumsKey is the public key of the checksum database sum.golang.org, which the go command
// contains, too.
const sumsKey = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"

// verifyArchive compares an archive with the hash that wfc contains, and with the checksum database
// unless settings except it.
func (s *Store) verifyArchive(ctx context.Context, set settings, from proxy, m module.Version, archive string) error {
	got, err := dirhash.HashZip(archive, dirhash.Hash1)
	if err != nil {
		return fmt.Errorf("read the archive of %s: %w", Version, err)
	}
	want := s.hash
	if want == "" {
		want = hashes[s.platform()]
	}
	if want != "" && got != want {
		return &hashError{got, want, "wfc contains"}
	}
	if !set.usesChecksumDatabase(m) {
		if want == "" {
			return fmt.Errorf("wfc knows no hash of %s for %s, and GOSUMDB, GONOSUMDB or GOPRIVATE except it from the checksum database", Version, s.platform())
		}
		return nil
	}
	lines, err := s.lookupChecksums(ctx, set, from, m)
	if err != nil {
		return fmt.Errorf("ask the checksum database about %s: %w", Version, err)
	}
	for _, line := range lines {
		if words := strings.Fields(line); len(words) == 3 && words[0] == m.Path && words[1] == m.Version {
			if words[2] != got {
				return &hashError{got, words[2], "the checksum database has"}
			}
			return nil
		}
	}
	return fmt.Errorf("the checksum database does not know %s", m)
}

// A hashError says that a download is not what it should be.
type hashError struct {
	got, want, source string
}

// Error names the hashes.
func (e *hashError) Error() string {
	return fmt.Sprintf("the downloaded toolchain is not the real one: its hash is %s, and %s %s; nothing of it was used", e.got, e.source, e.want)
}

// lookupChecksums returns the lines of the checksum database about a module.
func (s *Store) lookupChecksums(ctx context.Context, set settings, from proxy, m module.Version) ([]string, error) {
	name, key, address := parseGOSUMDB(set["GOSUMDB"])
	if s.verifier != "" {
		key = s.verifier
		name, _, _ = strings.Cut(key, "+")
	}
	ops := &databaseOps{ctx: ctx, dir: filepath.Join(s.Dir, "sumdb"), name: name, key: key, address: address, proxy: from}
	lines, err := sumdb.NewClient(ops).Lookup(m.Path, m.Version)
	if ops.fault != "" {
		return nil, errors.New(ops.fault)
	}
	return lines, err
}

// parseGOSUMDB reads GOSUMDB: a name or a key, and perhaps an address.
func parseGOSUMDB(setting string) (name, key, address string) {
	words := strings.Fields(setting)
	if len(words) == 0 {
		words = []string{defaultSums}
	}
	name, _, named := strings.Cut(words[0], "+")
	key = words[0]
	if !named {
		key = sumsKey
	}
	address = "https://" + name
	if len(words) > 1 {
		address = words[1]
	}
	if name == "sum.golang.google.cn" {
		name = defaultSums
	}
	return name, key, address
}

// databaseOps are what the client of the checksum database needs. It asks through the proxy
// from which the archive came, if that allows it, and otherwise itself.
type databaseOps struct {
	ctx                context.Context
	dir                string
	name, key, address string
	proxy              proxy
	// proxied says whether the proxy serves the database, and asked whether that is known.
	proxied, asked bool
	fault          string
}

// ReadRemote implements sumdb.ClientOps.
func (o *databaseOps) ReadRemote(path string) ([]byte, error) {
	below := "sumdb/" + o.name
	if !o.asked {
		_, err := o.proxy.fetchText(o.ctx, below+"/supported")
		o.proxied, o.asked = err == nil, true
	}
	if o.proxied {
		return o.proxy.fetchText(o.ctx, below+path)
	}
	address, err := url.Parse(o.address)
	if err != nil {
		return nil, err
	}
	return proxy{url: address}.fetchText(o.ctx, path)
}

// ReadConfig implements sumdb.ClientOps.
func (o *databaseOps) ReadConfig(file string) ([]byte, error) {
	if file == "key" {
		return []byte(o.key), nil
	}
	content, err := wholefile.Source.Read(filepath.Join(o.dir, filepath.FromSlash(file)))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// WriteConfig implements sumdb.ClientOps.
func (o *databaseOps) WriteConfig(file string, old, content []byte) error {
	if now, err := o.ReadConfig(file); err != nil || !slices.Equal(now, old) {
		return sumdb.ErrWriteConflict
	}
	path := filepath.Join(o.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// ReadCache implements sumdb.ClientOps. Nothing is kept: there is one look-up in the life of
// a version.
func (o *databaseOps) ReadCache(string) ([]byte, error) { return nil, os.ErrNotExist }

// WriteCache implements sumdb.ClientOps.
func (o *databaseOps) WriteCache(string, []byte) {}

// Log implements sumdb.ClientOps.
func (o *databaseOps) Log(string) {}

// SecurityError implements sumdb.ClientOps: the database contradicts itself.
func (o *databaseOps) SecurityError(message string) { o.fault = message }

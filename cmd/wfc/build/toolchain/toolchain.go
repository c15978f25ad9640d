// Package toolchain fetches the Go toolchain for machines that have none. It comes from the
// Go module proxy, as the go command's own downloads of newer toolchains do, and is checked
// against hashes that wfc contains and against the checksum database.
//
// The form of the module golang.org/toolchain is that of the go command since Go 1.21:
// https://go.dev/doc/toolchain.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// Version is the release of Go that wfc was tested with.
const Version = "go1.26.8"

// hashes are the hashes of Version's toolchains, in the form of go.sum, by system and
// architecture. The checksum database alone vouches for the others.
var hashes = map[string]string{
	"darwin-amd64": "h1:7/9KPPN8PckcA9s91hm2jmQMhzW4KyTJXHIs45L0C9M=",
	"darwin-arm64": "h1:dFjGhY6f8DTsY8/rLchUTDRRfjJP4pCrGCwxvHFT2Fg=",
	"linux-amd64":  "h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=",
	"linux-arm64":  "h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=",
}

// A Store keeps toolchains in a folder.
type Store struct {
	// Dir is the folder.
	Dir string
	// GOOS and GOARCH are those of this machine.
	GOOS, GOARCH string
	// Environ is the environment with Go's settings, such as GOPROXY.
	Environ []string
	// Progress receives how much of a download is done, in bytes. total is 0 if it is
	// unknown. It may be nil.
	Progress func(done, total int64)
	// hash replaces the hash in hashes, and verifier the key of the checksum database, in
	// tests.
	hash, verifier string
}

// An OffError says that settings forbid to fetch a toolchain.
type OffError struct {
	// Setting is the one, such as "GOPROXY=off".
	Setting string
}

// Error names the setting.
func (e *OffError) Error() string { return e.Setting + " does not allow wfc to download Go" }

// Path returns the path of the go command of a toolchain that was fetched before. ok is false
// if there is none.
func (s *Store) Path() (path string, ok bool) {
	path = filepath.Join(s.toolchainDir(), "bin", "go")
	if s.GOOS == "windows" {
		path += ".exe"
	}
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

func (s *Store) toolchainDir() string { return filepath.Join(s.Dir, Version+"."+s.platform()) }

func (s *Store) platform() string { return s.GOOS + "-" + s.GOARCH }

// Fetch returns the path of the go command of the toolchain, and fetches it first if it is
// not there. The error is an *OffError if Go's settings forbid it. Several processes may
// fetch at once.
func (s *Store) Fetch(ctx context.Context) (string, error) {
	if path, ok := s.Path(); ok {
		return path, nil
	}
	settings, proxies, err := s.downloadSources()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(s.Dir, "fetch-*")
	if err != nil {
		return "", err
	}
	defer removeAll(work)
	m := module.Version{Path: "golang.org/toolchain", Version: "v0.0.1-" + Version + "." + s.platform()}
	archive := filepath.Join(work, "toolchain.zip")
	source, err := s.downloadArchive(ctx, proxies, m, archive)
	if err != nil {
		return "", err
	}
	if err := s.verifyArchive(ctx, settings, source, m, archive); err != nil {
		return "", err
	}
	unpacked := filepath.Join(work, "go")
	if err := modzip.Unzip(unpacked, m, archive); err != nil {
		return "", fmt.Errorf("unpack %s: %w", Version, err)
	}
	if err := restoreNamesAndModes(unpacked); err != nil {
		return "", fmt.Errorf("unpack %s: %w", Version, err)
	}
	if err := os.Rename(unpacked, s.toolchainDir()); err != nil {
		if path, ok := s.Path(); ok {
			return path, nil // another process was faster
		}
		return "", err
	}
	path, ok := s.Path()
	if !ok {
		return "", fmt.Errorf("the toolchain %s has no go command", m.Version)
	}
	return path, nil
}

// Allowed returns an error if Go's settings name no source of a toolchain: an *OffError if they forbid it.
func (s *Store) Allowed() error {
	_, _, err := s.downloadSources()
	return err
}

// downloadSources returns Go's settings and the proxies to fetch a toolchain from.
func (s *Store) downloadSources() (settings, []proxy, error) {
	settings := readSettings(s.Environ)
	if value := settings["GOTOOLCHAIN"]; value == "local" || value == "path" || strings.HasSuffix(value, "+path") {
		return nil, nil, &OffError{"GOTOOLCHAIN=" + value}
	}
	proxies, err := settings.parseGOPROXY()
	return settings, proxies, err
}

// restoreNamesAndModes does to an unpacked toolchain what archives of modules cannot express: programs
// are executable, and go.mod files, which are named _go.mod in the archive, have their name.
func restoreNamesAndModes(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		// The archive's files cannot be written; folders must be, so that they can be removed.
		switch rel = filepath.ToSlash(rel); {
		case entry.IsDir():
			return os.Chmod(path, 0o755)
		case entry.Name() == "_go.mod":
			return os.Rename(path, filepath.Join(filepath.Dir(path), "go.mod"))
		case isProgram(rel):
			return os.Chmod(path, 0o755)
		}
		return nil
	})
}

// isProgram reports whether a file of a toolchain is executed.
func isProgram(rel string) bool {
	starter, err := filepath.Match("lib/*/go_*_*_exec", rel)
	return strings.HasPrefix(rel, "bin/") || strings.HasPrefix(rel, "pkg/tool/") || err == nil && starter
}

// removeAll removes a folder with files that cannot be written.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// downloadArchive writes the archive of a module to a file, from the first proxy that has it, and
// returns that proxy.
func (s *Store) downloadArchive(ctx context.Context, proxies []proxy, m module.Version, path string) (proxy, error) {
	name, err := module.EscapePath(m.Path)
	if err != nil {
		return proxy{}, err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return proxy{}, err
	}
	var last error
	for _, p := range proxies {
		last = p.fetchFile(ctx, name+"/@v/"+version+".zip", func(r io.Reader, size int64) error {
			return s.writeArchive(r, size, path)
		})
		if last == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return proxy{}, ctx.Err()
		}
		if !p.anyError && !isMissing(last) {
			break
		}
	}
	return proxy{}, fmt.Errorf("fetch %s for %s from the Go module proxy: %w", Version, s.platform(), last)
}

// isMissing reports whether a proxy does not have a file.
func isMissing(err error) bool {
	var status *statusError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &status) && (status.code == http.StatusNotFound || status.code == http.StatusGone)
}

// maxArchive bounds the size of an archive; that of Go 1.26 has 70 MB.
const maxArchive = 500 << 20

// writeArchive writes an archive of a size, which is 0 or less if it is unknown.
func (s *Store) writeArchive(r io.Reader, size int64, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	counted := &counter{progress: s.Progress, total: max(size, 0)}
	n, err := io.Copy(io.MultiWriter(f, counted), io.LimitReader(r, maxArchive+1))
	switch {
	case err != nil:
		return err
	case n > maxArchive:
		return fmt.Errorf("the archive is larger than %d MB", maxArchive>>20)
	case size > 0 && n != size:
		return fmt.Errorf("the archive has %d bytes instead of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	return f.Close()
}

// A counter counts what is written to it.
type counter struct {
	progress    func(done, total int64)
	done, total int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.done += int64(len(p))
	if c.progress != nil {
		c.progress(c.done, c.total)
	}
	return len(p), nil
}

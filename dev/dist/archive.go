package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An entry is a file of an archive.
type entry struct {
	name string // with slashes
	// program says that the file is executable.
	program bool
	size    int64
	open    func() (io.ReadCloser, error)
}

// mode returns the permissions: archives depend on no umask and on no user.
func (e entry) mode() fs.FileMode {
	if e.program {
		return 0o755
	}
	return 0o644
}

// content returns an entry with the given content.
func content(name string, text []byte) entry {
	return entry{name: name, size: int64(len(text)), open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}
}

// file returns an entry with the content of a file.
func file(name, path string) (entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return entry{}, err
	}
	return entry{name: name, size: info.Size(), open: func() (io.ReadCloser, error) { return os.Open(path) }}, nil
}

// folder returns the files below a folder that keep accepts, named below prefix. keep gets
// their paths with slashes; nil keeps all.
func folder(prefix, dir string, keep func(name string) bool) ([]entry, error) {
	var list []entry
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if keep != nil && !keep(name) {
			return nil
		}
		e, err := file(path.Join(prefix, name), p)
		list = append(list, e)
		return err
	})
	return list, err
}

// below returns the entries with a prefix before their names.
func below(prefix string, entries []entry) []entry {
	list := slices.Clone(entries)
	for i := range list {
		list[i].name = path.Join(prefix, list[i].name)
	}
	return list
}

// sorted returns the entries in the order of their names. Two of one name are an error.
func sorted(entries []entry) ([]entry, error) {
	list := slices.Clone(entries)
	slices.SortFunc(list, func(x, y entry) int { return cmp.Compare(x.name, y.name) })
	for i, e := range list {
		if i > 0 && list[i-1].name == e.name {
			return nil, fmt.Errorf("two files are called %s", e.name)
		}
		if !fs.ValidPath(e.name) {
			return nil, fmt.Errorf("%q is not a name of a file in an archive", e.name)
		}
	}
	return list, nil
}

// writeTarGz writes a compressed tar archive. Each byte of it follows from the entries and
// the time: folders come before their files, and root owns all.
func writeTarGz(w io.Writer, entries []entry, at time.Time, level int) error {
	entries, err := sorted(entries)
	if err != nil {
		return err
	}
	zw, err := gzip.NewWriterLevel(w, level)
	if err != nil {
		return err
	}
	tw := tar.NewWriter(zw)
	// dpkg reads the GNU form of long names, and not that of POSIX.
	header := tar.Header{ModTime: at.UTC(), Format: tar.FormatGNU, Uname: "root", Gname: "root"}
	done := map[string]bool{".": true}
	for _, e := range entries {
		for _, dir := range parents(e.name) {
			if done[dir] {
				continue
			}
			done[dir] = true
			h := header
			h.Typeflag, h.Name, h.Mode = tar.TypeDir, dir+"/", 0o755
			if err := tw.WriteHeader(&h); err != nil {
				return err
			}
		}
		h := header
		h.Typeflag, h.Name, h.Mode, h.Size = tar.TypeReg, e.name, int64(e.mode()), e.size
		if err := tw.WriteHeader(&h); err != nil {
			return err
		}
		if err := e.copyTo(tw); err != nil {
			return err
		}
	}
	return errors.Join(tw.Close(), zw.Close())
}

// parents returns the folders above a name, the outermost first.
func parents(name string) []string {
	var list []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		list = append(list, dir)
	}
	slices.Reverse(list)
	return list
}

// writeZip writes a zip archive, of which the same holds.
func writeZip(w io.Writer, entries []entry, at time.Time) error {
	entries, err := sorted(entries)
	if err != nil {
		return err
	}
	zw := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(e.mode())
		fw, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if err := e.copyTo(fw); err != nil {
			return err
		}
	}
	return zw.Close()
}

func (e entry) copyTo(w io.Writer) error {
	r, err := e.open()
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.Copy(w, r)
	if err == nil && n != e.size {
		err = fmt.Errorf("%d bytes instead of %d", n, e.size)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.name, err)
	}
	return nil
}

// bytesOf returns the content of an entry.
func (e entry) bytesOf() ([]byte, error) {
	var out bytes.Buffer
	err := e.copyTo(&out)
	return out.Bytes(), err
}

// create writes a file by a function.
func create(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(filepath.Base(path)), err)
	}
	return nil
}

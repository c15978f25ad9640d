package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

// A debian is a Debian package.
type debian struct {
	name, version, architecture string
	// fields are further lines of the file control.
	fields      string
	description string
	entries     []entry
}

// debianVersion turns a version into one that Debian orders in the same way: what follows a
// tilde comes before the version without it.
func debianVersion(version string) string { return strings.ReplaceAll(version, "-", "~") }

// debianEntries returns the files of an archive where Debian has them.
func debianEntries(name string, entries []entry) []entry {
	list := make([]entry, len(entries))
	for i, e := range entries {
		switch {
		case e.name == "LICENSE":
			e.name = path.Join("share/doc", name, "copyright")
		case !strings.Contains(e.name, "/"):
			e.name = path.Join("share/doc", name, e.name)
		}
		e.name = path.Join("usr", e.name)
		list[i] = e
	}
	return list
}

// write writes the package: an ar archive of its version, its control files and its files.
func (d *debian) write(w io.Writer, at time.Time, work string) error {
	var size int64
	var sums bytes.Buffer
	entries, err := sorted(d.entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		size += e.size
		sum := md5.New()
		if err := e.copyTo(sum); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum.Sum(nil), e.name)
	}
	control := fmt.Sprintf(`Package: %s
Version: %s
Architecture: %s
Maintainer: The wfc authors <https://github.com/wfc-lang/wfc>
Installed-Size: %d
Section: devel
Priority: optional
Homepage: https://github.com/wfc-lang/wfc
Suggests: bash, git, python3
%sDescription: %s
`, d.name, d.version, d.architecture, (size+1023)/1024, d.fields, d.description)
	var controls bytes.Buffer
	err = writeTarGz(&controls, []entry{content("control", []byte(control)), content("md5sums", sums.Bytes())}, at, gzip.BestCompression)
	if err != nil {
		return err
	}
	files, err := os.CreateTemp(work, "deb-*")
	if err != nil {
		return err
	}
	defer os.Remove(files.Name())
	defer files.Close()
	if err := writeTarGz(files, entries, at, gzip.DefaultCompression); err != nil {
		return err
	}
	data, err := file("data.tar.gz", files.Name())
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "!<arch>\n"); err != nil {
		return err
	}
	for _, member := range []entry{content("debian-binary", []byte("2.0\n")), content("control.tar.gz", controls.Bytes()), data} {
		if err := writeMember(w, member, at); err != nil {
			return err
		}
	}
	return nil
}

// writeMember writes a member of an ar archive. Members begin at even bytes.
func writeMember(w io.Writer, e entry, at time.Time) error {
	if _, err := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", e.name, at.Unix(), 0, 0, 0o100644, e.size); err != nil {
		return err
	}
	if err := e.copyTo(w); err != nil {
		return err
	}
	if e.size%2 == 1 {
		_, err := io.WriteString(w, "\n")
		return err
	}
	return nil
}

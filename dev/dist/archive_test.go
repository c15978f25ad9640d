package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var commitTime = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// longName is longer than names in the oldest form of tar archives may be.
var longName = strings.Repeat("folder/", 20) + "file"

// someEntries returns files of a folder whose times and permissions the caller chooses.
func someEntries(t *testing.T, at time.Time, mode os.FileMode) []entry {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"b", "a", longName} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content of "+name), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	list, err := folder("top", dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	program := content("top/bin/wfc", []byte("program"))
	program.program = true
	return append(list, program)
}

// The bytes of archives depend on neither the order, the times nor the permissions of files.
func TestReproducible(t *testing.T) {
	first := someEntries(t, commitTime, 0o644)
	second := someEntries(t, time.Unix(1, 0), 0o600)
	slices.Reverse(second)
	for name, write := range map[string]func(w io.Writer, entries []entry) error{
		"tar.gz": func(w io.Writer, entries []entry) error {
			return writeTarGz(w, entries, commitTime, gzip.BestSpeed)
		},
		"zip": func(w io.Writer, entries []entry) error { return writeZip(w, entries, commitTime) },
		"deb": func(w io.Writer, entries []entry) error {
			d := &debian{name: "wfc", version: "1", architecture: "amd64", description: "d", entries: entries}
			return d.write(w, commitTime, t.TempDir())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var sums []string
			for _, entries := range [][]entry{first, second} {
				sum := sha256.New()
				if err := write(sum, entries); err != nil {
					t.Fatal(err)
				}
				sums = append(sums, fmt.Sprintf("%x", sum.Sum(nil)))
			}
			if sums[0] != sums[1] {
				t.Errorf("two archives of the same files differ: %s", sums)
			}
		})
	}
}

func TestTarGz(t *testing.T) {
	var out bytes.Buffer
	if err := writeTarGz(&out, someEntries(t, time.Now(), 0o600), commitTime, gzip.BestSpeed); err != nil {
		t.Fatal(err)
	}
	zr, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(commitTime) {
			t.Errorf("%s: owner %d:%d, time %v", h.Name, h.Uid, h.Gid, h.ModTime)
		}
		if !strings.Contains(h.Name, "folder/folder") {
			got = append(got, fmt.Sprintf("%s %o", h.Name, h.Mode))
		} else if h.Typeflag == tar.TypeReg && h.Name != "top/"+longName {
			t.Errorf("the long name is %s", h.Name)
		}
	}
	want := []string{"top/ 755", "top/a 644", "top/b 644", "top/bin/ 755", "top/bin/wfc 755", "top/folder/ 755"}
	if !slices.Equal(got, want) {
		t.Errorf("the archive has %q, want %q", got, want)
	}
}

func TestZip(t *testing.T) {
	var out bytes.Buffer
	if err := writeZip(&out, someEntries(t, time.Now(), 0o600), commitTime); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		want := os.FileMode(0o644)
		if f.Name == "top/bin/wfc" {
			want = 0o755
		}
		if f.Mode() != want || !f.Modified.Equal(commitTime) {
			t.Errorf("%s: %v, %v", f.Name, f.Mode(), f.Modified)
		}
	}
}

func TestFaultyEntries(t *testing.T) {
	short := content("a", []byte("four"))
	short.size = 5
	for _, test := range []struct {
		entries []entry
		want    string
	}{
		{[]entry{content("a", nil), content("a", nil)}, "two files are called a"},
		{[]entry{content("../a", nil)}, "is not a name"},
		{[]entry{content("/a", nil)}, "is not a name"},
		{[]entry{short}, "4 bytes instead of 5"},
	} {
		if err := writeZip(io.Discard, test.entries, commitTime); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// dpkg reads the package, with its long names.
func TestDebian(t *testing.T) {
	d := &debian{
		name: "wfc-full", version: debianVersion("0.0.0-20261122120000-abcdef012345"), architecture: "arm64",
		fields: "Provides: wfc\n", description: "short\n long", entries: debianEntries("wfc-full", append(someEntries(t, time.Now(), 0o600), content("LICENSE", []byte("MIT")))),
	}
	path := filepath.Join(t.TempDir(), "wfc.deb")
	if err := create(path, func(w io.Writer) error { return d.write(w, commitTime, t.TempDir()) }); err != nil {
		t.Fatal(err)
	}
	dpkg, err := exec.LookPath("dpkg-deb")
	if err != nil {
		t.Skip("no dpkg-deb here")
	}
	for args, wants := range map[string][]string{
		"--field":    {"Package: wfc-full", "Version: 0.0.0~20261122120000~abcdef012345", "Architecture: arm64", "Provides: wfc", "Installed-Size: 1"},
		"--contents": {"usr/share/doc/wfc-full/copyright", "-rwxr-xr-x root/root", "usr/top/" + longName},
	} {
		out, err := exec.Command(dpkg, args, path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s prints no %q:\n%s", args, want, out)
			}
		}
	}
}

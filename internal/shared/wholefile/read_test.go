package wholefile_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, 511, 512, 513, int(wholefile.Source) - 1, int(wholefile.Source)} {
		content := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := wholefile.Source.Read(path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
		if got, err := wholefile.Source.Given(path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
	}
	if _, err := wholefile.Source.Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := wholefile.Source.Read(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}

// TestHuge reads files of terabytes, which take no room on the disk.
func TestHuge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 42); err != nil {
		t.Skip(err)
	}
	line := func(path string) ([]byte, error) { return wholefile.Source.Line(bufio.NewReader(f), path) }
	for name, read := range map[string]func(string) ([]byte, error){"Read": wholefile.Source.Read, "Given": wholefile.Source.Given, "Line": line} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(path)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8*uint64(wholefile.Source) {
			t.Errorf("%s allocated %d bytes", name, used)
		}
	}
}

// TestLine reads lines like bufio.Reader, of any length up to the limit.
func TestLine(t *testing.T) {
	for _, text := range []string{"", "\n", "a\nbc\n\nlast", strings.Repeat("x", 100) + "\n" + strings.Repeat("y", 16) + "\n"} {
		want, got := bufio.NewReader(strings.NewReader(text)), bufio.NewReaderSize(strings.NewReader(text), 16)
		for {
			line, wrong := want.ReadBytes('\n')
			read, err := wholefile.Source.Line(got, "r")
			if !bytes.Equal(read, line) || err != wrong {
				t.Errorf("%q: got %q %v, want %q %v", text, read, err, line, wrong)
			}
			if wrong != nil {
				break
			}
		}
	}
	whole := append(make([]byte, wholefile.Source-1), '\n')
	if line, err := wholefile.Source.Line(bufio.NewReader(bytes.NewReader(whole)), "r"); err != nil || len(line) != len(whole) {
		t.Errorf("%d bytes, %v", len(line), err)
	}
	if _, err := wholefile.Source.Line(bufio.NewReader(bytes.NewReader(append(whole, '\n')[1:])), "r"); err != nil {
		t.Error(err)
	}
	if _, err := wholefile.Source.Line(bufio.NewReader(io.MultiReader(strings.NewReader("x"), bytes.NewReader(whole))), "r"); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("%v", err)
	}
}

func TestFrom(t *testing.T) {
	slow := iotest.OneByteReader(bytes.NewReader(make([]byte, 3000)))
	if got, err := wholefile.Source.From(slow, "r"); err != nil || len(got) != 3000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := wholefile.Source.From(bytes.NewReader(make([]byte, wholefile.Source+1)), "r"); err == nil {
		t.Error("more than the limit was read")
	}
	if _, err := wholefile.Source.From(iotest.ErrReader(os.ErrClosed), "r"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
}

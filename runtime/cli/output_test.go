package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A file and a pipe get every byte of a result, GitHub's log does not.
func TestData(t *testing.T) {
	const text = "\x1b[31m::error::x\r\n\xff"
	file, err := os.Create(filepath.Join(t.TempDir(), "result"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, _ = dataWriter(plain.NewWriter(file)).Write([]byte(text))
	_, _ = dataWriter(plain.NewWriter(pipe)).Write([]byte(text))
	t.Setenv("GITHUB_ACTIONS", "true")
	_, _ = dataWriter(plain.NewWriter(file)).Write([]byte(text))
	_, _ = dataWriter(plain.NewWriter(pipe)).Write([]byte("::error::x\n"))
	pipe.Close()
	var piped bytes.Buffer
	if _, err := piped.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	if got, want := piped.String(), text+": :error::x\n"; got != want {
		t.Errorf("the pipe got %q, want %q", got, want)
	}
	kept, err := os.ReadFile(file.Name())
	if err != nil || string(kept) != text+text {
		t.Errorf("the file got %q: %v", kept, err)
	}
}

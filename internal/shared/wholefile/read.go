// Package wholefile reads whole files of a limited size, and writes files that are there whole
// or not at all. Everything in wfc and in workflows that
// reads a file does it with this package, so a huge file, a pipe or a device in a repository
// takes neither the memory of the machine nor the time of a person.
//
//	content, err := wholefile.Source.Read("wfc.yaml")
package wholefile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// limit is the size in bytes of the largest file that its methods read.
type limit int64

const (
	// Source is the limit for what people write: workflows, settings, tests, scripts.
	Source limit = 16 << 20
	// Output is the limit for what programs write: outputs, recordings, logs of one step.
	Output limit = 256 << 20
)

// Read returns the content of a regular file. The error is an *fs.PathError, also for other
// kinds of files and for larger ones.
func (most limit) Read(path string) ([]byte, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > int64(most) {
		return nil, most.tooLargeError(path)
	}
	return most.readSized(f, path, size)
}

// Head returns the first bytes of a regular file, at most so many: for a caller that refuses a
// file with more. The error is an *fs.PathError.
func Head(path string, most int) ([]byte, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limit(most).readSized(io.LimitReader(f, int64(most)), path, min(size, int64(most)))
}

// openRegular opens a regular file and returns its size.
func openRegular(path string) (*os.File, int64, error) {
	// Opening a pipe would otherwise wait for a program that writes to it.
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Given is Read for a file that a person names, which may be a pipe or a device.
func (most limit) Given(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return most.readSized(f, path, 0)
}

// From reads from r until its end. name is the name of r for errors.
func (most limit) From(r io.Reader, name string) ([]byte, error) { return most.readSized(r, name, 0) }

// Line reads the next line of r, with its end, as r.ReadBytes does: the last line may have none,
// and its error is io.EOF. A line above the limit is an error. name is the name of r for errors.
func (most limit) Line(r *bufio.Reader, name string) ([]byte, error) {
	var full [][]byte // joined once: a line that grew piece by piece would be copied again and again
	for size := 0; ; {
		piece, err := r.ReadSlice('\n')
		if size += len(piece); size > int(most) {
			return nil, most.tooLargeError(name)
		}
		if full = append(full, bytes.Clone(piece)); err == bufio.ErrBufferFull {
			continue
		}
		if len(full) == 1 {
			return full[0], err
		}
		return bytes.Join(full, nil), err
	}
}

// readSized is From for a reader that probably has size bytes.
func (most limit) readSized(r io.Reader, name string, size int64) ([]byte, error) {
	content := make([]byte, 0, size+512)
	limited := io.LimitReader(r, int64(most)+1)
	for {
		n, err := limited.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case len(content) > int(most):
			return nil, most.tooLargeError(name)
		case err == io.EOF:
			return content, nil
		case err != nil:
			return content, err
		case len(content) == cap(content):
			content = append(content, 0)[:len(content)]
		}
	}
}

func (most limit) tooLargeError(name string) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("larger than %d MiB", most>>20)}
}

package runfile

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
)

// An Archive is the content of a file.
type Archive struct {
	Head     Head
	Journals []trace.Journal
	// Files is the folder with the folders of the runs, by their ids.
	Files string
}

type reader struct {
	tar     *tar.Reader
	into    *os.Root
	members int
	bytes   int64
	sums    map[string]string
	runs    map[string]*trace.Journal
	parts   map[string]int
}

// Read reads a file. It writes the files of runs below the folder into, which is empty.
func Read(in io.Reader, into string) (*Archive, error) {
	source := bufio.NewReader(in)
	packed, err := gzip.NewReader(source)
	if err != nil {
		return nil, damaged("it is not compressed by gzip: no export wrote it")
	}
	packed.Multistream(false)
	root, err := os.OpenRoot(into)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &reader{tar: tar.NewReader(packed), into: root, sums: map[string]string{}, runs: map[string]*trace.Journal{}, parts: map[string]int{}}
	a := &Archive{Files: into}
	for first := true; ; first = false {
		h, err := r.next()
		if err != nil {
			return nil, err
		}
		if first != (h.Name == headName) {
			return nil, damaged("it does not begin with %s", headName)
		}
		if h.Name == sumsName {
			if err := r.checkEnd(h, packed, source); err != nil {
				return nil, err
			}
			return a, r.collect(a)
		}
		if first {
			if err := r.readJSON(h, &a.Head); err != nil {
				return nil, err
			}
			if err := a.Head.check(); err != nil {
				return nil, err
			}
			for _, run := range a.Head.Runs {
				r.runs[run.ID] = &trace.Journal{}
			}
			continue
		}
		if err := r.readPart(h); err != nil {
			return nil, err
		}
	}
}

// next returns the next member, which must be a regular file of an allowed size and name.
func (r *reader) next() (*tar.Header, error) {
	h, err := r.tar.Next()
	if err != nil {
		return nil, damaged("it ends too early, or is not an archive (%v)", err)
	}
	if err := checkName(h.Name); err != nil {
		return nil, err
	}
	r.members++
	r.bytes += h.Size
	switch _, twice := r.sums[h.Name]; {
	case h.Typeflag != tar.TypeReg || h.Linkname != "":
		return nil, damaged("%q is not a regular file", h.Name)
	case twice:
		return nil, damaged("%q comes twice", h.Name)
	case r.members > mostMembers || r.bytes > mostBytes:
		return nil, fmt.Errorf("the file is too large: an import reads at most %d files with %d GiB", mostMembers, mostBytes>>30)
	case h.Size > mostJournal && !strings.Contains(h.Name, "/files/"):
		return nil, fmt.Errorf("the file is too large: %q has more than %d MiB", h.Name, mostJournal>>20)
	}
	return h, nil
}

// readPart reads a member of a run.
func (r *reader) readPart(h *tar.Header) error {
	id, part, _ := strings.Cut(strings.TrimPrefix(h.Name, "runs/"), "/")
	j := r.runs[id]
	if j == nil || !strings.HasPrefix(h.Name, "runs/") {
		return damaged("%q belongs to no run", h.Name)
	}
	if name, ok := strings.CutPrefix(part, "files/"); ok && kept(name) {
		return r.extract(h, path.Join(id, name))
	}
	r.parts[id]++
	switch part {
	case "run.json":
		return r.readJSON(h, &j.Run)
	case "steps.jsonl":
		return r.readLines(h, &j.Steps)
	case "events.jsonl":
		return r.readLines(h, &j.Events)
	case "answers.jsonl":
		return r.readLines(h, &j.Answers)
	case "turns.jsonl":
		return r.readLines(h, &j.Turns)
	case "approvals.jsonl":
		return r.readLines(h, &j.Approvals)
	}
	return damaged("nobody knows the member %q", h.Name)
}

// content reads a member and notes its sum.
func (r *reader) content(h *tar.Header, out io.Writer) error {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(r.tar, h.Size))
	if err != nil || n != h.Size {
		return damaged("%q is cut off (%v)", h.Name, err)
	}
	r.sums[h.Name] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// readJSON reads the only value of a member into what a pointer has.
func (r *reader) readJSON(h *tar.Header, v any) error {
	n, err := r.readEach(h, func(d *json.Decoder) error { return d.Decode(v) })
	if err == nil && n != 1 {
		err = damaged("%q has %d values", h.Name, n)
	}
	runstore.DecodeTexts(v)
	return err
}

// readLines adds the values of a member to the slice that a pointer has.
func (r *reader) readLines(h *tar.Header, list any) error {
	all := reflect.ValueOf(list).Elem()
	_, err := r.readEach(h, func(d *json.Decoder) error {
		one := reflect.New(all.Type().Elem())
		if err := d.Decode(one.Interface()); err != nil {
			return err
		}
		runstore.DecodeTexts(one.Interface())
		all.Set(reflect.Append(all, one.Elem()))
		return nil
	})
	return err
}

// readEach calls a function for each value of a member, which reads it, and returns how many there are.
func (r *reader) readEach(h *tar.Header, read func(*json.Decoder) error) (n int, err error) {
	var b bytes.Buffer
	if err := r.content(h, &b); err != nil {
		return 0, err
	}
	for d := json.NewDecoder(&b); ; n++ {
		if err := read(d); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, damaged("%q: %v", h.Name, err)
		}
	}
}

// extract writes a file of a run.
func (r *reader) extract(h *tar.Header, name string) error {
	name = filepath.FromSlash(name)
	if err := r.into.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := r.into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(h.Mode)&0o700|0o600)
	if err != nil {
		return err
	}
	return errors.Join(r.content(h, f), f.Close())
}

// checkEnd compares the sums in the last member, and checks that nothing follows it.
func (r *reader) checkEnd(sums *tar.Header, packed, source io.Reader) error {
	found := maps.Clone(r.sums)
	var want map[string]string
	if err := r.readJSON(sums, &want); err != nil {
		return err
	}
	if !maps.Equal(found, want) {
		return damaged("its content does not have the sums that its export wrote")
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return damaged("something follows %s", sumsName)
	}
	for _, rest := range []io.Reader{packed, source} {
		if n, err := io.Copy(io.Discard, io.LimitReader(rest, mostPadding)); err != nil || n == mostPadding || rest == source && n > 0 {
			return damaged("something follows its end")
		}
	}
	return nil
}

// collect checks the runs, and puts them into the archive in the order of its head.
func (r *reader) collect(a *Archive) error {
	known := map[string]bool{}
	for _, run := range a.Head.Runs {
		j := r.runs[run.ID]
		got := j.Run
		if r.parts[run.ID] != 6 || got.ID != run.ID || got.Workflow != run.Workflow || got.Fingerprint != run.Fingerprint || got.Created.IsZero() {
			return damaged("the journal of run %s is not whole", run.ID)
		}
		for _, s := range j.Steps {
			if s.Key == "" || s.Status == "" || s.Status == flow.Interrupted {
				return damaged("run %s has a step without a name or a state", run.ID)
			}
		}
		if j.Parent = runstore.ParentOf(got.Settings); (j.Parent.Run != "") != (len(a.Journals) > 0) || j.Parent.Run != "" && !known[j.Parent.Run] {
			return damaged("run %s does not belong to the others", run.ID)
		}
		known[run.ID] = true
		a.Journals = append(a.Journals, *j)
	}
	return nil
}

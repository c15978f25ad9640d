package runfile

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
)

type writer struct {
	tar  *tar.Writer
	sums map[string]string
	now  time.Time
}

// Write writes runs to a file. dir returns the folder of a run. skipped are the files that are
// left out because they are not regular files.
func Write(out io.Writer, journals []trace.Journal, dir func(id string) string, now time.Time) (skipped []string, err error) {
	packed := gzip.NewWriter(out)
	w := &writer{tar: tar.NewWriter(packed), sums: map[string]string{}, now: now}
	head := Head{Format: Version, Root: journals[0].Run.ID, Exported: now.UTC()}
	for _, j := range journals {
		head.Runs = append(head.Runs, HeadRun{j.Run.ID, j.Run.Workflow, j.Run.Fingerprint})
	}
	if err := w.addJSON(headName, head); err != nil {
		return nil, err
	}
	for i := range journals {
		left, err := w.addRun(&journals[i], dir(journals[i].Run.ID))
		if skipped = append(skipped, left...); err != nil {
			return nil, err
		}
	}
	if err := w.addJSON(sumsName, w.sums); err != nil {
		return nil, err
	}
	return skipped, errors.Join(w.tar.Close(), packed.Close())
}

func (w *writer) addRun(j *trace.Journal, dir string) (skipped []string, err error) {
	base := "runs/" + j.Run.ID + "/"
	turns := slices.Clone(j.Turns)
	for i := range turns {
		turns[i].ID, turns[i].Warned = 0, "" // they belong to the store
	}
	err = errors.Join(
		w.addJSON(base+"run.json", j.Run), w.addLines(base+"steps.jsonl", j.Steps), w.addLines(base+"events.jsonl", j.Events),
		w.addLines(base+"answers.jsonl", j.Answers), w.addLines(base+"turns.jsonl", turns),
		w.addLines(base+"approvals.jsonl", j.Approvals),
	)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch name := filepath.ToSlash(rel); {
		case !kept(name):
			return nil
		case !d.Type().IsRegular() || checkName(base+"files/"+name) != nil:
			skipped = append(skipped, path)
			return nil
		default:
			return w.addFile(base+"files/"+name, path)
		}
	})
	return skipped, err
}

// addLines adds a member with the values of a slice.
func (w *writer) addLines(name string, list any) error {
	all := reflect.ValueOf(list)
	values := make([]any, all.Len())
	for i := range values {
		values[i] = all.Index(i).Interface()
	}
	return w.addJSON(name, values...)
}

func (w *writer) addJSON(name string, values ...any) error {
	var b bytes.Buffer
	for _, v := range values {
		line, err := kernel.Encode(runstore.EncodeTexts(v))
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return w.addMember(name, int64(b.Len()), 0o600, &b)
}

func (w *writer) addFile(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return w.addMember(name, info.Size(), info.Mode()&0o700|0o600, io.LimitReader(f, info.Size()))
}

func (w *writer) addMember(name string, size int64, mode fs.FileMode, content io.Reader) error {
	err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(mode), ModTime: w.now.UTC().Truncate(time.Second), Format: tar.FormatPAX})
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(w.tar, io.TeeReader(content, sum)); err != nil {
		return err
	}
	w.sums[name] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

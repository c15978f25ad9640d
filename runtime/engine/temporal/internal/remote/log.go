package remote

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/perform"
	"github.com/wfc-lang/wfc/runtime/state"
)

// Output of steps goes into files, never into a history: one for each run and worker, in
// the folder of large values, which all share, or else on the worker.

// logFolder is the folder with the logs of a run.
func (c *Client) logFolder(f state.Folder, run string) string {
	if c.logs != "" {
		return filepath.Join(c.logs, run)
	}
	return f.Run(run)
}

// A workerLog writes what a worker's actions print.
type workerLog struct {
	folder func(run string) string
	name   string

	mu    sync.Mutex
	files map[string]*os.File
	order []string // of files, the one used last at the end
}

// mostFiles bounds the open files.
const mostFiles = 64

func (c *Client) openLog(f state.Folder, name string) (*workerLog, error) {
	return &workerLog{folder: func(run string) string { return c.logFolder(f, run) }, name: name, files: map[string]*os.File{}}, nil
}

// Write implements perform.Log. A full disk must not fail a step for its log's sake.
func (l *workerLog) Write(run string, e perform.Entry) {
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if file := l.file(run); file != nil {
		_, _ = file.Write(append(line, '\n'))
	}
}

func (l *workerLog) file(run string) *os.File {
	l.order = append(slices.DeleteFunc(l.order, func(other string) bool { return other == run }), run)
	if file := l.files[run]; file != nil {
		return file
	}
	if len(l.files) == mostFiles {
		_ = l.files[l.order[0]].Close()
		delete(l.files, l.order[0])
		l.order = l.order[1:]
	}
	dir := l.folder(run)
	if os.MkdirAll(dir, 0o700) != nil {
		return nil
	}
	file, err := os.OpenFile(filepath.Join(dir, "log-"+l.name+".jsonl"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil
	}
	l.files[run] = file
	return file
}

func (l *workerLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, file := range l.files {
		_ = file.Close()
	}
}

// Logs implements cluster.Cluster.
func (c *Client) Logs(f state.Folder, id string, to io.Writer) error {
	files, err := filepath.Glob(filepath.Join(c.logFolder(f, id), "log-*.jsonl"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errNoLog
	}
	type line struct {
		at   time.Time
		text []byte
	}
	var lines []line
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for l := range bytes.Lines(text) {
			var e struct{ Time time.Time }
			if json.Unmarshal(l, &e) == nil { // the last line of a worker that died may be half
				lines = append(lines, line{e.Time, l})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Or(a.at.Compare(b.at)) })
	for _, l := range lines {
		if _, err := to.Write(l.text); err != nil {
			return err
		}
	}
	return nil
}

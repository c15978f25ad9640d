package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/perform"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// Output of steps goes into files, never into a history: one for each run and worker. They are
// in the shared folder of large values, or else in the state folder of the worker.

// logFolder is the folder with the logs of a run.
func (c *Client) logFolder(f state.Folder, run string) string {
	if c.logs == "" {
		return f.RunDir(run)
	}
	return filepath.Join(c.logs, folderOf(run))
}

// folderOf is the name of a run's folder. Ids of runs that others begin may hold separators.
func folderOf(run string) string { return filepath.Base(state.Folder{}.RunDir(run)) }

// A workerLog writes the output of a worker's actions.
type workerLog struct {
	folder func(run string) string
	name   string

	mu    sync.Mutex
	files map[string]*os.File
	order []string // of files, the one used last at the end
}

// mostFiles bounds the open files.
const mostFiles = 64

func (c *Client) openLog(f state.Folder, name string) *workerLog {
	return &workerLog{folder: func(run string) string { return c.logFolder(f, run) }, name: name, files: map[string]*os.File{}}
}

// Write implements perform.Log. A full disk costs the log, not the step.
func (l *workerLog) Write(run string, e perform.Entry) {
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if file := l.runLogFile(run); file != nil {
		_, _ = file.Write(append(line, '\n'))
	}
}

func (l *workerLog) runLogFile(run string) *os.File {
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

// followEvery is how often a follower of logs looks for more in the files.
const followEvery = 500 * time.Millisecond

// Logs implements cluster.Cluster.
func (c *Client) Logs(ctx context.Context, l cluster.Logs, to io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tail := &tail{dir: c.logFolder(l.State, l.Run), read: map[string]int64{}}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var ended <-chan struct{}
	if l.Follow {
		ended = c.watchEnd(ctx, l.Run)
	}
	any := false
	for goesOn := l.Follow; ; {
		lines, err := tail.readNewLines()
		if err != nil {
			return err
		}
		for _, line := range lines {
			if _, err := to.Write(line.text); err != nil {
				return err
			}
		}
		any = any || len(lines) > 0
		switch {
		case goesOn:
		case any:
			return nil
		default:
			return errNoLog
		}
		select {
		case <-tick.C:
		case <-ended:
			// The next look finds everything, since the log of a step is complete before its end.
			if goesOn, err = c.goesOn(ctx, l.Run); err != nil {
				return err
			}
			if goesOn {
				<-tick.C
				ended = c.watchEnd(ctx, l.Run)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var errNoLog = errors.New("no log found: logs are in the folder of --blobs, or else in the state folders of the workers")

// goesOn reports whether a run has not ended.
func (c *Client) goesOn(ctx context.Context, id string) (bool, error) {
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	return d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, err
}

// A tail reads the logs of a run as they grow.
type tail struct {
	dir string
	// read is how many bytes of each file were read.
	read map[string]int64
}

// logLine is a line of a log, with its end.
type logLine struct {
	at   time.Time
	text []byte
}

// readNewLines returns the lines that were added since the last call, in the order of their times.
// The last line of a worker that died may be incomplete; it is left out.
func (t *tail) readNewLines() ([]logLine, error) {
	files, err := filepath.Glob(filepath.Join(t.dir, "log-*.jsonl"))
	if err != nil {
		return nil, err
	}
	var lines []logLine
	for _, path := range files {
		added, err := readFrom(path, t.read[path])
		if err != nil {
			return nil, err
		}
		for l := range bytes.Lines(added) {
			if !bytes.HasSuffix(l, []byte("\n")) {
				break
			}
			t.read[path] += int64(len(l))
			var e struct{ Time time.Time }
			if json.Unmarshal(l, &e) == nil {
				lines = append(lines, logLine{e.Time, l})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b logLine) int { return a.at.Compare(b.at) })
	return lines, nil
}

// readFrom returns the content of a file from an offset on.
func readFrom(path string, offset int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return wholefile.Output.From(file, "the file")
}

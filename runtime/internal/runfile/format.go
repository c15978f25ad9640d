// Package runfile writes a run with its children to one file, and reads it on another machine.
//
// The file is a tar archive, compressed by gzip. Its members come in this order:
//
//	wfc-run.json               the version of the format, the root, and the runs
//	runs/ID/run.json           a run: its row in the store
//	runs/ID/steps.jsonl        its steps, one a line, in order
//	runs/ID/events.jsonl       its events
//	runs/ID/answers.jsonl      people's answers
//	runs/ID/turns.jsonl        the costs of attempts at prompts
//	runs/ID/approvals.jsonl    approvals of questions that more people have to answer
//	runs/ID/files/log.jsonl    its log, its payload and its artifacts
//	sums.json                  the SHA-256 sums of all members before
//
// Runs come parents first. A reader believes nothing before it has compared the sums, and it
// writes files only below the folder that its caller names.
package runfile

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Version is the version of the format.
const Version = 1

// The limits of a file.
const (
	mostMembers = 200_000
	// mostJournal is the largest member with a part of a journal, and mostBytes the largest
	// sum of all members, without compression.
	mostJournal = 512 << 20
	mostBytes   = 8 << 30
	// mostPadding is more than the end of any archive.
	mostPadding = 1 << 20
)

const (
	headName = "wfc-run.json"
	sumsName = "sums.json"
)

// A Head is the first member.
type Head struct {
	Format   int       `json:"wfc_run"`
	Root     string    `json:"root"`
	Exported time.Time `json:"exported"`
	Runs     []HeadRun `json:"runs"`
}

// A HeadRun names a run and the program that can continue it.
type HeadRun struct {
	ID          string `json:"id"`
	Workflow    string `json:"workflow"`
	Fingerprint string `json:"fingerprint"`
}

// check reports what is wrong with a head.
func (h *Head) check() error {
	switch {
	case h.Format == 0:
		return damaged("it does not begin with a run")
	case h.Format > Version:
		return fmt.Errorf("its format is version %d, and this program reads version %d: import it with a program that a newer wfc built", h.Format, Version)
	case len(h.Runs) == 0 || h.Runs[0].ID != h.Root:
		return damaged("its first run is not the root")
	}
	seen := map[string]bool{}
	for _, r := range h.Runs {
		if !runid.Valid(r.ID) || seen[strings.ToLower(r.ID)] {
			return damaged("%q is not the id of a run, or comes twice", r.ID)
		}
		seen[strings.ToLower(r.ID)] = true
	}
	return nil
}

// runRow is run.json.
type runRow struct {
	flow.RunInfo
	Status          flow.Status     `json:"status"`
	Reason          string          `json:"reason,omitempty"`
	Error           string          `json:"error,omitempty"`
	Outputs         json.RawMessage `json:"outputs,omitempty"`
	Summary         string          `json:"summary,omitempty"`
	Outcome         string          `json:"outcome,omitempty"`
	Settings        json.RawMessage `json:"settings,omitempty"`
	Holder          string          `json:"holder,omitempty"`
	CancelRequested time.Time       `json:"cancel_requested,omitzero"`
	CancelBy        string          `json:"cancel_by,omitempty"`
	Processes       int             `json:"processes,omitempty"`
	Created         time.Time       `json:"created"`
	Started         time.Time       `json:"started,omitzero"`
	Finished        time.Time       `json:"finished,omitzero"`
}

func newRunRow(r store.Run) runRow {
	return runRow{
		RunInfo: r.RunInfo, Status: r.Status, Reason: r.Reason, Error: r.Error, Outputs: r.Outputs, Summary: r.Summary, Outcome: r.Outcome,
		Settings: r.Settings, Holder: r.Holder, CancelRequested: r.CancelRequested, CancelBy: r.CancelBy, Processes: r.Processes,
		Created: r.Created, Started: r.Started, Finished: r.Finished,
	}
}

func (r *runRow) run() store.Run {
	return store.Run{
		RunInfo: r.RunInfo, Status: r.Status, Reason: r.Reason, Error: r.Error, Outputs: r.Outputs, Summary: r.Summary, Outcome: r.Outcome,
		Settings: r.Settings, Holder: r.Holder, CancelRequested: r.CancelRequested, CancelBy: r.CancelBy, Processes: r.Processes,
		Created: r.Created, Started: r.Started, Finished: r.Finished,
	}
}

// A stepLine is a line of steps.jsonl. JSON has no strings that are not UTF-8; the bytes of
// such an output are in Bytes.
type stepLine struct {
	flow.Record
	Bytes []byte `json:"text_bytes,omitempty"`
}

func newStepLine(r flow.Record) stepLine {
	if utf8.ValidString(r.Text) {
		return stepLine{Record: r}
	}
	l := stepLine{Record: r, Bytes: []byte(r.Text)}
	l.Text = ""
	return l
}

func (l *stepLine) record() flow.Record {
	if l.Bytes != nil {
		l.Text = string(l.Bytes)
	}
	return l.Record
}

// An approvalLine is a line of approvals.jsonl.
type approvalLine struct {
	Key      string          `json:"key"`
	Question string          `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Given    time.Time       `json:"given"`
}

// kept reports whether a file of a run's folder belongs to the archive: path is relative to the
// folder, with slashes.
func kept(name string) bool {
	return slices.Contains([]string{"log.jsonl", "payload.json"}, name) || strings.HasPrefix(name, "artifacts/")
}

// checkName refuses names of members that could lead out of a folder on any system.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00") || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return damaged("%q is not a safe name of a member", name)
	}
	return nil
}

// damaged is the error about a file that no export wrote like this.
func damaged(format string, args ...any) error {
	return fmt.Errorf("the file is damaged: "+format, args...)
}

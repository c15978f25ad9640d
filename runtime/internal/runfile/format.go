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
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
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

package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
)

// An accountRun is a run of any project of this account. It is written as its program has it, with
// its project and state folder.
type accountRun struct {
	document              map[string]json.RawMessage
	Project               string `json:"-"`
	ID                    string `json:"run_id"`
	Status, Error, Reason string
	Created, Finished     time.Time
	Undelivered           []string
	Trigger               struct{ Name string }
	Questions             []struct{ Node, Message string }
	Waits                 []struct{ Node, Kind string }
	Children              []accountRun
	CostUSD               float64 `json:"cost_usd"`
	Worktree              *struct{ Path, Branch string }
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *accountRun) UnmarshalJSON(text []byte) error {
	type fields accountRun
	return cmp.Or(json.Unmarshal(text, (*fields)(r)), json.Unmarshal(text, &r.document))
}

// MarshalJSON implements json.Marshaler.
func (r accountRun) MarshalJSON() ([]byte, error) { return json.Marshal(r.document) }

// addProject adds to a run its project and state folder.
func (r *accountRun) addProject(project, path string) (err error) {
	r.Project = project
	if r.document["project"], err = json.Marshal(project); err == nil {
		r.document["state"], err = json.Marshal(path)
	}
	return err
}

// listAllProjects lists the runs of all projects of this account, newest first.
func (a *app) listAllProjects(cmd *cobra.Command, args []string) error {
	paths, err := accountFolders(cmd, args)
	if err != nil {
		return err
	}
	stores, err := storesOf(a, cmd, paths)
	if err != nil {
		return err
	}
	names := projectNames(stores.paths)
	runs, shown := []accountRun{}, []showing{}
	limit, _ := strconv.Atoi(cmp.Or(flagValue(cmd, "limit"), cmd.Flags().Lookup("limit").DefValue)) // readFolders checks it
	limit = min(limit, math.MaxInt-1)
	command := append([]string{"list"}, passedOf(cmd, "status", "since", "children")...)
	if limit > 0 {
		command = append(command, "--limit="+strconv.Itoa(limit+1)) // the last says that there are more
	} else {
		command = append(command, "--limit=0")
	}
	skipped, err := a.readFolders(cmd, stores, "runs", command, func(path string, f foundRuns) error {
		var of struct{ Runs []accountRun }
		if err := json.Unmarshal(f.document, &of); err != nil {
			return err
		}
		for _, r := range of.Runs {
			if err := r.addProject(names[path], path); err != nil {
				return err
			}
			runs, shown = append(runs, r), append(shown, showing{runKey{f.place, r.ID}, path})
		}
		return nil
	})
	if err != nil {
		return err
	}
	runs = chooseShowings(runs, shown)
	slices.SortStableFunc(runs, func(a, b accountRun) int { return b.Created.Compare(a.Created) })
	more := limit > 0 && len(runs) > limit
	if more {
		runs = runs[:limit]
	}
	if flagValue(cmd, "json") == "true" {
		return a.printDocument(struct {
			SchemaVersion int             `json:"schema_version"`
			Runs          []accountRun    `json:"runs"`
			Skipped       []state.Skipped `json:"skipped"`
		}{1, runs, skipped})
	}
	if len(runs) == 0 {
		if flags := strings.Join(passedOf(cmd, "status", "since"), " "); flags != "" {
			fmt.Fprintf(a.Err, "no runs match %s; leave that out to list all\n", plain.Line(strings.ReplaceAll(flags, "=", " ")))
			return nil
		}
		fmt.Fprintln(a.Err, "no runs")
		return nil
	}
	width := a.textOptions(a.Out).Width
	rows, spent := [][]string{{"PROJECT", "RUN", "STATUS", "STARTED", "TOOK", "NOTE"}}, 0.0
	for _, r := range runs {
		rows, spent = append(rows, r.row(r.Project, "", width > 0)), spent+r.CostUSD
		for _, child := range r.Children {
			rows = append(rows, child.row("", "  ", width > 0))
		}
	}
	for _, line := range plain.Table(width, rows...) {
		fmt.Fprintln(a.Out, line)
	}
	if spent > 0 {
		fmt.Fprintln(a.Out, plain.ListTotal(plain.Dollars(spent), len(runs), more))
	}
	return nil
}

// projectNames returns the names of state folders' projects. If two are the same, both have the
// folder's whole name.
func projectNames(paths []string) map[string]string {
	count, names := map[string]int{}, map[string]string{}
	for _, path := range paths {
		count[state.Folder{Path: path}.Project()]++
	}
	for _, path := range paths {
		name := state.Folder{Path: path}.Project()
		if count[name] > 1 {
			name = filepath.Base(path)
		}
		names[path] = name
	}
	return names
}

// row is the run in a table; only a terminal has little space for its note.
func (r *accountRun) row(project, indent string, terminal bool) []string {
	note := cmp.Or(r.Error, strings.Join(r.Undelivered, "; "), r.Reason)
	switch {
	case note != "":
	case len(r.Questions) > 0:
		note = r.Questions[0].Node + " asks: " + r.Questions[0].Message
	case len(r.Waits) > 0:
		note = r.Waits[0].Node + " waits: " + r.Waits[0].Kind
	default:
		note = r.Trigger.Name
	}
	note, _, _ = strings.Cut(strings.TrimSpace(plain.Text(note)), "\n")
	if terminal {
		note = plain.Clip(note, 80)
	}
	return []string{project, indent + r.ID, r.Status, r.Created.Local().Format(time.DateTime), plain.TimeTaken(r.Created, r.Finished), note}
}

package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An Origin describes what started a run. With it wfc finds a program that can read the
// run, without opening its store.
type Origin struct {
	// Version is the version of this format. KeepOrigin sets it; origins of other versions
	// count as missing.
	Version int `json:"version"`
	// Run is the id of the run. Workflow is the name of the workflow of its root run: the
	// run that no other one began.
	Run      string `json:"run_id"`
	Workflow string `json:"workflow"`
	// Parent is the id of the run whose step began this one, or "".
	Parent string `json:"parent,omitempty"`
	// Source is the absolute path of the workflow file, or "" when the program was
	// not started by wfc.
	Source string `json:"source,omitempty"`
	// Program is the absolute path of the program. Embedded says that it is a Go program with an
	// engine, which does not have the commands of binaries.
	Program  string `json:"program"`
	Embedded bool   `json:"embedded,omitempty"`
	// Store is the kind of store that has the run, never settings.StoreMemory.
	Store   settings.Store `json:"store"`
	Created time.Time      `json:"created"`
}

// StoreOf returns the kind of store that a program opens by a URL, or in its state folder.
func StoreOf(byURL bool) settings.Store {
	if byURL {
		return settings.StorePostgres
	}
	return settings.StoreSQLite
}

// CallerVariable is the environment variable by which wfc tells a program that wfc started
// it. Its value is the workflow file or the name that the user passed to wfc; it is "" if
// the user passed a run's id or nothing. Processes of runs do not get it.
const CallerVariable = "WFC_CALLED_FOR"

// ProgramVariable is the environment variable with the path of wfc, beside CallerVariable.
const ProgramVariable = "WFC_CALLED_BY"

// DatabaseVariable is the environment variable by which wfc tells a program the URL of the database
// that the project's wfc.yaml names now, for programs that were built before it named one.
const DatabaseVariable = "WFC_PROJECT_DATABASE"

// originVersion grows when programs that wrote older origins no longer have the
// commands that wfc hands over to.
const originVersion = 1

// KeepOrigin records what began a run, in the folder of the run and as the last origin of
// its workflow file, and lists the folder among those of the account. The origin only helps wfc to find the run faster, so a crash may lose
// it.
func (f Folder) KeepOrigin(o Origin) error {
	o.Version = originVersion
	if before, ok := f.Origin(o.Run); ok {
		o.Created = before.Created
		o.Source = cmp.Or(o.Source, before.Source)
		if trust.Within(f.Path, o.Program) { // the run's own copy, which goes when it completes
			o.Program = before.Program
		}
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if o.Parent != "" {
		return os.WriteFile(f.originFile(o.Run), text, 0o600)
	}
	last := f.lastOrigin(o)
	return errors.Join(os.WriteFile(f.originFile(o.Run), text, 0o600), os.MkdirAll(filepath.Dir(last), 0o700), os.WriteFile(last, text, 0o600), f.listFolder())
}

// Origin returns the record of what began a run, which KeepOrigin wrote; false if there
// is none.
func (f Folder) Origin(run string) (Origin, bool) { return readOrigin(f.originFile(run)) }

// LastOrigins returns, newest first, the origin of the last run of each workflow file, and
// of each program that wfc did not start.
func (f Folder) LastOrigins() []Origin {
	dir := filepath.Join(f.Path, originsFolder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var found []*Origin // every program has the code that sorts pointers
	for _, e := range entries {
		if o, ok := readOrigin(filepath.Join(dir, e.Name())); ok {
			found = append(found, &o)
		}
	}
	slices.SortStableFunc(found, func(a, b *Origin) int { return b.Created.Compare(a.Created) })
	var list []Origin
	for _, o := range found {
		list = append(list, *o)
	}
	return list
}

// Runs returns the ids of the runs that have a folder here, in order.
func (f Folder) Runs() []string {
	entries, err := os.ReadDir(filepath.Join(f.Path, "runs"))
	if err != nil {
		return nil
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// Descendants returns the ids of the run's children, their children and so on, as far as
// they have a folder and a known origin.
func (f Folder) Descendants(run string) []string {
	// Most runs have no parent. Their files stay closed, because a folder has many.
	below := map[string][]string{}
	for _, id := range f.Runs() {
		if !strings.Contains(id, runid.ChildMark) {
			continue
		}
		if o, ok := f.Origin(id); ok && o.Parent != "" && id != run {
			below[o.Parent] = append(below[o.Parent], id)
		}
	}
	list := below[run]
	for i := 0; i < len(list); i++ {
		list = append(list, below[list[i]]...)
	}
	return list
}

const originsFolder = "origins"

func (f Folder) originFile(run string) string { return filepath.Join(f.RunDir(run), "origin.json") }

// lastOrigin is the file of the last origin of the same source.
func (f Folder) lastOrigin(o Origin) string {
	key := cmp.Or(o.Source, o.Program)
	return filepath.Join(f.Path, originsFolder, runid.Hash(20, string(o.Store)+"\n"+key)+".json")
}

// readOrigin reads an origin. Half a file of a process that died is none.
func readOrigin(path string) (Origin, bool) {
	text, err := wholefile.Source.Read(path)
	if err != nil {
		return Origin{}, false
	}
	var o Origin
	ok := json.Unmarshal(text, &o) == nil && o.Version == originVersion && o.Run != "" && filepath.IsAbs(o.Program)
	return o, ok
}

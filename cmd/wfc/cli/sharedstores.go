package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A database may have runs of other machines and of several projects, so the state folders of
// this account don't tell which runs are in it, or whose they are.

// databaseVariable is the environment variable with the URL of the database that has the runs.
const databaseVariable = "WFC_DATABASE_URL"

// namedStore returns the only store that the command line is about, because it names a database, or "".
func namedStore(cmd *cobra.Command) settings.Store {
	if flagValue(cmd, "database") != "" {
		return settings.StorePostgres
	}
	return ""
}

// databaseTarget finds a run that this machine has not started in the database that the command line,
// the environment or the project names.
func databaseTarget(a *app, cmd *cobra.Command, folder runFolder, name string, rest []string) (t target, found bool, err error) {
	pr := folder.project
	if cmp.Or(flagValue(cmd, "database"), os.Getenv(databaseVariable), pr.databaseURL()) == "" || strings.ContainsAny(name, " \t\n./\\") {
		return t, false, nil
	}
	if err := pr.nameDatabase(); err != nil {
		return t, false, err
	}
	reader, err := a.storeReaderProgram(cmd, pr, settings.StorePostgres, readerName)
	if err != nil {
		return t, false, err
	}
	top, _, _ := strings.Cut(name, runid.ChildMark)
	var out bytes.Buffer
	code, err := a.performCommand(reader, append([]string{"status", "--project", "--json", top}, passedOf(cmd, "state", "database")...), &out, io.Discard)
	if err != nil || code == ExitUsage {
		return t, false, err
	}
	var run struct {
		ID       string `json:"run_id"`
		Workflow string `json:"workflow"`
		Error    string `json:"error"`
	}
	if err := json.Unmarshal(out.Bytes(), &run); err != nil || run.ID == "" {
		return t, false, &exitError{code, errors.New(cmp.Or(run.Error, "the database cannot be read"))}
	}
	t = target{args: append([]string{run.ID + strings.TrimPrefix(name, top)}, rest...), store: settings.StorePostgres}
	if file, unknown := a.projects.fileNamed(run.Workflow, "file"); unknown == nil {
		t.program, err = a.cachedFileProgram(cmd, &compileFlags{}, string(t.store), file, false)
	} else {
		t.program, err = a.storeReaderProgram(cmd, pr, t.store, run.Workflow)
	}
	return t, true, err
}

// accountStores are the stores that the lists of all projects read.
type accountStores struct {
	// paths are the state folders.
	paths []string
	// here is the one of the current project if the command line, the environment or the project
	// names a database, even if nothing has run on this machine yet; else it is "". variables are
	// what its programs need in their environment to read that database.
	here      string
	variables []string
	// foreign says of here what runFolder.foreign says.
	foreign bool
}

// storesOf adds to state folders the store of the current project, if that is a database.
func storesOf(a *app, cmd *cobra.Command, paths []string) (accountStores, error) {
	s := accountStores{paths: paths}
	folder, err := a.folderHere(cmd)
	if err != nil {
		return s, err
	}
	named := cmp.Or(flagValue(cmd, "database"), os.Getenv(databaseVariable))
	if named == "" && !storeFor("", folder.project.config.Config).ByURL {
		return s, nil
	}
	s.here = folder.Path
	if url := folder.project.databaseURL(); named == "" && url != "" {
		s.variables = []string{databaseVariable + "=" + url}
	}
	if !slices.Contains(paths, s.here) {
		s.foreign = folder.foreign // this account has started none of its programs
		s.paths = append(slices.Clone(paths), s.here)
		slices.Sort(s.paths)
	}
	return s, nil
}

// databaseURL returns the URL of the database that wfc.yaml names for runs, or "".
func (pr *project) databaseURL() string {
	if !storeFor("", pr.config.Config).ByURL {
		return ""
	}
	return pr.config.Settings(pr.config.Dir).Database
}

// nameDatabase tells programs that are older than wfc.yaml its database, unless the environment
// names one, which counts more.
func (pr *project) nameDatabase() error {
	if url := pr.databaseURL(); url != "" && os.Getenv(databaseVariable) == "" {
		return os.Setenv(databaseVariable, url)
	}
	return nil
}

// nameTargetDatabase tells the program of a workflow file the database of the project. A run that is
// taken over goes there; other commands look where the program itself was built to, if it was.
func nameTargetDatabase(a *app, verb, source string) error {
	if source == "" {
		return nil
	}
	pr, err := a.projects.projectOfFile(source)
	if err != nil {
		return nil // the file may be gone, and its run continues without it
	}
	if verb == "import" {
		return pr.nameDatabase()
	}
	return os.Setenv(state.DatabaseVariable, pr.databaseURL())
}

// A folderReader is a program that reads the runs of a state folder in one store.
type folderReader struct {
	kind    settings.Store
	program string
}

// placeOf identifies the store that a program reads by a command line: the state folder, or what
// selects the tables of a database. Users and passwords don't, so projects that reach the same
// tables as different users have one place.
func placeOf(a *app, r folderReader, path string, flags, variables []string) (string, error) {
	if !isByURL(r.kind) {
		return path, nil
	}
	var out bytes.Buffer
	if _, err := a.performCommand(r.program, append([]string{"info", "--json", "--state=" + path}, flags...), &out, io.Discard, variables...); err != nil {
		return "", err
	}
	var info struct{ Database string }
	if err := json.Unmarshal(out.Bytes(), &info); err != nil {
		return "", err
	}
	u, err := databaseurl.Parse(info.Database)
	if err != nil {
		return "", err
	}
	host := net.JoinHostPort(strings.ToLower(u.Hostname()), cmp.Or(u.Port(), "5432"))
	return host + u.Path + "?" + u.Tables().Query().Encode(), nil
}

// A runKey identifies a run among those of all stores: an exported run has the same id where it was
// imported.
type runKey struct{ place, id string }

// A showing is a run in the list that the program of a state folder made of a place.
type showing struct {
	runKey
	path string
}

// chooseShowings returns the items whose showings count, so that a run in a store of several projects
// counts once: that of the folder that has the run's own files, since commands find the run there, or
// else the first.
func chooseShowings[T any](items []T, all []showing) []T {
	list, chosen := []T{}, map[runKey]string{}
	for _, s := range all {
		info, err := os.Stat((state.Folder{Path: s.path}).RunDir(s.id))
		if _, known := chosen[s.runKey]; !known || s.id != "" && err == nil && info.IsDir() {
			chosen[s.runKey] = s.path
		}
	}
	for i, s := range all {
		if chosen[s.runKey] == s.path {
			list = append(list, items[i])
		}
	}
	return list
}

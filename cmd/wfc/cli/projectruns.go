package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Every program of a project can read the runs of all its workflows, because
// they share a store. So wfc asks the last one that was started; there are two
// only where runs are in SQLite and in PostgreSQL.

// handOverProject performs a command for all runs of the project.
func (a *app) handOverProject(cmd *cobra.Command, p passedCommand, flags []string) error {
	folder, err := a.folderHere(cmd)
	if err != nil {
		return err
	}
	if p.verb == "list" && folder.isUnused(cmd) {
		return listNothing(a, cmd, folder)
	}
	programs, err := a.storeReaderPrograms(cmd, folder)
	if err != nil {
		return err
	}
	argv := append([]string{p.verb, "--project"}, flags...)
	if len(programs) > 1 && p.verb == "top" {
		fmt.Fprintln(a.Streams.Err, "this shows the runs of one store; `wfc list` shows those of the others, too")
	}
	if len(programs) == 1 || p.verb == "top" {
		return execTarget(target{program: programs[0]}, argv)
	}
	return a.askEach(programs, argv, flagValue(cmd, "json") == "true")
}

// isUnused reports whether a project surely has no runs, so that no program has to be built to
// look for some.
func (f runFolder) isUnused(cmd *cobra.Command) bool {
	if flagValue(cmd, "database") != "" || storeFor("", f.project.config.Config).Kind != settings.StoreSQLite {
		return false
	}
	entries, err := os.ReadDir(f.Path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

// listNothing prints the list of the runs of a project that has none.
func listNothing(a *app, cmd *cobra.Command, folder runFolder) error {
	if err := checkPassedValues(cmd); err != nil {
		return &usageError{err}
	}
	if flagValue(cmd, "json") == "true" {
		return a.printDocument(struct {
			SchemaVersion int      `json:"schema_version"`
			Runs          []string `json:"runs"`
		}{1, []string{}})
	}
	hint := ""
	if flagValue(cmd, "state") == "" {
		hint = "; `wfc list --all-projects` shows all projects"
	}
	fmt.Fprintf(a.Err, "no runs in %s%s\n", plain.Line(folder.Path), hint)
	return nil
}

// storeReaderPrograms returns a program for each store that has runs of the project, and for the
// store that its next run would have.
func (a *app) storeReaderPrograms(cmd *cobra.Command, folder runFolder) ([]string, error) {
	if err := folder.project.nameDatabase(); err != nil {
		return nil, err
	}
	found, first := folder.lastPrograms(), lastingStore(folder.project.config.Config).Kind
	stores := slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(kind settings.Store) bool { return kind == first })
	if named := namedStore(cmd); named != "" {
		first, stores = named, nil
	}
	var programs []string
	for _, kind := range append([]settings.Store{first}, stores...) {
		program := found[kind]
		if program == "" {
			var err error
			if program, err = a.storeReaderProgram(cmd, folder.project, kind, readerName); err != nil {
				return nil, err
			}
		}
		programs = append(programs, program)
	}
	return programs, nil
}

// lastPrograms returns the program of the last run in each store of the folder; "" is one that is
// gone.
func (f runFolder) lastPrograms() map[settings.Store]string {
	programs := map[settings.Store]string{}
	for _, o := range f.LastOrigins() {
		if programs[o.Store] == "" {
			programs[o.Store] = f.programPath(o)
		}
	}
	return programs
}

// readerName is the workflow of a program that reads the runs of all workflows.
const readerName = "runs"

// storeReaderProgram returns a program that can read a store and record answers to runs of a
// workflow, but performs nothing. It is built when the programs of all runs are gone or, for the
// runs of a Go program with an engine, cannot be called.
func (a *app) storeReaderProgram(cmd *cobra.Command, pr *project, kind settings.Store, workflow string) (string, error) {
	store, err := storeNamed(string(kind))
	if err != nil {
		return "", err
	}
	project := pr.config.Settings(pr.config.Dir)
	w := &asking{name: workflow, first: "  - id: wfc_reads\n    bash: 'true'\n", store: store, state: project.State, database: project.Database}
	say := func(cached bool) error {
		if !cached {
			fmt.Fprintln(a.Err, "wfc first builds a program that reads these runs, and keeps it; `wfc build --prefetch` spares most of the time")
		}
		return nil
	}
	return a.fromCache(cmd.Context(), w.programFiles(), "runs", "the program that reads runs", say)
}

// askEach has several programs perform a command, one after the other. That one has no runs matters only
// if no other has any. Their JSON documents become one: lists are joined.
func (a *app) askEach(programs, argv []string, document bool) error {
	if document {
		joined, code, err := a.joinDocuments(programs, argv, a.Err)
		if err == nil {
			err = a.printDocument(joined)
		}
		return cmp.Or(err, silentExit(code))
	}
	code, found := ExitClean, false
	var empty []string // what programs without runs say
	for _, program := range programs {
		var messages bytes.Buffer
		one, err := a.performCommand(program, argv, plain.Raw(a.Out), &messages)
		if err != nil {
			return err
		}
		code = max(code, one)
		text := messages.String()
		if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "no runs") {
			empty, text = plain.AddNew(empty, first+"\n"), rest
		} else {
			found = true
		}
		fmt.Fprint(plain.Raw(a.Err), text)
	}
	if !found {
		fmt.Fprint(plain.Raw(a.Err), strings.Join(empty, ""))
	}
	return silentExit(code)
}

// performCommand has a program perform a command, with further variables in its environment, and
// returns its exit code.
func (a *app) performCommand(program string, argv []string, out, messages io.Writer, variables ...string) (int, error) {
	cmd := exec.Command(program, argv...)
	cmd.Env = append(append(os.Environ(), state.CallerVariable+"="), variables...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, out, plain.Raw(messages)
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return 0, fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.ProcessState.ExitCode(), nil
}

// joinDocuments joins the JSON documents that programs print for a command.
func (a *app) joinDocuments(programs, argv []string, messages io.Writer) (joined map[string]json.RawMessage, code int, err error) {
	joined = map[string]json.RawMessage{}
	for _, program := range programs {
		var out bytes.Buffer
		one, err := a.performCommand(program, argv, &out, messages)
		if err != nil {
			return nil, 0, err
		}
		code = max(code, one)
		if err := mergeDocument(joined, out.Bytes()); err != nil {
			return nil, 0, &exitError{ExitInternal, fmt.Errorf("%s printed no JSON document", program)}
		}
	}
	return joined, code, nil
}

// accountFolders returns the state folders for the flag --all-projects.
func accountFolders(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) > 0 || flagValue(cmd, "state") != "" || flagValue(cmd, "database") != "" {
		return nil, &usageError{errors.New("`--all-projects` goes with no workflow, and not with `--state` or `--database`")}
	}
	return state.All()
}

// foundRuns are what a program says of the runs of a state folder, and how it prints that. place is
// that of placeOf.
type foundRuns struct {
	document []byte
	program  string
	argv     []string
	place    string
}

// readFolders calls do with what the programs of stores print for a command; see
// documentsIn. What cannot be read is named and passed over. Values of flags that no program would
// take are refused first.
func (a *app) readFolders(cmd *cobra.Command, stores accountStores, key string, command []string, do func(path string, f foundRuns) error) ([]state.Skipped, error) {
	if err := checkPassedValues(cmd); err != nil {
		return nil, &usageError{err}
	}
	skipped := []state.Skipped{}
	for _, path := range stores.paths {
		found, err := a.documentsIn(cmd, stores, path, key, command)
		if err != nil {
			skipped = append(skipped, leaveOut(a, path, err))
		}
		for _, document := range found {
			if err := do(path, document); err != nil {
				return nil, err
			}
		}
	}
	return skipped, nil
}

// leaveOut says why a state folder is passed over.
func leaveOut(a *app, path string, err error) state.Skipped {
	fmt.Fprintf(a.Err, "%s is left out: %s\n", plain.Line(path), plain.Message(err.Error()))
	return state.Skipped{State: path, Reason: err.Error()}
}

// statusNames are the values of the flag --status.
var statusNames = plain.Strings([]flow.Status{flow.Running, flow.Interrupted, flow.Paused, flow.Completed, flow.Failed, flow.Cancelled, flow.LimitReached})

// checkPassedValues checks the values of flags that programs read, as they do.
func checkPassedValues(cmd *cobra.Command) error {
	if _, err := commandline.PastTime("since", flagValue(cmd, "since")); err != nil {
		return err
	}
	if text := flagValue(cmd, "limit"); text != "" {
		if n, err := strconv.Atoi(text); err != nil || n < 0 {
			return fmt.Errorf("`--limit %s`: give a positive number, or 0 for all", text)
		}
	}
	for _, flag := range passedOf(cmd, "status") {
		for name := range strings.SplitSeq(strings.TrimPrefix(flag, "--status="), ",") {
			if !slices.Contains(statusNames, name) {
				return errors.New(plain.UnknownValue("status", name, statusNames))
			}
		}
	}
	return nil
}

// folderReaders returns a program for each store of a state folder, and for those in also. foreign is
// as in runFolder.
func folderReaders(a *app, cmd *cobra.Command, path string, foreign bool, also ...settings.Store) (list []folderReader, err error) {
	located, err := state.Locate(path, "")
	if err != nil {
		return nil, err
	}
	pr, err := a.projects.currentProject()
	if err != nil {
		return nil, err
	}
	folder := runFolder{Folder: located, project: pr, foreign: foreign}
	programs := folder.lastPrograms()
	if _, err := os.Stat(folder.Database()); err == nil {
		also = append(slices.Clone(also), settings.StoreSQLite)
	}
	for _, kind := range also {
		if programs[kind] != "" {
			continue
		}
		if programs[kind], err = a.storeReaderProgram(cmd, pr, kind, readerName); err != nil {
			return nil, err
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(programs)) {
		if programs[kind] == "" {
			return nil, errors.New("the programs of its runs are gone; run `wfc list` in the project")
		}
		list = append(list, folderReader{kind, programs[kind]})
	}
	return list, nil
}

// documentsIn returns what the programs of a state folder print for a command, one for each
// store. The name of the list in the document is key; documents in which it is empty are left out. With
// an error, they are those of the other stores.
func (a *app) documentsIn(cmd *cobra.Command, stores accountStores, path, key string, command []string) (found []foundRuns, err error) {
	var also []settings.Store
	var variables []string
	here := path == stores.here
	if here {
		also, variables = append(also, state.StoreOf(true)), stores.variables
	}
	readers, err := folderReaders(a, cmd, path, here && stores.foreign, also...)
	if err != nil {
		return nil, err
	}
	if command[0] == "costs" {
		variables = slices.Concat(variables, budgetsElsewhere(a, path))
	}
	for _, r := range readers {
		var flags []string
		if isByURL(r.kind) { // other programs don't know the flag
			flags = passedOf(cmd, "database")
		}
		f := foundRuns{program: r.program, argv: slices.Concat([]string{command[0], "--project", "--state=" + path}, command[1:], flags)}
		document, list, wrong := a.readDocument(r.program, f.argv, key, variables...)
		if wrong == nil && list > 0 {
			f.document = document
			f.place, wrong = placeOf(a, r, path, flags, variables)
			found = append(found, f)
		}
		err = cmp.Or(err, wrong)
	}
	return found, err
}

// readDocument returns the JSON document that a program prints for a command, and the length of
// its list of the name key.
func (a *app) readDocument(program string, argv []string, key string, variables ...string) (text []byte, length int, err error) {
	var out, messages bytes.Buffer
	code, err := a.performCommand(program, append(slices.Clone(argv), "--json"), &out, &messages, variables...)
	if err != nil {
		return nil, 0, err
	}
	var document map[string]json.RawMessage
	var list []json.RawMessage
	var problem string
	if broken := json.Unmarshal(out.Bytes(), &document); broken != nil || code != ExitClean || json.Unmarshal(document[key], &list) != nil {
		_ = json.Unmarshal(document["error"], &problem) // which it may not have
		text, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n")
		return nil, 0, errors.New(cmp.Or(problem, text, "another version of wfc made its programs"))
	}
	return out.Bytes(), len(list), nil
}

// mergeDocument adds a document to others: lists are joined, of other values the last
// stays.
func mergeDocument(to map[string]json.RawMessage, text []byte) error {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	for key, value := range document {
		var before, more []json.RawMessage
		if json.Unmarshal(value, &more) == nil && json.Unmarshal(to[key], &before) == nil {
			joined, err := json.Marshal(append(before, more...))
			if err != nil {
				return err
			}
			value = joined
		}
		to[key] = value
	}
	return nil
}

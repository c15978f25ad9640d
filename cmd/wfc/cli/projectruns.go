package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
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

// storeReaderPrograms returns a program for each store that has runs of the project.
func (a *app) storeReaderPrograms(cmd *cobra.Command, folder runFolder) ([]string, error) {
	stores := []settings.Store{settings.StoreSQLite}
	if storeFor("", folder.project.config.Config) == settings.StorePostgres {
		stores[0] = settings.StorePostgres
	}
	found := map[settings.Store]string{}
	for _, o := range folder.LastOrigins() {
		if found[o.Store] == "" {
			found[o.Store] = folder.programPath(o)
		}
		if !slices.Contains(stores, o.Store) {
			stores = append(stores, o.Store)
		}
	}
	var programs []string
	for _, name := range stores {
		if found[name] == "" {
			program, err := a.storeReaderProgram(cmd, folder.project, name)
			if err != nil {
				return nil, err
			}
			found[name] = program
		}
		programs = append(programs, found[name])
	}
	return programs, nil
}

// storeReaderProgram returns a program that can only read a store. It is
// built when the programs of all runs are gone.
func (a *app) storeReaderProgram(cmd *cobra.Command, pr *project, kind settings.Store) (string, error) {
	store, err := storeNamed(string(kind))
	if err != nil {
		return "", err
	}
	project := pr.config.Settings(pr.config.Dir)
	w := &asking{name: "runs", first: "  - id: nothing\n    bash: 'true'\n", store: store, state: project.State, database: project.Database}
	return a.fromCache(cmd.Context(), w.programFiles(), "runs", nil)
}

// askEach has several programs perform a command, one after the other. Their
// JSON documents become one: lists are joined.
func (a *app) askEach(programs, argv []string, document bool) error {
	if document {
		joined, code, err := a.joinDocuments(programs, argv, a.Err)
		if err == nil {
			err = a.printDocument(joined)
		}
		return cmp.Or(err, silentExit(code))
	}
	code := ExitClean
	for _, program := range programs {
		one, err := a.performCommand(program, argv, plain.Raw(a.Out), a.Err)
		if err != nil {
			return err
		}
		code = max(code, one)
	}
	return silentExit(code)
}

// performCommand has a program perform a command, and returns its exit code.
func (a *app) performCommand(program string, argv []string, out, messages io.Writer) (int, error) {
	cmd := exec.Command(program, argv...)
	cmd.Env = append(os.Environ(), state.CallerVariable+"=")
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

// listAllProjects lists the runs of all projects of this account. What cannot be read is
// named and passed over.
func (a *app) listAllProjects(cmd *cobra.Command, args []string) error {
	if len(args) > 0 || flagValue(cmd, "state") != "" || flagValue(cmd, "database") != "" {
		return &usageError{errors.New("`--all-projects` goes with no workflow, and not with `--state` or `--database`")}
	}
	paths, err := state.All()
	if err != nil {
		return err
	}
	flags := passedOf(cmd, "limit", "status", "since", "children")
	all := map[string]json.RawMessage{"schema_version": json.RawMessage("1"), "runs": json.RawMessage("[]")}
	skipped := []skippedFolder{}
	for _, path := range paths {
		found, err := a.documentsIn(cmd, path, "runs", append([]string{"list"}, flags...))
		if err != nil {
			skipped = append(skipped, skippedFolder{path, err.Error()})
			fmt.Fprintf(a.Err, "%s is left out: %s\n", plain.Line(path), plain.Message(err.Error()))
			continue
		}
		for _, f := range found {
			if err := mergeDocument(all, f.document); err != nil {
				return err
			}
			if flagValue(cmd, "json") != "true" {
				fmt.Fprintf(a.Out, "%s:\n", plain.Line(path))
				if _, err := a.performCommand(f.program, f.argv, plain.Raw(a.Out), a.Err); err != nil {
					return err
				}
			}
		}
	}
	if flagValue(cmd, "json") != "true" {
		return nil
	}
	if all["skipped"], err = json.Marshal(skipped); err != nil {
		return err
	}
	return a.printDocument(all)
}

// foundRuns are what a program says of the runs of a state folder, and how it prints that.
type foundRuns struct {
	document []byte
	program  string
	argv     []string
}

// documentsIn returns what the programs of a state folder print for a command, one for each
// store. The name of the list in the document is key; documents in which it is empty are left out.
func (a *app) documentsIn(cmd *cobra.Command, path, key string, command []string) (found []foundRuns, err error) {
	located, err := state.Locate(path, "")
	if err != nil {
		return nil, err
	}
	pr, err := a.projects.currentProject()
	if err != nil {
		return nil, err
	}
	folder := runFolder{Folder: located, project: pr}
	programs := map[settings.Store]string{}
	for _, o := range folder.LastOrigins() {
		if programs[o.Store] == "" {
			programs[o.Store] = folder.programPath(o)
		}
	}
	if _, err := os.Stat(folder.Database()); err == nil && programs[settings.StoreSQLite] == "" {
		if programs[settings.StoreSQLite], err = a.storeReaderProgram(cmd, pr, settings.StoreSQLite); err != nil {
			return nil, err
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(programs)) {
		program := programs[kind]
		if program == "" {
			return nil, errors.New("the programs of its runs are gone; run `wfc list` in the project")
		}
		argv := append([]string{command[0], "--project", "--state=" + path}, command[1:]...)
		var out, messages bytes.Buffer
		code, err := a.performCommand(program, append(slices.Clone(argv), "--json"), &out, &messages)
		if err != nil {
			return nil, err
		}
		var document map[string]json.RawMessage
		var list []json.RawMessage
		var problem string
		if broken := json.Unmarshal(out.Bytes(), &document); broken != nil || code != ExitClean || json.Unmarshal(document[key], &list) != nil {
			_ = json.Unmarshal(document["error"], &problem) // which it may not have
			text, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n")
			return nil, errors.New(cmp.Or(problem, text, "another version of wfc made its programs"))
		}
		if len(list) > 0 {
			found = append(found, foundRuns{out.Bytes(), program, argv})
		}
	}
	return found, nil
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

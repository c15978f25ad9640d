package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/state"
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
	programs, err := a.readers(cmd, folder)
	if err != nil {
		return err
	}
	argv := append([]string{p.verb, "--project"}, flags...)
	if len(programs) == 1 {
		return become(target{program: programs[0]}, argv)
	}
	return a.askEach(programs, argv, given(cmd, "json") == "true")
}

// readers returns a program for each store that has runs of the project.
func (a *app) readers(cmd *cobra.Command, folder runFolder) ([]string, error) {
	stores := []settings.Store{settings.StoreSQLite}
	if storeFor("", folder.project.config.Config) == settings.StorePostgres {
		stores[0] = settings.StorePostgres
	}
	found := map[settings.Store]string{}
	for _, o := range folder.LastOrigins() {
		if found[o.Store] == "" {
			found[o.Store] = folder.program(o)
		}
		if !slices.Contains(stores, o.Store) {
			stores = append(stores, o.Store)
		}
	}
	var programs []string
	for _, name := range stores {
		if found[name] == "" {
			program, err := a.reader(cmd, folder.project, name)
			if err != nil {
				return nil, err
			}
			found[name] = program
		}
		programs = append(programs, found[name])
	}
	return programs, nil
}

// reader returns a program that can read a store, and does nothing else. It is
// built when the programs of all runs are gone.
func (a *app) reader(cmd *cobra.Command, pr *project, kind settings.Store) (string, error) {
	store, err := storeNamed(string(kind))
	if err != nil {
		return "", err
	}
	project := pr.config.Settings(pr.config.Dir)
	w := &asking{name: "runs", first: "  - id: nothing\n    bash: 'true'\n", store: store, state: project.State, database: project.Database}
	return a.fromCache(cmd.Context(), w.files(), "runs")
}

// askEach has several programs perform a command, one after the other. Their
// JSON documents become one: lists are joined.
func (a *app) askEach(programs, argv []string, document bool) error {
	joined := map[string]json.RawMessage{}
	code := ExitClean
	for _, program := range programs {
		var out bytes.Buffer
		cmd := exec.Command(program, argv...)
		cmd.Env = append(os.Environ(), state.CallerVariable+"=")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, plain.Raw(a.Out), plain.Raw(a.Err)
		if document {
			cmd.Stdout = &out
		}
		err := cmd.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			return fmt.Errorf("start %s: %w", program, err)
		}
		code = max(code, cmd.ProcessState.ExitCode())
		if document {
			if err := join(joined, out.Bytes()); err != nil {
				return &exitError{ExitInternal, fmt.Errorf("%s printed no JSON document", program)}
			}
		}
	}
	if document {
		if err := a.printDocument(joined); err != nil {
			return err
		}
	}
	return exit(code)
}

// join adds a document to others: lists are joined, of other values the last
// stays.
func join(to map[string]json.RawMessage, text []byte) error {
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

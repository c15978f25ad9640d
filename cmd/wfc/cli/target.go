package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A target is what a command on runs is about.
type target struct {
	// program is the program to hand over to.
	program string
	// called is the word that the user typed for a workflow, or "" if it was a run's id.
	called string
	// args are the arguments that follow.
	args []string
	// source is the absolute path of the workflow file whose earlier state program may
	// have been built from, or "", and store the store of the run.
	source string
	store  settings.Store
	// started is the program that started the run, or "" if it is not known, and created the
	// time.
	started string
	created time.Time
	// state is the state folder of the run if the program would not find it, or "".
	state string
}

// A runFolder is a state folder as wfc sees it.
type runFolder struct {
	state.Folder
	project *project
	// foreign says that only a wfc.yaml names the folder. Its programs are not
	// started: they may have come with the repository.
	foreign bool
	// ofFolder says that it has the runs of the current folder, which is outside of git.
	ofFolder bool
	// elsewhere says that it is the folder of another project than the current one.
	elsewhere bool
}

// locateRunFolder returns the state folder of a project, as its programs find it.
func locateRunFolder(cmd *cobra.Command, pr *project) (runFolder, error) {
	wd, err := os.Getwd()
	if err != nil {
		return runFolder{}, err
	}
	chosen := flagValue(cmd, "state")
	foreign := false
	if chosen == "" && os.Getenv("WFC_STATE") == "" {
		chosen = pr.config.Settings(pr.config.Dir).State
		foreign = chosen != ""
	}
	folder, err := state.Locate(chosen, wd)
	return runFolder{Folder: folder, project: pr, foreign: foreign, ofFolder: chosen == "" && os.Getenv("WFC_STATE") == "" && outsideGit(wd)}, err
}

// chooseTarget finds what a command is about, also without arguments.
func (a *app) chooseTarget(cmd *cobra.Command, p passedCommand, args []string) (target, error) {
	if len(args) > 0 {
		return a.resolveTarget(cmd, args)
	}
	folder, err := a.folderHere(cmd)
	if err != nil {
		return target{}, err
	}
	switch p.alone {
	case aloneLatest:
		return a.latestTarget(cmd, folder, nil)
	case aloneWaiting:
		return a.onlyTarget(cmd, folder, "--children", "waits for an answer", "wait for an answer")
	case aloneResumable:
		return a.onlyTarget(cmd, folder, "--status="+resumableStatuses, "can be resumed", "can be resumed")
	}
	return target{}, &usageError{fmt.Errorf("`%s` needs a workflow file, a workflow name or a run id; `wfc list` shows the runs", cmd.CommandPath())}
}

// onlyTarget finds the only run of the project among those that `list` shows with a flag. With
// --children, it must ask something. one and many say in messages what a run or several do.
func (a *app) onlyTarget(cmd *cobra.Command, folder runFolder, flag, one, many string) (target, error) {
	nothing := &usageError{errors.New("no run of the project " + one)}
	if folder.isUnused(cmd) {
		return target{}, nothing
	}
	programs, err := a.storeReaderPrograms(cmd, folder)
	if err != nil {
		return target{}, err
	}
	document, _, err := a.joinDocuments(programs, append([]string{"list", "--project", "--json", "--limit=0", flag}, passedOf(cmd, "state", "database")...), a.Err)
	if err != nil {
		return target{}, err
	}
	type run struct {
		ID        string            `json:"run_id"`
		Questions []json.RawMessage `json:"questions"`
		Children  []run             `json:"children"`
	}
	var runs []run
	if err := json.Unmarshal(document["runs"], &runs); err != nil {
		return target{}, &exitError{ExitInternal, fmt.Errorf("read the list of runs: %w", err)}
	}
	var ids []string
	for _, root := range runs {
		for _, r := range append([]run{root}, root.Children...) {
			if flag != "--children" || len(r.Questions) > 0 {
				ids = append(ids, r.ID)
			}
		}
	}
	switch len(ids) {
	case 0:
		return target{}, nothing
	case 1:
		return a.runTarget(cmd, folder, ids[0], nil)
	}
	calls, more := "", ""
	for i, id := range ids {
		if i == mostRuns {
			more = fmt.Sprintf("\nand %d more; `wfc list` shows them", len(ids)-i)
			break
		}
		calls += "\n  " + cmd.CommandPath() + " " + id
	}
	return target{}, &usageError{fmt.Errorf("%d runs %s; name one:%s%s", len(ids), many, calls, more)}
}

// resolveTarget finds what the arguments of a command are about.
func (a *app) resolveTarget(cmd *cobra.Command, args []string) (target, error) {
	name, rest := args[0], args[1:]
	info, err := os.Stat(name)
	if err == nil && !mayBeWorkflow(name, info) {
		// Such as the binary that `wfc build gate.yaml -o gate` wrote.
		if folder, err := a.folderHere(cmd); err == nil {
			if o, ok := folder.originFor(name, rest, namedStore(cmd)); ok {
				return a.originTarget(cmd, folder, o, name, rest)
			}
		}
		if file := a.projects.namedInstead(name, info); file != "" {
			return a.fileTarget(cmd, file, rest)
		}
	}
	if err == nil && info.Mode().IsRegular() {
		return a.fileTarget(cmd, name, rest)
	} else if err == nil && info.IsDir() {
		return target{}, &usageError{fmt.Errorf("`%s` is a folder; `%s` needs a workflow file, a workflow name or a run id", name, cmd.CommandPath())}
	}
	folder, err := a.folderHere(cmd)
	if err != nil {
		return target{}, err
	}
	if id, err := folder.findRun(name); err != nil || id != "" {
		if err != nil {
			return target{}, err
		}
		return a.runTarget(cmd, folder, id, rest)
	}
	o, known := folder.originFor(name, rest, namedStore(cmd))
	if known && cmd.Name() != "import" { // that compiles the workflow, for the project's store
		if files := folder.sourcesOf(name); len(files) > 1 {
			return target{}, &usageError{fmt.Errorf("`%s` is the name of %d workflows%s", name, len(files), meantFiles(files))}
		}
		return a.originTarget(cmd, folder, o, name, rest)
	}
	if name == latestRun {
		return a.latestTarget(cmd, folder, rest)
	}
	file, err := a.projects.fileNamed(name, "file")
	var missing *missingError
	switch {
	case err == nil:
		return a.fileTarget(cmd, file, rest)
	case known:
		return a.originTarget(cmd, folder, o, name, rest)
	case errors.As(err, &missing), errors.Is(err, fs.ErrPermission): // of a folder here, but a run may be elsewhere
		if t, found, err := targetElsewhere(a, cmd, folder, name, rest); found || err != nil {
			return t, err
		}
		if t, found, err := databaseTarget(a, cmd, folder, name, rest); found || err != nil {
			return t, err
		}
		if missing == nil {
			break
		}
		help := missing.help
		if strings.Contains(name, " ") && cmd.Flags().Lookup("message") != nil {
			help = fmt.Sprintf("; to answer without naming the run, use `%s -m %s`", cmd.CommandPath(), plain.ShellWord(name))
		}
		return target{}, folder.unknownNameError(name, help)
	}
	return target{}, err
}

// targetElsewhere finds a run in the state folders of the account's other projects, unless the
// command line or the environment names one.
func targetElsewhere(a *app, cmd *cobra.Command, here runFolder, name string, rest []string) (t target, found bool, err error) {
	if flagValue(cmd, "state") != "" || flagValue(cmd, "database") != "" || os.Getenv("WFC_STATE") != "" {
		return t, false, nil
	}
	paths, _ := state.All() // what cannot be listed has no runs to find
	var places []string
	for _, path := range paths {
		located, err := state.Locate(path, "")
		if err != nil || path == here.Path {
			continue
		}
		other := runFolder{Folder: located, project: here.project, elsewhere: true}
		id, err := other.findRun(name)
		if err != nil || id == "" {
			continue // a prefix of several runs there means none of them
		}
		places = append(places, "\n  "+id+" in "+path)
		if t, err = a.runTarget(cmd, other, id, rest); err != nil {
			return t, true, err
		}
		t.state = path
	}
	if len(places) > 1 {
		return t, true, &usageError{fmt.Errorf("`%s` is the prefix of runs in several projects; give the whole id, or --state:%s", name, strings.Join(places, ""))}
	}
	return t, len(places) == 1, nil
}

// mayBeWorkflow reports whether a path may be that of a workflow file. A folder, a binary
// and a file that is larger than the compiler reads are not.
func mayBeWorkflow(path string, info os.FileInfo) bool {
	if !info.Mode().IsRegular() || info.Size() > yamlsrc.MaxSize {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return true // the command that reads it says why it cannot
	}
	defer f.Close()
	var start [512]byte
	n, _ := io.ReadFull(f, start[:])
	return !bytes.Contains(start[:n], []byte{0})
}

// latestRun is the word for the last run: of a workflow behind its name, else of all.
const latestRun = "latest"

// latestTarget finds the last run of the project, for commands that only show a run. The
// others need the workflow, so that they do not change a run of another one.
func (a *app) latestTarget(cmd *cobra.Command, folder runFolder, rest []string) (target, error) {
	origins := folder.LastOrigins()
	store := namedStore(cmd)
	i := slices.IndexFunc(origins, func(o state.Origin) bool { return o.Parent == "" && (store == "" || store == o.Store) })
	if i < 0 {
		return target{}, &usageError{fmt.Errorf("no runs in %s", folder.Path)}
	}
	last := origins[i]
	if verb := cmd.Name(); verb == "status" || verb == "logs" || verb == "trace" || verb == "export" {
		return a.runTarget(cmd, folder, last.Run, rest)
	}
	return target{}, &usageError{fmt.Errorf("`latest` needs a workflow: `%s %s latest` is about its last run", cmd.CommandPath(), plain.Line(last.Workflow))}
}

// folderHere is the state folder of the current folder's project.
func (a *app) folderHere(cmd *cobra.Command) (runFolder, error) {
	pr, err := a.projects.currentProject()
	if err != nil {
		return runFolder{}, err
	}
	return locateRunFolder(cmd, pr)
}

// fileTarget finds the program for a workflow file: that of the run if one is
// named, else that of the file's last run, else a build of the file.
func (a *app) fileTarget(cmd *cobra.Command, file string, rest []string) (target, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return target{}, err
	}
	pr, err := a.projects.projectOfFile(path)
	if err != nil {
		return target{}, err
	}
	folder, err := locateRunFolder(cmd, pr)
	if err != nil {
		return target{}, err
	}
	t := target{called: file, args: rest, source: path, store: namedStore(cmd)}
	if cmd.Name() == "import" { // other commands are about runs that are there
		store := cmp.Or(t.store, storeFor("", pr.config.Config).Kind)
		program, err := a.cachedWith(cmd, &compileFlags{}, string(store), file, gen.Options{}, false, func(_ context.Context, o outcome, _ bool) error {
			return checkBudgetPlace(o, "", ".", flagValue(cmd, "state"))
		})
		return target{program: program, called: file, args: rest}, err
	}
	if folder.chooseProgram(&t) {
		return t, nil
	}
	for _, other := range foldersOf(cmd, pr, path) {
		if other.chooseProgram(&t) {
			t.state = other.Path
			return t, nil
		}
	}
	program, err := a.cachedFileProgram(cmd, &compileFlags{}, string(t.store), file, false)
	return target{program: program, called: file, args: rest}, err
}

// chooseProgram sets the program for the target's workflow file: that of the run if one is named,
// else that of the file's last run. It is false if the folder has neither; the target's store is then
// that of the run, if it is known.
func (f runFolder) chooseProgram(t *target) bool {
	origins, store := f.candidates(t.args, t.store)
	for _, o := range origins {
		if program := f.programPath(o); o.Source == t.source && program != "" {
			t.program, t.store, t.started, t.created = program, o.Store, o.Program, o.Created
			return true
		}
	}
	t.store = store
	return false
}

// candidates returns the origins whose programs may perform a command: that of the run that its
// arguments name, and those of the last runs. All have the store of that run, or the given one unless
// that is "", because other programs do not find it.
func (f runFolder) candidates(args []string, store settings.Store) ([]state.Origin, settings.Store) {
	origins := f.LastOrigins()
	if len(args) > 0 {
		if id, err := f.findRun(args[0]); err == nil && id != "" {
			if o, ok := f.Origin(id); ok {
				origins, store = append([]state.Origin{o}, origins...), cmp.Or(store, o.Store)
			}
		}
	}
	return slices.DeleteFunc(origins, func(o state.Origin) bool { return store != "" && store != o.Store }), store
}

// originFor returns the origin of the run of a workflow that arguments name, or else of its last run.
// store is the only one that counts, unless it is "".
func (f runFolder) originFor(workflow string, args []string, store settings.Store) (state.Origin, bool) {
	origins, _ := f.candidates(args, store)
	if i := slices.IndexFunc(origins, func(o state.Origin) bool { return o.Workflow == workflow }); i >= 0 {
		return origins[i], true
	}
	last, ok := f.lastOf(workflow) // its program says what is wrong with the run
	return last, ok && (store == "" || store == last.Store)
}

// foldersOf returns the state folders that may have the runs of a workflow file besides that
// of the current folder. Outside of git, runs belong to the folder where they started, which
// is often that of the file or one above it.
func foldersOf(cmd *cobra.Command, pr *project, path string) []runFolder {
	wd, err := os.Getwd()
	if err != nil || !outsideGit(wd) || flagValue(cmd, "state") != "" || os.Getenv("WFC_STATE") != "" || pr.config.Settings(pr.config.Dir).State != "" {
		return nil
	}
	var list []runFolder
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if folder, err := state.Locate("", dir); err == nil {
			list = append(list, runFolder{Folder: folder, project: pr})
		}
		if dir == filepath.Dir(dir) {
			return list
		}
	}
}

// outsideGit reports whether a folder is in no checkout.
func outsideGit(dir string) bool {
	root, err := state.Root(dir)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(root, ".git"))
	return err != nil
}

// runTarget finds the program for a run.
func (a *app) runTarget(cmd *cobra.Command, folder runFolder, id string, rest []string) (target, error) {
	o, ok := folder.Origin(id)
	named := namedStore(cmd)
	if !ok || named != "" && named != o.Store {
		if t, found, err := databaseTarget(a, cmd, folder, id, rest); found || err != nil {
			return t, err
		}
	}
	switch {
	case ok && named != "" && named != o.Store:
		return target{}, &usageError{fmt.Errorf("run %s is in the state folder %s and not in that database; leave out --database", id, folder.Path)}
	case !ok:
		return target{}, fmt.Errorf("the binary that started run %s is unknown; name its workflow file, too: `%s FILE %s`", id, cmd.CommandPath(), id)
	}
	return a.originTarget(cmd, folder, o, "", append([]string{id}, rest...))
}

// originTarget finds the program of an origin, or builds it again.
func (a *app) originTarget(cmd *cobra.Command, folder runFolder, o state.Origin, called string, args []string) (target, error) {
	if cmd.Name() == "resume" && (o.Embedded || o.Source == "") && flagValue(cmd, "force") == "true" {
		// A program that wfc builds takes the place of a Go program with its agents, or of a binary.
		kind := "binary"
		if o.Embedded {
			kind = "Go program"
		}
		file, err := a.projects.fileNamed(o.Workflow, "file")
		if folder.elsewhere { // a workflow of this project has only the name in common
			return target{}, &usageError{fmt.Errorf("run %s belongs to the %s %s and to another project; to move it to wfc, name its workflow file: `%s FILE %s --force --state %s`",
				o.Run, kind, o.Program, cmd.CommandPath(), o.Run, plain.ShellWord(folder.Path))}
		}
		if err != nil {
			return target{}, &usageError{fmt.Errorf("run %s belongs to the %s %s; to move it to wfc, name its workflow file: `%s FILE %s --force`", o.Run, kind, o.Program, cmd.CommandPath(), o.Run)}
		}
		program, err := a.cachedFileProgram(cmd, &compileFlags{}, string(o.Store), file, false)
		return target{program: program, called: called, args: args, store: o.Store}, err
	}
	if program := folder.programPath(o); program != "" {
		return target{program: program, called: called, args: args, source: o.Source, store: o.Store, started: o.Program, created: o.Created}, nil
	}
	if o.Embedded && flagValue(cmd, "max-cost")+flagValue(cmd, "max-tokens") != "" {
		return target{}, &usageError{fmt.Errorf("run %s belongs to the Go program %s, whose Engine.Resume sets its limits; to continue it here instead, with other agents, use --force", o.Run, o.Program)}
	}
	if o.Embedded {
		program, err := a.storeReaderProgram(cmd, folder.project, o.Store, o.Workflow)
		return target{program: program, called: called, args: args, store: o.Store}, err
	}
	if o.Source == "" && !worksOnRuns(cmd) {
		program, err := a.storeReaderProgram(cmd, folder.project, o.Store, o.Workflow)
		return target{program: program, called: called, args: args, store: o.Store}, err
	}
	if o.Source == "" && isProgram(o.Program) {
		return target{}, fmt.Errorf("the binary %s, which started run %s, now keeps its runs in another store; build workflow %s to another path with `--store %s`, and use that binary",
			o.Program, o.Run, o.Workflow, o.Store)
	}
	if o.Source == "" {
		return target{}, fmt.Errorf("the binary %s, which started run %s, is gone; restore it, or use another binary of workflow %s", o.Program, o.Run, o.Workflow)
	}
	if _, err := os.Stat(o.Source); errors.Is(err, os.ErrNotExist) {
		return target{}, fmt.Errorf("the binary of run %s and its workflow file %s are gone", o.Run, o.Source)
	}
	program, err := a.cachedFileProgram(cmd, &compileFlags{}, string(o.Store), displayPath(o.Source), false)
	return target{program: program, called: called, args: args}, err
}

// programPath returns the path of the program of an origin: the run's own copy, or the program
// that started the run. It returns "" if neither exists, another user could have put it
// there, its runs are now in another store, or it is a Go program with an engine.
func (f runFolder) programPath(o state.Origin) string {
	if run := f.RunDir(o.Run); o.Embedded || f.foreign || trust.Folder(filepath.Dir(run), filepath.Base(run)) != nil {
		return ""
	}
	for _, path := range []string{f.Executable(o.Run), o.Program} {
		if isProgram(path) && trustedCache(path) && linksStore(path, o.Store) {
			return path
		}
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// trustedCache reports whether a program is outside the cache, or only this user could have
// put it there.
func trustedCache(program string) bool {
	cache, err := build.DefaultCache()
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(cache, program)
	return err != nil || !filepath.IsLocal(rel) || trust.Folder(cache, "bin") == nil
}

// findRun returns the id of the one run whose id is, or begins with, the given
// text, with or without the workflow's name; "" when there is none.
func (f runFolder) findRun(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var begin, letters []string
	for _, id := range f.Runs() {
		switch {
		case id == name:
			return id, nil
		case f.isUnnamedChild(id, name):
		case strings.HasPrefix(id, name):
			begin = append(begin, id)
		case strings.HasPrefix(id[strings.LastIndexByte(id, '-')+1:], name):
			letters = append(letters, id)
		}
	}
	// A workflow's name begins the ids of its runs.
	if _, ok := f.lastOf(name); ok {
		return "", nil
	}
	if len(begin) == 0 {
		begin = letters
	}
	if len(begin) > 1 {
		return "", &usageError{fmt.Errorf("`%s` is the prefix of %d runs: %s", name, len(begin), strings.Join(begin[:min(len(begin), 4)], ", "))}
	}
	return strings.Join(begin, ""), nil
}

// isUnnamedChild reports whether a run is one that another run began and that a name, which does not
// go beyond that other one, does not mean.
func (f runFolder) isUnnamedChild(id, name string) bool {
	if !strings.Contains(id, "--") {
		return false
	}
	o, _ := f.Origin(id)
	return o.Parent != "" && !strings.HasPrefix(name, o.Parent)
}

// lastOf returns the origin of the last run of a workflow.
func (f runFolder) lastOf(workflow string) (state.Origin, bool) {
	for _, o := range f.LastOrigins() {
		if o.Workflow == workflow {
			return o, true
		}
	}
	return state.Origin{}, false
}

// sourcesOf returns the workflow files that had runs by the name of a workflow and still exist.
func (f runFolder) sourcesOf(workflow string) (files []string) {
	for _, o := range f.LastOrigins() {
		if _, err := os.Stat(o.Source); err == nil && o.Workflow == workflow && !slices.Contains(files, displayPath(o.Source)) {
			files = append(files, displayPath(o.Source))
		}
	}
	return files
}

// unknownNameError is the error for a name that means neither a run nor a workflow; help
// describes workflow files with similar names.
func (f runFolder) unknownNameError(name, help string) error {
	known := f.Runs()
	for _, o := range f.LastOrigins() {
		known = append(known, o.Workflow)
	}
	help = cmp.Or(plain.DidYouMean(name, known), help, "; `wfc list` shows the runs; those of another machine are found in their project's folder")
	if wd, err := os.Getwd(); err == nil && f.ofFolder && len(known) == 0 {
		help = fmt.Sprintf("; no run started in %s: outside of git, runs belong to the folder where they started, so call wfc there or name the workflow file, too", wd)
	}
	return &usageError{fmt.Errorf("unknown workflow file, workflow or run `%s`%s", name, help)}
}

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/runfile"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/trace"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

func importCommand(a *app) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "import EXPORTED",
		Short: "Take over a run from a file that export wrote",
		Long: "Take over a run and the runs that its steps started. `status` then shows the run, and\n" +
			"`resume` continues it in this folder. The run keeps its id, its answers and its\n" +
			"costs. It loses what belongs to the other machine: the agents of its command line,\n" +
			"recordings, grants, and the chat that gets its result.\n\n" +
			"Import only files that you trust: a file says which steps are done, and who approved what.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("`%s` takes one file that `export` wrote, and %d were given", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if run := human.AnyRun(); run != "" {
				return failedError(fmt.Errorf("refused: this process was started by run %s, and an import brings answers of people: import from a shell that no run started", run))
			}
			s, err := a.openSession(cmd.Context())
			if err != nil {
				return err
			}
			defer s.closeSession()
			return failedError(s.importFile(cmd.Context(), args[0], force))
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "")
	return cmd
}

// importFile takes over the runs of a file.
func (s *session) importFile(ctx context.Context, path string, force bool) error {
	in, err := os.Open(path)
	if err != nil {
		return usageError("%w", err)
	}
	defer in.Close()
	if err := os.MkdirAll(s.folder.Path, 0o700); err != nil {
		return err
	}
	unpacked, err := os.MkdirTemp(s.folder.Path, "import-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unpacked)
	archive, err := runfile.Read(in, unpacked)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := s.checkImport(archive, force); err != nil {
		return err
	}
	trees := map[string]string{} // here, by the paths of the other machine
	for i := range archive.Journals {
		if r := (&local.RunStatus{Run: archive.Journals[i].Run}); r.Worktree() != nil {
			trees[r.Worktree().Path] = s.folder.WorktreeDir(r.ID)
		}
	}
	var done []func()
	for i := range archive.Journals {
		undo, err := s.importRun(ctx, archive, &archive.Journals[i], trees)
		if err != nil {
			for _, undo := range slices.Backward(done) {
				undo()
			}
			return err
		}
		done = append(done, undo)
	}
	return s.reportImport(ctx, archive.Head.Root)
}

// checkImport refuses runs of other workflows, and of other builds unless force is true.
func (s *session) checkImport(archive *runfile.Archive, force bool) error {
	own := map[string]string{}
	for _, def := range flow.Reachable(s.program.Definition) {
		own[def.Name] = def.Fingerprint
	}
	if name := archive.Head.Runs[0].Workflow; name != s.program.Definition.Name {
		return usageError("run %s is of workflow `%s`, and this is workflow `%s`: import it with the binary or the file of `%[2]s`", archive.Head.Root, plain.Line(name), s.program.Definition.Name)
	}
	for _, r := range archive.Head.Runs {
		if fingerprint, ok := own[r.Workflow]; !force && (!ok || fingerprint != r.Fingerprint) {
			return usageError("run %s belongs to build %.12s of workflow `%s`, and this is build %.12s: import it with that build, or add `--force` to move it to this build",
				r.ID, plain.Line(r.Fingerprint), plain.Line(r.Workflow), cmp.Or(fingerprint, "none"))
		}
	}
	return nil
}

// importRun takes over one run. undo removes it again.
func (s *session) importRun(ctx context.Context, archive *runfile.Archive, j *trace.Journal, trees map[string]string) (undo func(), err error) {
	r := &j.Run
	exists := fmt.Errorf("run %s exists already in this store: nothing was imported", r.ID)
	if _, err := s.store.Run(ctx, r.ID); !errors.Is(err, store.ErrNotFound) {
		return nil, cmp.Or(err, exists)
	}
	dir := s.folder.RunDir(r.ID)
	if entries, err := os.ReadDir(dir); err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != "lease" }) {
		status := ""
		if !r.Status.Ended() {
			status = " --status " + string(r.Status)
		}
		return nil, fmt.Errorf("%s has files of a run %s that is in another store: nothing was imported; remove that run by `%s`, or import this one with --state FOLDER", dir, r.ID, s.commandLine("prune", r.ID)+status)
	}
	release, err := s.engine.HoldRun(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.adaptRun(ctx, j, trees); err != nil {
		return nil, fmt.Errorf("run %s: %w", r.ID, err)
	}
	undo = func() {
		_ = s.store.DeleteRun(context.WithoutCancel(ctx), r.ID)
		_ = os.RemoveAll(dir)
	}
	files, err := os.ReadDir(filepath.Join(archive.Files, r.ID))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = os.MkdirAll(dir, 0o700) // only a lease on a file makes it
	for _, f := range files {
		if err == nil {
			err = os.Rename(filepath.Join(archive.Files, r.ID, f.Name()), filepath.Join(dir, f.Name()))
		}
	}
	if err == nil {
		err = runfile.Store(ctx, s.store, j)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		if errors.Is(err, store.ErrExists) {
			return nil, exists
		}
		return nil, fmt.Errorf("run %s: %w", r.ID, err)
	}
	if o, err := originHere(s.call); err == nil {
		o.Run, o.Parent, o.Created = r.ID, j.Parent.Run, r.Created
		_ = s.folder.KeepOrigin(o) // a run that wfc finds less quickly is no reason to fail
	}
	return undo, nil
}

// portable are the settings of a run that mean the same on another machine and reach nothing
// there.
var portable = []string{"parent", "graph", "base_branch", "max_parallel", "max_cost", "max_tokens", "max_iterations", "max_minutes", "trigger", "gates", "gate_token", "gate_rules", "started_by"}

// resumable are the other settings that a flag of resume gives again.
var resumable = []string{"agents", "grants", "record", "replay", "replay_strict", "sandbox"}

// adaptRun gives a run the places and the build of this machine, and takes from it what only the
// other one had.
func (s *session) adaptRun(ctx context.Context, j *trace.Journal, trees map[string]string) error {
	r := &j.Run
	for _, def := range flow.Reachable(s.program.Definition) {
		if def.Name != r.Workflow || def.Fingerprint == r.Fingerprint || r.Status == flow.Completed {
			continue
		}
		if err := stepkey.Fits(def, j.Steps); err != nil {
			return err
		}
		r.Fingerprint = def.Fingerprint
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	dir := wd
	for there, here := range trees { // a child may work in its parent's worktree
		if inside, err := filepath.Rel(there, r.WorkDir); err == nil && filepath.IsLocal(inside) {
			dir = filepath.Join(here, inside)
		}
	}
	r.ArtifactsDir, r.LogDir, r.WorkDir, r.Executable = s.folder.Artifacts(r.ID), s.folder.RunDir(r.ID), dir, ""
	r.DeliverTo = s.deliverTo("")
	if !filepath.IsLocal(r.DocsDir) {
		r.DocsDir = s.program.Defaults.DocsDir
	}
	r.Graph = portableGraph(r.Graph)
	if len(r.Settings) == 0 {
		return nil
	}
	var all, kept map[string]json.RawMessage
	if err := json.Unmarshal(r.Settings, &all); err != nil {
		return fmt.Errorf("its settings: %w", err)
	}
	kept = map[string]json.RawMessage{}
	var dropped, lost []string
	for name, value := range all {
		switch {
		case name == "worktree":
			var tree worktree.Tree
			if err := json.Unmarshal(value, &tree); err != nil {
				return fmt.Errorf("its settings: %w", err)
			}
			here, err := tree.Adopt(ctx, git.Folder{Path: wd, Environ: s.processEnviron()}, s.folder.WorktreeDir(r.ID))
			if err != nil {
				return err
			}
			kept[name], _ = json.Marshal(here) // never fails
		case name == "graph":
			var g *flow.GraphOptions
			if err := json.Unmarshal(value, &g); err != nil {
				return fmt.Errorf("its settings: %w", err)
			}
			if kept[name], err = json.Marshal(portableGraph(g)); err != nil {
				return err
			}
		case slices.Contains(portable, name) || name == "sandbox" && string(value) == `"`+string(settings.SandboxOn)+`"`:
			kept[name] = value
		case slices.Contains(resumable, name):
			dropped = append(dropped, strings.ReplaceAll(name, "_", " "))
		default:
			lost = append(lost, strings.ReplaceAll(plain.Line(name), "_", " "))
		}
	}
	for _, of := range []struct {
		names []string
		then  string
	}{{dropped, "; `resume` has flags for them"}, {lost, ""}} {
		if slices.Sort(of.names); len(of.names) > 0 {
			fmt.Fprintf(s.streams.Err, "run %s: not taken over: %s%s\n", r.ID, strings.Join(of.names, ", "), of.then)
		}
	}
	r.Settings, err = json.Marshal(kept)
	return err
}

// portableGraph returns the options of a state graph without paths of the other machine.
func portableGraph(g *flow.GraphOptions) *flow.GraphOptions {
	if g == nil {
		return nil
	}
	kept := *g
	kept.FromDir, kept.Force = "", false
	if !fs.ValidPath(kept.Folder) || strings.ContainsAny(kept.Folder, `/\:`) {
		kept.Folder = "" // the workflow's own
	}
	return &kept
}

// reportImport says what was imported, and how it continues.
func (s *session) reportImport(ctx context.Context, id string) error {
	f, err := s.loadFamily(ctx, id)
	if err != nil {
		return err
	}
	var b strings.Builder
	s.writeAllQuestions(&b, f, id, func(run string) human.View { return s.questionView(s.streams.Out, run) })
	next := fmt.Sprintf("; resume it with `%s%s`\n", s.commandLine("resume", id), s.stateHint())
	if b.Len() > 0 {
		next = "\n\n" + b.String()
	}
	if f.root.Status == flow.Completed {
		next = "\n"
	} else {
		if err := (*worktree.Tree)(f.root.Worktree()).CheckPlace(id, f.root.WorkDir); err != nil {
			fmt.Fprintln(s.streams.Err, err)
		}
		fmt.Fprintln(s.streams.Err, "where it was exported, the run may still exist; continue it only here")
	}
	fmt.Fprintf(s.streams.Out, "run %s: %s%s", id, f.root.Status, next)
	return nil
}

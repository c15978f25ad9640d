package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Answer implements desk.Desk.
func (d *runDesk) Answer(ctx context.Context, ref desk.Ref, a desk.Answer) (done actions.Outcome, err error) {
	r, err := d.load(ctx, ref)
	if err != nil {
		return done, err
	}
	status, s := r.family.findRun(ref.ID), r.session
	i := slices.IndexFunc(status.Questions, func(q engine.Question) bool { return q.Key == a.Key })
	if i < 0 {
		return done, (&reply{verb: "answer", node: a.Key}).notOpen(status)
	}
	q := status.Questions[i]
	if actions.Hash(q) != a.Hash {
		return done, &actions.ChangedError{}
	}
	switch {
	case a.Choice == kernel.ChoiceEdit && strings.TrimSpace(a.Text) == "":
		return done, errors.New("the edited output is empty; no answer was recorded")
	case a.Choice == kernel.ChoiceEdit && len(a.Text) > maxEdit:
		return done, errors.New("the edited output is larger than 16 MiB; no answer was recorded")
	case a.Choice == kernel.ChoiceFeedback && strings.TrimSpace(a.Text) == "":
		return done, errors.New("feedback needs words; no answer was recorded")
	}
	root, k := r.family.root.ID, s.gatekeeper()
	if (answering{r.family.root, q.Wait, a.Choice}).continues(s) {
		k.Ready = func() error { return r.checkAgents(ctx, root) }
	}
	_, done, err = k.Answer(ctx, r.family.gate(status, q), a.Person, actions.Proof{
		Token: a.Token, TokenWay: "type it into its field", TerminalWay: "use `" + s.commandLine("answer", root) + s.stateHint() + "` there",
	}, store.Answer{Choice: a.Choice, Text: a.Text})
	if err != nil || !done.Answered() {
		return done, err
	}
	if r.cluster() != nil {
		return done, nil // it continues the run
	}
	// A process that works on the run takes the answer; one that just goes away may not.
	_, holder, err := k.AwaitTaken(ctx, root, ref.ID, q.Key, false)
	if err != nil || holder != "" || local.EmbeddedIn(r.family.root.Settings) != "" {
		return done, err
	}
	if err := r.resume(ctx, root, actions.Actor{}); err != nil {
		return done, fmt.Errorf("your answer is recorded, but the run does not continue: %w", err)
	}
	return done, nil
}

// checkAgents has the program of a run look whether the agents that it may ask could answer. What a
// program can't tell does not stop an answer.
func (r *deskRun) checkAgents(ctx context.Context, root string) error {
	err := r.work(ctx, root, actions.Actor{}, "resume", root, "--check-only")
	if p, ok := errors.AsType[*programError](err); ok && p.code == runerr.ExitFailed {
		return fmt.Errorf("%w\nno answer was recorded; `%s --no-resume` records one without continuing the run", p, r.session.commandLine("answer", root)+r.session.stateHint())
	}
	return nil
}

// Cancel implements desk.Desk.
func (d *runDesk) Cancel(ctx context.Context, ref desk.Ref, by actions.Person) error {
	who, err := by.AsOperator()
	if err != nil {
		return err
	}
	r, err := d.load(ctx, ref)
	if err != nil {
		return err
	}
	status := r.family.findRun(ref.ID)
	if c := r.cluster(); c != nil {
		return c.RequestCancel(ctx, ref.ID, who.String())
	}
	if r.session.runDisplay(status.Workflow).def.CleansUp() && (status.Status == flow.Paused || status.Status == flow.Interrupted) {
		return r.work(ctx, r.family.root.ID, who, "cancel", ref.ID)
	}
	ctx, stop := context.WithTimeout(ctx, cancelPatience)
	defer stop()
	err = r.session.engine.Cancel(ctx, ref.ID, who.String())
	if ctx.Err() != nil {
		return nil // the process that works on the run has the request
	}
	return err
}

// cancelPatience is how long a page waits for the end of a cancelled run.
const cancelPatience = 5 * time.Second

// Resume implements desk.Desk.
func (d *runDesk) Resume(ctx context.Context, ref desk.Ref, by actions.Person) error {
	who, err := by.AsOperator()
	if err != nil {
		return err
	}
	o, err := d.find(ctx, ref.Place)
	if err != nil {
		return err
	}
	root, err := o.heads.Root(ctx, ref.ID)
	if err != nil {
		return err
	}
	if c := o.cluster(); c != nil {
		return c.Continue(ctx, root, who.String())
	}
	return o.resume(ctx, root, who)
}

// resume continues a run for a person, or after an answer, unless a process works on it.
func (o *openPlace) resume(ctx context.Context, root string, by actions.Actor) error {
	if holder, _ := o.whole.Holder(root); holder != "" {
		return nil
	}
	return o.work(ctx, root, by, "resume", root, "--no-ask", "--quiet")
}

// work has the program of a run perform a command for a person as a process that outlives this one,
// and returns when that works on the run or has ended.
func (o *openPlace) work(ctx context.Context, root string, by actions.Actor, args ...string) error {
	run, err := o.store.Run(ctx, root)
	if err != nil {
		return err
	}
	if program := local.EmbeddedIn(run.Settings); program != "" {
		return &runerr.EmbeddedError{Run: root, Program: program}
	}
	origin, _ := o.folder.Origin(root)
	program := run.Executable
	if !isFile(program) {
		if program = origin.Program; !isFile(program) {
			return errors.New("the program of the run is gone; resume it with `" + o.call.commandLine("resume", root) + " --force`, which moves it to the current version of its workflow")
		}
	}
	dir := run.WorkDir
	if _, err := os.Stat(dir); err != nil {
		dir = o.folder.Path
	}
	began := func(int) bool {
		holder, _ := o.whole.Holder(root)
		return holder != ""
	}
	cmd := exec.Command(program, args...)
	cmd.Args[0], cmd.Dir, cmd.Env = cmp.Or(origin.Program, program), dir, actorEnviron(by)
	return o.spawn(ctx, cmd, began)
}

// spawn starts a program in a session of its own, with the variables of this process besides those of
// the command, and returns once began reports true of its process, or it has ended well.
func (o *openPlace) spawn(ctx context.Context, cmd *exec.Cmd, began func(pid int) bool) error {
	said, err := os.CreateTemp("", "wfc-serve-")
	if err != nil {
		return err
	}
	defer os.Remove(said.Name())
	defer said.Close()
	cmd.Args, cmd.Stderr = append(cmd.Args, "--state="+o.folder.Path), said
	cmd.Env = slices.Concat(os.Environ(), []string{state.CallerVariable + "="}, cmd.Env)
	if o.database != "" {
		cmd.Env = append(cmd.Env, databaseVariable+"="+o.database)
	}
	process.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		if began(cmd.Process.Pid) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-poll.C:
		case err := <-ended:
			// The codes from 3 to 6 say how a run ended, and not that a command could not do its work.
			if code := cmd.ProcessState.ExitCode(); began(cmd.Process.Pid) || code == 0 || code >= 3 && code <= 6 {
				return nil
			}
			message, _ := wholefile.Output.Read(said.Name())
			return &programError{plain.Message(o.call.maskSecrets(cmp.Or(strings.TrimSpace(string(message)), err.Error()))), cmd.ProcessState.ExitCode()}
		}
	}
}

// A programError is what a program said that ended with an exit code.
type programError struct {
	message string
	code    int
}

func (e *programError) Error() string { return e.message }

// Workflows implements desk.Desk: those that have had a run in a state folder.
func (d *runDesk) Workflows(ctx context.Context) ([]desk.Workflow, error) {
	var list []desk.Workflow
	for _, p := range d.allPlaces() {
		o, err := p.ready(ctx)
		if err != nil {
			continue // the page names it
		}
		if o.cluster() != nil {
			if def := d.program.Definition; d.program.Cluster != nil { // other programs start their runs themselves
				list = append(list, desk.Workflow{Place: p.Place, Name: def.Name, Key: keyOf(def.Name), Inputs: def.Inputs, Description: def.Description})
			}
			continue
		}
		for _, origin := range o.folder.LastOrigins() {
			if origin.Store != state.StoreOf(o.database != "") {
				continue
			}
			w := desk.Workflow{Place: p.Place, Name: origin.Workflow, Source: origin.Source, Program: origin.Program, Key: keyOf(cmp.Or(origin.Source, origin.Program))}
			run, err := o.store.Run(ctx, origin.Run)
			if err != nil {
				continue // its runs were removed
			}
			def, known := d.definition(o, &run, nil)
			if !known {
				continue
			}
			w.Inputs, w.Description, w.Dir = def.Inputs, def.Description, run.WorkDir
			if tree := repositoryOf(run.Settings); tree != "" {
				w.Dir = tree
			}
			if origin.Embedded {
				w.Problem = "a Go program starts its runs"
			} else if origin.Source == "" && !isFile(origin.Program) {
				w.Problem = "its program is gone"
			} else if _, err := os.Stat(w.Dir); errors.Is(err, fs.ErrNotExist) {
				w.Problem = "the folder " + w.Dir + " is gone"
			}
			list = append(list, w)
		}
	}
	return list, nil
}

// repositoryOf returns the repository of a run's worktree, or "".
func repositoryOf(kept json.RawMessage) string {
	var s struct {
		Worktree *struct {
			Repository string `json:"repository"`
		} `json:"worktree"`
	}
	if json.Unmarshal(kept, &s) != nil || s.Worktree == nil {
		return ""
	}
	return s.Worktree.Repository
}

// Start implements desk.Desk. The run is started as a person would start it in the folder of the
// last one: by wfc, which compiles the file as it is now, or by the workflow's program.
func (d *runDesk) Start(ctx context.Context, place, workflow string, given map[string]string, by actions.Person) (desk.Ref, error) {
	who, err := by.AsOperator()
	if err != nil {
		return desk.Ref{}, err
	}
	o, err := d.find(ctx, place)
	if err != nil {
		return desk.Ref{}, err
	}
	all, err := d.Workflows(ctx)
	if err != nil {
		return desk.Ref{}, err
	}
	i := slices.IndexFunc(all, func(w desk.Workflow) bool { return w.Place.Key == place && w.Key == workflow })
	if i < 0 {
		return desk.Ref{}, fmt.Errorf("workflow %s: %w", workflow, store.ErrNotFound)
	}
	w := all[i]
	if w.Problem != "" {
		return desk.Ref{}, errors.New(w.Problem)
	}
	in := &inputs{def: &flow.Definition{Name: w.Name, Inputs: w.Inputs}, stdin: strings.NewReader(""), values: map[string]json.RawMessage{}, saved: map[string]json.RawMessage{}}
	for name, text := range given {
		if err := in.setFromText(name, text); err != nil {
			return desk.Ref{}, err
		}
	}
	values, err := in.encodeObject("")
	if err != nil {
		return desk.Ref{}, err
	}
	if o.cluster() != nil {
		id, err := d.startOnCluster(ctx, o, in, values, who)
		return desk.Ref{Place: place, ID: id}, err
	}
	argv := []string{w.Program, "run"}
	if w.Source != "" && d.wfcProgram != "" && isFile(w.Source) {
		argv = []string{d.wfcProgram, "run", w.Source}
	}
	id, start := "", time.Now()
	cmd := exec.Command(argv[0], append(argv[1:], "--inputs=-", "--quiet", "--no-ask")...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.Dir, actorEnviron(who), bytes.NewReader(values)
	err = o.spawn(ctx, cmd, func(pid int) bool {
		id = cmp.Or(id, o.begunBy(ctx, pid, start))
		return id != ""
	})
	if err == nil && id == "" {
		err = errors.New("the program ended without a run")
	}
	return desk.Ref{Place: place, ID: id}, err
}

// begunBy returns the id of the run that a process of this machine began since a time, or "".
func (o *openPlace) begunBy(ctx context.Context, pid int, since time.Time) string {
	runs, err := o.index.PageRuns(ctx, runstore.RunQuery{Since: since, Limit: 50})
	if err != nil {
		return "" // the next look tells
	}
	for _, r := range runs {
		if run, err := o.store.Run(ctx, r.ID); err == nil && strings.HasPrefix(run.Holder, fmt.Sprintf("process %d on ", pid)) {
			return r.ID
		}
	}
	return ""
}

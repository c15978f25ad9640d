package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/script"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// A Family is a job on a workflow whose steps may begin runs of other workflows. Its
// agents answer by the node that asks, whichever run it is in.
type Family struct {
	// Replies are the replies of agents by node. One with the key "for" answers every
	// prompt that contains its value; the others are used in order.
	Replies map[string][]json.RawMessage
	// Steps are what happens after the first process, each before another process.
	Steps []FamilyStep
	// Worktrees means that a run can have a worktree: a copy of the project.
	Worktrees bool
	// Crash also explores the job in the simulation, with a death at every point.
	Crash bool
}

// A FamilyStep is the answer of a person, or with no Choice only another process. The
// answer is for the newest unfinished run of workflow Run, or for the first run if it is "".
type FamilyStep struct{ Choice, Text, Run string }

// A FamilyRun is a run of a family in the end.
type FamilyRun struct {
	// Step is the key of the step that began it, or "".
	Step     string
	Workflow string
	Inputs   json.RawMessage
	Worktree bool
	End      flow.RunState
	Steps    []flow.Record
	CostUSD  float64
	Children []*FamilyRun
}

// A Phase is the first run before a step.
type Phase struct {
	Status flow.Status
	// Waiting are its steps that wait.
	Waiting []flow.Record
	// Refused says why the answer was not taken, or is "".
	Refused string
}

// A FamilyEnd is the outcome of a family.
type FamilyEnd struct {
	Run    *FamilyRun
	Phases []Phase
	// Crashes are the simulated runs, and CrashFault their first difference or "".
	Crashes    int
	CrashFault string
}

// A family is the world of the runs of a job.
type family struct {
	job   *Job
	dir   string
	calls *recorder
	top   *relative
	// world works on the runs, if not the test engine; said is the answer to the question of
	// a run for its next process.
	world World
	said  func() (flow.RunState, error)
	// answers are those that were given, as the simulation needs them.
	answers []sim.Answer

	mu     sync.Mutex
	all    []*relative // in the order of their beginnings
	agents map[string]agent.Agent
}

// A relative is one run.
type relative struct {
	*enginetest.Run
	// step is the key of the step that began it, and path that of the run in the family:
	// the steps on the way to it.
	step, path string
	worktree   bool
	children   []*relative
}

func doFamily(world NewWorld, job *Job, def *flow.Definition, dir string, out *Outcome) error {
	f := &family{job: job, dir: dir, agents: map[string]agent.Agent{}, calls: &recorder{nodes: map[string]*nodeReplies{}, performed: map[string]flow.Result{}}}
	if err := f.calls.read(job.Family.Replies); err != nil {
		return err
	}
	inputs := job.Inputs
	if job.Given != nil {
		inputs = given(job, def)
	}
	inputs, err := completed(def, inputs)
	if err != nil {
		return err
	}
	if f.top, err = f.newRun(def, nil, inputs); err != nil {
		return err
	}
	project := host{Run: f.top.Run, job: job}
	if err := project.write(); err != nil {
		return err
	}
	if world != nil {
		if job.Family.Worktrees {
			if err := commitAll(f.top.Info.WorkDir); err != nil {
				return err
			}
		}
		f.world = world(f.top.Run)
		defer f.world.Close()
	}
	out.Family = &FamilyEnd{}
	end, err := f.process()
	for _, step := range job.Family.Steps {
		if err != nil {
			return err
		}
		phase := Phase{Status: end.Status, Waiting: waiting(f.top.Steps)}
		if problem := f.answer(step); problem != nil {
			phase.Refused = problem.Error()
		} else {
			end, err = f.process()
		}
		out.Family.Phases = append(out.Family.Phases, phase)
	}
	if err != nil {
		return err
	}
	places := f.places(f.top)
	for _, t := range f.calls.turns {
		t.Prompt = places.Replace(t.Prompt)
		out.Turns = append(out.Turns, t)
	}
	out.Family.Run = f.outcome(f.top, end)
	if job.Family.Crash && world == nil {
		f.crash(def, out.Family)
	}
	return nil
}

func waiting(steps []flow.Record) (list []flow.Record) {
	for _, r := range steps {
		if r.Status == flow.Waiting {
			list = append(list, r)
		}
	}
	return list
}

// answer answers the first open question of the run that a step means.
func (f *family) answer(step FamilyStep) error {
	if step.Choice == "" {
		return nil
	}
	run := f.top
	if step.Run != "" {
		run = nil
		for _, r := range slices.Backward(f.all) {
			if r.Definition.Name == step.Run && !r.ended() {
				run = r
				break
			}
		}
		if run == nil {
			return errors.New("no such run is open")
		}
	}
	for _, r := range run.Steps {
		if r.Status != flow.Waiting || r.Question == nil {
			continue
		}
		if len(r.Question.Choices) > 0 && !slices.Contains(r.Question.Choices, step.Choice) {
			return fmt.Errorf("the question has the answers %q", r.Question.Choices)
		}
		result := Step{Choice: step.Choice, Text: step.Text}.result()
		f.answers = append(f.answers, sim.Answer{Run: run.path, Key: r.Key, After: time.Hour, Result: result})
		f.say(run, r.Key, step, result)
		return nil
	}
	return errors.New("there is an answer, but no question is open")
}

// ended reports whether nothing is left to do in the run.
func (r *relative) ended() bool {
	return len(waiting(r.Steps)) == 0
}

// newRun makes a run with separate folders, in the project or a copy of it.
func (f *family) newRun(def *flow.Definition, parent *relative, inputs json.RawMessage) (*relative, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	own := filepath.Join(f.dir, fmt.Sprintf("run%d", len(f.all)))
	info := f.job.Run
	info.ID = fmt.Sprintf("w-%06dx%s", len(f.all)+1, f.job.mark)
	info.Workflow, info.Fingerprint, info.Inputs = def.Name, def.Fingerprint, inputs
	info.DocsDir = "docs/"
	info.ArtifactsDir, info.LogDir = filepath.Join(own, "artifacts"), filepath.Join(own, "log")
	info.WorkDir, info.SharedDir = filepath.Join(f.dir, "work"), filepath.Join(f.dir, "state")
	if parent != nil {
		info.WorkDir = parent.Info.WorkDir
	}
	for _, dir := range []string{own, info.ArtifactsDir, info.LogDir, info.WorkDir, info.SharedDir, filepath.Join(own, "run")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	prompts, err := f.prompts(definitions(def))
	if err != nil {
		return nil, err
	}
	r := &relative{}
	performers := []engine.Performer{&shell.Performer{}, &script.Performer{}, prompts}
	for i, p := range performers {
		performers[i] = &witnessed{p, f.calls}
	}
	r.Run = &enginetest.Run{
		Definition: def, Info: &info, RunDir: filepath.Join(own, "run"), Environ: environ(f.job.Environ), Performers: performers,
		Child: func(step string, call flow.Child) (*enginetest.Run, error) { return f.newChild(r, step, call) },
	}
	f.all = append(f.all, r)
	return r, nil
}

func (f *family) newChild(parent *relative, step string, call flow.Child) (*enginetest.Run, error) {
	i := slices.IndexFunc(parent.Definition.Children, func(d *flow.Definition) bool { return d.Name == call.Workflow })
	if i < 0 {
		return nil, fmt.Errorf("this program has no workflow %q", call.Workflow)
	}
	def := parent.Definition.Children[i]
	inputs, err := completed(def, call.Inputs)
	if err != nil {
		return nil, err
	}
	child, err := f.newRun(def, parent, inputs)
	if err != nil {
		return nil, err
	}
	child.step, child.path = step, path.Join(parent.path, step)
	if call.Worktree {
		if !f.job.Family.Worktrees {
			return nil, errors.New("a worktree cannot be made: this is no git repository")
		}
		child.worktree = true
		child.Info.WorkDir = filepath.Join(child.RunDir, "worktree")
		if err := os.CopyFS(child.Info.WorkDir, os.DirFS(parent.Info.WorkDir)); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	parent.children = append(parent.children, child)
	return child.Run, nil
}

// completed adds the defaults of inputs that are not given.
func completed(def *flow.Definition, given json.RawMessage) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	if len(given) > 0 {
		if err := json.Unmarshal(given, &values); err != nil {
			return nil, err
		}
	}
	for _, in := range def.Inputs {
		if _, ok := values[in.Name]; !ok {
			if in.Default == "" {
				return nil, fmt.Errorf("workflow %s needs the input %s", def.Name, in.Name)
			}
			values[in.Name] = json.RawMessage(in.Default)
		}
	}
	return json.Marshal(values)
}

// outcome returns what the job keeps of a run and its children. Paths and ids have
// placeholders.
func (f *family) outcome(r *relative, end flow.RunState) *FamilyRun {
	out := &FamilyRun{Step: r.step, Workflow: r.Definition.Name, Inputs: r.Info.Inputs, Worktree: r.worktree, End: end}
	places := f.places(r)
	for _, text := range []*string{&out.End.Summary, &out.End.Reason, &out.End.Error} {
		*text = places.Replace(*text)
	}
	out.End.Outputs = json.RawMessage(places.Replace(string(end.Outputs)))
	for _, s := range r.Steps {
		s.Text = places.Replace(s.Text)
		if s.Failure != nil {
			failure := *s.Failure
			failure.Message = places.Replace(failure.Message)
			s.Failure = &failure
		}
		out.Steps = append(out.Steps, s)
		if s.Attempt > 0 {
			out.CostUSD += s.Meta.CostUSD
		}
	}
	for _, c := range r.children {
		out.Children = append(out.Children, f.outcome(c, f.end(c)))
	}
	return out
}

// places replaces what differs from one execution to the next by the names that
// recorded cases use.
func (f *family) places(r *relative) *strings.Replacer {
	all := append([]*relative{r}, f.all...)
	// The ids of runs that steps began may begin with that of their parent.
	slices.SortStableFunc(all, func(a, b *relative) int { return len(b.Info.ID) - len(a.Info.ID) })
	var pairs []string
	for _, run := range all {
		pairs = append(pairs, run.Info.ArtifactsDir, "$ARTIFACTS_DIR", run.Info.ID, "$RUN")
	}
	if r.Info.SharedDir != "" {
		pairs = append(pairs, r.Info.SharedDir, "$STATE_DIR")
	}
	pairs = append(pairs, r.Info.WorkDir, "$CWD")
	// A run that could not begin has no folders.
	for i := len(pairs) - 2; i >= 0; i -= 2 {
		if pairs[i] == "" {
			pairs = slices.Delete(pairs, i, i+2)
		}
	}
	return strings.NewReplacer(pairs...)
}

// prompts returns the performer of the prompts of workflows.
func (f *family) prompts(defs []*flow.Definition) (engine.Performer, error) {
	agents, names := map[string]agent.Agent{}, []string{"claude"}
	for _, def := range defs {
		names = append(names, def.Agents...)
	}
	for _, name := range names {
		if f.agents[name] == nil {
			a, err := scripted.New(f.calls.lists, scripted.Options{Unenforced: slices.Contains(f.job.BestEffort, name)})
			if err != nil {
				return nil, fmt.Errorf("read the replies: %w", err)
			}
			f.agents[name] = &speaker{f.calls, f.dir, a}
		}
		agents[name] = f.agents[name]
	}
	return agent.New(agent.Options{Agents: agents, Default: "claude", CheckReply: structured.Check}), nil
}

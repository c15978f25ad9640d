package runner

import (
	"cmp"
	"fmt"
	"maps"
	"os/exec"
	"path"
	"slices"

	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// commitAll makes a folder a git repository with one commit of all files. Engines make worktrees
// of it by git; the test engine copies the folder.
func commitAll(dir string) error {
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch", "main"}, {"add", "--all"},
		{"-c", "user.name=wfc", "-c", "user.email=wfc@localhost", "-c", "commit.gpgsign=false", "commit", "--quiet", "--allow-empty", "--message", "files"},
	} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, said)
		}
	}
	return nil
}

// process works on the first run, and those that its steps begin, until it ends or pauses.
func (f *family) process() (flow.RunState, error) {
	if f.world == nil {
		return f.top.Continue()
	}
	process := f.said
	if process == nil {
		process = func() (flow.RunState, error) { return f.world.Process() }
	}
	f.said = nil
	end, err := process()
	f.adopt(f.top)
	return end, err
}

// say answers a question of a run before the next process.
func (f *family) say(run *relative, key string, step FamilyStep, result flow.Result) {
	if f.world == nil {
		run.Answer(key, result)
		return
	}
	a := store.Answer{Key: key, Choice: step.Choice, Text: step.Text, By: result.Meta.By}
	f.said = func() (flow.RunState, error) { return f.world.Answer(run.Info.ID, a) }
}

// end is how a run ended that a step began.
func (f *family) end(r *relative) flow.RunState {
	if f.world == nil {
		return r.End()
	}
	return f.world.End(r.Info.ID)
}

// adopt adds the runs that a world has begun for the steps of a run.
func (f *family) adopt(parent *relative) {
	started := map[string]int64{}
	for _, s := range parent.Steps {
		started[s.Key] = s.Started.UnixNano()
	}
	steps := slices.SortedFunc(maps.Keys(parent.Children), func(a, b string) int {
		return cmp.Or(cmp.Compare(started[a], started[b]), cmp.Compare(a, b))
	})
	for _, step := range steps {
		run := parent.Run.Children[step]
		i := slices.IndexFunc(f.all, func(r *relative) bool { return r.Info.ID == run.Info.ID })
		if i < 0 {
			i = len(f.all)
			f.all = append(f.all, &relative{step: step, path: path.Join(parent.path, step), worktree: worktree(f.top.Run, run)})
			parent.children = append(parent.children, f.all[i])
		}
		f.all[i].Run = run
		f.adopt(f.all[i])
	}
}

// worktree reports whether a run works in another folder than the project.
func worktree(top, run *enginetest.Run) bool { return run.Info.WorkDir != top.Info.WorkDir }

// definitions returns a workflow and those that its runs can begin.
func definitions(def *flow.Definition) []*flow.Definition {
	list := []*flow.Definition{def}
	for _, child := range def.Children {
		list = append(list, definitions(child)...)
	}
	return list
}

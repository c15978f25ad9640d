// Package confine runs the programs of actions in the sandbox: it decides what an action may
// reach, from the settings and the tables of grants, and says what was refused.
package confine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Run has the sandbox of a run. Its methods are safe for concurrent use; the fields do not
// change. A nil Run has none.
type Run struct {
	Settings *settings.Sandbox
	Info     *flow.RunInfo
	// Dir is the run's own folder.
	Dir string
	// Environ returns the environment of the run, as os.Environ has it.
	Environ func() []string

	nodes stepkey.Nodes

	opening sync.Once
	box     *sandbox.Box
	fault   error  // why there is no box
	ended   func() // notes the end of the box

	turns turns
	found findings // of the steps that were observed

	finding            struct{ tree, tools, outside, width sync.Once }
	tree               tree
	tooWide            error    // says that the work tree has what the sandbox is to hide
	tools, caches      []string // the folders of tools and of packages that are there
	programs, settings []string // what is executed and read outside of the sandbox; see findOutside
	begun              look     // when that was found

	mu   sync.Mutex
	nets map[string]*network // by the hosts that are granted
	over bool
}

// New returns the sandbox of a run, or nil if none of its actions needs one.
func New(s *settings.Sandbox, def *flow.Definition, info *flow.RunInfo, dir string, environ func() []string) *Run {
	if !s.Wanted() {
		return nil
	}
	return &Run{Settings: s, Info: info, Dir: dir, Environ: environ, nodes: stepkey.NewNodes(def.Nodes), nets: map[string]*network{}}
}

// Prepare begins to open the sandbox, beside the store's first commit. Info and what Environ
// reads must be known by then.
func (r *Run) Prepare() {
	if r != nil && r.Settings.Has(settings.SandboxOn) {
		go r.openBox()
	}
}

// A launched is the first process of a box, or why it did not start. ended notes its end.
type launched struct {
	first *sandbox.First
	ended func()
	fault error
}

// launch launches it, for a run whose state is in a folder.
func launch(stateFolder string) (l launched) {
	l.first, l.fault = sandbox.Launch(sandbox.DefaultLimits(), filepath.Join(stateFolder, "system-files"), func(start func() (int, error)) (err error) {
		l.ended, err = process.Register(start)
		return err
	})
	return l
}

// ahead is what Ahead has launched, for the first run that needs it.
var ahead atomic.Pointer[func() launched]

// Ahead begins to make the sandbox of the run that this process will begin, if it needs one,
// beside what is done until then.
func Ahead(s *settings.Sandbox, stateFolder string) {
	if !s.Has(settings.SandboxOn) {
		return
	}
	once := sync.OnceValue(func() launched { return launch(stateFolder) })
	ahead.Store(&once)
	go once()
}

// openBox returns the box, which it opens for the first action that needs it.
func (r *Run) openBox() (*sandbox.Box, error) {
	r.opening.Do(func() {
		var l launched
		if begun := ahead.Swap(nil); begun != nil {
			l = (*begun)()
		} else {
			l = launch(r.stateFolder())
		}
		if r.ended, r.fault = l.ended, l.fault; r.fault != nil {
			return
		}
		usual := &step{run: r, folder: filepath.Join(r.Dir, "steps", "any"), tree: r.workTree()}
		if r.box, r.fault = l.first.Open(usual.reach(grants.Reach{}), func() {
			r.turns.mu.Lock()
			defer r.turns.mu.Unlock()
			r.turns.all = r.guardsOf(&usual.tree)
			r.turns.latest = r.begun
			r.turns.inner.read(r.repository()) // the end of a step needs it
		}); r.fault != nil {
			r.ended()
		}
	})
	return r.box, r.fault
}

// Close ends what still runs in the sandbox.
func (r *Run) Close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.over = true
	nets := r.nets
	r.nets = nil
	r.mu.Unlock()
	r.opening.Do(func() { r.fault = errors.New("the run has ended") })
	if r.box != nil {
		r.box.Close(r.ended)
	}
	for _, n := range nets {
		n.close()
	}
}

// Enter returns a context in which the programs of an attempt at an action start in the sandbox,
// if the settings say so. leave is called with the result of the attempt, and returns it with
// what the sandbox refused, if it failed. note takes a text for the log of the step.
func (r *Run) Enter(ctx context.Context, a flow.Action, number int, note func(text string)) (_ context.Context, leave func(flow.Result) flow.Result, err error) {
	stay := func(result flow.Result) flow.Result { return result }
	if r == nil {
		return ctx, stay, nil
	}
	prompt, _ := a.Payload.(flow.Prompt)
	node, _ := r.nodes.Of(a.Key)
	mode, _ := r.Settings.Of(a.Payload.Kind(), prompt.Agent, node.Key)
	if mode == settings.SandboxOff {
		leave, err := r.beginTrustedWork()
		return ctx, leave, err
	}
	s, err := r.newStep(a, number)
	if err != nil {
		return ctx, stay, err
	}
	if mode == settings.SandboxReport {
		return s.observePrograms(ctx, note)
	}
	s.note = note
	if err := s.beginWork(); err != nil {
		return ctx, stay, err
	}
	return process.WithContainer(ctx, s), s.finishAttempt, nil
}

// newStep makes an attempt at an action that is not off. It opens the box if the action is in it.
func (r *Run) newStep(a flow.Action, number int) (s *step, err error) {
	prompt, _ := a.Payload.(flow.Prompt)
	node, _ := r.nodes.Of(a.Key)
	mode, names := r.Settings.Of(a.Payload.Kind(), prompt.Agent, node.Key)
	s = &step{run: r, action: a, folder: r.stepFolder(a.Key, number)}
	if mode == settings.SandboxOn {
		if s.box, err = r.openBox(); err != nil {
			return nil, fmt.Errorf("this machine has no sandbox: %w; `wfc doctor` says what is missing, and `--sandbox=off` runs without one", err)
		}
	}
	if s.grant, err = r.grantPlace().Resolve(names, r.Settings.Sets); err != nil {
		return nil, err
	}
	// Of scripts in bash, few have files, and the folder is made with these.
	if _, ok := a.Payload.(flow.Bash); !ok {
		if err := os.MkdirAll(s.folder, 0o700); err != nil {
			return nil, fmt.Errorf("make a folder for the step in the sandbox: %w", err)
		}
	}
	s.tree = r.workTree()
	s.guard = s.policyFor(s.grant)
	return s, nil
}

// stepFolder is the folder of an attempt at an action.
func (r *Run) stepFolder(key string, number int) string {
	return filepath.Join(r.Dir, "steps", fmt.Sprintf("%s.%d", process.FileName(key), number))
}

// findToolFolders finds the folders of tools and caches. What comes later is for the next run.
func (r *Run) findToolFolders() {
	r.finding.tools.Do(func() {
		place := r.grantPlace()
		r.tools = slices.DeleteFunc(sandbox.Existing(place.ToolFolders()), holdsGitSecrets)
		r.caches = sandbox.Existing(place.Caches())
	})
}

func (r *Run) grantPlace() grants.Place {
	environ := r.Environ()
	return grants.Place{Home: r.homeFolder(), Project: r.Info.WorkDir, Getenv: func(name string) string { return process.Variable(environ, name) }}
}

func (r *Run) homeFolder() string {
	home, _ := os.UserHomeDir() // without one, nothing is there to hide
	return cmp.Or(process.Variable(r.Environ(), "HOME"), home)
}

// A step is an attempt at an action in the sandbox.
type step struct {
	run    *Run
	box    *sandbox.Box
	action flow.Action
	grant  grants.Reach
	folder string
	tree   tree
	guard  *sandbox.Policy // of programs without grants of their own
	note   func(string)    // takes a text for the log, or is nil

	mu     sync.Mutex
	found  []string        // the guarded files that are there when the first program starts, if they are known
	policy *sandbox.Policy // of the last program
	doors  []*door
}

// Folder implements process.Container.
func (s *step) Folder() string { return s.folder }

// Start implements process.Container.
func (s *step) Start(cmd *exec.Cmd, tag uint64, readOnly bool) (process.Contained, error) {
	r := s.run
	grant, p := s.grantOf(cmd, readOnly)
	if err := r.makeSessions(grant); err != nil {
		return nil, fmt.Errorf("make a place for the sessions of the agent: %w", err)
	}
	if err := r.checkWidth(); err != nil {
		return nil, err
	}
	n, err := r.ensureNetwork(s.box, grant.Hosts)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.policy = p
	shown := *p
	shown.Found, s.found = s.found, nil
	d, err := n.doorOf(s, s.box)
	if err == nil && !slices.Contains(s.doors, d) {
		s.doors = append(s.doors, d)
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	cmd.Env, cmd.Dir = d.proxyEnviron(cmd.Env), cmp.Or(cmd.Dir, r.Info.WorkDir)
	if !filepath.IsAbs(cmd.Path) { // inside, this process's folder is no start
		cmd.Path = filepath.Join(cmd.Dir, cmd.Path)
	}
	child, err := s.box.Start(cmd, &shown, n.inside, tag)
	if err != nil {
		return nil, err
	}
	return child, nil
}

// grantOf returns what a program is granted, and what it may reach.
func (s *step) grantOf(cmd *exec.Cmd, readOnly bool) (grant grants.Reach, p *sandbox.Policy) {
	grant, p = s.grant, s.guard
	if _, ok := s.action.Payload.(flow.Prompt); ok {
		grant = grant.With(s.run.grantPlace().Agent(cmd.Args[0]))
		p = s.policyFor(grant)
	}
	if readOnly && !p.ReadOnly {
		reads := *p
		reads.ReadOnly = true
		p = &reads
	}
	return grant, p
}

// checkWidth returns an error if the work tree has what the sandbox is to hide.
func (r *Run) checkWidth() error {
	r.finding.width.Do(func() {
		tree := r.workTree()
		if top, home := sandbox.RealPath(tree.top), sandbox.RealPath(r.homeFolder()); top == home || top == "/" || strings.HasPrefix(home, top+"/") {
			r.tooWide = fmt.Errorf("the sandbox would show everything: the work tree %s is or contains your home folder; run the workflow in a separate folder", tree.top)
		} else if tree.top == r.stateFolder() {
			r.tooWide = fmt.Errorf("the sandbox would show the states of runs: the work tree %s is the state folder; choose another one by `--state`", tree.top)
		}
	})
	return r.tooWide
}

// policyFor returns what programs with a grant may reach, with the guards.
func (s *step) policyFor(grant grants.Reach) *sandbox.Policy {
	p, guards := s.reach(grant), s.run.guardsOf(&s.tree)
	p.Guarded, p.GuardedFiles, p.Programs = guards.Guarded, guards.GuardedFiles, guards.Programs
	return p
}

// reach returns what programs with a grant may reach, but for guards.
func (s *step) reach(grant grants.Reach) *sandbox.Policy {
	r := s.run
	r.findToolFolders()
	own := []string{r.Info.ArtifactsDir, s.folder}
	if r.Info.SharedDir != "" {
		own = append(own, r.Info.SharedDir)
	}
	p := &sandbox.Policy{WorkTree: s.tree.top}
	p.ReadOnly, p.Kept, p.Home, p.Hidden = s.action.ReadOnly, []string{r.Info.WorkDir}, r.homeFolder(), []string{r.stateFolder()}
	p.Read = slices.Concat(r.tools, s.tree.read, grant.Read)
	p.Write = slices.Concat(own, s.tree.write, grant.Write)
	p.Private = slices.Concat(r.caches, grant.Private)
	for _, path := range grant.Sessions {
		p.Replaced = append(p.Replaced, sandbox.Replacement{Path: path, By: r.sessionsOf(path)})
	}
	return p
}

// stateFolder is the folder with the states of all runs.
func (r *Run) stateFolder() string { return filepath.Dir(filepath.Dir(r.Dir)) }

// finishAttempt ends the attempt, and adds to its failure what the sandbox refused.
func (s *step) finishAttempt(result flow.Result) flow.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = os.RemoveAll(s.folder)
	var refused []refusal
	for _, d := range s.doors {
		refused = append(refused, d.leave()...)
	}
	said := ""
	if result.Failure != nil {
		said = result.Failure.Message // without what endWork adds
	}
	result = s.endWork(result)
	if result.Status == flow.Completed && s.note != nil { // nobody else says it
		for _, r := range refused {
			if r.failed == nil {
				s.note("the sandbox refused " + r.host)
			}
		}
	}
	if result.Status != flow.Failed || result.Failure == nil || result.Failure.Reason == "sandbox" {
		return result
	}
	if hints := s.refusalHints(said, refused); hints != "" {
		f := *result.Failure
		f.Message += hints
		result.Failure = &f
	}
	return result
}

// Package embedding opens engines for Go programs that run workflows: the store, the
// agents and the performers in one call.
//
// A package that `wfc gen --engine` wrote has a function Open. It calls embedding.Open with
// the performers and agents that the workflow needs, and with the settings that wfc.yaml
// had when the code was generated:
//
//	e, err := triage.Open(ctx)
//	if err != nil {
//		return err
//	}
//	defer e.Shutdown(context.Background())
//	out, err := triage.Run(ctx, e, triage.Inputs{Arguments: "dark mode please"})
//
// To open an engine for several workflows, pass the needs of each, then the program's own
// options; later options override earlier ones:
//
//	e, err := embedding.Open(ctx, triage.Options(), release.Options(), embedding.Options{
//		AgentFuncs: map[string]embedding.AgentFunc{"": askMyModel},
//	})
//
// A program links only the agents, performers and stores that its options name, besides
// the store in memory and the kinds of agents "command" and "scripted".
//
// A test keeps the runs in memory, works in separate folders, and answers the prompts:
//
//	e, err := triage.Open(t.Context(), embedding.Options{
//		Dir: t.TempDir(), OpenStore: memory.OpenState,
//		Defaults:   settings.Project{State: t.TempDir()},
//		AgentFuncs: map[string]embedding.AgentFunc{"": reply},
//	})
package embedding

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// Options say what an engine is made of. The zero value is an engine that keeps
// runs in memory and performs nothing.
type Options struct {
	// Dir is the project's folder, in which new runs work; "" is the current one.
	Dir string
	// OpenStore opens the store in the state folder, such as entstore.OpenState. If it
	// and OpenDatabase are nil, runs are kept in memory. An engine has one store: options
	// with either of the two override both of earlier ones, and OpenDatabase overrides
	// OpenStore.
	OpenStore func(ctx context.Context, dir string) (store.Store, error)
	// OpenDatabase, such as postgres.OpenURL, opens the store in the database of a URL:
	// the value of WFC_DATABASE_URL in this process's environment or, if that is empty,
	// Defaults.Database.
	OpenDatabase func(ctx context.Context, url string) (store.Store, error)
	// Workflows are the workflows whose runs Engine.Answer and Engine.ResumeAll continue. The
	// Options of a generated package have its workflow.
	Workflows []*flow.Definition
	// Performers perform the workflow's actions except prompts: one performer for each kind
	// of payload that the workflow has. Package runtime/engine lists the kinds and their
	// performers. A performer of prompts among them replaces Kinds, CheckReply and AgentFuncs.
	Performers []engine.Performer
	// Kinds are the kinds of agents, beside programs ("command") and files of
	// replies ("scripted"), that Defaults.Agents may name.
	Kinds []agent.Kind
	// CheckReply validates structured replies: structured.Check. It may be nil only
	// when no prompt has a schema.
	CheckReply agent.Check
	// AgentFuncs are Go functions that answer prompts, by the agent's name. (Asker is for the
	// questions that a run asks people.) They override Defaults.Agents. The one under ""
	// answers every prompt whose agent is not in the map. With Workflows, every other name must be
	// one of an agent of theirs, of a workflow that they run, or of Defaults.
	AgentFuncs map[string]AgentFunc
	// Defaults are the project's settings.
	Defaults settings.Project
	// Environ is the environment of processes, as os.Environ has it; nil means this
	// process's. The variables in Defaults.Environ are added and override those in it.
	Environ []string
	// Watch receives notices of everything that happens in runs; see local.Config. It may
	// be nil.
	Watch func(local.Notice)
	// Asker asks somebody in this process the questions of runs. If it is nil, a run that
	// only waits for answers pauses.
	Asker engine.Asker
}

// Open opens an engine. Later options override earlier ones, except that Open joins their
// Workflows, Performers, Kinds and AgentFuncs, and merges their Defaults by
// settings.Project.With. The later one counts if two performers have the same kind, or if two
// workflows, two kinds, two functions in AgentFuncs or two agents in Defaults have the same name. The engine owns its store:
// Shutdown closes it. Without any options the engine keeps runs in memory and performs
// nothing. A name in AgentFuncs that no agent has is an error.
//
// The state folder is the value of WFC_STATE in this process's environment, else
// Defaults.State, else the folder that state.Locate returns for Dir.
func Open(ctx context.Context, options ...Options) (*local.Engine, error) {
	var o Options
	for _, more := range options {
		o = o.overriddenBy(more)
	}
	return o.openEngine(ctx)
}

func (o *Options) openEngine(ctx context.Context) (*local.Engine, error) {
	if err := o.checkAgentFuncs(); err != nil {
		return nil, err
	}
	performers, err := o.allPerformers()
	if err != nil {
		return nil, err
	}
	folder, err := o.stateFolder()
	if err != nil {
		return nil, err
	}
	opened, err := o.openStore(ctx, folder)
	if err != nil {
		return nil, err
	}
	d := &o.Defaults
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	program, err := os.Executable()
	if err != nil {
		program = filepath.Base(os.Args[0])
	}
	e, err := local.New(local.Config{
		Store: opened, OwnsStore: true, State: folder.Path, Program: program, Workflows: o.Workflows, Performers: performers, MaxParallel: d.MaxParallel,
		Environ: append(environ[:len(environ):len(environ)], d.Environ...), ScriptVariables: d.PassEnv.Scripts,
		SecretVariables: envvar.SecretNames(o.Performers, d.Agents), OnInterrupt: d.OnInterrupt, Sandbox: d.Sandbox, Watch: o.watchRuns(opened, folder, program), Asker: o.Asker,
		Budgets:  d.Budgets,
		Notices:  local.Notices{Notify: d.Notify},
		Defaults: local.Options{WorkDir: o.Dir, BaseBranch: d.BaseBranch, DocsDir: d.DocsDir, DeliverTo: d.DeliverTo, Limits: d.Limits},
	})
	if err != nil {
		return nil, cmp.Or(opened.Close(), err)
	}
	return e, nil
}

// checkAgentFuncs returns an error if a function answers for an agent that no workflow and no setting
// has: its prompts would go to another agent, which may cost money.
func (o *Options) checkAgentFuncs() error {
	if len(o.Workflows) == 0 {
		return nil // Engine.Run gets the workflows
	}
	var known []string
	for _, w := range flow.Reachable(o.Workflows...) {
		known = append(known, w.Agents...)
	}
	for _, a := range o.Defaults.Agents {
		known = append(known, a.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range slices.Sorted(maps.Keys(o.AgentFuncs)) {
		if name != "" && !slices.Contains(known, name) {
			return fmt.Errorf("AgentFuncs: %s", plain.UnknownName("agent", name, known))
		}
	}
	return nil
}

// stateFolder is the state folder.
func (o *Options) stateFolder() (state.Folder, error) {
	dir := o.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return state.Folder{}, fmt.Errorf("the current folder: %w", err)
		}
	}
	given := o.Defaults.State
	if os.Getenv("WFC_STATE") != "" {
		given = ""
	}
	return state.Locate(given, dir)
}

// openStore opens the store.
func (o *Options) openStore(ctx context.Context, folder state.Folder) (store.Store, error) {
	switch {
	case o.OpenDatabase != nil:
		url := cmp.Or(os.Getenv("WFC_DATABASE_URL"), o.Defaults.Database)
		if url == "" {
			return nil, fmt.Errorf("the engine keeps its runs in a database: set WFC_DATABASE_URL or Defaults.Database to its URL, such as postgres://user@host/name")
		}
		return o.OpenDatabase(ctx, url)
	case o.OpenStore != nil:
		return o.OpenStore(ctx, folder.Path)
	}
	return memory.OpenState(ctx, folder.Path)
}

// allPerformers are those of the options, and the one of prompts unless they have
// one themselves.
func (o *Options) allPerformers() ([]engine.Performer, error) {
	for _, p := range o.Performers {
		if p.Kind() == (flow.Prompt{}).Kind() {
			return o.Performers, nil
		}
	}
	agents := engine.Agents{
		List: o.Defaults.Agents, PassEnv: o.Defaults.PassEnv.Agents, Secrets: envvar.SecretNames(o.Performers, o.Defaults.Agents),
	}
	others, err := prompts.Opener(o.CheckReply, o.Kinds...)(agents)
	if err != nil {
		return nil, err
	}
	prompts := engine.Performer(others)
	if len(o.AgentFuncs) > 0 {
		prompts = &answering{answers: o.AgentFuncs, check: o.CheckReply, others: others}
	}
	return append(o.Performers[:len(o.Performers):len(o.Performers)], prompts), nil
}

// overriddenBy returns the options overridden by those that more sets.
func (o Options) overriddenBy(more Options) Options {
	o.Dir = cmp.Or(more.Dir, o.Dir)
	if more.OpenStore != nil || more.OpenDatabase != nil {
		o.OpenStore, o.OpenDatabase = more.OpenStore, more.OpenDatabase // an engine has one store
	}
	o.Workflows = mergeByName(o.Workflows, more.Workflows, func(d *flow.Definition) string { return d.Name })
	o.Performers = mergeByName(o.Performers, more.Performers, engine.Performer.Kind)
	o.Kinds = mergeByName(o.Kinds, more.Kinds, func(k agent.Kind) string { return k.Name })
	if more.CheckReply != nil {
		o.CheckReply = more.CheckReply
	}
	answers := maps.Clone(o.AgentFuncs)
	if answers == nil {
		answers = map[string]AgentFunc{}
	}
	maps.Copy(answers, more.AgentFuncs)
	o.AgentFuncs = answers
	o.Defaults = o.Defaults.With(more.Defaults)
	if more.Environ != nil {
		o.Environ = more.Environ
	}
	if more.Watch != nil {
		o.Watch = more.Watch
	}
	if more.Asker != nil {
		o.Asker = more.Asker
	}
	return o
}

// mergeByName is a list with more behind it, without elements of the list whose name
// one of more has.
func mergeByName[T any](list, more []T, name func(T) string) []T {
	if len(more) == 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(old T) bool {
		return slices.ContainsFunc(more, func(m T) bool { return name(m) == name(old) })
	})
	return append(kept, more...)
}

// An AgentFunc is a Go function that answers the prompts of an agent, in place of that
// agent. It must be safe for concurrent use and return soon after ctx is done.
//
// The engine treats the result like an agent's reply. For a prompt with a schema
// (Request.Schema) the result must be JSON; if it does not satisfy the schema, the engine
// calls the function again with the problems in the prompt. The errors are those of
// agent.Agent.Turn: Failure.Class of a *flow.Failure decides whether the engine retries
// the node.
//
// An AgentFunc has no sessions: it gets each prompt without the earlier ones. Limits and budgets
// count what it reports by Request.ReportCost, which is never nil here.
type AgentFunc func(ctx context.Context, r *agent.Request) (string, error)

// Capabilities implements agent.Agent.
func (AgentFunc) Capabilities() agent.Capabilities { return agent.Capabilities{Forks: true} }

// Turn implements agent.Agent.
func (f AgentFunc) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	var spent flow.Meta
	reporting := *r
	reporting.ReportCost = func(m flow.Meta) {
		if spent = m; r.ReportCost != nil {
			r.ReportCost(m)
		}
	}
	text, err := f(ctx, &reporting)
	spent.Turns, spent.Model = max(1, spent.Turns), cmp.Or(spent.Model, r.Model)
	return &agent.Reply{Text: text, Meta: spent}, err
}

// answering performs prompts by functions, and those that no function answers by
// others.
type answering struct {
	answers map[string]AgentFunc
	check   agent.Check
	others  engine.Performer
	// performers are *agent.Performer by the agent's name.
	performers sync.Map
}

// Kind implements engine.Performer.
func (*answering) Kind() string { return flow.Prompt{}.Kind() }

// MayEdit reports whether an agent may change files; a Go function answers for itself.
func (p *answering) MayEdit(name string) bool {
	if p.answers[name] != nil || p.answers[""] != nil {
		return false
	}
	others, ok := p.others.(interface{ MayEdit(agent string) bool })
	return !ok || others.MayEdit(name)
}

// Perform implements engine.Performer.
func (p *answering) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	name := call.Action.Payload.(flow.Prompt).Agent
	f := p.answers[name]
	if f == nil {
		f = p.answers[""]
	}
	if f == nil {
		return p.others.Perform(ctx, call)
	}
	made, ok := p.performers.Load(name)
	if !ok {
		made, _ = p.performers.LoadOrStore(name, agent.New(agent.Options{Agents: map[string]agent.Agent{name: f}, CheckReply: p.check}))
	}
	return made.(*agent.Performer).Perform(ctx, call)
}

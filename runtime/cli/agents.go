package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// chooseAgents are the agents of a run: the project's, and those that were given in
// their place. secrets are the variables that are secrets.
func (s runSettings) chooseAgents(d settings.Project, secrets []string) (engine.Agents, error) {
	agents := engine.Agents{List: slices.Clone(d.Agents), PassEnv: d.PassEnv.Agents, Secrets: secrets, OnQuota: d.OnQuota, Concurrency: d.Concurrency}
	for _, given := range s.Agents {
		c, err := parseAgentChoice(given)
		if err != nil {
			return engine.Agents{}, err
		}
		agents.List = replaceAgent(agents.List, c)
	}
	return agents, nil
}

// parseAgentChoice reads one --agent.
func parseAgentChoice(given string) (settings.Agent, error) {
	name, behind, ok := strings.Cut(given, "=")
	kind, argument, full := strings.Cut(behind, ":")
	own := kind == settings.KindCommand || kind == settings.KindScripted
	if !ok || name == "" || kind == "" || (full || own) && argument == "" {
		return settings.Agent{}, usageError("invalid `--agent %s`: write NAME=command:PROGRAM, NAME=scripted:FILE, NAME=KIND or NAME=KIND:PROGRAM", given)
	}
	if kind == "use" {
		return settings.Agent{}, usageError("invalid `--agent %s`: only wfc.yaml can have an agent `use` another one", given)
	}
	return settings.Agent{Name: name, Kind: kind, Program: argument}, nil
}

// absoluteProgram makes the path in a choice absolute, for the run may be resumed from
// another folder. A program without a slash is looked up on PATH.
func absoluteProgram(c settings.Agent) (string, error) {
	if c.Kind == settings.KindScripted {
		return filepath.Abs(c.Program)
	}
	program, args, _ := strings.Cut(c.Program, " ")
	if !strings.ContainsAny(program, `/\`) {
		return c.Program, nil
	}
	path, err := filepath.Abs(program)
	return path + prefixNonEmpty(" ", args), err
}

// replaceAgent puts a choice in the place of the one that has its name. The project's
// settings are for the name and stay, but for those that are for another kind of
// agent: a model that it does not have, what it may do to the machine.
func replaceAgent(list settings.Agents, c settings.Agent) settings.Agents {
	worker, _ := list.Resolve(c.Name)
	before := worker.Kind
	if old, ok := list.Find(c.Name); ok {
		given := c
		c = old
		c.Use, c.Kind, c.Program, c.Args = "", given.Kind, given.Program, given.Args
		if base, ok := list.Resolve(c.Name); ok && base.Kind == c.Kind && c.Program == "" {
			c.Program, c.Args = base.Program, base.Args
		}
	}
	list = append(slices.DeleteFunc(list, func(old settings.Agent) bool { return old.Name == c.Name }), c)
	if before == c.Kind || before == "" {
		return list
	}
	for i := range list {
		if base, ok := list.Resolve(list[i].Name); ok && base.Name == c.Name {
			list[i] = forKind(list[i], c.Kind)
		}
	}
	return list
}

// forKind leaves out of a choice what was said of an agent of another kind.
func forKind(c settings.Agent, kind string) settings.Agent {
	if kind != settings.KindCommand && kind != settings.KindScripted {
		c.Model = "" // what they do with a model is theirs
	}
	c.Permission, c.BaseURL, c.KeyVariable, c.MaxTokens, c.Price = "", "", "", 0, nil
	return c
}

// tapeFor returns the tape of a run of a program, or nil.
func (s runSettings) tapeFor(c *call) *tape.Tape {
	if s.Record == "" && s.Replay == "" {
		return nil
	}
	def := c.program.Definition
	return &tape.Tape{
		Record: s.Record, Replay: s.Replay, Strict: s.Strict,
		Workflow: def.Name, Fingerprint: def.Fingerprint, Environ: c.hiddenVariables(),
	}
}

// newPerformers returns the performers of the workflow's nodes, with the agents
// that were chosen and a tape or nil, and among them that of prompts, or nil.
func (c *call) newPerformers(agents engine.Agents, t *tape.Tape) ([]engine.Performer, engine.PromptPerformer, error) {
	list := c.program.Performers
	if c.program.Prompts == nil {
		return list, nil, nil
	}
	prompts, err := c.newPromptPerformer(agents, t)
	if err != nil {
		return nil, nil, usageError("%v", err)
	}
	return append(list[:len(list):len(list)], prompts), prompts, nil
}

func (c *call) newPromptPerformer(agents engine.Agents, t *tape.Tape) (engine.PromptPerformer, error) {
	if t == nil {
		return c.program.Prompts(agents)
	}
	none, err := c.program.Prompts(engine.Agents{})
	taker, ok := none.(tape.Taker)
	if err != nil || !ok {
		return none, err
	}
	agents.List = slices.Clone(agents.List)
	for _, name := range c.program.askedAgents() {
		if _, ok := agents.List.Find(name); !ok && t.Replay != "" {
			agents.List = append(agents.List, settings.Agent{Name: name})
		}
	}
	return taker.Taped(agents, t)
}

// inspectAgents finds out about agents in the environment and folder of this process.
func (c *call) inspectAgents(ctx context.Context, prompts engine.PromptPerformer, q engine.Inspection) ([]engine.AgentState, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, failedError(fmt.Errorf("the current folder: %w", err))
	}
	q.Environ, q.WorkDir = c.processEnviron(), dir
	return prompts.Inspect(ctx, &q), nil
}

// checkNew looks, before a new run, for the programs that the workflow's steps start, and
// whether its agents could answer. The error says what every run lacks; others are warnings
// about programs that not every run needs.
func (c *call) checkNew(ctx context.Context, f runFlags, prompts engine.PromptPerformer) (others []string, err error) {
	if !f.unchecked {
		q := engine.Inspection{Environ: c.processEnviron()}
		if err := q.Ready(c.program.Needs, nil); err != nil {
			return nil, failedError(err)
		}
		others = q.MissingPrograms(c.program.MayNeed)
	}
	names := c.program.askedAgents()
	if err := checkPrices(c, f, prompts, names, true); err != nil {
		return nil, err
	}
	return others, c.checkAgents(ctx, f, prompts, names)
}

// checkAgents looks whether agents of the workflow could answer. The error says
// of each that could not why, and how that is mended. What cannot be told without
// asking a service does not stop a run.
func (c *call) checkAgents(ctx context.Context, f runFlags, prompts engine.PromptPerformer, names []string) error {
	if prompts == nil || f.unchecked || f.Replay != "" || len(names) == 0 {
		return nil
	}
	if err := checkPrices(c, f, prompts, names, false); err != nil {
		return err
	}
	states, err := c.inspectAgents(ctx, prompts, engine.Inspection{Names: names})
	if err != nil {
		return err
	}
	if err := (&engine.Inspection{}).Ready(nil, states); err != nil {
		return failedError(&unreadyError{err})
	}
	return nil
}

// checkPrices refuses agents whose turns a limit or budget in dollars could not count. Of an agent
// that is asked for several models, the price of one is enough unless the run is new: one that
// continues may be past the others, and if it is not, their turns are refused.
func checkPrices(c *call, f runFlags, prompts engine.PromptPerformer, names []string, isNew bool) error {
	quoter, ok := prompts.(spending.Quoter)
	if !ok || f.unchecked || f.Replay != "" {
		return nil
	}
	var refused []error
	for _, def := range flow.Reachable(c.program.Definition) {
		limit := costLimit(c, f, def)
		for _, name := range def.Agents {
			models := slices.DeleteFunc(slices.Clone(def.Models), func(m flow.ModelUse) bool { return m.Agent != name })
			if len(models) == 0 {
				models = []flow.ModelUse{{Agent: name}}
			}
			unpriced := slices.DeleteFunc(slices.Clone(models), func(m flow.ModelUse) bool {
				q := quoter.Quote(flow.Prompt{Agent: m.Agent, Model: m.Model})
				return !q.ByPrice || q.Price != nil
			})
			if limit == "" || len(unpriced) == 0 || !slices.Contains(names, name) || !isNew && len(unpriced) < len(models) {
				continue
			}
			q := quoter.Quote(flow.Prompt{Agent: name, Model: unpriced[0].Model})
			refused = append(refused, kernel.Unpriced(name, q.Model, limit))
		}
	}
	if len(refused) > 0 {
		return usageError("%w", errors.Join(refused...))
	}
	return nil
}

// costLimit names the limit or budget in dollars that counts the turns of a workflow's runs, or is
// "".
func costLimit(c *call, f runFlags, def *flow.Definition) string {
	budgets := c.program.Defaults.Budgets
	var graph *flow.GraphOptions
	if def.Graph != nil {
		graph = &flow.GraphOptions{Limits: f.graphLimits(def.Graph.Limits)}
	}
	return cmp.Or(sched.CostLimit(c.engineLimits(f.runSettings), def, graph), spending.CostBudget(spending.BudgetsOf(budgets.All, budgets.Workflows[def.Name], def.Name)))
}

// An unreadyError says why a run cannot continue here: its folder or agents.
type unreadyError struct{ error }

// An answering is an answer that somebody is about to record.
type answering struct {
	root   *local.RunStatus
	wait   flow.WaitKind
	choice string
}

// continues reports whether whoever records the answer also continues the run, so that its agents
// must be there. An event and a rejection are recorded in any case: a program reports the one only
// once, and the other may end the run.
func (a answering) continues(s *session) bool {
	_, remote := s.store.(cluster.Cluster)
	holder, _ := s.engine.Holder(a.root.ID)
	return !remote && holder == "" && a.wait != flow.WaitEvent && a.choice != kernel.ChoiceReject && local.EmbeddedIn(a.root.Settings) == ""
}

// checkAgentsOf looks whether the run's folder is there and the agents that it may ask could answer, if
// this program continues it with flags and its own settings.
func (s *session) checkAgentsOf(ctx context.Context, f runFlags, run *store.Run) (err error) {
	status := local.RunStatus{Run: *run}
	if err := (*worktree.Tree)(status.Worktree()).CheckPlace(run.ID, run.WorkDir); err != nil {
		return failedError(&unreadyError{err})
	}
	if f.runSettings, err = f.runSettings.mergeOver(run.Settings); err != nil {
		return failedError(err)
	}
	f.Record = "" // nothing is performed yet
	_, prompts, err := s.setupFor(f)
	if err != nil {
		return err
	}
	return s.checkAgents(ctx, f, prompts, s.agentsToAsk(ctx, f, run.ID))
}

// agentKinds are the kinds of agents that the program was built with; a workflow
// without prompts has none.
func (p *Program) agentKinds() []string {
	if p.Prompts == nil || len(p.askedAgents()) == 0 {
		return nil
	}
	prompts, err := p.Prompts(engine.Agents{})
	if err != nil {
		return []string{settings.KindCommand, settings.KindScripted} // no choice is no wrong choice
	}
	return prompts.AgentKinds()
}

// withoutOwn are the kinds that not every program has.
func withoutOwn(kinds []string) []string {
	return slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == settings.KindCommand || k == settings.KindScripted })
}

// askedAgents are the agents that the workflow asks, or one that its runs can begin.
func (p *Program) askedAgents() []string {
	var names []string
	for _, def := range flow.Reachable(p.Definition) {
		names = plain.AddNew(names, def.Agents...)
	}
	return names
}

// remainingAgents are the agents that a run may still ask: those of nodes that have not completed.
// A node that starts a workflow, and a state graph, may ask any.
func (p *Program) remainingAgents(steps []flow.Record) []string {
	if p.Definition.Graph != nil {
		return p.askedAgents()
	}
	done := map[string]bool{}
	for _, s := range steps {
		done[s.Key] = s.Status == flow.Completed // what was skipped may run after all
	}
	left, past, any := map[string]bool{}, map[string]bool{}, false
	var visit func(nodes []flow.NodeInfo, ended func(key string) bool)
	visit = func(nodes []flow.NodeInfo, ended func(key string) bool) {
		for _, n := range nodes {
			if ended(n.Key) {
				past[n.Agent] = true
			} else {
				left[n.Agent] = true
				any = any || n.Workflow != "" && n.Kind != "include"
			}
			visit(n.Inside, func(string) bool { return ended(n.Key) })
		}
	}
	visit(p.Definition.Nodes, func(key string) bool { return done[key] })
	return slices.DeleteFunc(p.askedAgents(), func(name string) bool { return !any && past[name] && !left[name] })
}

// usesBaseBranch reports whether the workflow reads the base branch, or one that its runs
// can begin does.
func (p *Program) usesBaseBranch() bool {
	return slices.ContainsFunc(flow.Reachable(p.Definition), func(def *flow.Definition) bool { return def.Uses.BaseBranch })
}

// agentNames are the names that --agent may give: those that the workflow has,
// and those that the project's agents for it use.
func (p *Program) agentNames() []string {
	names := p.askedAgents()
	for _, c := range p.Defaults.Agents {
		names = plain.AddNew(names, c.Name, c.Use)
	}
	return names
}

// Package prompts makes the performer of a program's prompts from the agents that the
// project's settings and the command line define:
//
//	open := prompts.Opener(structured.Check, claude.Kind())
//	prompts, err := open(engine.Agents{List: []settings.Agent{
//		{Name: "claude", Kind: "claude"},
//		{Name: "reviewer", Use: "claude", Model: "opus"},
//	}})
package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/command"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/recording"
	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/places"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Opener returns a function for cli.Program.Prompts: given the agents that settings
// and command line define, that function returns the performer of prompts, or an error
// about one of the agents. check validates structured replies; pass structured.Check, or
// nil only if no prompt has a schema. kinds are the kinds of agents that the program
// links besides "command" and "scripted".
//
// An agent of kind "command" has a program and its arguments. If Args is nil, Program is
// split at spaces into the program and its arguments, without any quoting; otherwise
// Program is the program alone, spaces included. For an agent of kind "scripted", Program
// is the path of a file of replies. An agent with Use inherits the settings of another
// one. Of two agents with the same name the later one counts. If there is exactly one
// agent, it also answers prompts that name none.
//
// A prompt whose agent is not defined fails when it is performed, not before: its node
// may never run.
func Opener(check agent.Check, kinds ...agent.Kind) func(engine.Agents) (engine.PromptPerformer, error) {
	return func(agents engine.Agents) (engine.PromptPerformer, error) {
		return newPrompts(check, kinds, agents, nil)
	}
}

// prompts performs prompts with the agents of choices.
type prompts struct {
	*agent.Performer
	check agent.Check
	kinds []agent.Kind
	// shared is what all agents share.
	shared engine.Agents
	// agents are the bindings by name.
	agents map[string]*binding
	// only is the agent for prompts that name none, or "".
	only string
}

// A binding is the agent of a name.
type binding struct {
	// choice is the choice at the end of the names that use each other, with the
	// settings of all of them. Its name is that of the last one.
	choice settings.Agent
	// found: there is such a choice.
	found bool
	agent agent.Agent
	// recorder and player are set if turns are recorded or replayed.
	recorder *recording.Recorder
	player   *recording.Player
	// uses are the name and those of the agents that it uses, in order.
	uses []string
}

func newPrompts(check agent.Check, kinds []agent.Kind, agents engine.Agents, t *tape.Tape) (*prompts, error) {
	choices := agents.List
	p := &prompts{check: check, kinds: kinds, shared: agents, agents: map[string]*binding{}}
	o := &opener{kinds: kinds, choices: make(map[string]settings.Agent, len(choices)), tape: t}
	if err := o.loadTape(); err != nil {
		return nil, err
	}
	for _, c := range choices {
		o.choices[c.Name] = o.resolveKnown(c)
	}
	s := agent.Options{Agents: make(map[string]agent.Agent, len(choices)), CheckReply: check}
	for _, c := range choices {
		if chosen := o.choices[c.Name]; chosen.Use == c.Name && o.player == nil {
			continue // there are settings for it, but it is not there
		}
		b, err := o.bindName(c.Name)
		if err != nil {
			return nil, err
		}
		p.agents[c.Name] = b
		s.Agents[c.Name] = b.agent
	}
	if len(s.Agents) == 1 {
		for name := range s.Agents {
			s.Default = name
		}
	}
	s.Environ, s.Complete, s.OnQuota = p.splitEnviron, p.completePrompt, p.quotaPolicy
	s.Quote = func(prompt flow.Prompt) (*settings.Price, bool) {
		q := p.Quote(prompt)
		return q.Price, q.ByPrice
	}
	s.Most, s.Local, s.Queue = p.mostTurns, p.isLocal, places.Machine()
	if t != nil {
		s.Record, s.Failed = p.recordTurn, p.noteFailure
	}
	p.Performer, p.only = agent.New(s), s.Default
	return p, nil
}

// Taped implements tape.Taker.
func (p *prompts) Taped(agents engine.Agents, t *tape.Tape) (engine.PromptPerformer, error) {
	return newPrompts(p.check, p.kinds, agents, t)
}

// AgentKinds implements engine.PromptPerformer.
func (p *prompts) AgentKinds() []string { return kindNames(p.kinds) }

func kindNames(kinds []agent.Kind) []string {
	names := []string{settings.KindCommand, settings.KindScripted}
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// MayEdit reports whether an agent may change files by its settings. Engines ask it about
// workflows that only ask agents; see flow.Definition.PromptsOnly.
func (p *prompts) MayEdit(name string) bool {
	b := p.agents[cmp.Or(name, p.only)]
	if b == nil || !b.found || b.choice.Kind == settings.KindScripted {
		return false
	}
	kind, ok := catalog.KindNamed(b.choice.Kind)
	switch {
	case !ok || kind.Program != "" && (len(b.choice.Args) > 0 || strings.Contains(b.choice.Program, " ")):
		return true // its program or its arguments may permit anything
	case len(kind.Permissions) == 0:
		return false
	}
	return cmp.Or(b.choice.Permission, kind.Permissions[0]) != kind.Permissions[0]
}

// splitEnviron returns an agent's part of an environment.
func (p *prompts) splitEnviron(name string, environ []string) (given, withheld []string) {
	var c settings.Agent
	if b := p.agents[name]; b != nil {
		c = b.choice
	}
	needs := slices.Clone(c.PassEnv)
	if c.KeyVariable != "" {
		needs = append(needs, c.KeyVariable)
	}
	if kind, ok := catalog.KindNamed(c.Kind); ok {
		needs = append(append(needs, kind.PassEnv...), kind.Credentials...)
	}
	return envvar.Divide(environ, needs, p.shared.PassEnv, p.shared.Secrets)
}

// An opener opens the agents of choices, equal ones only once.
type opener struct {
	kinds   []agent.Kind
	choices map[string]settings.Agent
	opened  []*binding
	// tape is that of all agents, or nil; it has a recorder or a player.
	tape     *tape.Tape
	recorder *recording.Recorder
	player   *recording.Player
}

// bindName returns the binding of a name: the agent that its choice opens, or that of
// the name that it uses. If there is none, the agent fails when it is asked.
func (o *opener) bindName(name string) (*binding, error) {
	c, uses, end := o.followUses(name)
	b := &binding{choice: c, uses: uses, found: end == "", recorder: o.recorder, player: o.player}
	if b.player != nil {
		b.found, b.agent = true, b.player.Agent(name) // the agent itself need not be there
		return b, nil
	}
	if !b.found {
		b.agent = absent{end}
		return b, nil
	}
	for _, other := range o.opened {
		if opensSameAgent(c, other.choice) {
			b.agent = other.agent
			return b, nil
		}
	}
	a, err := o.openAgent(c)
	if err != nil {
		return nil, fmt.Errorf("agent `%s`: %w", c.Name, err)
	}
	b.agent = a
	o.opened = append(o.opened, b)
	return b, nil
}

// followUses returns the choice at the end of the names that use each other, with the
// settings of all of them; those of the using name take precedence. uses are the names. end is the
// name without a choice, or "".
func (o *opener) followUses(name string) (c settings.Agent, uses []string, end string) {
	for n := range len(o.choices) + 1 {
		uses = append(uses, name)
		next, chosen := o.choices[name]
		if !chosen || next.Use == name {
			return c, uses, name
		}
		if n > 0 {
			next = mergeChoices(c, next)
		}
		if c = next; c.Use == "" {
			return c, uses, ""
		}
		name = c.Use
	}
	return c, uses, name // they use each other in a cycle
}

// resolveKnown resolves a choice whose kind is the name of a known agent: copilot is an
// agent of kind acp.
func (o *opener) resolveKnown(c settings.Agent) settings.Agent {
	a, ok := catalog.AgentNamed(c.Kind)
	if !ok || o.linkedKind(c.Kind) != nil || o.linkedKind(a.Kind) == nil {
		return c
	}
	c.Kind = a.Kind
	switch {
	case c.Program == "":
		c.Program, c.Args = a.Program, a.Args
	case c.Args == nil && !strings.Contains(c.Program, " "):
		c.Args = a.Args // another program that is called in the same way
	}
	return c
}

// linkedKind returns the kind of a name, if the program was built with it.
func (o *opener) linkedKind(name string) *agent.Kind {
	i := slices.IndexFunc(o.kinds, func(k agent.Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &o.kinds[i]
}

// openAgent opens the agent of a choice.
func (o *opener) openAgent(c settings.Agent) (agent.Agent, error) {
	switch c.Kind {
	case settings.KindCommand:
		words := append([]string{c.Program}, c.Args...)
		if c.Args == nil {
			words = strings.Fields(c.Program)
		}
		if len(words) == 0 || words[0] == "" {
			return nil, fmt.Errorf("missing program: write %s=command:PROGRAM", c.Name)
		}
		return command.New(words[0], words[1:]...), nil
	case settings.KindScripted:
		if c.Program == "" {
			return nil, fmt.Errorf("missing file of replies: write %s=scripted:FILE", c.Name)
		}
		return openScripted(c.Program)
	}
	if kind := o.linkedKind(c.Kind); kind != nil {
		return kind.Open(c)
	}
	return nil, o.unknownKindError(c)
}

// openScripted opens the agent of a file of replies.
func openScripted(path string) (agent.Agent, error) {
	text, err := wholefile.Source.Given(path)
	if err != nil {
		return nil, fmt.Errorf("read the scripted replies: %w", err)
	}
	a, err := scripted.New(text, scripted.Options{})
	if err != nil {
		return nil, fmt.Errorf("read the scripted replies in %s: %w", path, err)
	}
	return a, nil
}

// unknownKindError says that the program has no kind of the choice's name.
func (o *opener) unknownKindError(c settings.Agent) error {
	_, kind := catalog.KindNamed(c.Kind)
	_, known := catalog.AgentNamed(c.Kind)
	if kind || known {
		return fmt.Errorf("this program was built without agents of kind `%s`; it has: %s. Name the agent in wfc.yaml (`agents: {%s: {use: %s}}`) and build again",
			c.Kind, plain.NameList(kindNames(o.kinds)), c.Name, c.Kind)
	}
	return errors.New(plain.UnknownName("kind of agent", c.Kind, kindNames(o.kinds)))
}

// absent is an agent that another one uses and that nobody set up.
type absent struct{ name string }

// Capabilities implements agent.Agent.
func (absent) Capabilities() agent.Capabilities { return agent.Capabilities{} }

// Turn implements agent.Agent.
func (a absent) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	return nil, failures.Fatal(
		"node `%s` asks agent `%s`, which uses `%s`, which is not set up. Set it up with --agent %s=command:PROGRAM (in Go: `settings.Agent`)", r.Key, r.Agent, a.name, a.name)
}

// mergeChoices returns a choice with the settings of a choice that uses it. The kind and
// the program stay. The model and the system prompt are those of the using choice
// alone.
func mergeChoices(user, c settings.Agent) settings.Agent {
	all := user.Inherit(c)
	all.Name, all.Use, all.Kind, all.Program, all.Args = c.Name, c.Use, c.Kind, c.Program, c.Args
	all.Model, all.SystemPrompt = user.Model, user.SystemPrompt
	return all
}

// opensSameAgent reports whether two choices open the same agent, apart from the settings of
// prompts and processes.
func opensSameAgent(a, b settings.Agent) bool {
	for _, c := range []*settings.Agent{&a, &b} {
		c.SystemPrompt, c.PassEnv, c.Options, c.OnQuota = "", nil, nil, settings.Quota{}
		if c.Kind == settings.KindCommand || c.Kind == settings.KindScripted {
			c.Model = "" // others may have a price for it
		}
	}
	return reflect.DeepEqual(a, b)
}

// completePrompt gives a prompt the model and the system prompt of its agent's choice if it
// does not set them.
func (p *prompts) completePrompt(prompt flow.Prompt) flow.Prompt {
	b := p.agents[prompt.Agent]
	if b == nil {
		return prompt
	}
	prompt.Model = cmp.Or(prompt.Model, b.choice.Model)
	named := slices.ContainsFunc(prompt.Options, func(o flow.Option) bool { return o.Name == options.SystemPrompt })
	if b.choice.SystemPrompt != "" && !named {
		text := plain.MustEncodeJSON(b.choice.SystemPrompt)
		prompt.Options = append(slices.Clone(prompt.Options), flow.Option{Name: options.SystemPrompt, Value: string(text)})
	}
	return prompt
}

// quotaPolicy is the policy for prompts of an agent whose quota is used up.
func (p *prompts) quotaPolicy(name string) settings.Quota {
	own := settings.Quota{}
	if b := p.agents[name]; b != nil {
		own = b.choice.OnQuota
	}
	return own.Or(p.shared.OnQuota)
}

// Quote implements spending.Quoter.
func (p *prompts) Quote(prompt flow.Prompt) spending.Quote {
	prompt.Agent = cmp.Or(prompt.Agent, p.only)
	q := spending.Quote{Agent: prompt.Agent}
	b := p.agents[prompt.Agent]
	if b == nil {
		return q
	}
	kind, _ := catalog.KindNamed(b.choice.Kind)
	q.Model = kind.FullModel(p.completePrompt(prompt).Model)
	q.Price, q.Free = kind.PriceOf(b.choice, q.Model), b.player != nil
	q.ByPrice = kind.Cost == catalog.ByPrice && !q.Free
	if b.choice.Kind == settings.KindScripted {
		q.Price = &settings.Price{} // a reply says what it costs, or costs nothing
	}
	return q
}

// mostTurns is how many turns of an agent may take place at the same time: by its own limit, or by
// that of the first agent that it uses and that has one. The turns of a recording ask nobody.
func (p *prompts) mostTurns(name string) (owner string, most int) {
	b := p.agents[name]
	if b == nil || b.player != nil {
		return "", 0
	}
	for _, owner := range b.uses {
		if most := p.shared.Concurrency[owner]; most > 0 {
			return owner, most
		}
	}
	return "", 0
}

// isLocal reports whether an agent asks no service: its replies come from a file or a recording.
func (p *prompts) isLocal(name string) bool {
	b := p.agents[name]
	return b == nil || b.player != nil || b.choice.Kind == settings.KindScripted
}

// loadTape opens the tape of the agents, if there is one.
func (o *opener) loadTape() (err error) {
	switch {
	case o.tape == nil:
	case o.tape.Replay != "":
		o.player, err = recording.Play(o.tape)
	case o.tape.Record != "":
		o.recorder, err = recording.Open(o.tape)
	}
	return err
}

// recordTurn records a turn of an agent whose turns are recorded.
func (p *prompts) recordTurn(r *agent.Request, reply *agent.Reply, f *flow.Failure) error {
	b := p.agents[r.Agent]
	if b == nil || b.recorder == nil {
		return nil
	}
	return b.recorder.Turn(r, reply, f, recording.Source{Kind: b.choice.Kind, Native: b.agent.Capabilities().Structured})
}

// noteFailure notes that an attempt at a step has failed.
func (p *prompts) noteFailure(call *engine.Attempt) {
	prompt, _ := call.Action.Payload.(flow.Prompt)
	b := p.agents[cmp.Or(prompt.Agent, p.only)]
	if b == nil {
		return
	}
	var err error
	switch {
	case b.recorder != nil:
		err = b.recorder.Failed(call.Info.ID, call.Action.Key)
	case b.player != nil:
		err = b.player.Failed(call.RunDir, call.Action.Key)
	}
	if err != nil {
		call.Log.Warn("the recording does not note the failed attempt", "error", err.Error())
	}
}

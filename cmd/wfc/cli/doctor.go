package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	channel "github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/agent/codex"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// wfc links no SDK: three of them would make it many times larger, and slower to
// start. So the doctor checks by itself (glance) whether programs are installed, in which
// version, and signed in, and whether keys are set. Whether a service accepts a key, and a
// program opens a session, only a program that asks the agents can find out. With --deep the
// doctor builds one: a workflow that asks every
// agent in question, with the kinds that stand behind these and no others. It says
// of an agent exactly what `info --check` of a workflow's program would say.

// A doctor is the command `wfc doctor` with its flags.
type doctor struct {
	*app
	flags compileFlags
	json  bool
	deep  bool
	// from names the program whose project is checked, or is "".
	from string
	// channels are the targets of notices that were found.
	channels []channelReport
	missing  []missingThing
}

func doctorCommand(a *app) *cobra.Command {
	d := &doctor{app: a}
	cmd := &cobra.Command{
		Use:   "doctor [FILE|NAME…]",
		Short: "Check that agents and Go are installed, signed in and usable",
		Long: `doctor checks that every agent your workflows use is installed and signed in, and
prints a remedy otherwise. It takes less than a second, costs nothing, and contacts
no service. --deep also asks services whether they accept your key, and programs
whether they open a session. The first time, it builds a program for this.

FILE is a workflow, a folder or a pattern. Without FILE, doctor checks the agents of
the workflows below the current folder. Without any workflows, it checks all
agents that wfc knows and those of wfc.yaml.

doctor also prints which Go builds use, whether steps can run in the sandbox and what
this machine lacks for it, the state folder, which keeps the runs of the current
folder's project, the targets of notices, and the programs that steps start and this
machine lacks. The exit code is 1 if an agent cannot be used, if a run would not start,
if a target has no address, or if builds have no Go and may not download it.

--from checks a project of another program instead. It compiles each of its workflows
and says which wfc accepts as they are. It lists the others by reason with the lines that
they need, the missing files and programs, and the lines for wfc.yaml. The exit code is 1
if a run would not start or would miss a file; lines about permissions and the ends of
loops are advice.`,
		Example: "  wfc doctor\n  wfc doctor flows/triage.yaml --deep\n  wfc doctor --json\n  wfc doctor --from archon",
		RunE:    func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	d.flags.registerReading(cmd)
	cmd.Flags().BoolVar(&d.json, "json", false, "print one JSON document instead of text")
	cmd.Flags().StringVar(&d.from, "from", "", "report what a project of `PROGRAM` needs: "+strings.Join(originNames(), ", "))
	offerFlagValues(cmd, "from", originNames())
	cmd.Flags().BoolVar(&d.deep, "deep", false, "also test keys with services, and sessions with programs")
	return cmd
}

// An agentReport describes the state of an agent of one project.
type agentReport struct {
	engine.AgentState
	// Permission is "all" for an agent that may do anything to the machine.
	Permission string `json:"permission,omitempty"`
	// Config is the configuration that counts for it, or "".
	Config string `json:"config,omitempty"`
	// Workflows are those that ask it.
	Workflows []string `json:"workflows,omitempty"`
}

// An agentGroup is the agents that have one configuration.
type agentGroup struct {
	config *loadedConfig
	names  []string
	asking map[string][]string // the workflows that ask an agent
}

// doctorDocument is what --json prints.
type doctorDocument struct {
	SchemaVersion int           `json:"schema_version"`
	Agents        []agentReport `json:"agents"`
	Go            goState       `json:"go"`
	// StateFolder is the folder with the runs of the current folder's project.
	StateFolder string `json:"state_folder"`
	// Sandbox says whether steps can run in the sandbox.
	Sandbox sandboxState `json:"sandbox"`
	// Channels are the targets of notices.
	Channels []channelReport `json:"channels,omitempty"`
	// Missing is what runs of the workflows lack here.
	Missing []missingThing `json:"missing,omitempty"`
}

// A channelReport says whether notices can be sent to a target.
type channelReport struct {
	Target string `json:"target"`
	// Problem says what is missing, or is "".
	Problem string `json:"problem,omitempty"`
	Config  string `json:"config"`
}

// addChannels adds the targets of the notices about a workflow.
func (d *doctor) addChannels(c *loadedConfig, path string) {
	p := c.Settings(c.Dir)
	environ := c.environ()
	lookup := func(name string) string {
		for _, v := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(v, name+"="); ok && name != "" {
				return strings.TrimSpace(value)
			}
		}
		return ""
	}
	for _, t := range c.NotifyOf(path).Targets() {
		r := channelReport{Target: t, Config: c.name}
		if err := channel.Check(p.Channels, t, lookup); err != nil {
			r.Problem = err.Error()
		}
		d.channels = plain.AddNew(d.channels, r)
	}
}

// printChannels prints the targets of notices.
func (d *doctor) printChannels() {
	for _, c := range d.channels {
		fmt.Fprintf(d.Out, "Notices to %s: %s\n", plain.Line(c.Target), plain.Line(cmp.Or(c.Problem, "ready")))
	}
}

// A sandboxState says which layers of the sandbox this machine lacks.
type sandboxState struct {
	Usable  bool           `json:"usable"`
	Missing []missingLayer `json:"missing"`
	// Weak are layers that the machine has in part.
	Weak []missingLayer `json:"weak,omitempty"`
}

type missingLayer struct {
	Layer   string `json:"layer"`
	Problem string `json:"problem"`
	Remedy  string `json:"remedy,omitempty"`
}

func probeSandbox() sandboxState {
	s := sandboxState{Missing: []missingLayer{}}
	for _, m := range sandbox.Probe() {
		s.Missing = append(s.Missing, missingLayer{m.Layer, m.Why, m.Remedy})
	}
	if s.Usable = len(s.Missing) == 0; s.Usable {
		for _, m := range sandbox.Weaknesses() {
			s.Weak = append(s.Weak, missingLayer{m.Layer, m.Why, m.Remedy})
		}
	}
	return s
}

// String describes the state for people.
func (s sandboxState) String() string {
	text := "steps cannot run in it on this machine"
	if s.Usable {
		text = "steps can run in it"
	}
	for _, m := range slices.Concat(s.Missing, s.Weak) {
		text += "\n" + m.Layer + ": " + m.Problem
		if m.Remedy != "" {
			text += "\n→ " + m.Remedy
		}
	}
	return text
}

// A goState is the Go that builds of this machine use.
type goState struct {
	// Path is "" if there is none.
	Path    string `json:"path"`
	Version string `json:"version,omitempty"`
	// Downloaded says that wfc downloaded it.
	Downloaded bool `json:"downloaded"`
	// Problem says why there is none, or why it does not work.
	Problem string `json:"problem,omitempty"`
	// unusable says that builds cannot work.
	unusable bool
}

func (d *doctor) run(cmd *cobra.Command, args []string) error {
	switch {
	case cmd.Flags().Changed("from") && d.deep:
		return errors.New("--from and --deep exclude each other: --from checks files, and --deep agents")
	case cmd.Flags().Changed("from"):
		return d.reportMove(args)
	}
	groups, err := d.agentGroups(args)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	all := []agentReport{}
	for _, g := range groups {
		found, err := d.examineGroup(ctx, g)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	state, err := d.goState(ctx)
	if err != nil {
		return err
	}
	folder, err := d.folderHere(cmd)
	if err != nil {
		return err
	}
	contained := probeSandbox()
	if d.json {
		if err := d.printDocument(doctorDocument{SchemaVersion: 1, Agents: all, Go: state, StateFolder: folder.Path, Sandbox: contained, Channels: d.channels, Missing: d.missing}); err != nil {
			return err
		}
	} else {
		if err := d.printTable(all); err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "\nGo: %s\nSandbox: %s\nState folder: %s\n", plain.Indented(state.String(), "  "), plain.Indented(contained.String(), "  "), plain.Line(folder.Path))
		d.printChannels()
		d.printMissing()
	}
	if d.stopsRuns() || slices.ContainsFunc(d.channels, func(c channelReport) bool { return c.Problem != "" }) || state.unusable || slices.ContainsFunc(all, func(p agentReport) bool { return p.Usable == engine.No }) {
		return silentExit(ExitFindings)
	}
	return nil
}

// goState looks for the Go that builds would use.
func (d *doctor) goState(ctx context.Context) (goState, error) {
	builder, err := d.newBuilder("", "")
	if err != nil {
		return goState{}, err
	}
	var s goState
	s.Path, s.Version, s.Downloaded, err = builder.GoCommand(ctx)
	switch {
	case err != nil:
		s.Problem, s.unusable = err.Error(), true
	case s.Path == "":
		s.Problem = "no usable Go is installed; the next build downloads it"
	}
	return s, nil
}

// String describes the state for people.
func (s goState) String() string {
	if s.Problem != "" {
		return s.Problem
	}
	text := strings.TrimPrefix(s.Version, "go") + ", " + s.Path
	if s.Downloaded {
		text += ", downloaded by wfc"
	}
	return text
}

// agentGroups returns the agents to check, by their configurations: those of the given
// workflows, of all workflows, or, if there are none, all agents.
func (d *doctor) agentGroups(args []string) ([]*agentGroup, error) {
	given := orCurrentFolder(args)
	outcomes, err := d.compileWorkflows(&d.flags, given)
	if err != nil {
		return nil, err
	}
	if err := d.refuseConfigs(outcomes); err != nil {
		return nil, err
	}
	var groups []*agentGroup
	workflows := 0
	for _, o := range outcomes {
		if o.result == nil || o.isSkipped() {
			continue
		}
		workflows++
		if o.result.HasErrors() {
			fmt.Fprintf(d.Err, "wfc: %s has errors; `wfc check %s` shows them\n", plain.Line(o.input.name), plain.ShellWord(o.input.name))
		}
		d.addChannels(o.project.config, o.input.path)
		d.addMissingTools(o)
		if o.result.Workflow != nil {
			if err := checkBaseBranch(o); err != nil {
				d.addMissing(o, missingThing{Name: "base branch", Problem: err.Error(), Required: true})
			}
		}
		asks := agentsOf(o)
		i := slices.IndexFunc(groups, func(g *agentGroup) bool { return g.config == o.project.config })
		if i < 0 && len(asks) > 0 {
			groups, i = append(groups, &agentGroup{config: o.project.config, asking: map[string][]string{}}), len(groups)
		}
		for _, name := range asks {
			g := groups[i]
			if len(g.asking[name]) == 0 {
				g.names = append(g.names, name)
			}
			g.asking[name] = append(g.asking[name], o.input.name)
		}
	}
	switch {
	case workflows == 0 && len(args) > 0:
		return nil, errors.New("no workflows to check")
	case workflows == 0:
		g, err := d.allAgents()
		return []*agentGroup{g}, err
	}
	return groups, nil
}

// refuseConfigs returns the error for configurations with errors, after showing
// them, and for files that cannot be read: what they say of agents is not known.
func (d *doctor) refuseConfigs(outcomes []outcome) error {
	var configs []outcome
	for _, o := range outcomes {
		if o.err != nil {
			return o.err
		}
		if len(o.project.config.findings) > 0 {
			configs = append(configs, outcome{project: o.project})
		}
	}
	return d.refuseAny(configs, false)
}

// allAgents returns all agents of the current folder's project, and those that need
// no configuration.
func (d *doctor) allAgents() (*agentGroup, error) {
	pr, err := d.projects.currentProject()
	if err != nil {
		return nil, err
	}
	d.addChannels(pr.config, "")
	g := &agentGroup{config: pr.config, names: pr.config.Agents().Names()}
	g.names = plain.AddNew(g.names, catalog.AgentNames()...)
	return g, nil
}

// examineGroup looks at the agents of a configuration.
func (d *doctor) examineGroup(ctx context.Context, g *agentGroup) ([]agentReport, error) {
	look := d.inspectWithoutSDK
	if d.deep {
		look = d.lookDeep
	}
	states, err := look(ctx, g)
	if err != nil {
		return nil, err
	}
	resolved := g.config.Agents()
	var found []agentReport
	for _, s := range states {
		p := agentReport{AgentState: s, Config: g.config.name, Workflows: g.asking[s.Name]}
		if slices.ContainsFunc(resolved, func(a settings.Agent) bool { return a.Name == s.Name && isUnguarded(a) }) {
			p.Permission = "all"
		}
		found = append(found, p)
	}
	return found, nil
}

// glanceLimit is how long the doctor looks by itself. Programs that need longer
// to say their version have an unknown one.
const glanceLimit = 900 * time.Millisecond

// inspectWithoutSDK looks at agents without what needs an SDK: programs are asked for their
// versions and whether they are signed in, and of keys only their names are known.
func (d *doctor) inspectWithoutSDK(ctx context.Context, g *agentGroup) ([]engine.AgentState, error) {
	prompts, q, err := newInspection(g.config, g.names)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, glanceLimit)
	defer stop()
	states := prompts.Inspect(ctx, &q)
	q.Thorough = true
	q.Names = nil
	for _, s := range states {
		// What says it without the network.
		if s.Installed == engine.Yes && s.SignedIn == engine.Unknown && s.Problem == "" && (s.Kind == "claude" || s.Kind == "codex") {
			q.Names = append(q.Names, s.Name)
		}
	}
	if len(q.Names) > 0 && ctx.Err() == nil {
		for _, s := range prompts.Inspect(ctx, &q) {
			if i := slices.IndexFunc(states, func(t engine.AgentState) bool { return t.Name == s.Name }); s.SignedIn != engine.Unknown {
				states[i] = s
			}
		}
	}
	if ctx.Err() != nil {
		for i := range states {
			if s := &states[i]; s.Installed == engine.Yes && s.Version == "" && s.Program != "" {
				s.Problem = fmt.Sprintf("it did not report its version within %v; `wfc doctor --deep` waits longer", glanceLimit)
			}
		}
	}
	return states, nil
}

// newInspection returns what inspects agents of a configuration by name, and how.
func newInspection(c *loadedConfig, names []string) (engine.PromptPerformer, engine.Inspection, error) {
	p := c.Settings(c.Dir)
	performer, err := prompts.Opener(nil, glanceKinds()...)(engine.Agents{List: p.Agents, PassEnv: p.PassEnv.Agents})
	if err != nil {
		return nil, engine.Inspection{}, err
	}
	dir, err := os.Getwd()
	return performer, engine.Inspection{Names: names, WorkDir: dir, Environ: c.environ()}, err
}

// glanceKinds returns all kinds. The kinds that need an SDK have stand-ins.
func glanceKinds() []agent.Kind {
	kinds := []agent.Kind{claude.Kind(), codex.Kind()}
	for _, k := range catalog.Kinds() {
		if k.Name != "claude" && k.Name != "codex" {
			kinds = append(kinds, prompts.StandIn(k.Name))
		}
	}
	return kinds
}

// isUnguarded reports whether an agent may do anything to the machine.
func isUnguarded(a settings.Agent) bool {
	kind, _ := catalog.KindNamed(a.Kind)
	n := len(kind.Permissions)
	return n > 1 && a.Permission == kind.Permissions[n-1]
}

// lookDeep has a program of the agents' kinds look at them.
func (d *doctor) lookDeep(ctx context.Context, g *agentGroup) ([]engine.AgentState, error) {
	ask := &asking{name: "doctor", ask: g.names, behind: g.config.Settings(g.config.Dir).Agents, store: settings.StoreMemory}
	program, err := d.fromCache(ctx, ask.programFiles(), "doctor", "the program that asks the agents", nil)
	if err != nil {
		return nil, err
	}
	return d.askProgram(ctx, program)
}

// askProgram runs the program and reads what it found. That an agent is not usable is
// its exit code 1, and no failure.
func (d *doctor) askProgram(ctx context.Context, program string) ([]engine.AgentState, error) {
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "info", "--check", "--json")
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, &exitError{ExitInterrupted, errors.New("interrupted")}
	}
	var document struct {
		Agents []engine.AgentState `json:"agents"`
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return nil, fmt.Errorf("check the agents: %w", err)
	}
	if broken := json.Unmarshal(out.Bytes(), &document); broken != nil || document.Agents == nil {
		return nil, &exitError{ExitInternal, fmt.Errorf("the program that checks the agents failed: %w\n%s", cmp.Or(err, broken), strings.TrimSpace(messages.String()))}
	}
	return document.Agents, nil
}

// printTable prints a table, and below it what is wrong and what to do.
func (d *doctor) printTable(all []agentReport) error {
	if len(all) == 0 {
		fmt.Fprintln(d.Out, "no agents in use")
		return nil
	}
	rows := [][]string{{"AGENT", "KIND", "PROGRAM", "VERSION", "INSTALLED", "SIGNED IN", "USABLE"}}
	for _, p := range all {
		rows = append(rows, []string{p.Name, orDash(p.Kind), orDash(p.Program), orDash(p.Version),
			orDash(string(p.Installed)), orDash(string(p.SignedIn)), orDash(string(p.Usable))})
	}
	if err := d.writeTable(rows); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	for _, p := range all {
		for _, line := range p.remarkLines() {
			fmt.Fprintf(d.Out, "%s: %s\n", plain.Line(p.Name), plain.Indented(line, "  "))
		}
	}
	return nil
}

// remarkLines are what people should know of an agent beside the table.
func (p *agentReport) remarkLines() []string {
	var lines []string
	if p.Problem != "" {
		lines = append(lines, p.Problem)
	}
	if p.Hint != "" && !strings.Contains(p.Problem, p.Hint) {
		lines = append(lines, "→ "+p.Hint)
	}
	if p.Usable == engine.No && len(p.Workflows) > 0 {
		lines = append(lines, "used by "+plain.JoinAnd(p.Workflows))
	}
	if p.Permission != "" {
		lines = append(lines, fmt.Sprintf("may do anything to this machine without asking: `permission: %s` in %s", p.Permission, p.Config))
	}
	return lines
}

func orDash(text string) string { return cmp.Or(text, "-") }

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// infoDocument is what info knows of the workflow.
type infoDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Name          string `json:"name"`
	Description   string `json:"description"`
	Source        string `json:"source"`
	Fingerprint   string `json:"fingerprint"`
	State         string `json:"state_folder"`
	// Database is where the runs are when they are not in the state folder,
	// without its password.
	Database string      `json:"database,omitempty"`
	Inputs   []infoInput `json:"inputs"`
	Outputs  []string    `json:"outputs"`
	Agents   []infoAgent `json:"agents"`
	infoStart
	// Variables are those that the program reads, or that its processes can.
	Variables []string `json:"variables"`
	// Gates is what answers to questions need: any, terminal or token.
	Gates     settings.Gates `json:"gates"`
	Exclusive bool           `json:"exclusive"`
	// Sandbox has the nodes that run in the sandbox.
	Sandbox []infoSandbox `json:"sandbox,omitempty"`
	infoCluster
	// Returns is the node with the result, and OutcomeField its field with the verdict.
	Returns      string `json:"returns,omitempty"`
	OutcomeField string `json:"outcome_field,omitempty"`
	// Evidence says that a run completes only if it leaves evidence.json.
	Evidence bool `json:"evidence_required,omitempty"`
	// Deprecated says why not to use the workflow.
	Deprecated string                     `json:"deprecated,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Options    map[string]json.RawMessage `json:"options,omitempty"`
	Nodes      []infoNode                 `json:"nodes"`
	// Limits are those of a state graph, and TaskFolder is where the state of a
	// run that is begun here is kept.
	Limits     *document.Limits `json:"limits,omitempty"`
	TaskFolder string           `json:"task_folder,omitempty"`
}

// infoStart says what starts runs.
type infoStart struct {
	// Schedule is when the workflow is to run, and DeliverTo where its result goes
	// when no session says otherwise.
	Schedule  *infoSchedule `json:"schedule,omitempty"`
	DeliverTo []string      `json:"deliver_to,omitempty"`
	// Triggers are what starts runs while the command listen runs.
	Triggers []string `json:"triggers,omitempty"`
}

// infoCluster is for a program that is built for a cluster.
type infoCluster struct {
	// Workspace is where it finds files unless a flag says otherwise: host or none. FilesNode
	// is the first node that can use files, and Workers are the tags that nodes need.
	Workspace string   `json:"workspace,omitempty"`
	FilesNode string   `json:"files_node,omitempty"`
	Workers   []string `json:"worker_tags,omitempty"`
}

type infoInput struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Doc     string          `json:"description,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`
	// Required says that a run needs it.
	Required bool `json:"required"`
	// Replaces is the step whose output it is, given so that the step does not run.
	Replaces string `json:"replaces,omitempty"`
	// Items is the type of a list's items, and Choices are the only values.
	Items   string   `json:"items,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

type infoNode struct {
	Key   string   `json:"id"`
	Kind  string   `json:"kind"`
	After []string `json:"depends_on,omitempty"`
	Rule  string   `json:"trigger_rule,omitempty"`
	When  string   `json:"when,omitempty"`
	Agent string   `json:"agent,omitempty"`
	// Workflow is the workflow that the node includes or runs.
	Workflow string `json:"workflow,omitempty"`
	// Within is the include whose block contains the node.
	Within string `json:"within,omitempty"`
	Line   int    `json:"line,omitempty"`
	// File is the file of the line if it is not the workflow's own.
	File string `json:"file,omitempty"`
	// Inside are the nodes that it repeats, or runs for each item of a list.
	Inside []infoNode `json:"inside,omitempty"`
}

// infoNodes describes nodes.
func infoNodes(nodes []flow.NodeInfo) []infoNode {
	var list []infoNode
	for _, n := range nodes {
		info := infoNode{n.Key, n.Kind, n.After, n.Rule, n.When, n.Agent, n.Workflow, n.Include, n.Line, n.File, nil}
		if isGroup(n) {
			info.Inside = infoNodes(n.Inside)
		}
		list = append(list, info)
	}
	return list
}

// isGroup reports whether the nodes inside a node are a flow.
func isGroup(n flow.NodeInfo) bool {
	return (n.Kind == "loop" || n.Kind == "include") && len(n.Inside) > 0
}

// infoSandbox describes the sandbox of a node.
type infoSandbox struct {
	Node   string               `json:"node"`
	Mode   settings.SandboxMode `json:"mode"`
	Grants []string             `json:"grants,omitempty"`
}

// walkNodes visits nodes and those inside groups, whose path has the group's and a point before
// theirs.
func walkNodes(nodes []flow.NodeInfo, around string, visit func(path string, n flow.NodeInfo)) {
	for _, n := range nodes {
		visit(around+n.Key, n)
		if isGroup(n) {
			walkNodes(n.Inside, around+n.Key+".", visit)
		}
	}
}

// walkAll visits nodes and all those inside.
func walkAll(nodes []flow.NodeInfo, visit func(flow.NodeInfo)) {
	for _, n := range nodes {
		visit(n)
		walkAll(n.Inside, visit)
	}
}

// sandboxedNodes returns the nodes that run in the sandbox.
func sandboxedNodes(s *settings.Sandbox, nodes []flow.NodeInfo) (list []infoSandbox) {
	walkNodes(nodes, "", func(path string, n flow.NodeInfo) {
		kind := n.Kind
		if n.Agent != "" {
			kind = flow.Prompt{}.Kind()
		}
		mode, grants := s.Of(kind, n.Agent, path)
		if !isGroup(n) && mode != settings.SandboxOff && slices.Contains([]string{flow.Bash{}.Kind(), flow.Script{}.Kind(), flow.Prompt{}.Kind()}, kind) {
			list = append(list, infoSandbox{path, mode, grants})
		}
	})
	return list
}

// String describes the sandbox of a node in one line.
func (i infoSandbox) String() string {
	text := i.Node + ": " + string(i.Mode)
	if len(i.Grants) > 0 {
		text += " (grants " + strings.Join(i.Grants, ", ") + ")"
	}
	return text
}

func (a *app) newInfoDocument() (*infoDocument, error) {
	folder, err := a.stateFolder()
	if err != nil {
		return nil, err
	}
	def := a.program.Definition
	d := &infoDocument{
		SchemaVersion: schemaVersion, Name: def.Name, Description: def.Description, Source: def.Source,
		Fingerprint: def.Fingerprint, State: folder.Path, Exclusive: def.ExclusiveCheckout, Tags: def.Tags,
		Variables: []string{"WFC_STATE", "WFC_RUN_ID", "WFC_STEP_KEY"},
		Inputs:    []infoInput{}, Outputs: []string{}, // never null
		Gates: cmp.Or(a.program.Defaults.Gates.Mode, settings.GatesAny), Returns: def.Returns, OutcomeField: def.OutcomeField,
		Evidence: def.RequiresEvidence, Deprecated: def.Deprecated,
	}
	for _, def := range flow.Reachable(def) {
		d.Sandbox = append(d.Sandbox, sandboxedNodes(&a.program.Defaults.Sandbox, def.Nodes)...)
	}
	a.backend.addInfo(d)
	if d.Gates == settings.GatesToken {
		d.Variables = append(d.Variables, gateTokenVariable)
	}
	for _, in := range def.Inputs {
		d.Inputs = append(d.Inputs, infoInput{in.Name, in.Type, in.Doc, json.RawMessage(in.Default), in.Default == "", in.Replaces, in.Items, in.Choices})
	}
	d.DeliverTo = a.deliverTo("")
	if s, _ := cron.Parse(def.Schedule); s != nil {
		d.Schedule = &infoSchedule{s.Text, s.Describe()}
	}
	for i := range a.program.Triggers {
		d.Triggers = append(d.Triggers, a.program.Triggers[i].Name())
	}
	inner := map[string]bool{}
	for _, n := range def.Nodes {
		for _, key := range n.After {
			inner[key] = true
		}
	}
	d.Nodes = infoNodes(def.Nodes)
	if def.Graph != nil {
		d.Outputs = append(d.Outputs, lastNodes(def.Graph)...)
		limits := limitsOf(def.Graph.Limits)
		d.Limits, d.TaskFolder = &limits, a.taskFolder()
	}
	for _, n := range def.Nodes {
		if !inner[n.Key] && def.Graph == nil && def.Returns == "" || n.Key == def.Returns {
			d.Outputs = append(d.Outputs, n.Key)
		}
	}
	for _, o := range def.Labels {
		plain.PutEntry(&d.Options, o.Name, json.RawMessage(o.Value))
	}
	return d, nil
}

// infoSchedule is a schedule with what it says in words.
type infoSchedule struct {
	Cron        string `json:"cron"`
	Description string `json:"description"`
}

// calledWorkflows says which workflows the nodes of a workflow run, and the nodes of those.
func calledWorkflows(def *flow.Definition) []string {
	var list []string
	for i, def := range flow.Reachable(def) {
		walkAll(def.Nodes, func(n flow.NodeInfo) {
			switch {
			case n.Workflow != "" && i == 0:
				list = append(list, n.Workflow+" (node "+n.Key+")")
			case n.Workflow != "":
				list = append(list, n.Workflow+" (node "+n.Key+" of "+def.Name+")")
			}
		})
	}
	return list
}

func (a *app) infoCommand() *cobra.Command {
	var s runSettings
	check := false
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Show inputs, outputs, agents and state folder",
		Args:  commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.checkValues(&a.program); err != nil {
				return err
			}
			d, err := a.newInfoDocument()
			if err != nil {
				return err
			}
			if d.Agents, err = a.infoAgents(cmd.Context(), s, check); err != nil {
				return err
			}
			switch {
			case a.json:
				err = printJSON(a.streams.Out, d)
			case check:
				err = a.printCheck(d.Agents)
			default:
				err = a.printInfo(d)
			}
			if err == nil && check && !anyUsable(d.Agents) {
				return &exitError{code: runerr.ExitFailed}
			}
			return err
		},
	}
	a.jsonFlag(cmd)
	if kinds := a.program.agentKinds(); len(kinds) > 0 {
		s.addAgents(cmd.Flags(), kinds)
		cmd.Flags().BoolVar(&check, "check", false, "check that agents are installed, signed in and usable")
	}
	return cmd
}

func (a *app) printInfo(d *infoDocument) error {
	var rows [][]string
	row := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, value})
		}
	}
	row("workflow", d.Name)
	about, rest, more := strings.Cut(strings.TrimSpace(d.Description), "\n")
	row("description", strings.TrimSuffix(about, "\r"))
	for line := ""; more; {
		line, rest, more = strings.Cut(rest, "\n")
		rows = append(rows, []string{"", strings.TrimSuffix(line, "\r")})
	}
	row("deprecated", d.Deprecated)
	row("source", d.Source)
	name, given := "inputs", []string{}
	for _, in := range d.Inputs {
		if in.Replaces != "" {
			given = append(given, in.Name)
			continue
		}
		text := in.Name + " (" + in.Type
		if in.Items != "" {
			text += " of " + in.Items
		}
		if len(in.Choices) > 0 {
			text += ", one of " + strings.Join(in.Choices, ", ")
		}
		if in.Required {
			text += ", required"
		} else if len(in.Default) > 0 {
			text += ", default " + string(in.Default)
		}
		text += ")"
		if in.Doc != "" {
			text += ": " + in.Doc
		}
		rows = append(rows, []string{name, text})
		name = ""
	}
	row("can be given", strings.Join(given, ", "))
	row("runs", strings.Join(calledWorkflows(a.program.Definition), ", "))
	row("outputs", strings.Join(d.Outputs, ", "))
	if d.OutcomeField != "" {
		row("outcome", "field `"+d.OutcomeField+"` of `"+d.Returns+"`")
	}
	if d.Evidence {
		row("evidence", "a run completes only if it leaves evidence.json in its folder for artifacts")
	}
	for i, agent := range d.Agents {
		name := ""
		if i == 0 {
			name = "agents"
		}
		rows = append(rows, []string{name, agent.summaryLine()})
	}
	if d.Schedule != nil {
		row("schedule", d.Schedule.Cron+": "+d.Schedule.Description)
	}
	row("triggers", strings.Join(d.Triggers, ", "))
	row("delivers to", strings.Join(d.DeliverTo, ", "))
	row("variables", strings.Join(d.Variables, ", "))
	if d.Gates != settings.GatesAny {
		row("gates", string(d.Gates))
	}
	for i, node := range d.Sandbox {
		rows = append(rows, []string{map[bool]string{true: "sandbox"}[i == 0], node.String()})
	}
	row("tags", strings.Join(d.Tags, ", "))
	switch {
	case d.FilesNode != "":
		row("workspace", d.Workspace+", because node `"+d.FilesNode+"` can use files")
	case d.Workspace != "":
		row("workspace", d.Workspace+": no node uses files")
	}
	row("worker tags", strings.Join(d.Workers, ", "))
	if d.Exclusive {
		row("exclusive", "one run per checkout at a time"+map[bool]string{true: ", if an agent may edit files"}[a.program.Definition.PromptsOnly])
	}
	for _, o := range a.program.Definition.Labels {
		row(o.Name, string(o.Value))
	}
	if d.Limits != nil {
		row("limits", limitsText(d.Limits))
	}
	row("task", d.TaskFolder)
	row("fingerprint", d.Fingerprint)
	row("state", d.State)
	row("database", d.Database)
	return writeTable(a.streams.Out, rows)
}

// infoAgent is an agent of the workflow as info shows it.
type infoAgent struct {
	engine.AgentState
	// Permission is what the agent may do to the machine without asking, when the
	// project says it.
	Permission string `json:"permission,omitempty"`
	// Nodes are the nodes that ask it.
	Nodes []string `json:"nodes"`
}

// infoAgents are the workflow's agents. With check it is found out whether they
// could answer.
func (a *app) infoAgents(ctx context.Context, s runSettings, check bool) ([]infoAgent, error) {
	list := make([]infoAgent, 0, len(a.program.askedAgents())) // never null
	if a.program.Prompts == nil || len(a.program.askedAgents()) == 0 {
		return list, nil
	}
	choices, err := s.chooseAgents(a.program.Defaults, a.secretNames())
	if err != nil {
		return nil, err
	}
	prompts, err := a.program.Prompts(choices)
	if err != nil {
		return nil, usageError("%v", err)
	}
	q := engine.Inspection{Names: a.program.askedAgents(), Thorough: check, Static: !check}
	states, err := a.inspectAgents(ctx, prompts, q)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		state.Problem, state.Hint = a.maskSecrets(state.Problem), a.maskSecrets(state.Hint)
		agent := infoAgent{AgentState: state, Nodes: []string{}}
		if c, ok := choices.List.Resolve(state.Name); ok {
			own, _ := choices.List.Find(state.Name)
			agent.Permission = cmp.Or(own.Permission, c.Permission)
		}
		for _, def := range flow.Reachable(a.program.Definition) {
			walkNodes(def.Nodes, "", func(path string, n flow.NodeInfo) {
				if n.Agent == state.Name && !slices.Contains(agent.Nodes, path) {
					agent.Nodes = append(agent.Nodes, path)
				}
			})
		}
		list = append(list, agent)
	}
	return list, nil
}

// summaryLine is an agent in one line.
func (i *infoAgent) summaryLine() string {
	text := i.Name
	if i.Kind == "" {
		text += ": not set up"
	} else if i.Kind != i.Name {
		text += " (" + i.Kind + ")"
	}
	var more []string
	if i.Model != "" {
		more = append(more, "model "+i.Model)
	}
	if i.Permission != "" {
		more = append(more, "permission "+i.Permission)
	}
	if keys := i.keyVariables(); keys != "" {
		more = append(more, keys)
	}
	if len(i.Nodes) > 0 {
		more = append(more, "asked by "+strings.Join(i.Nodes, ", "))
	}
	return text + prefixNonEmpty(": ", strings.Join(more, "; "))
}

// keyVariables says which variables may hold the key to the agent's service.
func (i *infoAgent) keyVariables() string {
	var set, unset []string
	for _, c := range i.Credentials {
		if c.Set {
			set = append(set, c.Name)
		} else {
			unset = append(unset, c.Name)
		}
	}
	switch {
	case len(set) > 0:
		return strings.Join(set, ", ") + " set"
	case len(unset) > 0:
		return strings.Join(unset, " or ") + " not set"
	}
	return ""
}

// anyUsable reports whether none of the agents is known to be unable to answer.
func anyUsable(agents []infoAgent) bool {
	return !slices.ContainsFunc(agents, func(i infoAgent) bool { return i.Usable == engine.No || i.Installed == engine.No })
}

// printCheck prints what was found out about agents, and below it what is wrong.
func (a *app) printCheck(agents []infoAgent) error {
	rows := [][]string{{"AGENT", "KIND", "PROGRAM", "VERSION", "INSTALLED", "SIGNED IN", "USABLE"}}
	for _, i := range agents {
		rows = append(rows, []string{i.Name, dashIfEmpty(i.Kind), dashIfEmpty(i.Program), dashIfEmpty(i.Version), string(i.Installed), string(i.SignedIn), string(i.Usable)})
	}
	if err := writeTable(a.streams.Out, rows); err != nil {
		return err
	}
	for _, i := range agents {
		for _, line := range []string{i.Problem, prefixNonEmpty("→ ", i.Hint)} {
			if line != "" {
				fmt.Fprintf(a.streams.Out, "%s: %s\n", plain.Line(i.Name), plain.Indented(line, "  "))
			}
		}
	}
	return nil
}

func dashIfEmpty(text string) string { return cmp.Or(text, "-") }

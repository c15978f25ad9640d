package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An origin is a program whose projects people bring to wfc.
type origin struct {
	// name is the program, format the format of its workflows, and page tells what changes.
	name, format, page string
	// unguarded says that the program lets its agents do anything.
	unguarded bool
}

var origins = []origin{
	{"archon", "archon", "archon", true},
	{"gai", "xprompt", "gai-sase", false},
	{"sase", "xprompt", "gai-sase", false},
	{"graphloop", "graphloop", "graph-loop", false},
	{"lango", "lango", "lango", false},
}

// originNames are the values of --from.
func originNames() []string {
	return plain.Texts(origins, func(o origin) string { return o.name })
}

// moveDocument says what of a project runs as it is, and what needs a line.
type moveDocument struct {
	SchemaVersion int    `json:"schema_version"`
	From          string `json:"from"`
	Format        string `json:"format"`
	// Workflows are those of the format, by file.
	Workflows []movedWorkflow `json:"workflows"`
	// Reasons group the errors, and the warnings of missing files, whose nodes fail.
	Reasons []moveReason `json:"reasons"`
	// Agents are lines for wfc.yaml.
	Agents []moveLine `json:"agents"`
	// Archon are lines below `archon:` in wfc.yaml, and Settings other lines.
	Archon   []moveLine `json:"archon"`
	Settings []moveLine `json:"settings"`
	// Missing are programs that steps start and this machine lacks.
	Missing []missingThing `json:"missing,omitempty"`
	// Differences counts the places that mean something else to the other program.
	Differences int `json:"differences"`
}

type movedWorkflow struct {
	File string `json:"file"`
	Name string `json:"name,omitempty"`
	// Runs says that wfc accepts the file as it is.
	Runs bool `json:"runs"`
	// Warnings counts the warnings.
	Warnings int `json:"warnings"`
}

type moveReason struct {
	Code   string      `json:"code"`
	Title  string      `json:"title"`
	Places []movePlace `json:"places"`
}

type movePlace struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
	// Write are the remedies.
	Write []string `json:"write"`
}

// A moveLine is a line for wfc.yaml.
type moveLine struct {
	// Agent is the agent that the line defines, or "" for another setting.
	Agent     string   `json:"agent,omitempty"`
	Write     string   `json:"write"`
	Reason    string   `json:"reason"`
	Workflows []string `json:"workflows"`
	// Required says that runs fail, or don't start, without the line.
	Required bool `json:"required"`
}

// addLine adds a line that a workflow needs to a list.
func addLine(list *[]moveLine, file string, line moveLine) {
	i := slices.IndexFunc(*list, func(other moveLine) bool { return other.Agent == line.Agent && other.Write == line.Write })
	if i < 0 {
		i, *list = len(*list), append(*list, line)
	}
	(*list)[i].Workflows = append((*list)[i].Workflows, file)
}

// reportMove compiles the workflows of another program's project, and reports which of them
// run as they are.
func (d *doctor) reportMove(args []string) error {
	i := slices.IndexFunc(origins, func(o origin) bool { return o.name == d.from })
	if i < 0 {
		return oneOf("--from", d.from, originNames())
	}
	from := origins[i]
	args = orCurrentFolder(args)
	flags := d.flags
	flags.portability = true
	outcomes, err := d.compileWorkflows(&flags, args)
	if err != nil {
		return err
	}
	if err := d.refuseConfigs(outcomes); err != nil {
		return err
	}
	m := moveDocument{SchemaVersion: 1, From: from.name, Format: from.format, Workflows: []movedWorkflow{}, Reasons: []moveReason{}, Agents: []moveLine{}, Archon: []moveLine{}, Settings: []moveLine{}}
	others := map[string]int{}
	for _, o := range outcomes {
		switch {
		case o.result == nil || o.isSkipped() || o.result.NotWorkflow:
		case o.result.Dialect != from.format:
			others[o.result.Dialect]++
		default:
			m.addWorkflow(o)
			m.addAgents(from, o)
			m.addSettings(o)
			d.addVersion(&m, flags, o)
			d.addMissingTools(o)
		}
	}
	if len(m.Workflows) == 0 {
		return fmt.Errorf("no workflows of the format %s in %s%s", from.format, strings.Join(args, ", "), otherOrigins(others))
	}
	slices.SortStableFunc(m.Reasons, func(a, b moveReason) int { return len(b.Places) - len(a.Places) })
	m.Missing = d.missing
	if d.json {
		if err := d.printDocument(m); err != nil {
			return err
		}
	} else {
		d.printMove(from, &m)
	}
	if d.stopsRuns() || len(m.Reasons) > 0 || slices.ContainsFunc(slices.Concat(m.Agents, m.Settings), func(l moveLine) bool { return l.Required }) {
		return silentExit(ExitFindings)
	}
	return nil
}

// otherOrigins is the end of a message: the programs whose workflows are there instead.
func otherOrigins(formats map[string]int) string {
	for _, o := range origins {
		if n := formats[o.format]; n > 0 {
			return fmt.Sprintf("; but %s of the format %s: `wfc doctor --from %s`", finding.Count(n, "workflow"), o.format, o.name)
		}
	}
	return ""
}

// addWorkflow adds a workflow, and its errors to the reasons.
func (m *moveDocument) addWorkflow(o outcome) {
	w := movedWorkflow{File: o.input.name, Runs: !o.result.HasErrors()}
	if o.result.Workflow != nil {
		w.Name = o.result.Workflow.Workflow.Name
	}
	for _, d := range o.result.Diagnostics {
		switch {
		case d.Portability:
			m.Differences++
		case d.Severity == diag.Warning:
			w.Warnings++
			if d.Code == codes.MissingFile {
				m.addReason(o.input.name, d)
			}
		case d.Severity == diag.Error:
			m.addReason(o.input.name, d)
		}
	}
	m.Workflows = append(m.Workflows, w)
}

func (m *moveDocument) addReason(file string, d *diag.Diagnostic) {
	p := movePlace{File: file, Line: d.Span.Position().Line, Message: d.Message, Write: slices.Clone(d.Help)}
	if len(d.Fixes) > 0 && d.Code != codes.MissingFile { // they answer the help's question
		p.Write = nil
	}
	for _, fix := range d.Fixes {
		p.Write = append(p.Write, fix.Title)
	}
	if len(p.Write) == 0 {
		p.Write = []string{fmt.Sprintf("`wfc explain %s` shows the remedy", d.Code.ID)}
	}
	i := slices.IndexFunc(m.Reasons, func(r moveReason) bool { return r.Code == d.Code.ID })
	if i < 0 {
		i = len(m.Reasons)
		m.Reasons = append(m.Reasons, moveReason{Code: d.Code.ID, Title: codes.DocumentOf(d.Code).Title})
	}
	m.Reasons[i].Places = append(m.Reasons[i].Places, p)
}

// addAgents adds the lines of wfc.yaml that the agents of a workflow need.
func (m *moveDocument) addAgents(from origin, o outcome) {
	agents := o.project.config.Settings(o.project.config.Dir).Agents
	for _, name := range agentsOf(o) {
		if line, ok := from.lineFor(agents, name, o.project.config.ArchonModel(name)); ok {
			addLine(&m.Agents, o.input.name, line)
		}
	}
}

// addSettings adds the lines of wfc.yaml that make a workflow mean what it meant before.
func (m *moveDocument) addSettings(o outcome) {
	if o.result.Workflow == nil {
		return
	}
	w := o.result.Workflow.Workflow
	if endsLoopsByWord(w) {
		addLine(&m.Archon, o.input.name, moveLine{Write: "until: strict",
			Reason: "wfc ends a loop when the reply contains the word of `until` anywhere, also in \"not DONE yet\"; archon wants it in a tag, at the end or alone on a line"})
	}
	if lacksBaseBranch(o, filepath.Dir(o.input.path)) {
		addLine(&m.Settings, o.input.name, moveLine{Write: "base_branch: " + likelyBase(filepath.Dir(o.input.path)), Required: true,
			Reason: "a node reads `$BASE_BRANCH`, and `origin` has neither a known default branch nor `main`: no run starts without it"})
	}
}

// addVersion adds the first version of Archon that ignores fewer options of a workflow.
func (d *doctor) addVersion(m *moveDocument, flags compileFlags, o outcome) {
	ignored := func(o outcome) int {
		return len(slices.DeleteFunc(slices.Clone(o.result.Diagnostics), func(d *diag.Diagnostic) bool { return d.Code != codes.IgnoredOption }))
	}
	most := ignored(o)
	for i := 0; most > 0 && i < len(formats.Archon.Versions); i++ {
		v := &formats.Archon.Versions[i]
		flags.archon = v.Name
		if d.projects.compileOutcome(&flags, &o); !o.result.HasErrors() && ignored(o) < most {
			addLine(&m.Archon, o.input.name, moveLine{Write: fmt.Sprintf("version: %q", v.Name),
				Reason: "archon " + v.Name + " and newer follow options that older versions ignore (WFC701), such as the model of a loop; `wfc version archon` lists what else changes"})
			return
		}
	}
}

// readsBaseBranch reports whether a node reads the base branch; all scripts have it, or "", in
// their environment.
func readsBaseBranch(w *ir.Workflow) bool {
	reads := false
	w.EachExpr(func(in *ir.Node, e expr.Expr) {
		v, ok := e.(*expr.Var)
		reads = reads || ok && in != nil && v.Var == expr.BaseBranch
	})
	return reads
}

// lacksBaseBranch reports whether a node reads the base branch, and neither wfc.yaml nor the remote of a
// folder names one.
func lacksBaseBranch(o outcome, folder string) bool {
	if !readsBaseBranch(o.result.Workflow.Workflow) || o.project.config.Settings("").BaseBranch != "" {
		return false
	}
	repository := gitRoot(folder)
	if _, err := repository.run("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"); err == nil {
		return false
	}
	_, err := repository.run("rev-parse", "--quiet", "--verify", "refs/remotes/origin/main")
	return err != nil
}

// likelyBase is the branch main of a folder's repository, or the current one if there is no main.
func likelyBase(folder string) string {
	repository := gitRoot(folder)
	if _, err := repository.run("rev-parse", "--verify", "--quiet", "refs/heads/main"); err != nil {
		if current, err := repository.run("symbolic-ref", "--short", "HEAD"); err == nil {
			return strings.TrimSpace(current)
		}
	}
	return "main"
}

// endsLoopsByWord reports whether a word in a reply ends a loop of a workflow, by the rule of
// wfc and not by that of the original.
func endsLoopsByWord(w *ir.Workflow) bool {
	found := false
	ir.Walk(w.Body, func(n *ir.Node) {
		if l, ok := n.Action.(*ir.Loop); ok && l.Signal != "" && !l.Strict {
			found = true
		}
	})
	return found
}

// lineFor returns the line of wfc.yaml that an agent needs, if it needs one. model is what the other
// program's configuration names for it, or "".
func (from origin) lineFor(agents settings.Agents, name, model string) (moveLine, bool) {
	a, defined := agents.Resolve(name)
	known, ok := catalog.AgentNamed(cmp.Or(a.Name, name))
	kind, program := catalog.KindNamed(cmp.Or(a.Kind, known.Kind))
	switch {
	case !defined && !ok:
		return moveLine{Agent: name, Write: plain.Line(name) + ": {use: claude}", Required: true,
			Reason: "no agent has this name: write the one that answers its prompts"}, true
	case !program || len(kind.Permissions) < 2 || a.Permission != "":
		return moveLine{}, false
	}
	reason := "wfc lets it read and do what `allowed_tools` lists (permission safe): `edit` lets it change files, `all` run any command"
	if from.unguarded {
		reason += ", as " + from.name + " does"
	}
	line := plain.Line(name) + ": {use: " + cmp.Or(known.Name, kind.Name) + ", permission: edit"
	if model != "" && a.Model == "" {
		line += ", model: " + plain.Line(model)
	}
	line += "}"
	return moveLine{Agent: name, Write: line, Reason: reason}, true
}

// mostPlaces is how many places of a reason the text names.
const mostPlaces = 5

// printMove prints the report as text.
func (d *doctor) printMove(from origin, m *moveDocument) {
	runs := 0
	for _, w := range m.Workflows {
		if w.Runs {
			runs++
		}
	}
	fmt.Fprintf(d.Out, "%s of %s: %d accepted as they are, %d with errors\n", finding.Count(len(m.Workflows), "workflow"), from.name, runs, len(m.Workflows)-runs)
	for _, r := range m.Reasons {
		fmt.Fprintf(d.Out, "\n%s %s (%s)\n", r.Code, r.Title, finding.Count(len(r.Places), "place"))
		for i, p := range r.Places {
			if i == mostPlaces {
				fmt.Fprintf(d.Out, "  and %d more; --json lists them\n", len(r.Places)-i)
				break
			}
			fmt.Fprintf(d.Out, "  %s:%d: %s\n", plain.Line(p.File), p.Line, plain.Indented(p.Message, "    "))
			for _, write := range p.Write {
				fmt.Fprintf(d.Out, "    → %s\n", plain.Indented(write, "      "))
			}
		}
	}
	for _, list := range []struct {
		title, users string
		lines        []moveLine
	}{{"lines for `agents:` in", "asked by", m.Agents}, {"lines for `archon:` in", "for", m.Archon}, {"other lines for", "for", m.Settings}} {
		if len(list.lines) > 0 {
			fmt.Fprintf(d.Out, "\n%s %s:\n", list.title, config.FileName)
		}
		for _, l := range list.lines {
			fmt.Fprintf(d.Out, "  %s   # %s %s\n    %s\n", l.Write, list.users, finding.Count(len(l.Workflows), "workflow"), l.Reason)
		}
	}
	if len(m.Missing) > 0 {
		fmt.Fprintln(d.Out)
	}
	d.printMissing()
	if m.Differences > 0 {
		verb := "mean"
		if m.Differences == 1 {
			verb = "means"
		}
		fmt.Fprintf(d.Out, "\n%s %s something else to %s; `wfc check --portability` shows them\n", finding.Count(m.Differences, "place"), verb, from.name)
	}
	fmt.Fprintf(d.Out, "\nwhat differs, and why: https://github.com/wfc-lang/wfc/blob/main/docs/coming-from/%s.md\n", from.page)
}

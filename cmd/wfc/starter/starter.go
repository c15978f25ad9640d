// Package starter has the templates of `wfc init` and writes projects from them. A
// template is a folder below templates, whose files are those of the project: tests check
// them and run their tests. Only the file gitignore has lines for .gitignore, and
// github.yaml beside this file is the CI file of every project.
package starter

import (
	"cmp"
	"embed"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/internal/lazyregexp"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

//go:embed all:templates github.yaml
var files embed.FS

// A Template is a project that `wfc init` can write.
type Template struct {
	Name string `json:"name"`
	// Dialect is the format of its workflow.
	Dialect string `json:"dialect"`
	// Description describes the workflow in one line.
	Description string `json:"description"`
	// Workflow is the path of the workflow file in the project.
	Workflow string `json:"workflow"`
	// Arguments are example arguments of a run.
	Arguments []string `json:"arguments,omitempty"`
}

// Templates returns all templates: real jobs, then a first workflow for each dialect.
func Templates() []Template { return slices.Clone(templates) }

var templates = []Template{
	{Name: "review", Dialect: "archon", Workflow: ".archon/workflows/review.yaml", Arguments: []string{"7"},
		Description: "review a pull request: parallel reviewers, a gate before the review is posted"},
	{Name: "nightly", Dialect: "lango", Workflow: "nightly.yaml",
		Description: "report on a repository every morning: a schedule, delivery to a webhook"},
	{Name: "extract", Dialect: "xprompt", Workflow: "extract.yaml", Arguments: []string{"tests/letters"},
		Description: "extract typed fields from a folder of letters into a table"},
	{Name: "archon", Dialect: "archon", Workflow: ".archon/workflows/summary.yaml", Arguments: []string{"tests/notes.txt"},
		Description: "first workflow: summarize a file with a script and an agent"},
	{Name: "xprompt", Dialect: "xprompt", Workflow: "changelog.yaml", Arguments: []string{"v1.0.0", "v1.1.0"},
		Description: "first workflow: draft release notes that a person accepts"},
	{Name: "graphloop", Dialect: "graphloop", Workflow: "draft.yaml", Arguments: []string{"--topic", "unit tests"},
		Description: "first workflow: write and review a paragraph until a person publishes it"},
	{Name: "lango", Dialect: "lango", Workflow: "digest.yaml",
		Description: "first workflow: two agents in parallel, an editor merges their answers"},
}

// Named returns the template with a name.
func Named(name string) (Template, bool) {
	i := slices.IndexFunc(templates, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return Template{}, false
	}
	return templates[i], true
}

// Names returns the names of all templates.
func Names() []string {
	return plain.Texts(templates, func(t Template) string { return t.Name })
}

// sourceFolder is the folder of the template's files.
func (t Template) sourceFolder() string { return path.Join("templates", t.Name) }

// The agent of a project.
//
// The files of templates name the agent claude and limit its cost. For another agent,
// wfc.yaml names that one, and has a limit that its program can keep: codex reports
// tokens but not the cost, and programs with the Agent Client Protocol may report neither.

// AgentNames returns the agents that `wfc init` can choose: those that are programs.
// Services need a model and a price, which nobody can choose for a user.
func AgentNames() []string {
	var names []string
	for _, a := range catalog.Agents() {
		if kind, ok := catalog.KindNamed(a.Kind); ok && kind.StartsProgram() && a.Name != "self" {
			names = append(names, a.Name)
		}
	}
	return names
}

// InstalledAgent returns the first agent whose program is on PATH.
func InstalledAgent() (name string, found bool) {
	for _, name := range AgentNames() {
		if IsInstalled(name) {
			return name, true
		}
	}
	return AgentNames()[0], false
}

// IsInstalled reports whether the program of an agent is on PATH.
func IsInstalled(agent string) bool {
	a, _ := catalog.AgentNamed(agent)
	kind, _ := catalog.KindNamed(a.Kind)
	_, err := exec.LookPath(cmp.Or(a.Program, kind.Program))
	return err == nil
}

var (
	usesClaude  = lazyregexp.New(`\{use: claude\b`)
	limitsCosts = lazyregexp.New(`(?m)^limits: \{cost_usd: (\d+)\}.*$`)
)

// tokensPerDollar is the limit of tokens in place of a limit of one US dollar: about the
// tokens that a mid-sized model reads for it.
const tokensPerDollar = 300_000

// configForAgent returns the wfc.yaml of a template for an agent.
func configForAgent(text []byte, agent string) []byte {
	a, _ := catalog.AgentNamed(agent)
	kind, _ := catalog.KindNamed(a.Kind)
	text = usesClaude().ReplaceAll(text, []byte("{use: "+agent))
	switch {
	case kind.Cost == catalog.Always:
		return text
	case kind.Tokens == catalog.Always:
		dollars := 1
		if m := limitsCosts().FindSubmatch(text); m != nil {
			dollars, _ = strconv.Atoi(string(m[1])) // the pattern matches digits
		}
		return limitsCosts().ReplaceAll(text, fmt.Appendf(nil, "limits: {tokens: %d} # a run stops when its agents have read and written this many tokens", dollars*tokensPerDollar))
	}
	return limitsCosts().ReplaceAll(text, fmt.Appendf(nil, "# No limits: %s may not report the tokens that it uses.", agent))
}

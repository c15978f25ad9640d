package decode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Place is a kind of mapping that several formats have.
type Place int

// The places whose keys are compared with those of other formats.
const (
	AtTop Place = iota
	OnStep
	OnEdge
)

// A Foreign key is a key of another format, and what to write in its place.
type Foreign struct {
	Key string
	// Loss names what a run would lack if the key were ignored, as its "condition". It is ""
	// for a key without an effect on which steps run, and with what.
	Loss string
	// Here is the key of this format with the same meaning, or "".
	Here string
	// Help says what to write if Here is "".
	Help string
	// instead says that only a mapping without Here lacks something.
	instead bool
	// fits reports whether the value means the same under Here.
	fits func(*yamlsrc.Node) bool
}

// A meaning is an idea for which formats have different keys.
type meaning struct {
	place Place
	loss  string
	// keys are the words for it, in these formats and in similar ones.
	keys []string
	// here are the keys by format, and help the advice for a format without one.
	here, help map[string]string
	// harmless are formats that don't miss it.
	harmless string
	instead  bool
	fits     map[string]func(*yamlsrc.Node) bool
}

// inConfig is the advice for keys that workflows of most formats have only in wfc.yaml.
func inConfig(setting string) map[string]string {
	advice := "write it in wfc.yaml: `workflows: {\"FILE\": {" + setting + "}}`, with the path of this file"
	return map[string]string{"archon": advice, "xprompt": advice, "graphloop": advice}
}

// meanings is the one table of equivalent keys.
var meanings = []meaning{
	{place: AtTop, keys: []string{"schedule", "schedules", "cron"}, help: inConfig("schedule: \"0 7 * * *\"")},
	{place: AtTop, keys: []string{"deliver_to", "deliver", "notify"}, help: inConfig("deliver_to: [slack]")},
	{
		place: AtTop, keys: target.Kinds(),
		help: inConfig("deliver_to: [slack]"),
	},
	{
		place: OnStep, loss: "condition", keys: []string{"when", "if", "condition", "only_if"},
		here: map[string]string{"archon": "when", "xprompt": "if"},
		help: map[string]string{
			"lango":     "a step always runs: put `{{if …}}` into its `prompt`, or use archon or xprompt, whose steps have conditions",
			"graphloop": "write a `condition` on the edge that leads to the node",
		},
		fits: map[string]func(*yamlsrc.Node) bool{"archon": textWith("$"), "xprompt": textWith("{{")},
	},
	{
		place: OnEdge, loss: "condition", keys: []string{"when", "if", "on"},
		here: map[string]string{"graphloop": "condition"},
		fits: map[string]func(*yamlsrc.Node) bool{"graphloop": isScalar},
	},
	{
		place: OnStep, loss: "dependencies", keys: []string{"depends_on", "dependsOn", "needs", "after", "requires"},
		here: map[string]string{"archon": "depends_on", "lango": "depends_on"},
		help: map[string]string{
			"xprompt":   "remove it: steps run in the order of the file, or at once under `parallel`",
			"graphloop": "add an edge to `edges`: they alone say which node runs next",
		},
		harmless: "xprompt",
		fits:     map[string]func(*yamlsrc.Node) bool{"archon": isList, "lango": isList},
	},
	{
		place: OnStep, loss: "script", keys: []string{"run", "shell", "cmd"},
		here: map[string]string{"archon": "bash", "xprompt": "bash"},
		help: map[string]string{"graphloop": "write `agent: bash` with `command`"},
		fits: map[string]func(*yamlsrc.Node) bool{"archon": isScalar, "xprompt": isScalar},
	},
	{
		place: OnStep, loss: "work",
		keys: []string{"run", "shell", "cmd", "bash", "python", "script", "command", "parallel", "loop", "for", "while", "repeat", "approval", "hitl", "cancel"},
		help: map[string]string{"lango": "describe the work in the `prompt`, or use archon or xprompt, whose steps run programs"},
	},
	{
		place: OnStep, loss: "script", keys: []string{"bash"},
		help: map[string]string{"graphloop": "write `agent: bash` with `command`"},
	},
	{
		place: OnStep, loss: "name", keys: []string{"name"}, instead: true,
		here: map[string]string{"archon": "id", "lango": "id"},
		fits: map[string]func(*yamlsrc.Node) bool{"archon": isScalar, "lango": isScalar},
	},
	{
		place: OnStep, keys: []string{"id"}, instead: true,
		here: map[string]string{"xprompt": "name"},
		fits: map[string]func(*yamlsrc.Node) bool{"xprompt": isScalar},
	},
	{
		place: AtTop, loss: "name", keys: []string{"name"}, instead: true,
		here: map[string]string{"graphloop": "workflow"},
		fits: map[string]func(*yamlsrc.Node) bool{"graphloop": isScalar},
	},
	{
		place: AtTop, keys: []string{"input", "inputs"},
		help: map[string]string{
			"lango":     "remove it: a lango workflow has no inputs",
			"graphloop": "declare the inputs in `state`, under `variables`",
		},
	},
	{
		place: OnStep, keys: []string{"input", "inputs"},
		help: map[string]string{"lango": "put `{{id.result}}` of an earlier step into the `prompt`"},
	},
	{
		place: OnStep, keys: []string{"model"},
		help: map[string]string{
			"xprompt": "set the model of the agent in wfc.yaml: `agents: {NAME: {model: …}}`",
			"lango":   "set the model of the agent in wfc.yaml: `agents: {NAME: {model: …}}`",
		},
	},
	{
		place: OnStep, keys: []string{"timeout", "timeout_ms", "timeout_minutes", "idle_timeout"},
		help: map[string]string{"xprompt": "steps have no time limit; the command `timeout 60 …` limits one in `bash`"},
	},
	{
		place: OnStep, keys: []string{"retry", "retries", "max_retries"},
		help: map[string]string{
			"xprompt": "use `repeat` with `max` and `until`",
		},
	},
}

func isScalar(n *yamlsrc.Node) bool { return n.Kind == yamlsrc.Scalar && !n.IsNull() }

func isList(n *yamlsrc.Node) bool { return n.Kind == yamlsrc.Sequence }

// textWith accepts strings in the syntax of conditions that has a mark.
func textWith(mark string) func(*yamlsrc.Node) bool {
	return func(n *yamlsrc.Node) bool { return isScalar(n) && strings.Contains(n.Value, mark) }
}

// ForeignTo returns the keys of other formats that a mapping of a format does not have.
func ForeignTo(dialect string, place Place) []Foreign {
	var list []Foreign
	for _, m := range meanings {
		here, help := m.here[dialect], m.help[dialect]
		if m.place != place || here == "" && help == "" {
			continue
		}
		for _, key := range m.keys {
			if key == here || slices.ContainsFunc(list, func(f Foreign) bool { return f.Key == key }) {
				continue
			}
			f := Foreign{Key: key, Loss: m.loss, Here: here, Help: help, instead: m.instead, fits: m.fits[dialect]}
			if here != "" {
				f.Help = fmt.Sprintf("%s calls it `%s`", dialect, here)
			}
			if m.harmless == dialect {
				f.Loss = ""
			}
			list = append(list, f)
		}
	}
	return list
}

// Refused lists the keys of other formats that are always errors in a table's mappings.
func (t *Table) Refused() []string {
	var keys []string
	for _, f := range t.Level.Foreign {
		if f.Loss != "" && !f.instead && t.Key(f.Key) == nil {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// foreignKey reports an unknown key of the mapping v that another format has, and whether
// it is one.
func (d *Decoder) foreignKey(v Value, key *yamlsrc.Node, l Level) bool {
	i := slices.IndexFunc(l.Foreign, func(f Foreign) bool { return f.Key == key.Value })
	if i < 0 {
		return false
	}
	f := l.Foreign[i]
	both := f.Here != "" && v.Node.Pair(f.Here) != nil
	switch {
	case both && f.instead:
		d.Bag.Add(finding.UnknownKey(key.Span, f.Key, l.Where))
	default:
		x := finding.UnknownKey(key.Span, f.Key, l.Where)
		if f.Loss != "" {
			x = finding.ForeignKey(key.Span, f.Key, l.Where, f.Loss)
		}
		x.WithHelp(f.Help)
		if p := v.Node.Pair(f.Key); f.Here != "" && !both && p != nil && f.fits(p.Value) {
			x.WithFix("replace with `"+f.Here+"`", key.Span, f.Here)
		}
		d.Bag.Add(x)
		d.noteMeant(v, f.Here)
	}
	return true
}

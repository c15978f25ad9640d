package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/glob"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A key is a setting: its name and what reads it. read gets the setting's full
// name for messages.
type key struct {
	name string
	read func(d *decoder, setting string, n *yamlsrc.Node)
}

func topKeys() []key {
	return []key{
		{"agents", func(d *decoder, setting string, n *yamlsrc.Node) { d.agents(setting, n) }},
		{"archon", func(d *decoder, setting string, n *yamlsrc.Node) {
			d.section(setting, n, []key{{"until", func(d *decoder, setting string, n *yamlsrc.Node) {
				d.config.UntilStrict = d.choice(setting, n, []string{"word", "strict"}) == "strict"
			}}})
		}},
		{"base_branch", func(d *decoder, setting string, n *yamlsrc.Node) { d.config.BaseBranch = d.text(setting, n) }},
		{"commands", func(d *decoder, setting string, n *yamlsrc.Node) { d.config.Commands = d.texts(setting, n) }},
		{"database", func(d *decoder, setting string, n *yamlsrc.Node) { d.database(setting, n) }},
		{"delivery", func(d *decoder, setting string, n *yamlsrc.Node) { d.delivery(setting, n) }},
		{"dialects", func(d *decoder, setting string, n *yamlsrc.Node) { d.dialects(setting, n) }},
		{"docs_dir", func(d *decoder, setting string, n *yamlsrc.Node) { d.config.DocsDir = d.text(setting, n) }},
		{"env", func(d *decoder, setting string, n *yamlsrc.Node) { d.env(setting, n) }},
		{"environment", func(d *decoder, setting string, n *yamlsrc.Node) { d.environment(setting, n) }},
		{"exclude", func(d *decoder, setting string, n *yamlsrc.Node) { d.exclude(setting, n) }},
		{"gates", func(d *decoder, setting string, n *yamlsrc.Node) {
			d.config.Gates = d.choice(setting, n, []string{"any", "terminal", "token"})
		}},
		{"limits", func(d *decoder, setting string, n *yamlsrc.Node) { d.limits(setting, n) }},
		{"max_parallel", func(d *decoder, setting string, n *yamlsrc.Node) { d.config.MaxParallel = d.count(setting, n) }},
		{"models", func(d *decoder, setting string, n *yamlsrc.Node) { d.models(setting, n) }},
		{"on_interrupt", func(d *decoder, setting string, n *yamlsrc.Node) { d.onInterrupt(setting, n) }},
		{"programs", func(d *decoder, setting string, n *yamlsrc.Node) { d.programs(setting, n) }},
		{"scripts", func(d *decoder, setting string, n *yamlsrc.Node) { d.config.Scripts = d.texts(setting, n) }},
		{"severities", func(d *decoder, setting string, n *yamlsrc.Node) { d.severities(setting, n) }},
		{"state", func(d *decoder, setting string, n *yamlsrc.Node) { d.config.State = d.text(setting, n) }},
		{"store", func(d *decoder, setting string, n *yamlsrc.Node) {
			d.config.Store = d.choice(setting, n, []string{"sqlite", "postgres", "memory"})
		}},
		{"workflows", func(d *decoder, setting string, n *yamlsrc.Node) { d.workflows(setting, n) }},
	}
}

// A decoder fills a configuration from a document.
type decoder struct {
	config *Config
	bag    *diag.Bag
	// later are checks that need the whole file.
	later []func()
}

func (d *decoder) wrong(setting string, n *yamlsrc.Node, want string) {
	d.bag.Add(finding.ConfigValue(n.Place(), setting, want))
}

// section reads a mapping with known keys.
func (d *decoder) section(setting string, n *yamlsrc.Node, keys []key) {
	for pair := range d.pairs(setting, n) {
		name := pair.Key.Value
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		if i < 0 {
			where, known := "", []string{}
			if setting != "" {
				where = fmt.Sprintf("in `%s`", setting)
			}
			for _, k := range keys {
				known = append(known, k.name)
			}
			d.bag.Add(finding.ConfigKey(pair.Key.Span, name, where, known))
			continue
		}
		keys[i].read(d, join(setting, name), pair.Value)
	}
}

func join(setting, name string) string {
	if setting == "" {
		return name
	}
	return setting + "." + name
}

// pairs yields the pairs of a mapping and reports anything else. An empty
// section is none.
func (d *decoder) pairs(setting string, n *yamlsrc.Node) func(yield func(yamlsrc.Pair) bool) {
	return func(yield func(yamlsrc.Pair) bool) {
		if n.IsNull() && setting != "" {
			return
		}
		if n.Kind != yamlsrc.Mapping {
			if setting == "" {
				setting = "wfc.yaml"
			}
			d.wrong(setting, n, "a mapping of names to values")
			return
		}
		for _, pair := range n.Pairs {
			if !yield(pair) {
				return
			}
		}
	}
}

func (d *decoder) text(setting string, n *yamlsrc.Node) string {
	if !n.IsString() || strings.TrimSpace(n.Value) == "" {
		d.wrong(setting, n, "a text that is not empty")
		return ""
	}
	return n.Value
}

// texts reads a list of texts, or a single one.
func (d *decoder) texts(setting string, n *yamlsrc.Node) []string {
	if n.IsString() {
		return []string{d.text(setting, n)}
	}
	if n.Kind != yamlsrc.Sequence || len(n.Items) == 0 {
		d.wrong(setting, n, "a text or a list of texts")
		return nil
	}
	var list []string
	for i, item := range n.Items {
		if t := d.text(fmt.Sprintf("%s[%d]", setting, i), item); t != "" {
			list = append(list, t)
		}
	}
	return list
}

func (d *decoder) choice(setting string, n *yamlsrc.Node, choices []string) string {
	if n.Kind == yamlsrc.Scalar && slices.Contains(choices, n.Value) {
		return n.Value
	}
	want := "one of " + strings.Join(choices, ", ")
	if n.Kind == yamlsrc.Scalar {
		if best := finding.Nearest(n.Value, choices); best != "" {
			want += fmt.Sprintf("; did you mean `%s`?", best)
		}
	}
	d.wrong(setting, n, want)
	return ""
}

func (d *decoder) count(setting string, n *yamlsrc.Node) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yamlsrc.Scalar || n.Tag != yamlsrc.TagInt || err != nil || v < 1 {
		d.wrong(setting, n, "a whole number of at least 1")
		return 0
	}
	return v
}

// number reads a number that is right; want says which are.
func (d *decoder) number(setting string, n *yamlsrc.Node, want string, right func(v float64) bool) (float64, bool) {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yamlsrc.Scalar || n.Tag != yamlsrc.TagInt && n.Tag != yamlsrc.TagFloat || err != nil || math.IsInf(v, 0) || !right(v) {
		d.wrong(setting, n, want)
		return 0, false
	}
	return v, true
}

func (d *decoder) severities(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		code, ok := diag.Lookup(pair.Key.Value)
		if !ok {
			d.bag.Add(finding.ConfigCode(pair.Key.Span, pair.Key.Value))
			continue
		}
		name := d.choice(join(setting, pair.Key.Value), pair.Value, compiler.Levels())
		if name == "" {
			continue
		}
		level := compiler.Level(slices.Index(compiler.Levels(), name))
		if code.Severity == diag.Error {
			if level != compiler.Error {
				d.bag.Add(finding.ConfigLowered(pair.Key.Span, code))
			}
			continue
		}
		if d.config.Severities == nil {
			d.config.Severities = map[*diag.Code]compiler.Level{}
		}
		d.config.Severities[code] = level
	}
}

func (d *decoder) dialects(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		if !glob.Valid(pair.Key.Value) {
			d.bag.Add(finding.ConfigValue(pair.Key.Span, join(setting, pair.Key.Value), "named by a pattern such as flows/**/*.yaml"))
			continue
		}
		names := append(compiler.Dialects(), compiler.NoDialect)
		if name := d.choice(join(setting, pair.Key.Value), pair.Value, names); name != "" {
			d.config.Dialects = append(d.config.Dialects, DialectRule{pair.Key.Value, name})
		}
	}
}

// exclude reads patterns of files and folders: a list, or a single one.
func (d *decoder) exclude(setting string, n *yamlsrc.Node) {
	items := n.Items
	if n.Kind == yamlsrc.Scalar {
		items = []*yamlsrc.Node{n}
	}
	if len(items) == 0 {
		d.wrong(setting, n, "a pattern or a list of patterns")
	}
	for _, item := range items {
		pattern := strings.TrimSuffix(strings.TrimPrefix(item.Value, "./"), "/")
		if !item.IsString() || !glob.Valid(pattern) || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "../") {
			d.wrong(setting, item, "a pattern below this folder, such as vendor or flows/**/*.yaml")
			continue
		}
		d.config.Exclude = append(d.config.Exclude, pattern)
	}
}

func (d *decoder) env(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		name := pair.Key.Value
		switch v := pair.Value; {
		case !validVariable(name):
			d.bag.Add(finding.ConfigValue(pair.Key.Span, join(setting, name), "named by letters, digits and _, not beginning with a digit"))
		case v.Kind != yamlsrc.Scalar || v.IsNull() || strings.ContainsRune(v.Value, 0):
			d.wrong(join(setting, name), v, "a text, a number or a boolean")
		default:
			d.config.Env = append(d.config.Env, Variable{name, v.Value})
		}
	}
}

func validVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

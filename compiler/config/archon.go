package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// archonSettings are the settings in the configuration of the engine Archon that decide when and
// how runs start: those of .archon/config.yaml and of the files in .archon/triggers. Runs follow
// them where wfc.yaml sets nothing else, and Triggers beside its own.
type archonSettings struct {
	Quota               archonQuota
	Caps                map[string]int // turns at the same time, by provider
	BaseBranch, DocsDir string
	Models              map[string]string // by provider; no run follows them
	Triggers            []ir.Trigger
}

// An archonQuota says whether runs continue once an exhausted quota is available again.
type archonQuota struct {
	Resume             bool
	Fallback, Deadline time.Duration
	Attempts           int
}

// policy returns the policy as that of wfc.yaml.
func (q archonQuota) policy() settings.Quota {
	if !q.Resume {
		return settings.Quota{}
	}
	return settings.Quota{Policy: settings.QuotaWait, MaxWait: q.Deadline, FirstWait: q.Fallback, MaxWaits: q.Attempts}
}

// CheckArchon returns findings about a file of the configuration that the project has for the
// engine Archon: warnings about wrong values, and one note that says how wfc does what the file
// asks for, with the project's severities. Other keys belong to the engine, unless they are nearly
// those.
func (c *Config) CheckArchon(file *source.File) []*diag.Diagnostic {
	_, findings := parseArchon(file, c.Agents())
	return slices.DeleteFunc(findings, func(d *diag.Diagnostic) bool {
		level, set := c.severities[d.Code]
		if set {
			d.Severity = level
		}
		return set && level == diag.Off
	})
}

// WithArchonOf is WithArchon with the files of ArchonFiles.
func (c *Config) WithArchonOf(root string) *Config {
	for _, path := range ArchonFiles(root) {
		if content, err := wholefile.Source.Read(path); err == nil { // the workflows that read the file report an error
			c = c.WithArchon(source.NewFile(path, content))
		}
	}
	return c
}

// ArchonFile is the path of Archon's configuration in the root of a project.
const ArchonFile = ".archon/config.yaml"

// ArchonFiles returns the paths of the configuration of a project for the engine Archon:
// ArchonFile, which may be missing, and the files of triggers.
func ArchonFiles(root string) []string {
	triggers, _ := filepath.Glob(filepath.Join(root, ".archon", "triggers", "*.json")) // the pattern is valid
	return append([]string{filepath.Join(root, ArchonFile)}, triggers...)
}

func parseArchon(file *source.File, agents settings.Agents) (*archonSettings, []*diag.Diagnostic) {
	var bag, faults diag.Bag
	a := &archonSettings{}
	doc := yamlsrc.Parse(file, &faults)
	if doc == nil || doc.Root == nil || faults.HasErrors() {
		return a, nil // the workflows that read the file report its faults
	}
	d := &archonDecoder{reader: reader{&bag}, into: a, agents: agents}
	root := doc.Root
	d.readLoose("", root, d.topKeys())
	list := bag.Sorted()
	for _, x := range list {
		x.Severity, x.Fixes = diag.Warning, nil
	}
	if len(d.ways) > 0 {
		var ways []string
		names := slices.Sorted(maps.Keys(d.ways))
		for _, name := range names {
			ways = plain.AddNew(ways, d.ways[name])
		}
		list = append(list, finding.Unfollowed(d.first, names, ways))
	}
	return a, list
}

// An archonDecoder reads a file of Archon's configuration.
type archonDecoder struct {
	reader
	into   *archonSettings
	agents settings.Agents
	// ways say what to write in wfc.yaml, by the settings that no run follows, and first is
	// the place of the first of these.
	ways  map[string]string
	first source.Span
}

// archonKey is a key of Archon's configuration, which may be required.
type archonKey struct {
	name string
	read func(setting string, n *yamlsrc.Node)
	// way says what to write in wfc.yaml, if no run follows the key.
	way      string
	required bool
}

// readLoose reads the known keys of a mapping and leaves the others to the engine.
func (d *archonDecoder) readLoose(setting string, n *yamlsrc.Node, keys []archonKey) {
	if n.Kind != yamlsrc.Mapping {
		if setting != "" && !n.IsNull() {
			d.reportWrong(setting, n, "an object")
		}
		return
	}
	for _, k := range keys {
		p := n.Pair(k.name)
		switch {
		case p == nil && k.required:
			d.bag.Add(finding.MissingSetting(n.Place(), joinSetting(setting, k.name)))
			continue
		case p == nil:
			continue
		}
		if k.way != "" && !isOff(p.Value) {
			d.noteWay(joinSetting(setting, k.name), p.Key.Span, k.way)
		}
		k.read(joinSetting(setting, k.name), p.Value)
	}
	d.warnOfMisspelt(setting, n, keys)
}

// warnOfMisspelt warns of unknown keys that are nearly known ones: the engine would pass them over,
// and the setting would have no effect. Others may be keys of the engine that wfc does not need.
func (d *archonDecoder) warnOfMisspelt(setting string, n *yamlsrc.Node, keys []archonKey) {
	var missing []string
	for _, k := range keys {
		if n.Pair(k.name) == nil {
			missing = append(missing, k.name)
		}
	}
	where := "in the configuration"
	if setting != "" {
		where = "in `" + setting + "`"
	}
	for _, p := range n.Pairs {
		if slices.ContainsFunc(keys, func(k archonKey) bool { return k.name == p.Key.Value }) {
			continue
		}
		if near := plain.Nearest(p.Key.Value, missing); near != "" {
			d.bag.Add(finding.MisspeltKey(p.Key.Span, p.Key.Value, where, near))
		}
	}
}

// isOff reports whether a value says that nothing happens.
func isOff(n *yamlsrc.Node) bool {
	mode := n.Get("mode")
	return n.IsNull() || n.Tag == yamlsrc.TagBool && n.Value == "false" || mode != nil && mode.Value == "off"
}

func (d *archonDecoder) section(keys ...archonKey) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) { d.readLoose(setting, n, keys) }
}

func (d *archonDecoder) topKeys() []archonKey {
	const scheduled = "set a schedule in `wfc.yaml`, as in `workflows: {\"PATH\": {schedule: \"0 7 * * *\"}}`, and run `wfc listen`"
	a := d.into
	return []archonKey{
		{name: "workflows", read: d.section(
			archonKey{name: "autoResumeOnQuotaReset", read: readInto(&a.Quota.Resume, d.readFlag)},
			archonKey{name: "quotaFallbackDelayMs", read: readInto(&a.Quota.Fallback, d.readMilliseconds)},
			archonKey{name: "quotaMaxAttempts", read: readInto(&a.Quota.Attempts, countReader[int](d.reader))},
			archonKey{name: "quotaDeadlineMs", read: readInto(&a.Quota.Deadline, d.readMilliseconds)},
		)},
		{name: "worktree", read: d.section(
			archonKey{name: "baseBranch", read: readInto(&a.BaseBranch, d.readText)},
			archonKey{name: "copyFiles", read: func(string, *yamlsrc.Node) {}, way: "copy files into a worktree by a bash node, as in `cp \"$(git rev-parse --git-common-dir)/../.env\" .`"},
			archonKey{name: "initSubmodules", read: func(string, *yamlsrc.Node) {}, way: "check out submodules by a bash node: `git submodule update --init`"},
			archonKey{name: "path", read: func(string, *yamlsrc.Node) {}, way: "set `state` in `wfc.yaml`: worktrees are in the state folder"},
		)},
		{name: "docs", read: d.section(archonKey{name: "path", read: readInto(&a.DocsDir, d.readText)})},
		{name: "commands", read: d.section(
			archonKey{name: "folder", read: readInto(new(string), d.readText), way: "list the folder under `commands` in `wfc.yaml`"},
		)},
		{name: "assistant", read: d.readAssistant},
		{name: "assistants", read: d.readAssistants},
		{name: "concurrency", read: d.section(
			archonKey{name: "providers", read: d.readCaps},
		)},
		{name: "modelRouter", way: "name the model of each node, or a tier under `models` in `wfc.yaml`", read: d.section(
			archonKey{name: "tiers", read: readInto(new([]string), listReader(d.reader, "a list of small, medium and large", func(n *yamlsrc.Node) (string, bool) {
				return n.Value, slices.Contains([]string{"small", "medium", "large"}, n.Value)
			}))},
			archonKey{name: "mode", read: readInto(new(string), oneOf(d.reader, "off", "shadow", "apply"))},
		)},
		{name: "container", read: d.section(
			archonKey{name: "enabled", read: readInto(new(bool), d.readFlag), way: "use `worktree`, or a `sandbox` in `wfc.yaml`"},
			archonKey{name: "image", read: readInto(new(string), d.readText)},
			archonKey{name: "network", read: readInto(new(string), oneOf(d.reader, "bridge", "none"))},
			archonKey{name: "memoryMb", read: readInto(new(int), countReader[int](d.reader))},
			archonKey{name: "pidsLimit", read: readInto(new(int), countReader[int](d.reader))},
		)},
		{name: "binding", way: scheduled, read: func(setting string, n *yamlsrc.Node) { d.readBinding(setting, n, nil) }},
		{name: "schedule", read: d.section(
			archonKey{name: "intervalSeconds", required: true, read: readInto(new(int), countReader[int](d.reader))},
			archonKey{name: "runAtLoad", required: true, read: readInto(new(bool), d.readFlag)},
		)},
		{name: "sources", read: func(setting string, n *yamlsrc.Node) {
			for i, item := range listItems(n) {
				d.readSource(joinIndex(setting, i), item)
			}
		}},
	}
}

// readAssistant reads the provider that answers prompts which name none.
func (d *archonDecoder) readAssistant(setting string, n *yamlsrc.Node) {
	_, replaced := d.agents.Find("claude")
	if name := d.readText(setting, n); name != "" && name != "claude" && !replaced {
		d.noteWay(setting, n.Place(), fmt.Sprintf("let `%s` answer in the place of claude in `wfc.yaml`: `agents: {claude: {use: %[1]s}}`", name))
	}
}

// readAssistants reads the models of providers.
func (d *archonDecoder) readAssistants(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		name, model := pair.Key.Value, pair.Value.Get("model")
		if model != nil {
			plain.PutEntry(&d.into.Models, name, model.Value)
		}
		if own, _ := d.agents.Find(name); model != nil && own.Model == "" {
			d.noteWay(setting, pair.Key.Span, fmt.Sprintf("set models under `agents` in `wfc.yaml`, as in `agents: {%s: {use: %[1]s, model: %s}}`", name, model.Value))
		}
	}
}

// noteWay notes what to write in wfc.yaml for a setting that no run follows.
func (d *archonDecoder) noteWay(setting string, at source.Span, way string) {
	plain.PutEntry(&d.ways, setting, way)
	if !d.first.IsValid() {
		d.first = at
	}
}

// readBinding reads what a trigger starts; one with a source also selects events.
func (d *archonDecoder) readBinding(setting string, n *yamlsrc.Node, on *settings.TriggerSource) {
	t := ir.Trigger{Setting: setting, Span: n.Place()}
	before := d.bag.Len()
	var chosen selection
	mapped := map[string]string{}
	text := readInto(new(string), d.readText)
	input := func(setting string, pair yamlsrc.Pair, literal string) {
		if i := slices.IndexFunc(t.Inputs, func(m settings.MappedValue) bool { return m.Name == pair.Key.Value }); i >= 0 {
			t.Inputs, t.InputPlaces = slices.Delete(t.Inputs, i, i+1), slices.Delete(t.InputPlaces, i, i+1)
		}
		t.Inputs = append(t.Inputs, settings.MappedValue{Name: pair.Key.Value, Literal: literal})
		t.InputPlaces = append(t.InputPlaces, ir.MappedPlace{Name: pair.Key.Span, Value: pair.Value.Place()})
	}
	keys := []archonKey{
		{name: "bindingId", required: true, read: text},
		{name: "hostId", required: true, read: text},
		{name: "runAsUserId", required: true, read: text},
		{name: "resource", required: true, read: text},
		{name: "capacity", read: readInto(new(int), countReader[int](d.reader))},
		{name: "overlap", required: true, read: readInto(new(string), oneOf(d.reader, "skip", "queue"))},
		{name: "launch", required: true, read: d.section(
			archonKey{name: "cwd", required: true, read: text},
			archonKey{name: "workflowName", required: true, read: readInto(&t.Workflow, d.readText)},
			archonKey{name: "inputs", read: func(setting string, n *yamlsrc.Node) {
				for pair := range d.mappingPairs(setting, n) {
					input(setting, pair, pair.Value.JSON())
				}
			}},
		)},
	}
	if on != nil {
		t.On = *on
		keys[3].way = "`wfc listen` queues every delivery; runs in one checkout wait for each other, and its flag `--parallel` limits the others"
		keys = append(keys,
			archonKey{name: "selector", required: true, read: d.section(d.selectorKeys(&chosen)...)},
			archonKey{name: "inputMapping", read: func(setting string, n *yamlsrc.Node) {
				for pair := range d.mappingPairs(setting, n) {
					literal, field := d.readMapped(joinSetting(setting, pair.Key.Value), pair.Value)
					mapped[pair.Key.Value] = field
					if literal != "" {
						delete(mapped, pair.Key.Value)
					}
					input(setting, pair, literal)
				}
			}})
	}
	d.readLoose(setting, n, keys)
	if on != nil && d.bag.Len() == before {
		d.addTriggers(t, setting, &chosen, n, mapped)
	}
}

// readMapped reads the source of an input: a constant, as JSON, or a field of the event.
func (d *archonDecoder) readMapped(setting string, n *yamlsrc.Node) (literal, field string) {
	var from string
	d.readLoose(setting, n, []archonKey{{name: "source", required: true, read: readInto(&from, oneOf(d.reader, "field", "literal"))}})
	switch from {
	case "field":
		d.readLoose(setting, n, []archonKey{{name: "field", required: true, read: readInto(&field, d.readText)}})
	case "literal":
		d.readLoose(setting, n, []archonKey{{name: "value", required: true, read: func(_ string, n *yamlsrc.Node) { literal = n.JSON() }}})
	}
	return literal, field
}

// readCaps reads the limits of providers.
func (d *archonDecoder) readCaps(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		name := pair.Key.Value
		if _, found := d.agents.Find(name); !found && !slices.Contains(archon.Agents(), name) {
			d.reportWrong(joinSetting(setting, name), pair.Key, "a provider: one of "+strings.Join(archon.Agents(), ", ")+", or an agent of `wfc.yaml`")
			continue
		}
		if most := countReader[int](d.reader)(joinSetting(setting, name), pair.Value); most > 0 {
			plain.PutEntry(&d.into.Caps, name, most)
		}
	}
}

// readMilliseconds reads a positive time of at most 1,000 years.
func (d *archonDecoder) readMilliseconds(setting string, n *yamlsrc.Node) time.Duration {
	const longest = 1000 * 365 * 24 * 60 * 60 * 1000
	ms := d.numberReader("a number of milliseconds above 0, at most 1,000 years", func(v float64) bool { return v > 0 && v <= longest })(setting, n)
	return time.Duration(min(ms, float64(1<<63-1)/float64(time.Millisecond))) * time.Millisecond
}

// Package config reads wfc.yaml, the settings of a project, and gives them to the
// compiler and to the generator:
//
//	file, err := filepath.Abs(os.Args[1])
//	if err != nil {
//		return err
//	}
//	c := &config.Config{} // without wfc.yaml, the defaults
//	var findings []*diag.Diagnostic
//	path, err := config.Find(filepath.Dir(file))
//	if err == nil && path != "" {
//		c, findings, err = config.Load(path, path)
//	}
//	if err != nil {
//		return err
//	}
//	content, err := os.ReadFile(file)
//	if err != nil {
//		return err
//	}
//	result := compiler.Compile(source.NewFile(file, content), c.Options(file))
//	findings = append(findings, result.Diagnostics...)
//
// The package reads wfc.yaml with the compiler's own YAML reader. So each finding has a
// position, and one about an unknown key suggests the nearest known key. No unknown key is
// ignored silently.
package config

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Config has the settings of one wfc.yaml. The zero Config has the defaults.
type Config struct {
	// Dir is the absolute path of the folder of wfc.yaml. Relative paths in wfc.yaml start
	// there.
	Dir string
	// outer is the folder of an outer wfc.yaml, or "".
	outer string
	// settings are those of the project, with agents as they are written.
	settings settings.Project
	// set are the places of the settings that the file has, by their keys.
	set map[string]source.Span
	// severities are the levels of warnings and notes.
	severities map[*diag.Code]diag.Severity
	// exclude are patterns of files and folders that are not checked.
	exclude []string
	// nodes are the nodes of any workflow that settings name.
	nodes []nodeName
	// archon are the settings of Archon's configuration, or nil.
	archon *archonSettings
	// files give settings to the files of patterns, in file order.
	dialects, workflows []rule
}

// A rule gives settings to the files of a pattern: a path relative to the folder of
// the configuration, with *, ? and [a-z] in names and ** for any number of folders.
type rule struct {
	pattern string
	// dialect is the dialect, or compiler.NoDialect for files that are not workflows.
	dialect    string
	schedule   source.Text
	deliverTo  []source.Text
	tags       []ir.NodeTags
	onQuota    settings.Quota
	budgets    settings.Budgets
	notify     settings.Notify
	triggers   []ir.Trigger
	severities map[*diag.Code]diag.Severity
}

// Load reads the configuration at path, sets Dir to the folder of path and calls AddOuter. path must be
// absolute and not "" (see Find); findings show it as name. If the file cannot be read,
// Load returns an error and a nil Config.
//
// Findings are about the content. The Config is usable in any case: Load leaves out each
// value that has an error, and keeps the other settings. If the file is not valid YAML,
// the Config has the defaults.
func Load(path, name string) (*Config, []*diag.Diagnostic, error) {
	content, err := wholefile.Source.Read(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read configuration: %w", err)
	}
	c, findings := Parse(source.NewFile(name, content))
	c.Dir = filepath.Dir(path)
	return c, append(findings, c.AddOuter(name)...), nil
}

// Parse reads a configuration. The findings are those of Load. The caller sets Dir.
func Parse(file *source.File) (*Config, []*diag.Diagnostic) {
	var bag diag.Bag
	c := &Config{}
	doc := yamlsrc.Parse(file, &bag)
	if doc != nil && doc.Root != nil && !bag.HasErrors() {
		d := &decoder{reader: reader{&bag}, config: c}
		for _, dup := range doc.Duplicates {
			bag.Add(finding.DuplicateKey(dup.Key, dup.First, dup.Second))
		}
		if doc.More.IsValid() {
			bag.Add(finding.ConfigValue(doc.More, FileName, "a single document"))
		}
		if !doc.Root.IsNull() {
			d.readSection("", doc.Root, d.rootKeys())
			c.set = map[string]source.Span{}
			for _, pair := range doc.Root.Pairs {
				c.set[pair.Key.Value] = pair.Key.Span
			}
			for _, check := range d.later {
				check()
			}
		}
	}
	list := bag.Sorted()
	if doc != nil {
		doc.EncodeFixes(list)
	}
	return c, list
}

// Options returns options for a file, with the fields that the configuration decides:
// Path, ConfigDialect, Settings, Schedule, DeliverTo, WorkerTags, Triggers and Severities. The
// caller sets the others, such as Home.
//
// The path must be absolute: settings that wfc.yaml gives to patterns of file names do
// not apply to a relative one.
func (c *Config) Options(path string) compiler.Options {
	opt := compiler.Options{Path: path, Settings: c.settings}
	opt.Settings.Agents = c.Agents()
	for r := range c.matchingRules(c.dialects, path) {
		opt.ConfigDialect = r.dialect
		break
	}
	for r := range c.matchingRules(c.workflows, path) {
		if opt.Schedule.Value == "" {
			opt.Schedule = r.schedule
		}
		if opt.DeliverTo == nil {
			opt.DeliverTo = r.deliverTo
		}
		opt.WorkerTags = append(opt.WorkerTags, r.tags...)
		opt.Triggers = append(opt.Triggers, r.triggers...)
	}
	opt.Triggers = append(opt.Triggers, c.ArchonTriggers()...)
	opt.Severities = c.severitiesOf(path)
	if b := c.budgetsOf(path); b != (settings.Budgets{}) {
		opt.Settings.Budgets.Workflows = map[string]settings.Budgets{"": b} // of this file, whose name is not known yet
	}
	return opt
}

// TurnsOf returns what settings say of the turns of agents in the file of an absolute path: the
// policy for prompts whose agent's quota is used up, which is that of the first pattern that sets
// one, or else of the project; and the maximum number of turns at the same time, by agent. For
// workflows of the format archon, the configuration of Archon decides what wfc.yaml does not set.
func (c *Config) TurnsOf(path, dialect string) (onQuota settings.Quota, concurrency map[string]int) {
	own := firstSetting(c, path, func(r *rule) settings.Quota { return r.onQuota })
	onQuota, concurrency = own.Or(c.settings.OnQuota), c.settings.Concurrency
	if dialect != archon.Name || c.archon == nil {
		return onQuota, concurrency
	}
	all := maps.Clone(c.archon.Caps)
	for name, most := range concurrency {
		plain.PutEntry(&all, name, most)
	}
	return onQuota.Or(c.archon.Quota.policy()), all
}

// WithArchon returns the configuration with the settings of a file of ArchonFiles as well, the
// configuration of the engine Archon; see TurnsOf.
func (c *Config) WithArchon(file *source.File) *Config {
	own := *c
	read, _ := parseArchon(file, c.settings.Agents)
	if c.archon != nil { // a file of triggers has nothing else
		both := *c.archon
		both.Triggers = slices.Concat(both.Triggers, read.Triggers)
		read = &both
	}
	own.archon = read
	return &own
}

// ArchonModel returns the model that the configuration of the engine Archon names for a provider,
// which no run follows, or "".
func (c *Config) ArchonModel(provider string) string {
	if c.archon == nil {
		return ""
	}
	return c.archon.Models[provider]
}

// ArchonTriggers returns the triggers in the configuration of the engine Archon, which name their
// workflows.
func (c *Config) ArchonTriggers() []ir.Trigger {
	if c.archon == nil {
		return nil
	}
	return c.archon.Triggers
}

// severitiesOf returns the levels for the file of an absolute path: of the first pattern
// that sets one, or else of the project.
func (c *Config) severitiesOf(path string) map[*diag.Code]diag.Severity {
	set, own := c.severities, map[*diag.Code]diag.Severity{}
	for r := range c.matchingRules(c.workflows, path) {
		for code, level := range r.severities {
			if _, known := own[code]; !known {
				own[code] = level
			}
		}
	}
	if len(own) > 0 {
		set = maps.Clone(c.severities)
		if set == nil {
			return own
		}
		maps.Copy(set, own)
	}
	return set
}

// firstSetting returns a setting of the first rule for the file of an absolute path that has it.
func firstSetting[T comparable](c *Config, path string, of func(*rule) T) (v T) {
	for r := range c.matchingRules(c.workflows, path) {
		v = cmp.Or(v, of(r))
	}
	return v
}

// matchingRules yields the rules for the file of an absolute path, in order.
func (c *Config) matchingRules(rules []rule, path string) func(yield func(*rule) bool) {
	return func(yield func(*rule) bool) {
		rel, err := filepath.Rel(c.Dir, path)
		if err != nil {
			return
		}
		for i := range rules {
			if glob.Match(rules[i].pattern, filepath.ToSlash(rel)) && !yield(&rules[i]) {
				return
			}
		}
	}
}

// Excludes reports whether the configuration excludes a file or folder, or a folder above
// it. The path must be absolute: Excludes reports false for a relative one.
func (c *Config) Excludes(path string) bool {
	rel, err := filepath.Rel(c.Dir, path)
	if err != nil || len(c.exclude) == 0 || !filepath.IsLocal(rel) {
		return false
	}
	for name := filepath.ToSlash(rel); name != "."; name = slashpath.Dir(name) {
		if slices.ContainsFunc(c.exclude, func(pattern string) bool { return glob.Match(pattern, name) }) {
			return true
		}
	}
	return false
}

// FileName is the name of the configuration file: wfc.yaml.
const FileName = workspace.ConfigName

// Find returns the path of the configuration for the files of a folder: wfc.yaml in the
// folder or in the nearest one above that has it, or "". dir must be absolute: Find does
// not search above a relative one.
//
// Find returns the path and an error if wfc.yaml belongs to another user or lies outside
// the repository of dir. It returns no other errors.
func Find(dir string) (string, error) {
	repository := ""
	for dir := range workspace.Ancestors(dir) {
		path := filepath.Join(dir, FileName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, foreignConfigError(path, info, repository)
		}
		if repository == "" && workspace.Exists(filepath.Join(dir, ".git")) {
			repository = dir
		}
	}
	return "", nil
}

// A foreignError reports a configuration that belongs to another user or is outside the
// repository. Do not use such a file: it names programs to run and places to send results
// to.
type foreignError struct {
	// Path is the path of the configuration, and Why completes the sentence "it is not
	// used because it".
	Path, Why string
}

func (e *foreignError) Error() string {
	return fmt.Sprintf("%s is not used because it %s; %s to use it", e.Path, e.Why, trust.Advice(e.Path))
}

// foreignConfigError returns why a configuration is not used, or nil. repository is
// the root of the repository that the configuration lies above, or "".
func foreignConfigError(path string, info fs.FileInfo, repository string) error {
	owner, foreign := trust.Owner(info)
	switch {
	case !foreign && repository == "", trust.Trusted(path):
		return nil
	case foreign:
		return &foreignError{path, "belongs to " + owner}
	}
	return &foreignError{path, "is outside the repository " + repository}
}

// UnknownNodes returns findings about unknown nodes in `gates`, `sandbox` and `grants` of wfc.yaml, and
// in `tags`, which restrict nodes to certain Temporal workers. `tags` belong to a pattern of
// file names; a node is unknown if no workflow that matches the pattern has it. If the pattern
// is the name of an existing file, UnknownNodes leaves it out, because compiler.Compile reports
// its unknown nodes.
//
// nodes has the ids of the nodes of every workflow of the project, by the file's absolute
// path; those of nodes inside others have the id of these and a point before their own. A nil
// slice in it is for a file with errors, which may have any node.
func (c *Config) UnknownNodes(nodes map[string][]string) []*diag.Diagnostic {
	var list []*diag.Diagnostic
	for _, r := range c.workflows {
		var known []string
		broken, matched := false, false
		for path, ids := range nodes {
			for range c.matchingRules([]rule{r}, path) {
				matched, broken = true, broken || ids == nil
				known = append(known, slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
					i := strings.LastIndexByte(id, '.')
					return i > 0 && slices.Contains(ids, id[:i]) // nodes inside others have no tags
				})...)
			}
		}
		slices.Sort(known)
		for _, t := range r.tags {
			if !broken && !(t.Whole && matched) && !slices.Contains(known, t.Node) {
				list = append(list, finding.UnknownSettingNode(t.At, t.Node, "`tags` of the workflows `"+r.pattern+"`", known))
			}
		}
	}
	var all []string
	broken := false
	for _, ids := range nodes {
		broken = broken || ids == nil
		all = append(all, ids...)
	}
	slices.Sort(all)
	for _, n := range c.nodes {
		if !broken && !slices.Contains(all, n.id) {
			list = append(list, finding.UnknownSettingNode(n.at, n.id, "`"+n.setting+"`", all))
		}
	}
	for _, d := range list {
		for _, fix := range d.Fixes {
			for i := range fix.Edits {
				fix.Edits[i].Decoded = false // YAML needs no other form of an id
			}
		}
	}
	return list
}

// NamesNodes reports whether `gates`, `sandbox`, `grants` or `tags` of wfc.yaml name nodes: only then is a
// call of UnknownNodes useful.
func (c *Config) NamesNodes() bool {
	return len(c.nodes) > 0 || slices.ContainsFunc(c.workflows, func(r rule) bool { return len(r.tags) > 0 })
}

package graphloop

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A template of nodes is a role such as `reviewer`: the settings of an agent that
// nodes take over by `template: reviewer`. The node's own settings take precedence;
// prompt_prefix goes before the node's prompt.

// roles are the templates of the project.
type roles struct {
	names []string
	byKey map[string]*yamlsrc.Node
}

// templatesFolder is where templates are kept, below the project's folder.
const templatesFolder = ".graph-loop/templates"

// roleKeys are the keys that templates have and nodes have not.
var roleKeys = []string{"description", "prompt_prefix"}

// findRoles reads the templates of all files in the folder, the first of a name
// counts.
func (d *decoder) findRoles() *roles {
	if d.roles != nil {
		return d.roles
	}
	d.roles = &roles{byKey: map[string]*yamlsrc.Node{}}
	dir := filepath.Join(d.env.Root, filepath.FromSlash(templatesFolder))
	for _, name := range d.env.Files.List(dir) {
		if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
			d.readRoles(filepath.Join(dir, name), templatesFolder+"/"+name)
		}
	}
	return d.roles
}

// readRoles reads one file. Its faults are reported like faults of the workflow,
// because a node needs it.
func (d *decoder) readRoles(path, shown string) {
	content, err := d.env.Files.Read(path)
	file := source.NewFile(shown, content)
	if err != nil {
		d.Bag.Add(finding.UnreadableFile(source.Span{File: file}, shown, dialect.Reason(err)))
		return
	}
	doc := yamlsrc.Parse(file, d.Bag)
	d.resources = append(d.resources, file)
	if doc == nil || doc.Root == nil {
		return
	}
	templates := doc.Root.Get("templates")
	if templates == nil || templates.Kind != yamlsrc.Mapping {
		return
	}
	for _, p := range templates.Pairs {
		if name := p.Key.Value; p.Value.Kind == yamlsrc.Mapping && d.roles.byKey[name] == nil {
			d.roles.names = append(d.roles.names, name)
			d.roles.byKey[name] = p.Value
		}
	}
}

// readTemplate adds the settings of its template to a node.
func (d *decoder) readTemplate(n *nodeDecl) {
	p := n.at.Node.Pair("template")
	if p == nil {
		return
	}
	v := nodeLevel.Value(n.at, p)
	name, ok := d.Filled(v)
	if !ok {
		n.incomplete = true
		return
	}
	all := d.findRoles()
	role := all.byKey[name]
	if role == nil {
		n.incomplete = true
		d.Bag.Add(finding.UnknownTemplate(v.Place(), name, all.names))
		return
	}
	merged := *n.at.Node
	merged.Pairs = slices.Clone(n.at.Node.Pairs)
	for _, p := range role.Pairs {
		switch {
		case p.Key.Value == "prompt_prefix" && p.Value.Kind == yamlsrc.Scalar && !p.Value.IsNull():
			n.prefix = p.Value.Text()
		case !slices.Contains(roleKeys, p.Key.Value) && n.at.Node.Pair(p.Key.Value) == nil:
			merged.Pairs = append(merged.Pairs, p)
		}
	}
	n.at.Node = &merged
}

package cli

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/compare"
	"github.com/wfc-lang/wfc/cmd/wfc/pack"
	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// packFiles reads the files of a pack that is not written yet, as if it were, and all others from
// the disk.
type packFiles struct {
	compiler.Files
	// dir is the pack's absolute folder.
	dir     string
	content map[string][]byte
	lists   map[string][]string
}

func newPackFiles(dir string, files []pack.File) *packFiles {
	f := &packFiles{Files: workspace.Disk{}, dir: dir, content: map[string][]byte{}, lists: map[string][]string{}}
	for _, file := range files {
		name := filepath.Join(dir, filepath.FromSlash(file.Path))
		f.content[name] = file.Content
		f.list(name, "")
	}
	for above := dir; !workspace.Exists(filepath.Dir(above)); above = filepath.Dir(above) {
		f.list(filepath.Dir(above), "/")
	}
	return f
}

// list adds a path to the lists of the folders above it in the pack.
func (f *packFiles) list(name, ending string) {
	dir := filepath.Dir(name)
	entry := filepath.Base(name) + ending
	if slices.Contains(f.lists[dir], entry) {
		return
	}
	f.lists[dir] = append(f.lists[dir], entry)
	slices.Sort(f.lists[dir])
	if rel, err := filepath.Rel(f.dir, dir); err == nil && rel != "." && filepath.IsLocal(rel) {
		f.list(dir, "/")
	}
}

// Read implements compiler.Files.
func (f *packFiles) Read(name string) ([]byte, error) {
	if content, ok := f.content[name]; ok {
		return content, nil
	}
	return f.Files.Read(name)
}

// List implements compiler.Files.
func (f *packFiles) List(dir string) []string {
	if list, ok := f.lists[dir]; ok {
		return list
	}
	list := slices.Clone(f.Files.List(dir))
	if entry := filepath.Base(f.dir) + "/"; dir == filepath.Dir(f.dir) && !slices.Contains(list, entry) {
		list = append(list, entry)
		slices.Sort(list)
	}
	return list
}

// An inspectedPack is what the compiler says about the workflows of a pack.
type inspectedPack struct {
	outcomes []outcome
	// named are the files of workflows by the names that they declare, broken those with errors.
	named  map[string]string
	broken []string
	powers []string
}

// inspectPack compiles the workflows of a pack that is not written yet. folder is its folder in the
// project, whose folder is top.
func (p *projects) inspectPack(top, folder string, fresh *fetchedPack) (*inspectedPack, error) {
	dir := filepath.Join(top, filepath.FromSlash(folder))
	files := newPackFiles(dir, fresh.Files)
	in := &inspectedPack{named: map[string]string{}}
	var asked *loadedConfig // the settings that the authors have
	for _, f := range fresh.settings {
		if f.Path == config.FileName {
			c, _ := config.Parse(source.NewFile(f.Path, f.Content))
			c.Dir = dir
			asked = &loadedConfig{Config: c}
		}
	}
	for _, f := range fresh.Files {
		if ext := path.Ext(f.Path); ext != ".yaml" && ext != ".yml" || search.BelongsToTests(f.Path) {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		pr, err := p.projectOfFile(name)
		if err != nil {
			return nil, err
		}
		if asked != nil {
			pr = &project{root: pr.root, config: asked}
		}
		o := outcome{input: input{name: displayPath(name), path: name, content: f.Content}, project: pr}
		opt := p.compileOptions(&compileFlags{}, name, pr)
		opt.Files = files
		if strings.HasPrefix(folder, workspace.PacksFolder+"/") && !strings.Contains("/"+f.Path, workspace.ArchonFolder) {
			opt.Root = dir
		}
		o.result = compiler.Compile(source.NewFile(o.input.name, f.Content), opt)
		if !o.isWorkflow() {
			continue
		}
		in.outcomes = append(in.outcomes, o)
		if o.result.Workflow == nil || o.result.HasErrors() {
			in.broken = append(in.broken, f.Path)
			continue
		}
		if w := o.result.Workflow.Workflow.Name; in.named[w] == "" {
			in.named[w] = f.Path
		}
	}
	in.powers = powersOf(in.outcomes, fresh.settings)
	return in, nil
}

// askedPrefix starts the powers that a pack does not have unless the project gives them to it.
const askedPrefix = "asks for "

// powersOf lists what workflows may do and what settings ask for, in order.
func powersOf(outcomes []outcome, settings []pack.File) []string {
	powers := []string{}
	add := func(format string, args ...any) {
		powers = plain.AddNew(powers, fmt.Sprintf(format, args...))
	}
	for _, o := range outcomes {
		p := o.result.Workflow
		if p == nil || o.result.HasErrors() {
			continue
		}
		for _, name := range o.result.Agents() {
			add("agent: %s", name)
		}
		for aspect, values := range compare.Powers(p) {
			for _, value := range values {
				add("%s: %s", aspect, value)
			}
		}
		for _, tool := range p.Workflow.Tools() {
			add("program: %s", tool.Name)
		}
	}
	for _, f := range settings {
		if path.Base(strings.ToLower(f.Path)) != config.FileName {
			if strings.Contains(f.Path, ".archon") {
				add(askedPrefix+"settings of Archon in %s", f.Path)
			}
			continue
		}
		c, _ := config.Parse(source.NewFile(f.Path, f.Content))
		for _, agent := range c.Agents() {
			text := fmt.Sprintf(askedPrefix+"agent `%s`", agent.Name)
			for _, part := range [][2]string{{"use", cmp.Or(agent.Use, agent.Kind)}, {"program", agent.Program}, {"permission", agent.Permission}} {
				if part[1] != "" {
					text += ", " + part[0] + " " + part[1]
				}
			}
			add("%s", text)
		}
		s := c.Settings("/").Sandbox
		grants := slices.Clone(s.Grants.Default)
		for _, more := range []map[string][]string{s.Grants.Agents, s.Grants.Kinds, s.Grants.Nodes} {
			for _, names := range more {
				grants = append(grants, names...)
			}
		}
		for _, name := range grants {
			add(askedPrefix+"grant: %s", name)
		}
		if s.Default != "" {
			add(askedPrefix+"sandbox: %s", s.Default)
		}
	}
	slices.Sort(powers)
	return powers
}

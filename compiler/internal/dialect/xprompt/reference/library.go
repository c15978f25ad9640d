// Package reference expands the references of prompts to other prompts: #name,
// #name(arguments), #name:argument, #name+ and #name: text.
//
// The original engine replaces text, again and again until no known name is left,
// after all values have been inserted. So it also expands a value with a # in it,
// and text of a value becomes arguments. Here references are expanded at compile
// time, in parsed templates: a hole is one character that no name, quotation mark
// or comma can be. The text of files is expanded as in the engine, and values are
// never searched.
//
// Arguments are expanded at their place, before the prompt that gets them. So a
// chain of references can be endless only if a prompt refers to itself.
package reference

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A Library knows the prompts that a workflow can refer to, and which it does.
type Library struct {
	env *dialect.Env
	bag *diag.Bag
	// Successor says that the workflow follows the rules of the format's successor.
	Successor bool
	// local are the prompts of the workflow file itself.
	local []*prompt
	// byName are all prompts; nil until a reference is searched for.
	byName map[string]*prompt
	names  []string
	// workflows are the files of workflows in the folders of prompts, by name.
	workflows map[string]string
	// aliases are other names of prompts, in the order in which they are replaced.
	aliases []alias
	used    []*source.File
	// references are those that were expanded.
	references []ir.PromptRef
	// expansions counts the references that were expanded.
	expansions int
}

// An alias is another name of a prompt; its target can be the name of a later alias.
type alias struct{ name, target string }

// NewLibrary returns the library of the prompts around a workflow file. It reads no
// folder before there is a reference.
func NewLibrary(env *dialect.Env, bag *diag.Bag) *Library {
	return &Library{env: env, bag: bag}
}

// AddLocal adds a prompt that the workflow file holds: a text, or a mapping with
// input, output and content.
func (l *Library) AddLocal(p *yamlsrc.Pair) { l.local = append(l.local, entryPrompt(p, true)) }

// Files are the files of the prompts that were referred to, in the order of the
// first references.
func (l *Library) Files() []*source.File { return l.used }

// References are the references that were expanded. One in a prompt that others refer to
// several times is there as often.
func (l *Library) References() []ir.PromptRef { return l.references }

// noteReference keeps the place of a reference to a prompt.
func (l *Library) noteReference(p *prompt, at source.Span) {
	r := ir.PromptRef{Name: p.name, At: at, File: p.file}
	switch {
	case p.file == nil:
		r.Def = p.at
	case p.helper:
		r.Def = source.Span{File: p.file, Start: p.at.Start, End: p.at.End}
	case p.head.Get("name").IsString() && strings.HasSuffix(p.name, p.head.Get("name").Value):
		// The head was parsed as a file that ends where the head ends.
		place := p.head.Get("name").Span
		r.Def = source.Span{File: p.file, Start: place.Start, End: place.End}
	}
	l.references = append(l.references, r)
}

// folderNames are the names of the folders that hold prompts.
var folderNames = []string{"sase/macros", ".macros", "macros", "sase/xprompts", ".xprompts", "xprompts"}

// Folders are those that hold prompts, the first with a name counts. A workflow that is in
// a folder of such a name sees the prompts beside it.
func (l *Library) Folders() []string {
	var list []string
	if slices.Contains(folderNames, filepath.Base(l.env.Dir)) {
		list = append(list, l.env.Dir)
	}
	for _, top := range []string{l.env.Root, l.env.Dir, l.env.Home} {
		if top == "" {
			continue
		}
		for _, name := range folderNames {
			if dir := filepath.Join(top, name); !slices.Contains(list, dir) {
				list = append(list, dir)
			}
		}
	}
	return list
}

// loadPrompts finds all prompts.
func (l *Library) loadPrompts() {
	if l.byName != nil {
		return
	}
	l.byName, l.workflows = map[string]*prompt{}, map[string]string{}
	for _, p := range l.local {
		l.addPrompt(p)
	}
	for _, dir := range l.Folders() {
		l.loadFolder(dir, "")
	}
	l.loadSettings(filepath.Join(l.env.Root, "sase", "sase.yml"))
	l.loadSettings(filepath.Join(l.env.Root, "sase.yml"))
	if l.env.Home == "" {
		return
	}
	l.loadSettings(filepath.Join(l.env.Home, ".config", "sase", "sase.yml"))
	settings := filepath.Join(l.env.Home, ".config", "gai")
	for _, entry := range l.env.Files.List(filepath.Join(settings, "xprompts")) {
		if project, isDir := strings.CutSuffix(entry, "/"); isDir {
			l.loadFiles(filepath.Join(settings, "xprompts", project), project+"/")
		}
	}
	l.loadSettings(filepath.Join(settings, "gai.yml"))
}

func (l *Library) addPrompt(p *prompt) {
	if p == nil || l.byName[p.name] != nil {
		return
	}
	l.byName[p.name] = p
	l.names = append(l.names, p.name)
}

// loadFolder finds the prompts of a folder and, as folder/name, of the folders
// in it.
func (l *Library) loadFolder(dir, prefix string) {
	l.loadFiles(dir, prefix)
	for _, entry := range l.env.Files.List(dir) {
		if sub, isDir := strings.CutSuffix(entry, "/"); isDir && isName(sub) && strings.Count(prefix, "/") < maxNested {
			l.loadFolder(filepath.Join(dir, sub), prefix+sub+"/")
		}
	}
}

// maxNested is the maximum depth of folders of prompts.
const maxNested = 4

func (l *Library) loadFiles(dir, prefix string) {
	for _, entry := range l.env.Files.List(dir) {
		switch stem := strings.TrimSuffix(entry, filepath.Ext(entry)); filepath.Ext(entry) {
		case ".md":
			l.addPrompt(l.readPromptFile(filepath.Join(dir, entry), prefix, stem))
		case ".yml", ".yaml":
			if name := prefix + stem; l.workflows[name] == "" {
				l.workflows[name] = l.Shown(filepath.Join(dir, entry))
			}
		}
	}
}

// loadSettings finds the prompts of settings of the original engine, which it keeps in the
// home folder, or of its successor.
func (l *Library) loadSettings(path string) {
	content, err := l.env.Files.Read(path)
	if err != nil {
		return
	}
	file := source.NewFile(l.Shown(path), content)
	var bag diag.Bag // other faults in it do not concern the workflow
	doc := yamlsrc.Parse(file, &bag)
	if doc == nil || doc.Root == nil {
		return
	}
	for _, key := range []string{"macro_aliases", "xprompt_aliases"} {
		if list := doc.Root.Get(key); list != nil && list.Kind == yamlsrc.Mapping {
			for _, pair := range list.Pairs {
				known := slices.ContainsFunc(l.aliases, func(a alias) bool { return a.name == pair.Key.Value })
				if !known && pair.Value.Kind == yamlsrc.Scalar && pair.Value.Value != "" {
					l.aliases = append(l.aliases, alias{pair.Key.Value, pair.Value.Value})
				}
			}
		}
	}
	for _, key := range []string{"macros", "xprompts"} {
		list := doc.Root.Get(key)
		if list == nil || list.Kind != yamlsrc.Mapping {
			continue
		}
		for i := range list.Pairs {
			p := entryPrompt(&list.Pairs[i], false)
			p.file = file
			l.addPrompt(p)
		}
	}
}

// Shown is the path for messages: relative to the project's folder if it is below
// it.
func (l *Library) Shown(path string) string {
	if rel, err := filepath.Rel(l.env.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// findPrompt returns the prompt of a name or of an alias, or nil.
func (l *Library) findPrompt(name string) *prompt {
	l.loadPrompts()
	for _, a := range l.aliases {
		if a.name == name {
			name = a.target
		}
	}
	return l.byName[name]
}

// usePrompt notes a reference to a prompt, and reports the faults of the prompt at its
// first use. It reports whether the prompt can be used.
func (l *Library) usePrompt(p *prompt) bool {
	if !p.read {
		p.read, p.successor = true, l.Successor
		p.parseInputs(l.bag)
		if l.Successor && !p.broken {
			p.body = TrimMarker(p.body)
			if at := separatorAt(p.body.Value); at >= 0 {
				p.broken = true
				l.bag.Add(finding.PromptSegments(p.body.Span(at, at+len(separator)), p.name))
			}
		}
		if p.file != nil && !slices.Contains(l.used, p.file) {
			l.used = append(l.used, p.file)
		}
	}
	return !p.broken
}

// Offered returns the prompts that references may name, in the order of the search. The
// list is empty if no text has a #: then the library has read no folder. Call it after all
// references have been expanded: it reads the heads of unused prompts, and reports no fault
// in them.
func (l *Library) Offered() []ir.OfferedPrompt {
	var list []ir.OfferedPrompt
	for _, name := range l.names {
		p := l.byName[name]
		if !p.read {
			p.read, p.successor = true, l.Successor
			p.parseInputs(&diag.Bag{})
		}
		offered := ir.OfferedPrompt{Name: name, File: p.file}
		if p.head != nil && p.head.Kind == yamlsrc.Mapping {
			if n := p.head.Get("description"); n.IsString() {
				offered.Doc = n.Value
			}
		}
		for _, in := range p.inputs {
			offered.Inputs = append(offered.Inputs, ir.PromptInput{Name: in.name, Type: in.valueType(), Required: in.required})
		}
		list = append(list, offered)
	}
	return list
}

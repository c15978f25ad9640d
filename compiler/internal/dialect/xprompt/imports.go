package xprompt

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A step can be in a separate file that several workflows use. Its keys are read as if
// they were written in the workflow; findings point into the other file.

// imports are the files with steps that a workflow uses.
type imports struct {
	files []*source.File
	// usedAt is where each file is used first.
	usedAt map[*source.File]source.Span
	// roots are the files' mappings by the name in `use`; nil after a fault.
	roots map[string]*yamlsrc.Node
}

// stepEndings are the endings of files with steps, the first that exists counts.
var stepEndings = []string{".yml", ".yaml"}

// importStep returns a step with the keys of the file that it uses; its own keys
// replace those. It reports whether the file could be used.
func (d *decoder) importStep(v value) (merged value, ok bool) {
	p := v.Node.Pair("use")
	if p == nil {
		return v, true
	}
	use := stepLevel.Value(v, p)
	name, ok := d.Filled(use)
	if !ok {
		return v, false
	}
	base, read := d.imports.roots[name]
	if !read {
		base = d.stepFile(use, name)
		d.imports.roots[name] = base
	}
	if base == nil {
		return v, false
	}
	node := *v.Node
	node.Pairs = slices.Clone(node.Pairs)
	for _, pair := range base.Pairs {
		if v.Node.Pair(pair.Key.Value) == nil {
			node.Pairs = append(node.Pairs, pair)
		}
	}
	v.Node = &node
	return v, true
}

// stepFile reads the file of a step, and reports faults of its name and its form.
func (d *decoder) stepFile(use value, name string) *yamlsrc.Node {
	if problem := badStepName(name); problem != "" {
		d.Bag.Add(finding.StepImport(use.Place(), problem).WithHelp("write a path below the folder `steps`, such as `shared/lint`"))
		return nil
	}
	file, err := d.findStep(name)
	switch {
	case err != nil:
		d.Bag.Add(finding.UnreadableFile(use.Place(), file.Name, dialect.Reason(err)))
		return nil
	case file == nil:
		d.Bag.Add(finding.UnknownStepFile(use.Place(), name, d.stepNames()))
		return nil
	}
	d.imports.files = append(d.imports.files, file)
	d.imports.usedAt[file] = use.Place()
	if !utf8.Valid(file.Content) {
		d.Bag.Add(finding.StepImport(use.Place(), "the file of step `"+name+"` is not UTF-8"))
		return nil
	}
	var faults diag.Bag
	doc := yamlsrc.Parse(file, &faults)
	d.Bag.Add(faults.Sorted()...)
	if doc == nil || faults.HasErrors() {
		return nil
	}
	root := decode.StrictRoot(doc, d.Bag)
	if root == nil {
		return nil
	}
	if p := root.Pair("use"); p != nil {
		d.Bag.Add(finding.StepImport(p.Key.Span, "the file of a step cannot use another one").
			WithHelp("write the keys of the other file here"))
		return nil
	}
	return root
}

// badStepName describes a name that leads out of the folders of steps, or is "".
func badStepName(name string) string {
	switch {
	case strings.HasPrefix(name, "/"), strings.Contains(name, `\`), strings.Contains(name, ":"):
		return "`use` needs a path with `/` below the folder of steps, got `" + name + "`"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "`use` cannot leave the folder of steps, got `" + name + "`"
	}
	return ""
}

// findStep returns the file of a step, or nil. The error says why it cannot be read.
func (d *decoder) findStep(name string) (file *source.File, fault error) {
	for _, folder := range d.prompts.Folders() {
		for _, ending := range stepEndings {
			path := filepath.Join(folder, "steps", filepath.FromSlash(name)+ending)
			content, err := d.env.Files.Read(path)
			if err == nil {
				return source.NewFile(d.prompts.Shown(path), content), nil
			}
			if fault == nil && !errors.Is(err, fs.ErrNotExist) {
				file, fault = source.NewFile(d.prompts.Shown(path), nil), err
			}
		}
	}
	return file, fault
}

// stepNames are the names of the files of steps.
func (d *decoder) stepNames() []string {
	var list []string
	for _, folder := range d.prompts.Folders() {
		list = append(list, d.stepsIn(filepath.Join(folder, "steps"), "")...)
	}
	return list
}

func (d *decoder) stepsIn(folder, prefix string) []string {
	const deepest = 4
	var list []string
	for _, entry := range d.env.Files.List(folder) {
		if sub, isDir := strings.CutSuffix(entry, "/"); isDir {
			if strings.Count(prefix, "/") < deepest {
				list = append(list, d.stepsIn(filepath.Join(folder, sub), prefix+sub+"/")...)
			}
			continue
		}
		for _, ending := range stepEndings {
			if stem, ok := strings.CutSuffix(entry, ending); ok {
				list = append(list, prefix+stem)
			}
		}
	}
	return list
}

// showUses adds to the findings in files of steps where the workflow uses the file.
func (d *decoder) showUses() {
	if len(d.imports.files) == 0 {
		return
	}
	for _, x := range d.Bag.Sorted() {
		if at, ok := d.imports.usedAt[x.Span.File]; ok && !slices.ContainsFunc(x.Related, func(l diag.RelatedPlace) bool { return l.Span == at }) {
			x.WithRelated(at, "used here")
		}
	}
}

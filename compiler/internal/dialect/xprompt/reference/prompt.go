package reference

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A prompt is a text that others can refer to.
type prompt struct {
	name string
	// file is the file that it comes from, unless it is the workflow's.
	file *source.File
	// at is where faults of the whole prompt are shown.
	at source.Span
	// head declares its inputs and outputs; nil if nothing does.
	head *yamlsrc.Node
	body source.Text
	// local prompts are in the workflow's file and see its names.
	local bool
	// helper says that only the prompt whose head holds it sees it.
	helper bool
	// read says that inputs have been read; broken that something was wrong.
	read, broken bool
	problem      string
	// successor says that it follows the rules of the format's successor.
	successor bool
	// declared says that the prompt declares its inputs.
	declared bool
	inputs   []*input
	// helpers are the prompts that only this one can refer to.
	helpers map[string]*prompt
}

// An input is an argument that a prompt takes.
type input struct {
	name string
	typ  types.Type
	// required says that it has no default; null that the default is None.
	required, null bool
	// repeatable says that it takes all remaining arguments: typ is the type of each.
	repeatable bool
	// text is the default as ConvertText has it, of a repeatable input in JSON.
	text string
}

// valueType is the type of the input's value.
func (in *input) valueType() types.Type {
	if in.repeatable {
		return &types.List{Elem: in.typ}
	}
	return in.typ
}

// fence is the line that is before and behind the head of a prompt's file.
const fence = "---"

// readPromptFile reads the file of a prompt as far as its name requires. It returns nil if
// the name is unclear.
func (l *Library) readPromptFile(path, prefix, stem string) *prompt {
	p := &prompt{name: prefix + stem}
	content, err := l.env.Files.Read(path)
	p.file = source.NewFile(l.Shown(path), content)
	p.at = source.Span{File: p.file}
	switch {
	case err != nil:
		p.broken, p.problem = true, dialect.Reason(err).Error()
		return p
	case !utf8.Valid(content):
		p.broken, p.problem = true, "the file is not UTF-8"
		return p
	}
	start, end := headOf(content)
	p.body = trimText(source.FileText(p.file, end, len(content)))
	if start == end {
		return p
	}
	// The head is parsed as a separate file that ends where it ends, so that places
	// in it are places in the file.
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile(p.file.Name, content[:start]), &bag)
	if bag.HasErrors() {
		first := bag.Sorted()[0]
		p.at, p.broken, p.problem = first.Span, true, first.Message
		return p
	}
	if doc == nil || doc.Root.IsNull() {
		return p
	}
	p.head = doc.Root
	if name := p.head.Get("name"); name.IsString() && name.Value != "" {
		p.name = prefix + name.Value
	}
	return p
}

// headOf returns where the YAML of a prompt's head ends, and where its body
// begins: both are the same when it has none.
func headOf(content []byte) (end, body int) {
	if !bytes.HasPrefix(content, []byte(fence+"\n")) && !bytes.HasPrefix(content, []byte(fence+"\r\n")) {
		return 0, 0
	}
	for at := bytes.IndexByte(content, '\n') + 1; at < len(content); {
		next := len(content)
		if i := bytes.IndexByte(content[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if strings.TrimRight(string(content[at:next]), " \t\r\n") == fence {
			return at, next
		}
		at = next
	}
	return 0, 0
}

func trimText(t source.Text) source.Text {
	return t.TrimFunc(func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
}

// entryPrompt is a prompt that is under a key of a file.
func entryPrompt(pair *yamlsrc.Pair, local bool) *prompt {
	p := &prompt{name: pair.Key.Value, at: pair.Key.Span, local: local}
	n := pair.Value
	switch {
	case n.Kind == yamlsrc.Mapping:
		p.head = n
		content := n.Get("content")
		if content == nil || content.Kind != yamlsrc.Scalar || content.IsNull() {
			p.broken, p.problem = true, "missing key `content`"
			return p
		}
		p.body = trimText(content.Text())
	case n.Kind == yamlsrc.Scalar && !n.IsNull():
		p.body = trimText(n.Text())
	default:
		p.broken, p.problem = true, "it must be a string, or a mapping with `input` and `content`"
	}
	return p
}

// parseInputs reads the inputs that the head declares, and reports faults.
func (p *prompt) parseInputs(bag *diag.Bag) {
	if p.broken {
		bag.Add(finding.PromptFile(p.at, p.name, p.problem))
		return
	}
	if p.head == nil {
		return
	}
	fault := func(at source.Span, format string, args ...any) {
		p.broken = true
		bag.Add(finding.PromptFile(at, p.name, fmt.Sprintf(format, args...)))
	}
	if p.head.Kind != yamlsrc.Mapping {
		fault(p.head.Place(), "the part between the two lines %q must be a mapping", fence)
		return
	}
	for _, pair := range p.head.Pairs {
		switch pair.Key.Value {
		case "name", "input", "output", "content", "description", "snippet", "skill", "tags":
		case "macros", "xprompts":
			if p.helpers != nil {
				fault(pair.Key.Span, "it has both `macros` and `xprompts`, the older name of the same key; keep one")
				return
			}
			p.readHelpers(pair.Value, fault)
		default:
			if near := decode.NearMiss(p.head, pair.Key.Value, []string{"name", "input", "output"}); near != "" {
				bag.Add(finding.MisspeltKey(pair.Key.Span, pair.Key.Value, "on a prompt", near))
			} else {
				bag.Add(finding.UnknownKey(pair.Key.Span, pair.Key.Value, "on a prompt"))
			}
		}
	}
	list := p.head.Get("input")
	if list.IsNull() {
		return
	}
	p.declared = true
	switch list.Kind {
	case yamlsrc.Mapping:
		for i := range list.Pairs {
			p.addInput(list.Pairs[i].Key, list.Pairs[i].Value, fault, bag)
		}
	case yamlsrc.Sequence:
		for _, item := range list.Items {
			name := item.Get("name")
			if !name.IsString() {
				fault(item.Place(), "missing name of an entry of `input`")
				continue
			}
			p.addInput(name, item, fault, bag)
		}
	default:
		fault(list.Place(), "`input` must be a mapping of names to types")
	}
}

// readHelpers reads the prompts that only this one can refer to.
func (p *prompt) readHelpers(list *yamlsrc.Node, fault func(source.Span, string, ...any)) {
	p.helpers = map[string]*prompt{}
	if list.IsNull() {
		return
	}
	if list.Kind != yamlsrc.Mapping {
		fault(list.Place(), "`macros` must be a mapping of names to prompts")
		return
	}
	for i := range list.Pairs {
		key := list.Pairs[i].Key
		if !isName(key.Value) || !strings.HasPrefix(key.Value, "_") {
			fault(key.Span, "the name of the helper `%s` must begin with `_`, as `_%s` does", key.Value, strings.TrimLeft(key.Value, "_"))
			continue
		}
		h := entryPrompt(&list.Pairs[i], p.local)
		h.file, h.helper = p.file, true
		p.helpers[h.name] = h
	}
}

func (p *prompt) addInput(name, n *yamlsrc.Node, fault func(source.Span, string, ...any), bag *diag.Bag) {
	in := &input{name: name.Value, typ: types.Line, required: true}
	p.inputs = append(p.inputs, in)
	if !isName(in.name) {
		fault(name.Place(), "invalid input name `%s`", in.name)
		return
	}
	typ, def := n, (*yamlsrc.Node)(nil)
	if n.Kind == yamlsrc.Mapping {
		typ, def = n.Get("type"), n.Get("default")
		in.repeatable = isTrue(n.Get("repeatable"))
		if !p.checkChoices(in, n, fault, bag) {
			return
		}
	}
	if before := len(p.inputs) - 2; before >= 0 && p.inputs[before].repeatable {
		p.broken = true
		bag.Add(finding.RepeatableInput(name.Place(), p.inputs[before].name, in.name))
	}
	if _, enum := in.typ.(*types.Enum); enum {
		typ = nil
	}
	if !typ.IsNull() && !p.setType(in, typ, fault, bag) || n.Kind != yamlsrc.Mapping || n.Pair("default") == nil {
		return
	}
	in.required = false
	if in.null = def.IsNull(); in.null {
		return
	}
	text, ok := def.JSON(), types.IsText(in.typ)
	switch {
	case in.repeatable:
		var wrong *yamlsrc.Node
		text, wrong = ListLiteral(def, in.typ, nil)
		ok = wrong == nil
	case def.Kind == yamlsrc.Scalar:
		var err error
		text, err = ConvertText(def.Value, in.typ)
		ok = err == nil
	}
	if !ok {
		p.broken = true
		bag.Add(finding.BadDefault(def.Place(), "the input `"+in.name+"` of #"+p.name, DescribeType(in.typ)))
	}
	in.text = text
}

// isTrue reports whether a node is a bool of YAML 1.1 that is true.
func isTrue(n *yamlsrc.Node) bool {
	return n != nil && n.Style == yamlsrc.Plain && slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(n.Value))
}

// checkChoices reads the values of an input of the type enum.
func (p *prompt) checkChoices(in *input, n *yamlsrc.Node, fault func(source.Span, string, ...any), bag *diag.Bag) bool {
	typ, list := n.Get("type"), n.Get("choices")
	isEnum := p.successor && typ.IsString() && IsEnumType(typ.Value)
	switch {
	case isEnum && list == nil:
		fault(typ.Place(), "the input `%s` has the type `enum` and no `choices`, such as [\"one\", \"two\"]", in.name)
	case !isEnum && list != nil:
		fault(list.Place(), "the input `%s` has choices, but not the type `enum`", in.name)
	case isEnum:
		in.typ = &types.Enum{Values: ReadChoices(list, func(at source.Span, problem, help string) {
			p.broken = true
			bag.Add(finding.EnumChoices(at, problem, help))
		})}
		return true
	default:
		return true
	}
	return false
}

func (p *prompt) setType(in *input, n *yamlsrc.Node, fault func(source.Span, string, ...any), bag *diag.Bag) bool {
	if n.Kind != yamlsrc.Scalar {
		fault(n.Place(), "the type of `%s` must be one of %s", in.name, strings.Join(scalar.Names(), ", "))
		return false
	}
	named, names := TypeNamed, scalar.Names()
	if p.successor {
		named, names = SuccessorType, SuccessorTypes()
	}
	t, known := named(n.Value)
	if help := InsteadOfType(n.Value); !known && help != "" {
		p.broken = true
		bag.Add(finding.UnsupportedType(n.Place(), "the input `"+in.name+"` of #"+p.name, n.Value, help))
		return false
	}
	if !known {
		means := ""
		if n.Value == "string" || n.Value == "str" {
			means, t = "line", types.Line
		} else {
			p.broken = true
		}
		bag.Add(finding.UnknownType(n.Place(), "the input `"+in.name+"` of #"+p.name, n.Value, means, names))
	}
	in.typ = t
	return true
}

// lacksArgument reports whether the next unnamed argument is one that the prompt requires and
// that a reference does not have.
func (p *prompt) lacksArgument(args []arg) bool {
	unnamed := 0
	for _, a := range args {
		if a.name == "" {
			unnamed++
		}
	}
	if unnamed >= len(p.inputs) || !p.inputs[unnamed].required {
		return false
	}
	next := p.inputs[unnamed].name
	return !slices.ContainsFunc(args, func(a arg) bool { return a.name == next })
}

func (p *prompt) inputNames() []string {
	return plain.Texts(p.inputs, func(in *input) string { return in.name })
}

// inputNamed returns an input, or nil.
func (p *prompt) inputNamed(name string) *input {
	for _, in := range p.inputs {
		if in.name == name {
			return in
		}
	}
	return nil
}

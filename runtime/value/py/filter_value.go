package py

import (
	"sort"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// Default is the filter default, also called d.
func (filterSet) Default(v Value, a Args) Value {
	args := a.bind("default", 0, "default_value", "boolean")
	fallback := orDefault(args[0], Str(""))
	if isType[*undefined](v) {
		return fallback
	}
	if !truthArg(args[1]) || isTruthy(v) {
		return v
	}
	return fallback
}

// Attr is the filter attr: an attribute, never an item.
func (filterSet) Attr(v Value, a Args) Value {
	args := a.bind("attr", 1, "name")
	name, ok := args[0].(Str)
	if !ok {
		panic(typeError("attribute name must be string, not '%s'", args[0].typeName()))
	}
	return orDefault(findAttribute(v, string(name)), undefinedAttr(v, string(name)))
}

// Tojson is the filter tojson. In xprompt it is Python's json.dumps with its
// keyword arguments, and does not escape for HTML.
func (filterSet) Tojson(v Value, a Args) Value {
	if len(a.Pos) > 0 {
		panic(typeError("dumps() takes 1 positional argument but %d were given", len(a.Pos)+1))
	}
	args := a.bind("dumps", 0, "indent", "separators", "sort_keys", "ensure_ascii", "allow_nan", "skipkeys", "check_circular", "cls", "default")
	for i, name := range []string{"cls", "default"} {
		if isGiven(args[7+i]) {
			panic(unsupportedError("`%s` of tojson is not supported", name))
		}
	}
	var o DumpsOptions
	o.setIndent(args[0])
	o.setSeparators(args[1])
	for i, to := range []*bool{&o.SortKeys, &o.KeepUnicode, &o.NoNaN, &o.SkipKeys} {
		opposite := i == 1 || i == 2 // ensure_ascii and allow_nan are true when they are missing
		*to = truthOr(args[i+2], opposite) != opposite
	}
	return Str(jsonOf(v, o))
}

func (o *DumpsOptions) setIndent(v Value) {
	switch v := v.(type) {
	case nil, None:
		return
	case Str:
		o.Indent, o.Indented = string(v), true
		return
	}
	var by Value
	if tryCatch(func() { by = mul(Str(" "), v) }) != nil {
		panic(unsupportedError("`indent` of tojson must be a string, an integer or None"))
	}
	o.Indent, o.Indented = string(by.(Str)), true
}

func (o *DumpsOptions) setSeparators(v Value) {
	if !isGiven(v) {
		return
	}
	pair := unpackValues(v, 2)
	o.ItemSeparator = strArg(pair[0])
	o.Separated = true
	o.KeySeparator = strArg(pair[1])
}

// prettyWidth is how wide pprint makes lines.
const prettyWidth = 80

// A printer lays values out as Python's module pprint does: on one line when
// they fit, else an item a line; dicts in the order of their keys.
type printer struct{ b strings.Builder }

// printValue writes v after indent columns; allowance is how many columns must remain behind
// it.
func (p *printer) printValue(v Value, indent, allowance, level int) {
	if level > maxDepth {
		panic(tooDeep())
	}
	line := sortedRepr(v, level)
	checkText(int64(p.b.Len() + len(line) + indent))
	if strLen(line) <= prettyWidth-indent-allowance {
		p.b.WriteString(line)
		return
	}
	switch v := v.(type) {
	case *Dict:
		p.printDict(v, indent, allowance, level+1)
		return
	case *List:
		p.printItems(v.items, "[", "]", indent, allowance, level+1)
		return
	case *tuple:
		if v.fields == nil {
			end := ")"
			if len(v.items) == 1 {
				end = ",)"
			}
			p.printItems(v.items, "(", end, indent, allowance, level+1)
			return
		}
	case Str:
		p.printText(string(v), indent, allowance, level+1)
		return
	}
	p.b.WriteString(line)
}

func (p *printer) printItems(items []Value, open, end string, indent, allowance, level int) {
	p.b.WriteString(open)
	for i, item := range items {
		behind := 1
		if i == len(items)-1 {
			behind = allowance + len(end)
		}
		if i > 0 {
			p.b.WriteString(",\n" + strings.Repeat(" ", indent+1))
		}
		p.printValue(item, indent+1, behind, level)
	}
	p.b.WriteString(end)
}

func (p *printer) printDict(d *Dict, indent, allowance, level int) {
	p.b.WriteByte('{')
	entries := sortedEntries(d)
	for i, e := range entries {
		behind := 1
		if i == len(entries)-1 {
			behind = allowance + 1
		}
		if i > 0 {
			p.b.WriteString(",\n" + strings.Repeat(" ", indent+1))
		}
		key := sortedRepr(e.key, level)
		p.b.WriteString(key + ": ")
		p.printValue(e.value, indent+1+strLen(key)+2, behind, level)
	}
	p.b.WriteByte('}')
}

// printText writes a long text as several, cut at lines and then at words.
func (p *printer) printText(s string, indent, allowance, level int) {
	if level == 1 {
		indent, allowance = indent+1, allowance+1
	}
	width := prettyWidth - indent
	var chunks []string
	lines := splitLines(s, true)
	for i, line := range lines {
		last := i == len(lines)-1
		room := width
		if last {
			room -= allowance
		}
		if q := quoteRepr(line); strLen(q) <= room {
			chunks = append(chunks, q)
			continue
		}
		chunks = append(chunks, quotedWords(line, width, room)...)
	}
	if len(chunks) == 1 {
		p.b.WriteString(chunks[0])
		return
	}
	text := strings.Join(chunks, "\n"+strings.Repeat(" ", indent))
	if level == 1 {
		text = "(" + text + ")"
	}
	p.b.WriteString(text)
}

// quotedWords cuts a line at its words; the last part has less room.
func quotedWords(line string, width, lastRoom int) []string {
	var parts, chunks []string
	for line != "" {
		end := strings.IndexFunc(line, scalar.IsSpace)
		if end < 0 {
			end = len(line)
		}
		for end < len(line) {
			r, n := firstRune(line[end:])
			if !scalar.IsSpace(r) {
				break
			}
			end += n
		}
		parts = append(parts, line[:end])
		line = line[end:]
	}
	current := ""
	for i, part := range parts {
		room := width
		if i == len(parts)-1 {
			room = lastRoom
		}
		if strLen(quoteRepr(current+part)) <= room {
			current += part
			continue
		}
		if current != "" {
			chunks = append(chunks, quoteRepr(current))
		}
		current = part
	}
	if current != "" {
		chunks = append(chunks, quoteRepr(current))
	}
	return chunks
}

func firstRune(s string) (rune, int) {
	for _, r := range s {
		return r, runeLen(s)
	}
	return 0, 0
}

// sortedEntries orders items by their keys; keys that Python cannot order by the
// names of their types.
func sortedEntries(d *Dict) []entry {
	entries := d.liveEntries()
	sort.SliceStable(entries, func(i, j int) bool {
		before := entries[i].key.typeName() < entries[j].key.typeName()
		tryCatch(func() { before = less(entries[i].key, entries[j].key) })
		return before
	})
	return entries
}

// sortedRepr is the repr of a value with dicts in order of their keys.
func sortedRepr(v Value, level int) string {
	var o orderer
	return reprOf(o.inOrder(v, level))
}

// An orderer counts the values that it copies: those that share parts could
// take forever.
type orderer struct{ steps int }

// inOrder copies the containers of a value with dicts in order of their keys.
func (o *orderer) inOrder(v Value, level int) Value {
	if level > maxDepth {
		panic(tooDeep())
	}
	if o.steps++; o.steps > maxSteps {
		panic(newException("LimitError", "the value is too large to be printed"))
	}
	each := func(items []Value) []Value {
		out := make([]Value, len(items))
		for i, item := range items {
			out[i] = o.inOrder(item, level+1)
		}
		return out
	}
	switch v := v.(type) {
	case *List:
		return NewList(each(v.items)...)
	case *tuple:
		return newTuple(each(v.items)...)
	case *Dict:
		out := NewDict()
		for _, e := range sortedEntries(v) {
			value := o.inOrder(e.value, level+1)
			out.index[e.hash] = len(out.entries)
			out.entries = append(out.entries, entry{hash: e.hash, key: e.key, value: value})
		}
		return out
	}
	return v
}

package py

import (
	"sort"
	"strings"
)

// prettyWidth is how wide pprint makes lines.
const prettyWidth = 80

// A printer lays values out as Python's module pprint does: on one line when
// they fit, else an item a line; dicts in the order of their keys.
type printer struct{ b strings.Builder }

// format writes v after indent columns; allowance is what must still fit behind
// it.
func (p *printer) format(v Value, indent, allowance, level int) error {
	if level > maxDepth {
		return tooDeep()
	}
	line, err := flat(v, level)
	if err != nil {
		return err
	}
	if err := checkText(int64(p.b.Len() + len(line) + indent)); err != nil {
		return err
	}
	if strLen(line) <= prettyWidth-indent-allowance {
		p.b.WriteString(line)
		return nil
	}
	switch v := v.(type) {
	case *Dict:
		return p.dict(v, indent, allowance, level+1)
	case *List:
		return p.items(v.items, "[", "]", indent, allowance, level+1)
	case *Tuple:
		if v.fields == nil {
			end := ")"
			if len(v.items) == 1 {
				end = ",)"
			}
			return p.items(v.items, "(", end, indent, allowance, level+1)
		}
	case Str:
		p.text(string(v), indent, allowance, level+1)
		return nil
	}
	p.b.WriteString(line)
	return nil
}

func (p *printer) items(items []Value, open, end string, indent, allowance, level int) error {
	p.b.WriteString(open)
	for i, item := range items {
		behind := 1
		if i == len(items)-1 {
			behind = allowance + len(end)
		}
		if i > 0 {
			p.b.WriteString(",\n" + strings.Repeat(" ", indent+1))
		}
		if err := p.format(item, indent+1, behind, level); err != nil {
			return err
		}
	}
	p.b.WriteString(end)
	return nil
}

func (p *printer) dict(d *Dict, indent, allowance, level int) error {
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
		key, err := flat(e.key, level)
		if err != nil {
			return err
		}
		p.b.WriteString(key + ": ")
		if err := p.format(e.value, indent+1+strLen(key)+2, behind, level); err != nil {
			return err
		}
	}
	p.b.WriteByte('}')
	return nil
}

// text writes a long text as several, cut at lines and then at words.
func (p *printer) text(s string, indent, allowance, level int) {
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
		if q := quote(line); strLen(q) <= room {
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
		end := strings.IndexFunc(line, isSpace)
		if end < 0 {
			end = len(line)
		}
		for end < len(line) {
			r, n := firstRune(line[end:])
			if !isSpace(r) {
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
		if strLen(quote(current+part)) <= room {
			current += part
			continue
		}
		if current != "" {
			chunks = append(chunks, quote(current))
		}
		current = part
	}
	if current != "" {
		chunks = append(chunks, quote(current))
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
	var entries []entry
	for _, e := range d.entries {
		if e.key != nil {
			entries = append(entries, e)
		}
	}
	sort.SliceStable(entries, func(i, j int) bool {
		less, err := Lt(entries[i].key, entries[j].key)
		if err != nil {
			return entries[i].key.typeName() < entries[j].key.typeName()
		}
		return less
	})
	return entries
}

// flat is the repr of a value with dicts in order of their keys.
func flat(v Value, level int) (string, error) {
	var o orderer
	sorted, err := o.inOrder(v, level)
	if err != nil {
		return "", err
	}
	return Repr(sorted)
}

// An orderer counts the values that it copies: those that share parts could
// take forever.
type orderer struct{ steps int }

// inOrder copies the containers of a value with dicts in order of their keys.
func (o *orderer) inOrder(v Value, level int) (Value, error) {
	if level > maxDepth {
		return nil, tooDeep()
	}
	if o.steps++; o.steps > maxSteps {
		return nil, raise("LimitError", "the value is too large to be printed")
	}
	each := func(items []Value) ([]Value, error) {
		out := make([]Value, len(items))
		for i, item := range items {
			var err error
			if out[i], err = o.inOrder(item, level+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	switch v := v.(type) {
	case *List:
		items, err := each(v.items)
		return NewList(items...), err
	case *Tuple:
		items, err := each(v.items)
		return NewTuple(items...), err
	case *Dict:
		out := NewDict()
		for _, e := range sortedEntries(v) {
			value, err := o.inOrder(e.value, level+1)
			if err != nil {
				return nil, err
			}
			out.index[e.hash] = len(out.entries)
			out.entries = append(out.entries, entry{hash: e.hash, key: e.key, value: value})
		}
		return out, nil
	}
	return v, nil
}

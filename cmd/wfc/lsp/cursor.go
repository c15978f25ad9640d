package lsp

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// A cursor is the place where somebody writes, found by the lines around it alone: a file
// that is half typed often is not YAML.
type cursor struct {
	text   string
	offset int
	// steps lead to the mapping whose key is being written, or to the value.
	steps []keytable.Step
	// onKey says that a key is being written, inList that it may be an item of a list, too.
	onKey, inList bool
	// prefix is the part of the key or value before the cursor.
	prefix string
	// line is the text of the line before the cursor.
	line string
	// keys are those of the mapping around the cursor with their values, if they are on one
	// line.
	keys map[string]string
	// scalar says that the cursor is in a block scalar.
	scalar bool
}

// An element is a dash or a key of a line, with its column.
type element struct {
	column int
	key    string // "" for a dash
	value  string
}

// splitElements returns the dashes of a line and its key, and the rest if it has no key.
func splitElements(line string) (list []element, rest string, column int) {
	column = len(line) - len(strings.TrimLeft(line, " "))
	for {
		rest = line[column:]
		if rest != "-" && !strings.HasPrefix(rest, "- ") {
			break
		}
		list = append(list, element{column: column})
		after := strings.TrimLeft(rest[1:], " ")
		column += len(rest) - len(after)
	}
	if strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") {
		return list, rest, column
	}
	key, value, found := strings.Cut(rest, ": ")
	if !found {
		key, found = strings.CutSuffix(strings.TrimRight(rest, " "), ":")
	}
	key = strings.Trim(key, `"'`)
	if !found || key == "" || strings.ContainsAny(key, "{}[],#&*!|>%@`") {
		return list, rest, column
	}
	return append(list, element{column: column, key: key, value: strings.TrimSpace(value)}), "", column
}

// newCursor finds the place of an offset.
func newCursor(text string, offset int) *cursor {
	offset = min(max(offset, 0), len(text))
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	c := &cursor{text: text, offset: offset, line: text[start:offset], keys: map[string]string{}}
	lines := strings.Split(text[:start], "\n")
	lines = lines[:len(lines)-1] // those above
	if i, column := blockScalar(lines, c.line); i >= 0 {
		c.scalar = true
		own, _, _ := splitElements(lines[i])
		c.climbToColumn(lines[:i], own, column+1, 1)
		return c
	}
	own, rest, column := splitElements(c.line)
	switch n := len(own); {
	case n > 0 && own[n-1].key != "":
		c.climbToColumn(lines, own, own[n-1].column+1, 1)
		c.addKeysBelow(own[n-1].column)
		c.enterValue(strings.TrimLeft(c.line[own[n-1].column+len(own[n-1].key):], `"':`))
	case strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "["):
		c.climbToColumn(lines, own, column, 0)
		c.enterFlow(rest)
	default:
		c.onKey, c.inList = true, true
		c.prefix = strings.TrimLeft(rest, `"'`)
		c.climbToColumn(lines, own, column, 0)
		c.addKeysBelow(column)
	}
	return c
}

// enterValue sets the place to the value of a key that is written on the line of the cursor.
func (c *cursor) enterValue(raw string) {
	raw = strings.TrimLeft(raw, " ")
	if strings.HasPrefix(raw, "{") || strings.HasPrefix(raw, "[") {
		c.enterFlow(raw)
		return
	}
	c.prefix = strings.TrimLeft(raw, `"'`)
}

// blockScalar returns the line of the key whose block scalar the line after lines is in,
// and the column of that key, or -1.
func blockScalar(lines []string, line string) (at, column int) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if strings.TrimSpace(line) == "" {
		indent = len(line)
	}
	blank := strings.TrimSpace(line) == ""
	for i := len(lines) - 1; i >= 0 && indent > 0; i-- {
		text := strings.TrimRight(lines[i], " \r")
		own := len(text) - len(strings.TrimLeft(text, " "))
		if text == "" || own > indent || own == indent && !blank {
			continue
		}
		list, rest, column := splitElements(text)
		value := rest
		if n := len(list); n > 0 && list[n-1].key != "" {
			value = list[n-1].value
			column = list[n-1].column
		}
		if value, _, _ = strings.Cut(value, " #"); isBlockHeader(strings.TrimSpace(value)) && column < indent {
			return i, column
		}
		if own < indent {
			indent, blank = own, false // the line may be in the scalar, too
		}
	}
	return -1, 0
}

// isBlockHeader reports whether a value is the header of a block scalar: | or > with
// indicators.
func isBlockHeader(value string) bool {
	return value != "" && (value[0] == '|' || value[0] == '>') && strings.Trim(value[1:], "+-0123456789") == ""
}

// climbToColumn finds the steps that lead to a column from the elements of its line and the lines
// above. The keys of the cursor are those of the mapping that depth steps from the end
// lead to.
func (c *cursor) climbToColumn(above []string, own []element, column, depth int) {
	list := false // the last step was an item, so its list may have the column of its key
	typ := ""
	push := func(s keytable.Step) {
		s.Type, typ = typ, ""
		c.steps = append(c.steps, s)
	}
	visit := func(elements []element) {
		for i := len(elements) - 1; i >= 0; i-- {
			e := elements[i]
			switch {
			case e.key == "" && e.column < column:
				push(keytable.Step{Item: true})
				column, list = e.column, true
			case e.key != "" && (e.column < column || list && e.column == column):
				push(keytable.Step{Key: e.key})
				column, list = e.column, false
			case e.key != "" && e.column == column && !list:
				if e.key == "type" && typ == "" {
					typ = e.value
				}
				if len(c.steps) == depth {
					c.keys[e.key] = e.value
				}
			}
		}
	}
	visit(own)
	for i := len(above) - 1; i >= 0 && column >= 0 && (column > 0 || list || len(c.steps) <= depth); i-- {
		text := strings.TrimRight(above[i], " \r")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if text == "" || indent > column || text[indent] == '#' {
			continue
		}
		found, _, _ := splitElements(text)
		visit(found)
	}
	slices.Reverse(c.steps)
}

// addKeysBelow adds the keys of the mapping around the cursor that are on later lines.
func (c *cursor) addKeysBelow(column int) {
	end := strings.IndexByte(c.text[c.offset:], '\n')
	if end < 0 {
		return
	}
	for line := range strings.Lines(c.text[c.offset+end+1:]) {
		text := strings.TrimRight(line, " \r\n")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		switch {
		case text == "" || indent > column || text[indent] == '#':
			continue
		case indent < column:
			return
		}
		list, _, _ := splitElements(text)
		if len(list) == 0 || list[0].key == "" {
			return
		}
		c.keys[list[0].key] = list[0].value
		n := len(c.steps)
		if !c.onKey {
			n-- // the last step leads from the mapping to the value
		}
		if list[0].key == "type" && n > 0 && c.steps[n-1].Type == "" {
			c.steps[n-1].Type = list[0].value
		}
	}
}

// enterFlow continues into flow collections of one line, which start with the text.
func (c *cursor) enterFlow(text string) {
	type open struct {
		bracket byte
		keys    map[string]string
	}
	var stack []open
	key, word := "", 0 // the key before the present value, and where that starts
	base := len(c.steps)
	close := func() {
		stack = stack[:len(stack)-1]
		if len(c.steps) > base {
			c.steps = c.steps[:len(c.steps)-1]
		}
	}
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '"', '\'':
			n := strings.IndexByte(text[i+1:], b)
			if n < 0 {
				i = len(text)
				break
			}
			i += n + 1
		case '{', '[':
			if n := len(stack); n > 0 {
				if stack[n-1].bracket == '{' {
					c.steps = append(c.steps, keytable.Step{Key: key})
				} else {
					c.steps = append(c.steps, keytable.Step{Item: true})
				}
			}
			stack, key, word = append(stack, open{b, map[string]string{}}), "", i+1
		case '}', ']':
			if len(stack) > 0 {
				close()
			}
			key, word = "", i+1
		case ':':
			if n := len(stack); n > 0 && stack[n-1].bracket == '{' && key == "" {
				key, word = strings.Trim(text[word:i], ` "'`), i+1
			}
		case ',':
			if n := len(stack); n > 0 && key != "" {
				stack[n-1].keys[key] = strings.Trim(text[word:i], ` "'`)
			}
			key, word = "", i+1
		}
	}
	n := len(stack)
	if n == 0 {
		c.prefix = ""
		return
	}
	c.prefix = strings.TrimLeft(text[min(word, len(text)):], ` "'`)
	top := stack[n-1]
	switch {
	case top.bracket == '[':
		c.steps = append(c.steps, keytable.Step{Item: true})
		c.onKey, c.inList = false, true
	case key != "":
		c.steps = append(c.steps, keytable.Step{Key: key})
		c.onKey = false
		c.keys = top.keys
	default:
		c.onKey, c.keys = true, top.keys
		if len(c.steps) > 0 {
			c.steps[len(c.steps)-1].Type = top.keys["type"]
		}
	}
}

// symbolPath returns the path as package symbols has it: * for an item.
func (c *cursor) symbolPath() []string {
	list := make([]string, len(c.steps))
	for i, s := range c.steps {
		if list[i] = s.Key; s.Item {
			list[i] = "*"
		}
	}
	return list
}

// A yamlPlace is a place in the YAML of a file.
type yamlPlace struct {
	// steps lead to the innermost value that contains the place, or whose key it is.
	steps []keytable.Step
	// node is that value, and key its key, or nil for an item of a list.
	node, key *yamlsrc.Node
	// onKey says that the place is in the key.
	onKey bool
}

// yamlAt returns the place of an offset.
func yamlAt(doc *yamlsrc.Document, offset int) *yamlPlace {
	if doc == nil || doc.Root == nil {
		return nil
	}
	p := &yamlPlace{node: doc.Root}
	for p.descendTo(offset) {
	}
	return p
}

// descendTo continues with the value inside the present one that contains an offset. It
// reports false if there is none.
func (p *yamlPlace) descendTo(offset int) bool {
	if p.onKey || p.node.Alias.IsValid() {
		return false
	}
	for _, item := range p.node.Items {
		if spanContains(item.Place(), offset) {
			p.node, p.key = item, nil
			p.steps = append(p.steps, keytable.Step{Item: true, Type: typeOf(item)})
			return true
		}
	}
	for i := range p.node.Pairs {
		pair := &p.node.Pairs[i]
		onKey := spanContains(pair.Key.Span, offset)
		if pair.Merged || !onKey && !spanContains(pair.Value.Place(), offset) {
			continue
		}
		p.node, p.key, p.onKey = pair.Value, pair.Key, onKey
		p.steps = append(p.steps, keytable.Step{Key: pair.Key.Value, Type: typeOf(pair.Value)})
		return true
	}
	return false
}

// typeOf returns the value of the key `type` of a mapping, or "".
func typeOf(n *yamlsrc.Node) string {
	if t := n.Get("type"); t != nil && t.Kind == yamlsrc.Scalar {
		return t.Value
	}
	return ""
}

// spanContains reports whether a span contains an offset, its end included.
func spanContains(s source.Span, offset int) bool { return s.Start <= offset && offset <= s.End }

package py

import (
	"html"
	"strings"
	"unicode"
)

// textFilter binds the arguments of a filter on texts; the value may be of any
// type and is taken as str() renders it.
func textFilter(v Value, a Args, name string, required int, params ...string) (string, []Value, error) {
	args, err := a.bind(name, required, params...)
	if err != nil {
		return "", nil, err
	}
	s, err := Text(v)
	return s, args, err
}

func simpleTextFilter(v Value, a Args, name string, f func(string) string) (Value, error) {
	s, _, err := textFilter(v, a, name, 0)
	if err != nil {
		return nil, err
	}
	s = f(s)
	return Str(s), checkText(int64(len(s)))
}

// FilterUpper is the filter upper.
func FilterUpper(v Value, a Args) (Value, error) { return simpleTextFilter(v, a, "upper", toUpper) }

// FilterLower is the filter lower.
func FilterLower(v Value, a Args) (Value, error) { return simpleTextFilter(v, a, "lower", toLower) }

// FilterCapitalize is the filter capitalize.
func FilterCapitalize(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "capitalize", capitalize)
}

// FilterString is the filter string.
func FilterString(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "string", func(s string) string { return s })
}

// FilterSafe is the filter safe: without autoescape it only renders the value.
func FilterSafe(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "safe", func(s string) string { return s })
}

// FilterEscape is the filter escape, also called e.
func FilterEscape(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "escape", escapeHTML)
}

// FilterForceescape is the filter forceescape.
func FilterForceescape(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "forceescape", escapeHTML)
}

func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(s)
}

// FilterTitle is the filter title. Unlike the method of texts it begins words
// only after blanks, hyphens and opening brackets.
func FilterTitle(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "title", func(s string) string {
		var b strings.Builder
		for s != "" {
			end := strings.IndexFunc(s, breaksTitle)
			if end == 0 {
				end = runeLen(s)
			}
			if end < 0 {
				end = len(s)
			}
			n := runeLen(s)
			b.WriteString(toUpper(s[:n]))
			b.WriteString(toLower(s[n:end]))
			s = s[end:]
		}
		return b.String()
	})
}

func breaksTitle(r rune) bool { return isSpace(r) || strings.ContainsRune("-({[<", r) }

// FilterTrim is the filter trim.
func FilterTrim(v Value, a Args) (Value, error) {
	s, args, err := textFilter(v, a, "trim", 0, "chars")
	if err != nil {
		return nil, err
	}
	return stripper("strip")(Str(s), Of(orNone(args[0])))
}

// FilterCenter is the filter center.
func FilterCenter(v Value, a Args) (Value, error) {
	s, args, err := textFilter(v, a, "center", 0, "width")
	if err != nil {
		return nil, err
	}
	width, err := intArg(args[0], 80)
	if err != nil {
		return nil, err
	}
	return pad(s, width, " ", "center")
}

// FilterReplace is the filter replace.
func FilterReplace(v Value, a Args) (Value, error) {
	s, args, err := textFilter(v, a, "replace", 2, "old", "new", "count")
	if err != nil {
		return nil, err
	}
	from, err := Text(args[0])
	if err != nil {
		return nil, err
	}
	to, err := Text(args[1])
	if err != nil {
		return nil, err
	}
	n := -1
	if _, none := args[2].(None); !none {
		if n, err = intArg(args[2], -1); err != nil {
			return nil, err
		}
	}
	return replaceText(s, from, to, n)
}

// FilterFormat is the filter format: the text is a format of %.
func FilterFormat(v Value, a Args) (Value, error) {
	if len(a.Pos) > 0 && len(a.Kw) > 0 {
		return nil, raise("FilterArgumentError", "can't handle positional and keyword arguments at the same time")
	}
	s, err := Text(v)
	if err != nil {
		return nil, err
	}
	if len(a.Kw) == 0 {
		return percentFormat(s, NewTuple(a.Pos...))
	}
	d := NewDict()
	for _, kw := range a.Kw {
		if err := d.SetStr(kw.Name, kw.Value); err != nil {
			return nil, err
		}
	}
	return percentFormat(s, d)
}

// FilterWordcount is the filter wordcount.
func FilterWordcount(v Value, a Args) (Value, error) {
	s, _, err := textFilter(v, a, "wordcount", 0)
	if err != nil {
		return nil, err
	}
	return Int(len(strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) }))), nil
}

// isWord is \w of Python's regular expressions.
func isWord(r rune) bool { return r == '_' || isAlnum(r) }

// FilterStriptags is the filter striptags.
func FilterStriptags(v Value, a Args) (Value, error) {
	return simpleTextFilter(v, a, "striptags", func(s string) string {
		s = cutAll(cutAll(s, "<!--", "-->"), "<", ">")
		return html.UnescapeString(strings.Join(strings.FieldsFunc(s, isSpace), " "))
	})
}

// cutAll removes what is between open and end, again from the start each
// time: a removal may bring the parts of another opening together.
func cutAll(s, open, end string) string {
	out := make([]byte, 0, len(s))
	for rest := s; ; {
		at := strings.Index(rest, open)
		if at < 0 {
			return string(append(out, rest...))
		}
		stop := strings.Index(rest[at:], end)
		if stop < 0 {
			return string(append(out, rest...))
		}
		out = append(out, rest[:at]...)
		rest = rest[at+stop+len(end):]
		// The opening may begin in what is already written.
		back := min(len(open)-1, len(out))
		rest = string(out[len(out)-back:]) + rest
		out = out[:len(out)-back]
	}
}

// FilterUrlencode is the filter urlencode, for a text or for the pairs of a
// query.
func FilterUrlencode(v Value, a Args) (Value, error) {
	if _, err := a.bind("urlencode", 0); err != nil {
		return nil, err
	}
	var pairs []Value
	var err error
	switch d := v.(type) {
	case *Dict:
		pairs, err = Collect(&View{dict: d, kind: itemsView})
	case *List, *Tuple, *Iter, *View, *Range, *Loop:
		pairs, err = Collect(v)
	default:
		s, err := Text(v)
		if err != nil {
			return nil, err
		}
		return Str(urlQuote(s, "/")), checkText(3 * int64(len(s)))
	}
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		pair, err := Unpack(p, 2)
		if err != nil {
			return nil, err
		}
		key, err := Text(pair[0])
		if err != nil {
			return nil, err
		}
		value, err := Text(pair[1])
		if err != nil {
			return nil, err
		}
		quoted := urlQuote(key, "") + "=" + urlQuote(value, "")
		parts[i] = strings.ReplaceAll(quoted, "%20", "+")
	}
	return joinTexts(parts, "&")
}

// urlQuote escapes all but letters, digits, _.-~ and the safe ones.
func urlQuote(s, safe string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_.-~"+safe, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// FilterXmlattr is the filter xmlattr.
func FilterXmlattr(v Value, a Args) (Value, error) {
	args, err := a.bind("xmlattr", 0, "autospace")
	if err != nil {
		return nil, err
	}
	d, err := mapping(v)
	if err != nil {
		return nil, err
	}
	var parts []string
	err = d.Each(func(key, value Value) error {
		switch value.(type) {
		case None, *Undefined:
			return nil
		}
		name, ok := key.(Str)
		if !ok {
			return typeError("expected string or bytes-like object, got '%s'", key.typeName())
		}
		if strings.ContainsFunc(string(name), func(r rune) bool { return r < 128 && unicode.IsSpace(r) || strings.ContainsRune("/>=", r) }) {
			return valueError("Invalid character in attribute name: %s", quote(string(name)))
		}
		s, err := Text(value)
		parts = append(parts, escapeHTML(string(name))+`="`+escapeHTML(s)+`"`)
		return err
	})
	if err != nil {
		return nil, err
	}
	space := true
	if args[0] != nil {
		if space, err = Truth(args[0]); err != nil {
			return nil, err
		}
	}
	if space && len(parts) > 0 {
		parts[0] = " " + parts[0]
	}
	return joinTexts(parts, " ")
}

// mapping returns the dict that a value must be.
func mapping(v Value) (*Dict, error) {
	if d, ok := v.(*Dict); ok {
		return d, nil
	}
	if err := undefinedOperand(v); err != nil {
		return nil, err
	}
	return nil, noAttribute(v, "items")
}

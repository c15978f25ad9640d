package py

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// textFilter binds the arguments of a filter on strings; the value may be of any type and
// is converted as by str().
func textFilter(v Value, a Args, name string, required int, params ...string) (string, []Value) {
	args := a.bind(name, required, params...)
	return strOf(v), args
}

func simpleTextFilter(v Value, a Args, name string, f func(string) string) Value {
	s, _ := textFilter(v, a, name, 0)
	s = f(s)
	checkText(int64(len(s)))
	return Str(s)
}

// Upper is the filter upper.
func (filterSet) Upper(v Value, a Args) Value { return simpleTextFilter(v, a, "upper", toUpper) }

// Lower is the filter lower.
func (filterSet) Lower(v Value, a Args) Value { return simpleTextFilter(v, a, "lower", toLower) }

// Capitalize is the filter capitalize.
func (filterSet) Capitalize(v Value, a Args) Value {
	return simpleTextFilter(v, a, "capitalize", capitalize)
}

// String is the filter string.
func (filterSet) String(v Value, a Args) Value {
	return simpleTextFilter(v, a, "string", func(s string) string { return s })
}

// Safe is the filter safe: without autoescape it only renders the value.
func (filterSet) Safe(v Value, a Args) Value {
	return simpleTextFilter(v, a, "safe", func(s string) string { return s })
}

// Escape is the filter escape, also called e.
func (filterSet) Escape(v Value, a Args) Value {
	return simpleTextFilter(v, a, "escape", escapeHTML)
}

// Forceescape is the filter forceescape.
func (filterSet) Forceescape(v Value, a Args) Value {
	return simpleTextFilter(v, a, "forceescape", escapeHTML)
}

func escapeHTML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(s)
}

// Title is the filter title. Unlike the method of strings, it begins words only after
// spaces, hyphens and opening brackets.
func (filterSet) Title(v Value, a Args) Value {
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

func breaksTitle(r rune) bool { return scalar.IsSpace(r) || strings.ContainsRune("-({[<", r) }

// Trim is the filter trim.
func (filterSet) Trim(v Value, a Args) Value {
	s, args := textFilter(v, a, "trim", 0, "chars")
	return stripMethod("strip")(Str(s), argsOf(orDefault(args[0], None{})))
}

// Center is the filter center.
func (filterSet) Center(v Value, a Args) Value {
	s, args := textFilter(v, a, "center", 0, "width")
	return padText(s, intArg(args[0], 80), " ", "center")
}

// Replace is the filter replace.
func (filterSet) Replace(v Value, a Args) Value {
	s, args := textFilter(v, a, "replace", 2, "old", "new", "count")
	from := strOf(args[0])
	to := strOf(args[1])
	n := -1
	if !isType[None](args[2]) {
		n = intArg(args[2], -1)
	}
	return replaceText(s, from, to, n)
}

// Format is the filter format: the text is a format of %.
func (filterSet) Format(v Value, a Args) Value {
	if len(a.Pos) > 0 && len(a.Kw) > 0 {
		panic(newException("FilterArgumentError", "can't handle positional and keyword arguments at the same time"))
	}
	s := strOf(v)
	if len(a.Kw) == 0 {
		return percentFormat(s, newTuple(a.Pos...))
	}
	d := NewDict()
	for _, kw := range a.Kw {
		d.setStr(kw.Name, kw.Value)
	}
	return percentFormat(s, d)
}

// Wordcount is the filter wordcount.
func (filterSet) Wordcount(v Value, a Args) Value {
	s, _ := textFilter(v, a, "wordcount", 0)
	return Int(len(strings.FieldsFunc(s, func(r rune) bool { return !isWord(r) })))
}

// isWord is \w of Python's regular expressions.
func isWord(r rune) bool { return r == '_' || isAlnum(r) }

// Striptags is the filter striptags.
func (filterSet) Striptags(v Value, a Args) Value {
	return simpleTextFilter(v, a, "striptags", func(s string) string {
		s = cutAll(cutAll(s, "<!--", "-->"), "<", ">")
		return html.UnescapeString(strings.Join(strings.FieldsFunc(s, scalar.IsSpace), " "))
	})
}

// cutAll removes the parts from open to end, again from the start each time: a removal
// may bring the parts of another opening together.
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
		// The opening may begin in the text already written.
		back := min(len(open)-1, len(out))
		rest = string(out[len(out)-back:]) + rest
		out = out[:len(out)-back]
	}
}

// Urlencode is the filter urlencode, for a text or for the pairs of a
// query.
func (filterSet) Urlencode(v Value, a Args) Value {
	a.bind("urlencode", 0)
	var pairs []Value
	switch d := v.(type) {
	case *Dict:
		pairs = collectValues(&dictView{dict: d, kind: itemsView})
	case *List, *tuple, *iterator, *dictView, *rangeValue, *Loop:
		pairs = collectValues(v)
	default:
		s := strOf(v)
		checkText(3 * int64(len(s)))
		return Str(urlQuote(s, "/"))
	}
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		pair := unpackValues(p, 2)
		key := strOf(pair[0])
		value := strOf(pair[1])
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

// Xmlattr is the filter xmlattr.
func (filterSet) Xmlattr(v Value, a Args) Value {
	args := a.bind("xmlattr", 0, "autospace")
	d := requireDict(v)
	var parts []string
	d.forEach(func(key, value Value) {
		switch value.(type) {
		case None, *undefined:
			return
		}
		name, ok := key.(Str)
		if !ok {
			panic(typeError("expected string or bytes-like object, got '%s'", key.typeName()))
		}
		if strings.ContainsFunc(string(name), func(r rune) bool { return r < 128 && unicode.IsSpace(r) || strings.ContainsRune("/>=", r) }) {
			panic(valueError("Invalid character in attribute name: %s", quoteRepr(string(name))))
		}
		s := strOf(value)
		parts = append(parts, escapeHTML(string(name))+`="`+escapeHTML(s)+`"`)
	})
	space := true
	if args[0] != nil {
		space = isTruthy(args[0])
	}
	if space && len(parts) > 0 {
		parts[0] = " " + parts[0]
	}
	return joinTexts(parts, " ")
}

// requireDict returns the dict that a value must be.
func requireDict(v Value) *Dict {
	if d, ok := v.(*Dict); ok {
		return d
	}
	undefinedOperand(v)
	panic(noAttribute(v, "items"))
}

// Urlize is the filter urlize: addresses become links, all else is
// escaped for HTML.
func (filterSet) Urlize(v Value, a Args) Value {
	args := a.bind("urlize", 0, "trim_url_limit", "nofollow", "target", "rel", "extra_schemes")
	u := urlizer{limit: -1, http: regexp.MustCompile(httpPattern), email: regexp.MustCompile(emailPattern)}
	u.setOptions(args)
	s := strOf(v)
	var b strings.Builder
	for s = escapeHTML(s); s != ""; {
		end := strings.IndexFunc(s, scalar.IsSpace)
		if end == 0 {
			n := runeLen(s)
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		if end < 0 {
			end = len(s)
		}
		b.WriteString(u.linkWord(s[:end]))
		s = s[end:]
		checkText(int64(b.Len()))
	}
	return Str(b.String())
}

const (
	wordClass   = `[\p{L}\p{N}_]`
	httpPattern = `(?i)^((https?://|www\.)((` + wordOr + `+\.)+)?([a-z]{2,63}|xn--[\p{L}\p{N}_%]{2,59})` +
		`|(` + wordOr + `{2,63}\.)+(com|net|int|edu|gov|org|info|mil)` +
		`|(https?://)(((\p{Nd}{1,3})(\.\p{Nd}{1,3}){3})|(\[([\p{Nd}a-f]{0,4}:){2}([\p{Nd}a-f]{0,4}:?){1,6}\])))` +
		`(:\p{Nd}{1,5})?([/?#]\S*)?$`
	wordOr       = `[\p{L}\p{N}_%-]`
	emailPattern = `^\S+@` + wordClass + `[\p{L}\p{N}_.-]*\.` + wordClass + `+$`
)

type urlizer struct {
	http, email *regexp.Regexp
	limit       int
	attributes  string
	schemes     []string
}

func (u *urlizer) setOptions(args []Value) {
	if !isType[None](args[0]) {
		if tryCatch(func() { u.limit = intArg(args[0], -1) }) != nil || args[0] != nil && u.limit < 0 {
			panic(unsupportedError("the limit of urlize must be an integer that is not negative"))
		}
	}
	nofollow := truthArg(args[1])
	rel := urlizeRel(args[3])
	target := ""
	if truthArg(args[2]) {
		target = strOf(args[2])
	}
	names := map[string]bool{"noopener": true}
	for _, name := range strings.FieldsFunc(rel, scalar.IsSpace) {
		names[name] = true
	}
	if nofollow {
		names["nofollow"] = true
	}
	u.attributes = ` rel="` + escapeHTML(strings.Join(slices.Sorted(maps.Keys(names)), " ")) + `"`
	if target != "" {
		u.attributes += ` target="` + escapeHTML(target) + `"`
	}
	u.extraSchemes(args[4])
}

// urlizeRel reads the argument rel, which only needs to be a text when it is
// true.
func urlizeRel(v Value) string {
	if !truthArg(v) {
		return ""
	}
	if s, ok := v.(Str); ok {
		return string(s)
	}
	panic(noAttribute(v, "split"))
}

func (u *urlizer) extraSchemes(v Value) {
	if !isGiven(v) {
		return
	}
	items := collectValues(v)
	valid := regexp.MustCompile(`^([\p{L}\p{N}_.+-]{2,}:/{0,2})$`)
	for _, item := range items {
		scheme := strArg(item)
		if !valid.MatchString(scheme) {
			panic(newException("FilterArgumentError", "%s is not a valid URI scheme prefix.", quoteRepr(scheme)))
		}
		u.schemes = append(u.schemes, scheme)
	}
}

// linkWord makes a link of a word between its brackets and punctuation.
func (u *urlizer) linkWord(s string) string {
	head, middle, tail := splitWord(s)
	return head + u.makeLink(middle) + tail
}

func splitWord(s string) (head, middle, tail string) {
	middle = s
	for more := true; more; {
		more = false
		for _, open := range []string{"(", "<", "&lt;"} {
			if strings.HasPrefix(middle, open) {
				head, middle, more = head+open, middle[len(open):], true
			}
		}
	}
	for more := true; more; {
		more = false
		for _, end := range []string{")", ">", ".", ",", "&gt;"} {
			if strings.HasSuffix(middle, end) {
				middle, tail, more = middle[:len(middle)-len(end)], end+tail, true
			}
		}
	}
	for _, pair := range [][2]string{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}} {
		opened := strings.Count(middle, pair[0])
		if opened <= strings.Count(middle, pair[1]) {
			continue
		}
		for range min(opened, strings.Count(tail, pair[1])) {
			end := strings.Index(tail, pair[1]) + len(pair[1])
			middle, tail = middle+tail[:end], tail[end:]
		}
	}
	return head, middle, tail
}

func (u *urlizer) makeLink(s string) string {
	anchor := func(address, shown string) string {
		return `<a href="` + address + `"` + u.attributes + `>` + shown + `</a>`
	}
	address, mailto := strings.CutPrefix(s, "mailto:")
	switch {
	case u.http.MatchString(s):
		if strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") {
			return anchor(s, u.trimLabel(s))
		}
		return anchor("https://"+s, u.trimLabel(s))
	case mailto && u.email.MatchString(address):
		return `<a href="` + s + `">` + address + `</a>`
	case strings.Contains(s, "@") && !strings.HasPrefix(s, "www.") && !strings.HasPrefix(s, "@") && !strings.Contains(s, ":") && u.email.MatchString(s):
		return `<a href="mailto:` + s + `">` + s + `</a>`
	}
	for _, scheme := range u.schemes {
		if s != scheme && strings.HasPrefix(s, scheme) {
			s = anchor(s, s)
		}
	}
	return s
}

func (u *urlizer) trimLabel(s string) string {
	if u.limit < 0 || strLen(s) <= u.limit {
		return s
	}
	return s[:byteOffset(s, u.limit)] + "..."
}

package py

import (
	"regexp"
	"sort"
	"strings"
)

// FilterUrlize is the filter urlize: addresses become links, all else is
// escaped for HTML.
func FilterUrlize(v Value, a Args) (Value, error) {
	args, err := a.bind("urlize", 0, "trim_url_limit", "nofollow", "target", "rel", "extra_schemes")
	if err != nil {
		return nil, err
	}
	u := urlizer{limit: -1, http: regexp.MustCompile(httpPattern), email: regexp.MustCompile(emailPattern)}
	if err := u.options(args); err != nil {
		return nil, err
	}
	s, err := Text(v)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for s = escapeHTML(s); s != ""; {
		end := strings.IndexFunc(s, isSpace)
		if end == 0 {
			n := runeLen(s)
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		if end < 0 {
			end = len(s)
		}
		b.WriteString(u.word(s[:end]))
		s = s[end:]
		if err := checkText(int64(b.Len())); err != nil {
			return nil, err
		}
	}
	return Str(b.String()), nil
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

func (u *urlizer) options(args []Value) error {
	var err error
	if _, none := args[0].(None); !none {
		u.limit, err = intArg(args[0], -1)
		if err != nil || args[0] != nil && u.limit < 0 {
			return unsupported("the limit of urlize must be a whole number that is not negative")
		}
	}
	nofollow, err := truthArg(args[1])
	if err != nil {
		return err
	}
	rel, err := urlizeRel(args[3])
	if err != nil {
		return err
	}
	target := ""
	if ok, err := truthArg(args[2]); err != nil {
		return err
	} else if ok {
		if target, err = Text(args[2]); err != nil {
			return err
		}
	}
	names := map[string]bool{"noopener": true}
	for _, name := range strings.FieldsFunc(rel, isSpace) {
		names[name] = true
	}
	if nofollow {
		names["nofollow"] = true
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	sort.Strings(list)
	u.attributes = ` rel="` + escapeHTML(strings.Join(list, " ")) + `"`
	if target != "" {
		u.attributes += ` target="` + escapeHTML(target) + `"`
	}
	return u.extraSchemes(args[4])
}

// urlizeRel reads the argument rel, which only needs to be a text when it is
// true.
func urlizeRel(v Value) (string, error) {
	if ok, err := truthArg(v); err != nil || !ok {
		return "", err
	}
	if s, ok := v.(Str); ok {
		return string(s), nil
	}
	return "", noAttribute(v, "split")
}

func (u *urlizer) extraSchemes(v Value) error {
	if _, none := v.(None); none || v == nil {
		return nil
	}
	items, err := Collect(v)
	if err != nil {
		return err
	}
	valid := regexp.MustCompile(`^([\p{L}\p{N}_.+-]{2,}:/{0,2})$`)
	for _, item := range items {
		scheme, err := strArg(item)
		if err != nil {
			return err
		}
		if !valid.MatchString(scheme) {
			return raise("FilterArgumentError", "%s is not a valid URI scheme prefix.", quote(scheme))
		}
		u.schemes = append(u.schemes, scheme)
	}
	return nil
}

// word makes a link of a word between its brackets and punctuation.
func (u *urlizer) word(s string) string {
	head, middle, tail := splitWord(s)
	return head + u.link(middle) + tail
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

func (u *urlizer) link(s string) string {
	anchor := func(address, shown string) string {
		return `<a href="` + address + `"` + u.attributes + `>` + shown + `</a>`
	}
	address, mailto := strings.CutPrefix(s, "mailto:")
	switch {
	case u.http.MatchString(s):
		if strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") {
			return anchor(s, u.trim(s))
		}
		return anchor("https://"+s, u.trim(s))
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

func (u *urlizer) trim(s string) string {
	if u.limit < 0 || strLen(s) <= u.limit {
		return s
	}
	return s[:offset(s, u.limit)] + "..."
}

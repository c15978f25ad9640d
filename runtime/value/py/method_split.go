package py

import (
	"strings"
)

func stripper(name string) method {
	return func(v Value, a Args) (Value, error) {
		args, err := a.positional(name, 0, 1)
		if err != nil {
			return nil, err
		}
		cut := isSpace
		if _, none := args[0].(None); args[0] != nil && !none {
			chars, ok := args[0].(Str)
			if !ok {
				if err := undefinedOperand(args[0]); err != nil {
					return nil, err
				}
				return nil, typeError("%s arg must be None or str", name)
			}
			cut = func(r rune) bool { return strings.ContainsRune(string(chars), r) }
		}
		return Str(stripText(string(v.(Str)), name, cut)), nil
	}
}

func stripText(s, how string, cut func(rune) bool) string {
	switch how {
	case "lstrip":
		return strings.TrimLeftFunc(s, cut)
	case "rstrip":
		return strings.TrimRightFunc(s, cut)
	}
	return strings.TrimFunc(s, cut)
}

func splitter(name string) method {
	return func(v Value, a Args) (Value, error) {
		args, err := a.bind(name, 0, "sep", "maxsplit")
		if err != nil {
			return nil, err
		}
		n, err := intArg(args[1], -1)
		if err != nil {
			return nil, err
		}
		s := string(v.(Str))
		var parts []string
		if _, none := args[0].(None); none || args[0] == nil {
			parts = splitBlanks(s, n, name == "rsplit")
		} else {
			sep, err := strArg(args[0])
			if err != nil {
				return nil, err
			}
			if sep == "" {
				return nil, valueError("empty separator")
			}
			parts = splitAt(s, sep, n, name == "rsplit")
		}
		return strList(parts)
	}
}

// strList makes a list of texts.
func strList(parts []string) (Value, error) {
	if err := checkItems(int64(len(parts))); err != nil {
		return nil, err
	}
	return ListOf(parts, OfStr), nil
}

// splitAt splits at most n times, at all places when n is negative.
func splitAt(s, sep string, n int, fromEnd bool) []string {
	if n < 0 {
		n = strings.Count(s, sep)
	}
	if !fromEnd {
		return strings.SplitN(s, sep, min(n, len(s))+1)
	}
	var parts []string
	for ; n > 0; n-- {
		at := strings.LastIndex(s, sep)
		if at < 0 {
			break
		}
		parts = append(parts, s[at+len(sep):])
		s = s[:at]
	}
	return reversed(append(parts, s))
}

// splitBlanks splits at runs of white space, at most n times unless n is
// negative.
func splitBlanks(s string, n int, fromEnd bool) []string {
	if n < 0 {
		return strings.FieldsFunc(s, isSpace)
	}
	var parts []string
	if fromEnd {
		for s = strings.TrimRightFunc(s, isSpace); s != ""; n-- {
			at := strings.LastIndexFunc(s, isSpace)
			if n == 0 || at < 0 {
				parts = append(parts, s)
				break
			}
			at += runeLen(s[at:])
			parts = append(parts, s[at:])
			s = strings.TrimRightFunc(s[:at], isSpace)
		}
		return reversed(parts)
	}
	for s = strings.TrimLeftFunc(s, isSpace); s != ""; n-- {
		at := strings.IndexFunc(s, isSpace)
		if n == 0 || at < 0 {
			parts = append(parts, s)
			break
		}
		parts = append(parts, s[:at])
		s = strings.TrimLeftFunc(s[at:], isSpace)
	}
	return parts
}

func reversed[T any](items []T) []T {
	out := make([]T, len(items))
	for i, item := range items {
		out[len(items)-1-i] = item
	}
	return out
}

func strSplitLines(v Value, a Args) (Value, error) {
	args, err := a.bind("splitlines", 0, "keepends")
	if err != nil {
		return nil, err
	}
	keep, err := intArg(args[0], 0)
	if err != nil {
		return nil, err
	}
	return strList(splitLines(string(v.(Str)), keep != 0))
}

func strJoin(v Value, a Args) (Value, error) {
	args, err := a.positional("str.join", 1, 1)
	if err != nil {
		return nil, err
	}
	items, err := Collect(args[0])
	if isKind(err, "TypeError") {
		return nil, typeError("can only join an iterable")
	}
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(items))
	for i, item := range items {
		s, ok := item.(Str)
		if !ok {
			return nil, typeError("sequence item %d: expected str instance, %s found", i, item.typeName())
		}
		parts[i] = string(s)
	}
	return joinTexts(parts, string(v.(Str)))
}

// joinTexts joins texts unless the result is too long.
func joinTexts(parts []string, sep string) (Value, error) {
	n := int64(len(sep)) * int64(max(len(parts)-1, 0))
	for _, p := range parts {
		n += int64(len(p))
	}
	if err := checkText(n); err != nil {
		return nil, err
	}
	return Str(strings.Join(parts, sep)), nil
}

func parter(name string) method {
	return func(v Value, a Args) (Value, error) {
		args, err := a.positional("str."+name, 1, 1)
		if err != nil {
			return nil, err
		}
		sep, err := strArg(args[0])
		if err != nil {
			return nil, err
		}
		if sep == "" {
			return nil, valueError("empty separator")
		}
		s := string(v.(Str))
		at := strings.Index(s, sep)
		if name == "rpartition" {
			at = strings.LastIndex(s, sep)
		}
		switch {
		case at >= 0:
			return NewTuple(Str(s[:at]), Str(sep), Str(s[at+len(sep):])), nil
		case name == "rpartition":
			return NewTuple(Str(""), Str(""), Str(s)), nil
		}
		return NewTuple(Str(s), Str(""), Str("")), nil
	}
}

func remover(name string) method {
	return func(v Value, a Args) (Value, error) {
		args, err := a.positional("str."+name, 1, 1)
		if err != nil {
			return nil, err
		}
		part, err := strArg(args[0])
		if err != nil {
			return nil, err
		}
		if name == "removeprefix" {
			return Str(strings.TrimPrefix(string(v.(Str)), part)), nil
		}
		return Str(strings.TrimSuffix(string(v.(Str)), part)), nil
	}
}

func strExpandTabs(v Value, a Args) (Value, error) {
	args, err := a.bind("expandtabs", 0, "tabsize")
	if err != nil {
		return nil, err
	}
	size, err := intArg(args[0], 8)
	if err != nil {
		return nil, err
	}
	if size != int(int32(size)) {
		return nil, raise("OverflowError", "Python int too large to convert to C int")
	}
	var b strings.Builder
	column := 0
	for _, r := range string(v.(Str)) {
		if r != '\t' {
			b.WriteRune(r)
			column++
			if r == '\n' || r == '\r' {
				column = 0
			}
			continue
		}
		if size > 0 {
			n := size - column%size
			fill, err := fillText(" ", n)
			if err == nil {
				err = checkText(int64(b.Len()) + int64(n))
			}
			if err != nil {
				return nil, err
			}
			b.WriteString(fill)
			column += n
		}
	}
	return Str(b.String()), nil
}

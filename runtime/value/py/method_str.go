package py

import (
	"math"
	"strings"
	"unicode/utf8"
)

// strNames are the methods of texts in Python that are not here.
const strNames = " encode format_map isidentifier maketrans translate "

// strMethod returns a method of texts; nil when there is none of the name.
func strMethod(name string) method {
	switch name {
	case "upper":
		return mapped(name, toUpper)
	case "lower":
		return mapped(name, toLower)
	case "casefold":
		return mapped(name, caseFold)
	case "title":
		return mapped(name, title)
	case "capitalize":
		return mapped(name, capitalize)
	case "swapcase":
		return mapped(name, swapCase)
	case "strip", "lstrip", "rstrip":
		return stripper(name)
	case "split", "rsplit":
		return splitter(name)
	case "splitlines":
		return strSplitLines
	case "join":
		return strJoin
	case "replace":
		return strReplace
	case "startswith", "endswith":
		return affix(name)
	case "find", "rfind", "index", "rindex", "count":
		return finder(name)
	case "format":
		return strFormat
	case "zfill":
		return strZfill
	case "center", "ljust", "rjust":
		return padder(name)
	case "partition", "rpartition":
		return parter(name)
	case "removeprefix", "removesuffix":
		return remover(name)
	case "expandtabs":
		return strExpandTabs
	}
	if test := strPredicate(name); test != nil {
		return func(v Value, a Args) (Value, error) {
			_, err := a.positional("str."+name, 0, 0)
			return Bool(test(string(v.(Str)))), err
		}
	}
	return nil
}

// mapped is a method without arguments that returns a text.
func mapped(name string, f func(string) string) method {
	return func(v Value, a Args) (Value, error) {
		if _, err := a.positional("str."+name, 0, 0); err != nil {
			return nil, err
		}
		s := f(string(v.(Str)))
		return Str(s), checkText(int64(len(s)))
	}
}

// every makes a test that a text is not empty and all its code points pass.
func every(test func(rune) bool) func(string) bool {
	return func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !test(r) }) < 0
	}
}

// cased makes a test that a text has letters, all of one case.
func cased(right, wrong func(rune) bool) func(string) bool {
	return func(s string) bool {
		return strings.IndexFunc(s, right) >= 0 && strings.IndexFunc(s, wrong) < 0
	}
}

func strPredicate(name string) func(string) bool {
	switch name {
	case "isdigit":
		return every(isDigit)
	case "isdecimal":
		return every(isDecimal)
	case "isnumeric":
		return every(isNumeric)
	case "isalpha":
		return every(isAlpha)
	case "isalnum":
		return every(isAlnum)
	case "isspace":
		return every(isSpace)
	case "islower":
		return isLowerText
	case "isupper":
		return isUpperText
	case "istitle":
		return isTitleText
	case "isascii":
		return isASCII
	case "isprintable":
		return func(s string) bool { return !strings.Contains(strings.ReplaceAll(quote(s), `\\`, ""), `\`) }
	}
	return nil
}

func isLowerText(s string) bool {
	return cased(isLower, func(r rune) bool { return isCased(r) && !isLower(r) })(s)
}

func isUpperText(s string) bool {
	return cased(isUpper, func(r rune) bool { return isCased(r) && !isUpper(r) })(s)
}

func isTitleText(s string) bool {
	within, any := false, false
	for _, r := range s {
		switch {
		case isLower(r) && !within, isCased(r) && !isLower(r) && within:
			return false
		}
		within = isCased(r)
		any = any || within
	}
	return any
}

// strArg returns the text that an argument must be.
func strArg(v Value) (string, error) {
	if s, ok := v.(Str); ok {
		return string(s), nil
	}
	if u, ok := v.(*Undefined); ok && !u.lenient {
		return "", u.fail()
	}
	return "", typeError("argument must be str, not %s", v.typeName())
}

// intArg returns a whole number that an argument may be, else missing.
func intArg(v Value, missing int) (int, error) {
	if v == nil {
		return missing, nil
	}
	return wantInt(v)
}

// boundArg is intArg for the limits of a search, where None is missing too.
func boundArg(v Value, missing int) (int, error) {
	if _, none := v.(None); none || v == nil {
		return missing, nil
	}
	return sliceIndex(v)
}

// window returns the part of s between two places in code points, and the
// bytes and code points before it; false when the limits cross.
func window(s string, start, stop Value) (part string, bytes, runes int, ok bool, err error) {
	n := strLen(s)
	from, err := boundArg(start, 0)
	if err != nil {
		return "", 0, 0, false, err
	}
	to, err := boundArg(stop, n)
	if err != nil {
		return "", 0, 0, false, err
	}
	if from < 0 {
		from = max(from+n, 0)
	}
	if to < 0 {
		to = max(to+n, 0)
	}
	to = min(to, n)
	if from > to {
		return "", 0, 0, false, nil
	}
	bytes = offset(s, from)
	return s[bytes:offset(s, to)], bytes, from, true, nil
}

// offset returns the place in bytes of a code point.
func offset(s string, runes int) int {
	at := 0
	for ; runes > 0 && at < len(s); runes-- {
		at += runeLen(s[at:])
	}
	return at
}

func finder(name string) method {
	return func(v Value, a Args) (Value, error) {
		args, err := a.positional(name, 1, 3)
		if err != nil {
			return nil, err
		}
		sub, err := strArg(args[0])
		if err != nil {
			return nil, err
		}
		part, _, before, ok, err := window(string(v.(Str)), args[1], args[2])
		if err != nil {
			return nil, err
		}
		at := -1
		switch {
		case name == "count":
			if !ok {
				return Int(0), nil
			}
			return Int(strings.Count(part, sub)), nil
		case ok && name[0] == 'r':
			at = strings.LastIndex(part, sub)
		case ok:
			at = strings.Index(part, sub)
		}
		if at >= 0 {
			return Int(before + strLen(part[:at])), nil
		}
		if strings.HasSuffix(name, "index") {
			return nil, valueError("substring not found")
		}
		return Int(-1), nil
	}
}

func affix(name string) method {
	has := strings.HasPrefix
	if name == "endswith" {
		has = strings.HasSuffix
	}
	return func(v Value, a Args) (Value, error) {
		args, err := a.positional(name, 1, 3)
		if err != nil {
			return nil, err
		}
		part, _, _, ok, err := window(string(v.(Str)), args[1], args[2])
		if err != nil {
			return nil, err
		}
		choices := []Value{args[0]}
		if t, isTuple := args[0].(*Tuple); isTuple {
			choices = t.items
		}
		for _, c := range choices {
			s, isStr := c.(Str)
			if !isStr {
				if err := undefinedOperand(c); err != nil {
					return nil, err
				}
				return nil, typeError("%s first arg must be str or a tuple of str, not %s", name, c.typeName())
			}
			if ok && has(part, string(s)) {
				return Bool(true), nil
			}
		}
		return Bool(false), nil
	}
}

func strReplace(v Value, a Args) (Value, error) {
	args, err := a.positional("replace", 2, 3)
	if err != nil {
		return nil, err
	}
	from, err := strArg(args[0])
	if err != nil {
		return nil, err
	}
	to, err := strArg(args[1])
	if err != nil {
		return nil, err
	}
	n, err := intArg(args[2], -1)
	if err != nil {
		return nil, err
	}
	return replaceText(string(v.(Str)), from, to, n)
}

// replaceText replaces the first n occurrences, or all when n is negative.
func replaceText(s, from, to string, n int) (Value, error) {
	count := strings.Count(s, from)
	if n >= 0 {
		count = min(count, n)
	}
	if err := checkText(int64(len(s)) + int64(count)*int64(len(to)-len(from))); err != nil {
		return nil, err
	}
	return Str(strings.Replace(s, from, to, count)), nil
}

func strZfill(v Value, a Args) (Value, error) {
	args, err := a.positional("str.zfill", 1, 1)
	if err != nil {
		return nil, err
	}
	width, err := wantInt(args[0])
	if err != nil {
		return nil, err
	}
	s := string(v.(Str))
	fill, err := fillText("0", width-strLen(s))
	if err != nil {
		return nil, err
	}
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return Str(s[:1] + fill + s[1:]), nil
	}
	return Str(fill + s), nil
}

// fillText repeats a text n times; not at all when n is negative.
func fillText(s string, n int) (string, error) {
	n = min(max(n, 0), math.MaxInt32)
	if err := checkText(int64(n) * int64(len(s))); err != nil {
		return "", err
	}
	return strings.Repeat(s, n), nil
}

func padder(name string) method {
	return func(v Value, a Args) (Value, error) {
		args, err := a.positional(name, 1, 2)
		if err != nil {
			return nil, err
		}
		width, err := wantInt(args[0])
		if err != nil {
			return nil, err
		}
		fill := " "
		if args[1] != nil {
			if fill, err = strArg(args[1]); err != nil {
				return nil, err
			}
			if utf8.RuneCountInString(fill) != 1 {
				return nil, typeError("The fill character must be exactly one character long")
			}
		}
		return pad(string(v.(Str)), width, fill, name)
	}
}

// pad brings a text to a width in code points. Of an odd number, center puts
// the one more to the left when the width is odd.
func pad(s string, width int, fill, how string) (Value, error) {
	n := strLen(s)
	if width <= n {
		return Str(s), nil
	}
	blank, left := width-n, 0
	switch how {
	case "center":
		left = blank/2 + blank&width&1
	case "rjust":
		left = blank
	}
	before, err := fillText(fill, left)
	if err != nil {
		return nil, err
	}
	after, err := fillText(fill, blank-left)
	if err != nil {
		return nil, err
	}
	return concat(before+s, after)
}

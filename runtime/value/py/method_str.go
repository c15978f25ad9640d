package py

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// strNames are the methods of strings in Python that are not here.
const strNames = " encode format_map isidentifier maketrans translate "

// strMethod returns a method of strings; nil if there is none of the name.
func strMethod(name string) method {
	if f := strMappings[name]; f != nil {
		return textMethod(name, f)
	}
	if test := strPredicates[name]; test != nil {
		return func(v Value, a Args) Value {
			a.bindPositional("str."+name, 0, 0)
			return Bool(test(string(v.(Str))))
		}
	}
	if family := strFamilies[name]; family != nil {
		return family(name)
	}
	if name == "format" {
		return strFormat // it looks methods up itself, so the table cannot hold it
	}
	return strMethods[name]
}

// strMappings are the methods without arguments that return a text.
var strMappings = map[string]func(string) string{
	"upper":      toUpper,
	"lower":      toLower,
	"casefold":   caseFold,
	"title":      titleCase,
	"capitalize": capitalize,
	"swapcase":   swapCase,
}

// strFamilies are the methods that differ by little.
var strFamilies = map[string]func(name string) method{
	"strip": stripMethod, "lstrip": stripMethod, "rstrip": stripMethod,
	"split": splitMethod, "rsplit": splitMethod,
	"startswith": affixMethod, "endswith": affixMethod,
	"find": findMethod, "rfind": findMethod, "index": findMethod, "rindex": findMethod, "count": findMethod,
	"center": padMethod, "ljust": padMethod, "rjust": padMethod,
	"partition": partitionMethod, "rpartition": partitionMethod,
	"removeprefix": removeAffixMethod, "removesuffix": removeAffixMethod,
}

var strMethods = map[string]method{
	"splitlines": strSplitLines,
	"join":       strJoin,
	"replace":    strReplace,
	"zfill":      strZfill,
	"expandtabs": strExpandTabs,
}

// textMethod is a method without arguments that returns a text.
func textMethod(name string, f func(string) string) method {
	return func(v Value, a Args) Value {
		a.bindPositional("str."+name, 0, 0)
		s := f(string(v.(Str)))
		checkText(int64(len(s)))
		return Str(s)
	}
}

// everyRune makes a test that a text is not empty and all its code points pass.
func everyRune(test func(rune) bool) func(string) bool {
	return func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !test(r) }) < 0
	}
}

// allOfCase makes a test that a text has letters, all of one case.
func allOfCase(right, wrong func(rune) bool) func(string) bool {
	return func(s string) bool {
		return strings.IndexFunc(s, right) >= 0 && strings.IndexFunc(s, wrong) < 0
	}
}

// strPredicates are the methods without arguments that return a bool.
var strPredicates = map[string]func(string) bool{
	"isdigit":     everyRune(isDigit),
	"isdecimal":   everyRune(isDecimal),
	"isnumeric":   everyRune(isNumeric),
	"isalpha":     everyRune(isAlpha),
	"isalnum":     everyRune(isAlnum),
	"isspace":     everyRune(scalar.IsSpace),
	"islower":     isLowerText,
	"isupper":     isUpperText,
	"istitle":     isTitleText,
	"isascii":     isASCII,
	"isprintable": func(s string) bool { return !strings.Contains(strings.ReplaceAll(quoteRepr(s), `\\`, ""), `\`) },
}

var (
	isLowerText = allOfCase(isLower, func(r rune) bool { return isCased(r) && !isLower(r) })
	isUpperText = allOfCase(isUpper, func(r rune) bool { return isCased(r) && !isUpper(r) })
)

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
func strArg(v Value) string {
	if s, ok := v.(Str); ok {
		return string(s)
	}
	if u, ok := v.(*undefined); ok && !u.lenient {
		panic(u.useError())
	}
	panic(typeError("argument must be str, not %s", v.typeName()))
}

// isGiven reports whether an argument is there and is not None.
func isGiven(v Value) bool { return v != nil && !isType[None](v) }

// orDefault returns an argument, or its default.
func orDefault(v, otherwise Value) Value {
	return cmp.Or(v, otherwise)
}

// intArg returns a whole number that an argument may be, else missing.
func intArg(v Value, missing int) int {
	if v == nil {
		return missing
	}
	return wantInt(v)
}

// boundArg is intArg for the limits of a search, where None is missing too.
func boundArg(v Value, missing int) int {
	if !isGiven(v) {
		return missing
	}
	return sliceIndex(v)
}

// searchWindow returns the part of s between two places in code points, and the
// bytes and code points before it; false when the limits cross.
func searchWindow(s string, start, stop Value) (part string, bytes, runes int, ok bool) {
	n := strLen(s)
	from := boundArg(start, 0)
	to := boundArg(stop, n)
	if from < 0 {
		from = max(from+n, 0)
	}
	if to < 0 {
		to = max(to+n, 0)
	}
	to = min(to, n)
	if from > to {
		return "", 0, 0, false
	}
	bytes = byteOffset(s, from)
	return s[bytes:byteOffset(s, to)], bytes, from, true
}

// byteOffset returns the place in bytes of a code point.
func byteOffset(s string, runes int) int {
	at := 0
	for ; runes > 0 && at < len(s); runes-- {
		at += runeLen(s[at:])
	}
	return at
}

func findMethod(name string) method {
	return func(v Value, a Args) Value {
		args := a.bindPositional(name, 1, 3)
		sub := strArg(args[0])
		part, _, before, ok := searchWindow(string(v.(Str)), args[1], args[2])
		at := -1
		switch {
		case name == "count":
			if !ok {
				return Int(0)
			}
			return Int(strings.Count(part, sub))
		case ok && name[0] == 'r':
			at = strings.LastIndex(part, sub)
		case ok:
			at = strings.Index(part, sub)
		}
		if at >= 0 {
			return Int(before + strLen(part[:at]))
		}
		if strings.HasSuffix(name, "index") {
			panic(valueError("substring not found"))
		}
		return Int(-1)
	}
}

func affixMethod(name string) method {
	has := strings.HasPrefix
	if name == "endswith" {
		has = strings.HasSuffix
	}
	return func(v Value, a Args) Value {
		args := a.bindPositional(name, 1, 3)
		part, _, _, ok := searchWindow(string(v.(Str)), args[1], args[2])
		choices := []Value{args[0]}
		if t, isTuple := args[0].(*tuple); isTuple {
			choices = t.items
		}
		for _, c := range choices {
			s, isStr := c.(Str)
			if !isStr {
				undefinedOperand(c)
				panic(typeError("%s first arg must be str or a tuple of str, not %s", name, c.typeName()))
			}
			if ok && has(part, string(s)) {
				return Bool(true)
			}
		}
		return Bool(false)
	}
}

func strReplace(v Value, a Args) Value {
	args := a.bindPositional("replace", 2, 3)
	return replaceText(string(v.(Str)), strArg(args[0]), strArg(args[1]), intArg(args[2], -1))
}

// replaceText replaces the first n occurrences, or all when n is negative.
func replaceText(s, from, to string, n int) Value {
	count := strings.Count(s, from)
	if n >= 0 {
		count = min(count, n)
	}
	checkText(int64(len(s)) + int64(count)*int64(len(to)-len(from)))
	return Str(strings.Replace(s, from, to, count))
}

func strZfill(v Value, a Args) Value {
	width := wantInt(a.bindPositional("str.zfill", 1, 1)[0])
	s := string(v.(Str))
	fill := fillText("0", width-strLen(s))
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return Str(s[:1] + fill + s[1:])
	}
	return Str(fill + s)
}

// fillText repeats a text n times; not at all when n is negative.
func fillText(s string, n int) string {
	n = min(max(n, 0), math.MaxInt32)
	checkText(int64(n) * int64(len(s)))
	return strings.Repeat(s, n)
}

func padMethod(name string) method {
	return func(v Value, a Args) Value {
		args := a.bindPositional(name, 1, 2)
		width := wantInt(args[0])
		fill := " "
		if args[1] != nil {
			fill = strArg(args[1])
			if utf8.RuneCountInString(fill) != 1 {
				panic(typeError("The fill character must be exactly one character long"))
			}
		}
		return padText(string(v.(Str)), width, fill, name)
	}
}

// padText brings a string to a width in code points. center puts an odd fill character to the
// left if the width is odd.
func padText(s string, width int, fill, how string) Value {
	n := strLen(s)
	if width <= n {
		return Str(s)
	}
	blank, left := width-n, 0
	switch how {
	case "center":
		left = blank/2 + blank&width&1
	case "rjust":
		left = blank
	}
	return concatText(fillText(fill, left)+s, fillText(fill, blank-left))
}

func stripMethod(name string) method {
	return func(v Value, a Args) Value {
		args := a.bindPositional(name, 0, 1)
		cut := scalar.IsSpace
		if isGiven(args[0]) {
			chars, ok := args[0].(Str)
			if !ok {
				undefinedOperand(args[0])
				panic(typeError("%s arg must be None or str", name))
			}
			cut = func(r rune) bool { return strings.ContainsRune(string(chars), r) }
		}
		switch s := string(v.(Str)); name {
		case "lstrip":
			return Str(strings.TrimLeftFunc(s, cut))
		case "rstrip":
			return Str(strings.TrimRightFunc(s, cut))
		default:
			return Str(strings.TrimFunc(s, cut))
		}
	}
}

func splitMethod(name string) method {
	return func(v Value, a Args) Value {
		args := a.bind(name, 0, "sep", "maxsplit")
		n := intArg(args[1], -1)
		s := string(v.(Str))
		var parts []string
		if !isGiven(args[0]) {
			parts = splitBlanks(s, n, name == "rsplit")
		} else {
			sep := strArg(args[0])
			if sep == "" {
				panic(valueError("empty separator"))
			}
			parts = splitAt(s, sep, n, name == "rsplit")
		}
		return strList(parts)
	}
}

// strList makes a list of strings.
func strList(parts []string) Value {
	checkItems(int64(len(parts)))
	return ListOf(parts)
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
	return reversedCopy(append(parts, s))
}

// splitBlanks splits at runs of white space, at most n times unless n is
// negative.
func splitBlanks(s string, n int, fromEnd bool) []string {
	if n < 0 {
		return strings.FieldsFunc(s, scalar.IsSpace)
	}
	var parts []string
	if fromEnd {
		for s = strings.TrimRightFunc(s, scalar.IsSpace); s != ""; n-- {
			at := strings.LastIndexFunc(s, scalar.IsSpace)
			if n == 0 || at < 0 {
				parts = append(parts, s)
				break
			}
			at += runeLen(s[at:])
			parts = append(parts, s[at:])
			s = strings.TrimRightFunc(s[:at], scalar.IsSpace)
		}
		return reversedCopy(parts)
	}
	for s = strings.TrimLeftFunc(s, scalar.IsSpace); s != ""; n-- {
		at := strings.IndexFunc(s, scalar.IsSpace)
		if n == 0 || at < 0 {
			parts = append(parts, s)
			break
		}
		parts = append(parts, s[:at])
		s = strings.TrimLeftFunc(s[at:], scalar.IsSpace)
	}
	return parts
}

func reversedCopy[T any](items []T) []T {
	out := make([]T, len(items))
	for i, item := range items {
		out[len(items)-1-i] = item
	}
	return out
}

func strSplitLines(v Value, a Args) Value {
	return strList(splitLines(string(v.(Str)), intArg(a.bind("splitlines", 0, "keepends")[0], 0) != 0))
}

func strJoin(v Value, a Args) Value {
	args := a.bindPositional("str.join", 1, 1)
	var items []Value
	if tryCatch(func() { items = collectValues(args[0]) }, "TypeError") != nil {
		panic(typeError("can only join an iterable"))
	}
	parts := make([]string, len(items))
	for i, item := range items {
		s, ok := item.(Str)
		if !ok {
			panic(typeError("sequence item %d: expected str instance, %s found", i, item.typeName()))
		}
		parts[i] = string(s)
	}
	return joinTexts(parts, string(v.(Str)))
}

// joinTexts joins strings unless the result is too long.
func joinTexts(parts []string, sep string) Value {
	n := int64(len(sep)) * int64(max(len(parts)-1, 0))
	for _, p := range parts {
		n += int64(len(p))
	}
	checkText(n)
	return Str(strings.Join(parts, sep))
}

func partitionMethod(name string) method {
	return func(v Value, a Args) Value {
		sep := strArg(a.bindPositional("str."+name, 1, 1)[0])
		if sep == "" {
			panic(valueError("empty separator"))
		}
		s := string(v.(Str))
		at := strings.Index(s, sep)
		if name == "rpartition" {
			at = strings.LastIndex(s, sep)
		}
		switch {
		case at >= 0:
			return newTuple(Str(s[:at]), Str(sep), Str(s[at+len(sep):]))
		case name == "rpartition":
			return newTuple(Str(""), Str(""), Str(s))
		}
		return newTuple(Str(s), Str(""), Str(""))
	}
}

func removeAffixMethod(name string) method {
	return func(v Value, a Args) Value {
		part := strArg(a.bindPositional("str."+name, 1, 1)[0])
		if name == "removeprefix" {
			return Str(strings.TrimPrefix(string(v.(Str)), part))
		}
		return Str(strings.TrimSuffix(string(v.(Str)), part))
	}
}

func strExpandTabs(v Value, a Args) Value {
	size := intArg(a.bind("expandtabs", 0, "tabsize")[0], 8)
	if size != int(int32(size)) {
		panic(newException("OverflowError", "Python int too large to convert to C int"))
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
			fill := fillText(" ", n)
			checkText(int64(b.Len()) + int64(n))
			b.WriteString(fill)
			column += n
		}
	}
	return Str(b.String())
}

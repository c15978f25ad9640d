package py

import (
	"strings"
)

// FilterIndent is the filter indent.
func FilterIndent(v Value, a Args) (Value, error) {
	args, err := a.bind("indent", 0, "width", "first", "blank")
	if err != nil {
		return nil, err
	}
	by := Str("    ")
	if args[0] != nil {
		width, err := indentWidth(args[0])
		if err != nil {
			return nil, err
		}
		by = width
	}
	s, ok := v.(Str)
	if !ok {
		if _, list := v.(*List); !list {
			if _, err := Add(v, Str("\n")); err != nil {
				return nil, err
			}
		}
		return nil, noAttribute(v, "splitlines")
	}
	first, err := truthArg(args[1])
	if err != nil {
		return nil, err
	}
	blank, err := truthArg(args[2])
	if err != nil {
		return nil, err
	}
	lines := splitLines(string(s)+"\n", false)
	for i := range lines {
		if i == 0 && first || i > 0 && (blank || lines[i] != "") {
			if err := checkText(int64(len(by)) * int64(i+1)); err != nil {
				return nil, err
			}
			lines[i] = string(by) + lines[i]
		}
	}
	return joinTexts(lines, "\n")
}

// indentWidth is a text, or a number of blanks.
func indentWidth(v Value) (Str, error) {
	if s, ok := v.(Str); ok {
		return s, nil
	}
	blanks, err := Mul(Str(" "), v)
	s, _ := blanks.(Str)
	return s, err
}

// truthArg is the truth of an argument that is false when it is missing.
func truthArg(v Value) (bool, error) {
	if v == nil {
		return false, nil
	}
	return Truth(v)
}

// truthOr is the truth of an argument that may be missing.
func truthOr(v Value, missing bool) (bool, error) {
	if v == nil {
		return missing, nil
	}
	return Truth(v)
}

// FilterTruncate is the filter truncate. A text that is at most 5 code points too
// long is left alone, unless leeway says otherwise.
func FilterTruncate(v Value, a Args) (Value, error) {
	args, err := a.bind("truncate", 0, "length", "killwords", "end", "leeway")
	if err != nil {
		return nil, err
	}
	length, err := intArg(args[0], 255)
	if err != nil {
		return nil, unsupported("the length of truncate must be a whole number")
	}
	end := Value(Str("..."))
	if args[2] != nil {
		end = args[2]
	}
	endLength, err := Len(end)
	if err != nil {
		return nil, err
	}
	if length < endLength {
		return nil, raise("AssertionError", "expected length >= %d, got %d", endLength, length)
	}
	leeway := 5
	if _, none := args[3].(None); !none {
		if leeway, err = intArg(args[3], leeway); err != nil {
			return nil, err
		}
	}
	if leeway < 0 {
		return nil, raise("AssertionError", "expected leeway >= 0, got %d", leeway)
	}
	n, err := Len(v)
	if err != nil {
		return nil, err
	}
	if n <= length || n-length <= leeway {
		return v, nil
	}
	s, ok := v.(Str)
	if !ok {
		return nil, typeError("truncate() takes a text, not %s", v.typeName())
	}
	kill, err := truthArg(args[1])
	if err != nil {
		return nil, err
	}
	kept := string(s)[:offset(string(s), length-endLength)]
	if at := strings.LastIndexByte(kept, ' '); at >= 0 && !kill {
		kept = kept[:at]
	}
	return Add(Str(kept), end)
}

// FilterWordwrap is the filter wordwrap, which wraps every line by itself.
func FilterWordwrap(v Value, a Args) (Value, error) {
	args, err := a.bind("wordwrap", 0, "width", "break_long_words", "wrapstring", "break_on_hyphens")
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if _, none := args[2].(None); !none && args[2] != nil {
		text, ok := args[2].(Str)
		if !ok {
			return nil, noAttribute(args[2], "join")
		}
		newline = string(text)
	}
	s, ok := v.(Str)
	if !ok {
		if err := undefinedOperand(v); err != nil {
			return nil, err
		}
		return nil, noAttribute(v, "splitlines")
	}
	w := wrapper{}
	if w.width, err = intArg(args[0], 79); err != nil {
		return nil, err
	}
	if w.breakLong, err = truthOr(args[1], true); err != nil {
		return nil, err
	}
	if w.hyphens, err = truthOr(args[3], true); err != nil {
		return nil, err
	}
	var lines []string
	for _, line := range splitLines(string(s), false) {
		wrapped, err := w.wrap(line)
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Join(wrapped, newline))
	}
	return joinTexts(lines, newline)
}

// FilterPprint is the filter pprint.
func FilterPprint(v Value, a Args) (Value, error) {
	if _, err := a.bind("pprint", 0); err != nil {
		return nil, err
	}
	p := printer{}
	if err := p.format(v, 0, 0, 0); err != nil {
		return nil, err
	}
	return Str(p.b.String()), nil
}

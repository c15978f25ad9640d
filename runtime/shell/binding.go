package shell

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// checked returns the binding as the script gets it, or why it cannot.
func checked(b flow.Binding) (flow.Binding, error) {
	if !identifier(b.Name) {
		return b, process.Invalid("`%s` cannot be the name of a shell variable", b.Name)
	}
	if strings.ContainsRune(b.Value, 0) {
		return b, process.Invalid("the value of $%s holds a NUL byte, which no shell variable can", b.Name)
	}
	if b.Integer {
		number, err := integer(b.Value)
		if err != nil {
			return b, process.Invalid("the script calculates with $%s, so it must be a whole number: %v", b.Name, err)
		}
		b.Value = number
	}
	if b.Echoed {
		b.Value = echoed(b.Value)
	}
	return b, nil
}

// echoed returns what an echo that interprets backslashes has to get to print a
// text. A dash at the beginning, of what might be an option, is written by its
// number, which an echo does not take for one.
func echoed(text string) string {
	text = strings.ReplaceAll(text, `\`, `\\`)
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return `\0055` + rest
	}
	return text
}

// integer returns a number as bash calculates with it. Bash evaluates the text
// of a variable like code, so nothing may pass but a sign and digits. White
// space around them is dropped. So are zeros in front, which would make bash
// read the number as octal: 010 as 8, and 08 not at all. A number of more than
// 64 bits would silently become another one.
func integer(text string) (string, error) {
	text = strings.Trim(text, " \t\r\n")
	sign, digits := "", text
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		sign, digits = text[:1], text[1:]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", fmt.Errorf("it is %s", excerpt(text))
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	if _, err := strconv.ParseInt(sign+digits, 10, 64); err != nil {
		return "", fmt.Errorf("%s does not fit into 64 bits", excerpt(text))
	}
	return sign + digits, nil
}

// excerpt shows a value in a message.
func excerpt(text string) string {
	const length = 60
	if text == "" {
		return "empty"
	}
	if runes := []rune(text); len(runes) > length {
		text = string(runes[:length]) + "…"
	}
	return strconv.Quote(text)
}

func identifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

package scalar_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
)

// The table has each type with every rule, so that a difference between two places
// that read scalars is one between two rows.
func TestParse(t *testing.T) {
	argument, field, input := scalar.Rules{}, scalar.Rules{Big: true}, scalar.Rules{NoEmpty: true}
	all := []scalar.Rules{argument, field, input}
	huge, _ := new(big.Int).SetString("9223372036854775808", 10)
	for _, c := range []struct {
		rules      []scalar.Rules
		name, text string
		want       any // nil for an error
	}{
		{all, "int", "7", int64(7)}, {all, "int", " 7\u00a0", int64(7)}, {all, "int", "\x1c7\n", int64(7)}, {all, "int", "+5", int64(5)}, {all, "int", "-5", int64(-5)},
		{all, "int", "007", int64(7)}, {all, "int", "1_000", int64(1000)}, {all, "int", "٣٤", int64(34)}, {all, "int", "𝟘𝟙", int64(1)}, {all, "int", "-9223372036854775808", int64(-1 << 63)},
		{all, "int", "1__0", nil}, {all, "int", "_1", nil}, {all, "int", "1_", nil}, {all, "int", "5.0", nil}, {all, "int", "1e3", nil}, {all, "int", "0x10", nil},
		{all, "int", "", nil}, {all, "int", "+-5", nil}, {all, "int", "- 5", nil}, {all, "int", strings.Repeat("9", 4301), nil},
		{[]scalar.Rules{field}, "int", "9223372036854775808", huge}, {[]scalar.Rules{argument, input}, "int", "9223372036854775808", nil},
		{all, "float", "1e3", 1000.0}, {all, "float", " .5", 0.5}, {all, "float", "5.", 5.0}, {all, "float", "1_0.2_5", 10.25}, {all, "float", "٣.٥", 3.5},
		{all, "float", "nan", nil}, {all, "float", "-Infinity", nil}, {all, "float", "1e999", nil}, {all, "float", "1_.5", nil}, {all, "float", "0x1p-2", nil}, {all, "float", "", nil}, {all, "float", "1e", nil},
		{all, "bool", "Yes", true}, {all, "bool", " on ", true}, {all, "bool", "1", true}, {all, "bool", "TRUE", true},
		{all, "bool", "No", false}, {all, "bool", "off", false}, {all, "bool", "0", false}, {all, "bool", "false\n", false},
		{all, "bool", "", nil}, {all, "bool", "2", nil}, {all, "bool", "t", nil},
		{all, "word", "a-b", "a-b"}, {all, "word", "a b", nil}, {all, "word", "a\u00a0b", nil}, {all, "word", "a\x1fb", nil}, {all, "path", "a\tb", nil}, {all, "path", "/no/such/file", "/no/such/file"},
		{[]scalar.Rules{argument, field}, "word", "", ""}, {[]scalar.Rules{argument, field}, "path", "", ""}, {[]scalar.Rules{input}, "word", "", nil}, {[]scalar.Rules{input}, "path", "", nil},
		{all, "line", "a b", "a b"}, {all, "line", "", ""}, {all, "line", "a\rb", "a\rb"}, {all, "line", "a\nb", nil}, {all, "text", "a\nb", "a\nb"}, {all, "text", "", ""},
		{all, "string", "a", nil}, {all, "", "a", nil},
	} {
		for _, r := range c.rules {
			got, err := r.Parse(c.name, c.text)
			if fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", c.want, c.want) || (err == nil) != (c.want != nil) {
				t.Errorf("%+v: %.20q as %s is %v, %v; want %v", r, c.text, c.name, got, err, c.want)
			}
		}
	}
}

func TestMessages(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"int", "5.0", `"5.0" is not an integer`}, {"int", "9223372036854775808", `"9223372036854775808" is larger than 64 bits can hold`},
		{"float", "inf", `"inf" is not a number`}, {"bool", "maybe", `"maybe" is neither true nor false`}, {"word", "a b", `"a b" is not one word`},
		{"line", strings.Repeat("é", 70) + "\n", `"` + strings.Repeat("é", 60) + `…" has more than one line`}, {"str", "a", `"str" is not the name of a scalar type`},
	} {
		if _, err := (scalar.Rules{}).Parse(c.name, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	for written, want := range map[string]string{"Word": "word", " integer ": "int", "BOOLEAN": "bool", "number": "float", "string": "", "": ""} {
		if got := scalar.Canonical(written); got != want {
			t.Errorf("%q is %q, want %q", written, got, want)
		}
	}
	if got := strings.Join(scalar.Names(), " "); got != "word line text path int bool float" {
		t.Errorf("the names are %s", got)
	}
}

func TestDigits(t *testing.T) {
	for _, c := range []struct {
		text string
		base int
		want string
	}{
		{"0x_1F", 0, "1F 16"}, {"-0b101", 0, "-101 2"}, {"0o17", 0, "17 8"}, {"0", 0, "0 10"}, {"00", 0, "00 10"}, {"010", 0, ""}, {"0x1F", 16, "1F 16"}, {"ff", 16, "ff 16"},
		{"0b1", 16, "0b1 16"}, {"z", 36, "z 36"}, {"z", 35, ""}, {"2", 2, ""}, {"0x", 0, ""}, {"1_f", 16, "1f 16"},
	} {
		digits, base, ok := scalar.Digits(c.text, c.base)
		got := fmt.Sprint(digits, " ", base)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s with base %d is %q, want %q", c.text, c.base, got, c.want)
		}
	}
}

func ExampleRules_Parse() {
	n, _ := scalar.Rules{}.Parse("int", "1_000")
	ok, _ := scalar.Rules{}.Parse("bool", "Yes")
	_, err := scalar.Rules{NoEmpty: true}.Parse("word", "two words")
	fmt.Println(n, ok, err)
	// Output: 1000 true "two words" is not one word
}

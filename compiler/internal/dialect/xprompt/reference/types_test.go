package reference_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt/reference"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
)

func TestConvert(t *testing.T) {
	for _, test := range []struct {
		typ        types.Type
		text, want string
		ok         bool
	}{
		{types.Int, "3", "3", true},
		{types.Int, " +1_000 ", "1000", true},
		{types.Int, "-007", "-7", true},
		{types.Int, "1__0", "", false},
		{types.Int, "_1", "", false},
		{types.Int, "1_", "", false},
		{types.Int, "5.0", "", false},
		{types.Int, "0x10", "", false},
		{types.Int, "", "", false},
		{types.Int, "9223372036854775808", "", false},
		{types.Float, "2.50", "2.5", true},
		{types.Float, "1e3", "1000", true},
		{types.Float, "1_0.5", "10.5", true},
		{types.Float, "nan", "", false},
		{types.Float, "-inf", "", false},
		{types.Float, "0x1p3", "", false},
		{types.Float, "1e999", "", false},
		{types.Bool, "YES", "true", true},
		{types.Bool, " on ", "true", true},
		{types.Bool, "0", "false", true},
		{types.Bool, "Off", "false", true},
		{types.Bool, "2", "", false},
		{types.Word, "a-b", "a-b", true},
		{types.Word, "a b", "a b", false},
		{types.Path, "a\tb", "a\tb", false},
		{types.Line, "a b", "a b", true},
		{types.Line, "a\nb", "a\nb", false},
		{types.Text, "a\nb", "a\nb", true},
	} {
		got, err := reference.ConvertText(test.text, test.typ)
		if (err == nil) != test.ok || test.ok && got != test.want {
			t.Errorf("%q as %s: %q, %v", test.text, test.typ, got, err)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		typ        types.Type
		text, want string
	}{
		{types.Int, "3", "3"}, {types.Bool, "true", "true"}, {types.Float, "1e+20", "100000000000000000000"}, {types.Text, "a<\"\n", `"a<\"\n"`},
	} {
		if got := reference.LiteralJSON(test.text, test.typ); got != test.want {
			t.Errorf("%q as %s: %s", test.text, test.typ, got)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range scalar.Names() {
		if typ, ok := reference.TypeNamed(name); !ok || typ.String() != name {
			t.Errorf("%s is %v", name, typ)
		}
	}
	if _, ok := reference.TypeNamed("string"); ok {
		t.Error("string is a type")
	}
}

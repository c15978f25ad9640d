package bind_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/bind"
)

func TestNamesAvoidEveryWordOfTheProgram(t *testing.T) {
	n := bind.NewNames(`x=1; echo "say y_2" # z`)
	for _, tt := range []struct{ base, want string }{
		{"x", "x_2"}, {"x", "x_3"}, {"y", "y"}, {"y", "y_3"}, {"z", "z_2"}, {"say", "say_2"}, {"free", "free"}, {"free", "free_2"},
	} {
		if got := n.Take(tt.base); got != tt.want {
			t.Errorf("Take(%q) = %q, want %q", tt.base, got, tt.want)
		}
	}
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{"a-b.c": "a_b_c", "é": "__", "": "", "ok_1": "ok_1"} {
		if got := bind.Word(in); got != want {
			t.Errorf("Word(%q) = %q, want %q", in, got, want)
		}
	}
}

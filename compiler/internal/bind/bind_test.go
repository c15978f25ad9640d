package bind_test

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
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

// TestNamesAreNew takes names from random programs, few and many: none may be a
// word of the program or be given out twice, and none is changed without need.
func TestNamesAreNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := rapid.StringMatching(`([ab](_[23])?[ $.é]){0,20}`).Draw(t, "program")
		taken := regexp.MustCompile(`\w+`).FindAllString(program, -1)
		n := bind.NewNames(program)
		for range rapid.IntRange(1, 40).Draw(t, "count") {
			base := rapid.StringMatching(`[ab](_2)?`).Draw(t, "base")
			got := n.Take(base)
			if slices.Contains(taken, got) {
				t.Fatalf("%q: Take(%q) = %q, which is taken: %q", program, base, got, taken)
			}
			if got != base && !slices.Contains(taken, base) {
				t.Fatalf("%q: Take(%q) = %q, though %q is free", program, base, got, base)
			}
			taken = append(taken, got)
		}
	})
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{"a-b.c": "a_b_c", "é": "__", "": "", "ok_1": "ok_1"} {
		if got := bind.Word(in); got != want {
			t.Errorf("Word(%q) = %q, want %q", in, got, want)
		}
	}
}

package plain

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	many := strings.Fields(strings.Repeat("abcdef ", maxListed+2))
	for _, c := range []struct{ got, want string }{
		{UnknownName("input", "nmae", []string{"name", "tone"}), "unknown input `nmae`; did you mean `name`?"},
		{UnknownName("input", "x", []string{"name", "tone"}), "unknown input `x`: use one of `name`, `tone`"},
		{UnknownName("input", "x", []string{"name"}), "unknown input `x`: use `name`"},
		{UnknownName("input", "x", nil), "unknown input `x`"},
		{UnknownName("input", "x", many), "unknown input `x`: use one of " + NameList(slices.Repeat([]string{"abcdef"}, maxListed)) + " and 2 more"},
		{UnknownValue("format", "yml", []string{"text", "yaml"}), "unknown value `yml` of `--format`; did you mean `yaml`?"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.yaml", "a.yaml", true},
		{"*.yaml", "b/a.yaml", false},
		{"**/*.yaml", "a.yaml", true},
		{"**/*.yaml", "b/c/a.yaml", true},
		{"flows/**", "flows", true},
		{"flows/**", "flows/a/b.yaml", true},
		{"flows/**/x/*.yaml", "flows/a/b/x/c.yaml", true},
		{"flows/**/x/*.yaml", "flows/a/b/c.yaml", false},
		{"**/**/**/**/**/**/**/**/z", strings.Repeat("a/", 60) + "b", false},
		{"[", "a", false},
	} {
		if got := Match(test.pattern, test.name); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.pattern, test.name, got)
		}
	}
}

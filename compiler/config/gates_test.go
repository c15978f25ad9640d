package config

import (
	"slices"
	"testing"
)

func TestGates(t *testing.T) {
	for _, mode := range []string{"any", "terminal", "token"} {
		if c, faults := parse(t, "gates: "+mode+"\n"); len(faults) > 0 || c.Gates != mode {
			t.Errorf("%s: %q %v", mode, c.Gates, faults)
		}
	}
	c, faults := parse(t, "gates: tokens\n")
	if want := []string{"1:8 WFC151 `gates` must be one of any, terminal, token; did you mean `token`?"}; c.Gates != "" || !slices.Equal(faults, want) {
		t.Errorf("%q %q", c.Gates, faults)
	}
}

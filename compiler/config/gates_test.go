package config

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestGates(t *testing.T) {
	for _, mode := range []settings.Gates{"any", "terminal", "token"} {
		if c, faults := parse(t, "gates: "+string(mode)+"\n"); len(faults) > 0 || c.settings.Gates != mode {
			t.Errorf("%s: %q %v", mode, c.settings.Gates, faults)
		}
	}
	c, faults := parse(t, "gates: tokens\n")
	if want := []string{"1:8 WFC151 `gates` must be one of any, terminal, token; did you mean `token`?"}; c.settings.Gates != "" || !slices.Equal(faults, want) {
		t.Errorf("%q %q", c.settings.Gates, faults)
	}
}

package catalog_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An agent gets the wanted effort, else the nearest weaker one that its kind knows, else the
// weakest. The recorded cases of dev/conformance have the original's answers.
func TestNearestEffort(t *testing.T) {
	for _, c := range []struct {
		known        []string
		wanted, want string
	}{
		{nil, "persistent", "persistent"},
		{nil, "huge", ""},
		{[]string{}, "high", ""},
		{[]string{"low", "high"}, "high", "high"},
		{[]string{"low", "high"}, "persistent", "high"},
		{[]string{"low", "high"}, "medium", "low"},
		{[]string{"low", "high"}, "minimal", "low"},
	} {
		kind := catalog.KindInfo{Efforts: c.known}
		if got := kind.NearestEffort(c.wanted); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.wanted, c.known, got, c.want)
		}
	}
}

// Every kind lists its efforts from the weakest on.
func TestEffortsAreInOrder(t *testing.T) {
	for _, kind := range catalog.Kinds() {
		last := -1
		for _, effort := range kind.KnownEfforts() {
			rung := slices.Index(catalog.KindInfo{}.KnownEfforts(), effort)
			if rung <= last {
				t.Errorf("%s: %s is no rung, or out of order", kind.Name, effort)
			}
			last = rung
		}
	}
}

// TestProviderOf checks that the provider is that of an agent's kind, whatever its name is.
func TestProviderOf(t *testing.T) {
	agents := settings.Agents{
		{Name: "reviewer", Use: "fast"}, {Name: "fast", Kind: "openai"}, {Name: "claude", Kind: "google"}, {Name: "codex", Kind: settings.KindScripted},
		{Name: "openai", Kind: settings.KindCommand, Program: "ask"}, {Name: "helper", Kind: "acp", Program: "gemini"}, {Name: "google", Kind: "acp", Program: "ours"},
	}
	for name, want := range map[string]string{
		"reviewer": "openai", "claude": "gcp.gemini", "codex": "openai", "openai": "", "helper": "gcp.gemini", "google": "",
		"anthropic": "anthropic", "gemini": "gcp.gemini", "copilot": "", "stranger": "",
	} {
		if got := catalog.ProviderOf(agents, name); got != want {
			t.Errorf("the provider of %s is %q, not %q", name, got, want)
		}
	}
}

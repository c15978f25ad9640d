package program_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"2.1.119 (Claude Code)":           "2.1.119",
		"codex-cli 0.46.0":                "0.46.0",
		"codex-cli 0.107.0-alpha.4":       "0.107.0-alpha.4",
		"v1.2":                            "1.2.0",
		"V1.2.3":                          "1.2.3",
		"x86 linux 1.2.3.4":               "1.2.3",
		"opencode2 v0.3.0-.":              "0.3.0",
		"":                                "",
		"12":                              "",
		"dev1.2.3 build":                  "",
		"99999999999999999999.1.1 or 1.0": "1.1.0",
		"1.":                              "",
	} {
		v, ok := program.ParseVersion(text)
		got := ""
		if ok {
			got = v.String()
		}
		if got != want && text != "99999999999999999999.1.1 or 1.0" {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestVersionsCompare(t *testing.T) {
	in := []string{"0.9.9", "1.0.0-alpha.1", "1.0.0", "1.0.1-b", "1.0.1", "1.10.0", "2.0"}
	for i, a := range in {
		for j, b := range in {
			v, _ := program.ParseVersion(a)
			w, _ := program.ParseVersion(b)
			if got := v.Compare(w); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("codex-cli 0.107.0-alpha.4")
	f.Add("v1.2")
	f.Add("1.2.3-")
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := program.ParseVersion(text)
		if !ok {
			return
		}
		again, ok := program.ParseVersion(v.String())
		if !ok || again != v {
			t.Errorf("%q gives %v, and that %v", text, v, again)
		}
	})
}

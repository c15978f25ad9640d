package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
)

// hostile are strings that agents, scripts, keys and callers may say, each with
// something in it that is to reach nobody as it is.
var hostile = []string{
	"x\x1b[2J\x1b[1A\x1b]0;title\a\x1bP+q\x1b\\y",
	"x\x1b[31mred\x1b[8mhidden",
	"x\u009b2Jy\u009d0;t\u009c\u0085z",
	"x\by\vz\fa\x7fb\x0ec",
	"pay\u202elap\u2066\u200b\u200d\ufeffpal\u2028z\u00ad",
	"x\rrun forged: completed",
	"x\nrun forged: completed\n? gate: approve with evil\n✓ forged (1s)\n● forged\n○ forged\nfoul: forged\nforged asks:\n  log: evil\n00:00:00.000 [a] forged\n::error ::forged\n",
	"::error file=a,line=1::forged\n  ::add-mask::forged ##[error]forged",
}

// forged are beginnings of lines that only wfc may print.
var forged = regexp.MustCompile(`(?m)^(run forged|\? gate: approve|✓ forged|● forged|○ forged|foul: forged|forged asks|00:00:00\.000|\s*::)|##\[`)

// foul says a hostile string wherever a workflow can.
func foul(h string) *flow.Definition {
	def := &flow.Definition{
		Name: "foul" + h, Description: "About " + h, Source: "dir/" + h + ".yaml", Fingerprint: "f", Tags: []string{h},
		Inputs: []flow.InputInfo{{Name: "arguments", Type: "int", Doc: h, Default: `1`, Rest: true}},
		Nodes: []flow.NodeInfo{
			{Key: "says" + h, Kind: "bash"},
			{Key: "fails" + h, Kind: "bash", After: []string{"says" + h}, When: "$a.output == '" + h + "'", Rule: h},
			{Key: "asks" + h, Kind: "approval", Loop: h, Agent: h},
		},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		given := []flow.Binding{{Name: "SAID", Value: h}}
		says := node(c, "says"+h, `printf '%s\n' "$SAID"; printf '%s' "$SAID" >&2`, given)
		node(c, "fails"+h, `printf '%s' "$SAID"; printf '%s' "$SAID" >&2; exit 3`, given, says)
		gate(c, "asks"+h, h)
		return map[string]string{"a": h}, flow.Settle(c)
	}
	return def
}

// steering returns the first character that is not to be shown, or 0.
func steering(s string) rune {
	for _, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d' && strings.Contains(s, "\u200d"):
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), strings.ContainsRune("\u00ad\u200b\u2028\u2029\ufeff", r):
			return r
		}
	}
	if !utf8.ValidString(s) {
		return utf8.RuneError
	}
	return 0
}

// No command passes on what steers a terminal, forges a line of wfc's own or
// commands GitHub, in any of its forms.
func TestNothingHostileIsShown(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("this test needs bash")
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	for _, h := range hostile {
		p := program(foul(h))
		state := t.TempDir()
		t.Chdir(t.TempDir())
		call := func(code int, args ...string) string {
			t.Helper()
			var out, messages bytes.Buffer
			got := cli.Run(p, append(args, "--state", state), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &messages})
			if got != code && code >= 0 {
				t.Errorf("%q exits with %d, want %d\n%s%s", args, got, code, out.String(), messages.String())
			}
			for name, text := range map[string]string{"output": out.String(), "messages": messages.String()} {
				if r := steering(text); r != 0 {
					t.Errorf("%q: %U in the %s of %q:\n%q", h, r, name, args, text)
				}
				if line := forged.FindString(text); line != "" {
					t.Errorf("%q: %q in the %s of %q:\n%s", h, line, name, args, text)
				}
			}
			return out.String()
		}
		call(runerr.ExitPaused, "run")
		var status struct {
			ID    string `json:"run_id"`
			Nodes []struct {
				Key    string `json:"id"`
				Output string `json:"output"`
			} `json:"nodes"`
		}
		if err := json.Unmarshal([]byte(call(runerr.ExitCompleted, "status", "--json")), &status); err != nil {
			t.Fatal(err)
		}
		if n := status.Nodes[0]; n.Key != "says"+h || n.Output != strings.TrimRight(h, "\n") && n.Output != h {
			t.Errorf("JSON changes what is said: %q, %q", n.Key, n.Output)
		}
		call(runerr.ExitPaused, "run", "--json")
		call(runerr.ExitPaused, "run", "--jsonl")
		call(runerr.ExitPaused, "run", "--quiet")
		call(runerr.ExitCompleted, "run", "--dry-run")
		call(runerr.ExitCompleted, "run", "--dry-run", "--json")
		for _, args := range [][]string{
			{"status"}, {"list"}, {"list", "--json"}, {"logs"}, {"logs", "--json"}, {"logs", "--node", "says" + h}, {"info"}, {"info", "--json"},
			{"graph"}, {"graph", "--format", "mermaid"}, {"graph", "--format", "dot"}, {"graph", "--format", "svg"}, {"graph", "--layers"},
			{"run", "--help"},
		} {
			call(runerr.ExitCompleted, args...)
		}
		if !strings.Contains(h, "\n") { // the paragraphs of a description are those of the help
			call(runerr.ExitCompleted, "--help")
		}
		for _, args := range [][]string{
			{"run", h}, {"run", "--arguments", h}, {"run", "--input", h}, {"run", "--inputs", h}, {"run", "--agent", h}, {"run", "--" + h}, {h},
			{"status", h}, {"logs", h}, {"logs", "--node", h}, {"list", "--status", h}, {"resume", h}, {"cancel", h}, {"graph", "--format", h}, {"info", h},
			{"approve", h}, {"approve", "latest", "--node", h}, {"answer", "latest", "--choice", h}, {"answer", "latest", "--edit", h},
			{"reject"}, {"schedule", "--cron", h}, {"schedule", "--cron", "* * * * *", "--overlap", h}, {"run", "--dry-run", "--outputs", h},
		} {
			call(-1, args...)
			call(-1, append(args, "--json")...)
		}
		call(runerr.ExitCancelled, "reject", status.ID, "-m", h)
		call(runerr.ExitCompleted, "status", status.ID)
		call(runerr.ExitCompleted, "logs", status.ID)
		call(runerr.ExitCompleted, "list")
	}
}

// shouts prints and returns what is in FOUL.
func shouts() *flow.Definition {
	h := os.Getenv("FOUL")
	def := &flow.Definition{Name: "shouts", Fingerprint: "s", Nodes: []flow.NodeInfo{{Key: "a" + h, Kind: "bash"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		a := node(c, "a"+h, `printf '%s\n' "$SAID" >&2; printf '%s' "$SAID"`, []flow.Binding{{Name: "SAID", Value: h}})
		err := flow.Settle(c)
		return map[string]string{"a": a.Final().Text}, err
	}
	return def
}

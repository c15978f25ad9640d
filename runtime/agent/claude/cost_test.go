package claude_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A turn costs its own part, whatever the version tells the total of, in a
// session of this run and of another one.
func TestCostOfContinuedTurns(t *testing.T) {
	for version, folders := range map[string][]string{
		"2.1.0": {"own", "hidden"}, "2.1.197": {"own", "hidden"}, "2.1.240": {"own", "hidden"},
		"2.1.283": {"own", "hidden", "elsewhere"}, "2.1.330": {"own", "hidden", "elsewhere", "unknown"},
	} {
		for _, folder := range folders {
			t.Run(version+" "+folder, func(t *testing.T) {
				b := answers
				b.Version = version
				path := fakeagent.Program(t, "claude", b)
				c := converse(t, path)
				config := t.TempDir()
				c.request.Environ = append(os.Environ(), "CLAUDE_CONFIG_DIR="+config)
				if folder == "hidden" {
					// The program keeps its transcripts where nobody else sees them.
					c.request.Environ = append(os.Environ(), "HOME="+config, "CLAUDE_CONFIG_DIR=")
				}
				for turn := 1; turn <= 4; turn++ {
					if turn == 3 && folder == "elsewhere" {
						c.request.RunDir = t.TempDir()
					}
					if folder == "unknown" {
						c.request.RunDir, c.request.Environ = t.TempDir(), append(os.Environ(), "HOME="+config, "CLAUDE_CONFIG_DIR=")
					}
					reply, err := c.ask()
					if err != nil {
						t.Fatal(err)
					}
					m := reply.Meta
					if math.Abs(m.CostUSD-0.25) > 1e-9 || m.InputTokens != 30 || m.OutputTokens != 12 || m.Turns != 1 || c.spent != m {
						t.Errorf("turn %d cost %+v, and %+v was told", turn, m, c.spent)
					}
					if m.Session == c.request.Session {
						t.Errorf("turn %d goes on in the session %q itself", turn, m.Session)
					}
					c.request.Session = m.Session
				}
				if c.warnings != "" {
					t.Errorf("warned of %s", c.warnings)
				}
			})
		}
	}
}

// Of a session whose earlier cost nobody knows, no dollars are counted: they
// would be those of the whole session.
func TestCostThatIsNotKnown(t *testing.T) {
	line := strings.Replace(result("success", false, `,"result":"x","usage":{"input_tokens":10,"output_tokens":5},"modelUsage":{"m":{"inputTokens":1010,"outputTokens":505,"costUSD":0.5}}`), "s", "s", 1)
	c := converse(t, prints(t, "0", `{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.283"}`, line))
	c.request.Session, c.request.Environ = "elsewhere", append(os.Environ(), "HOME="+t.TempDir())
	reply, err := c.ask()
	if want := (flow.Meta{InputTokens: 10, OutputTokens: 5, Turns: 2, Session: "s", Model: "m"}); err != nil || reply.Meta != want {
		t.Errorf("got %+v, %v", reply, err)
	}
	if !strings.Contains(c.warnings, "the cost of this turn is unknown") {
		t.Errorf("warned of %q", c.warnings)
	}
}

// What several results say counts together.
func TestHelpersMakeTwoResults(t *testing.T) {
	for _, version := range []string{"2.1.197", "2.1.283", "2.1.330"} {
		b := answers
		b.Helper, b.Version = true, version
		c := converse(t, fakeagent.Program(t, "claude", b))
		c.request.Environ = append(os.Environ(), "CLAUDE_CONFIG_DIR="+t.TempDir())
		for turn := range 2 {
			reply, err := c.ask()
			if err != nil {
				t.Fatal(err)
			}
			if m := reply.Meta; math.Abs(m.CostUSD-0.25) > 1e-9 || m.InputTokens != 30 || m.OutputTokens != 12 || m.Turns != 3 {
				t.Errorf("%s: turn %d cost %+v", version, turn+1, m)
			}
			c.request.Session = reply.Meta.Session
		}
	}
}

// A turn that is killed and tried again goes on from the state before: its
// prompt is in the session once.
func TestAKilledTurnLeavesNothingInItsSession(t *testing.T) {
	b := answers
	path := fakeagent.Program(t, "claude", b)
	c := converse(t, path)
	config := t.TempDir()
	c.request.Environ = append(os.Environ(), "CLAUDE_CONFIG_DIR="+config)
	c.request.Text = "the first prompt"
	reply, err := c.ask()
	if err != nil {
		t.Fatal(err)
	}
	c.request.Session, c.request.Text = reply.Meta.Session, "the second prompt"
	b.Fault, b.Times = fakeagent.Killed, 2 // the first turn was one
	fakeagent.Change(t, path, b)
	if _, err := c.ask(); err == nil {
		t.Fatal("it was not killed")
	}
	if reply, err = c.ask(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(config, "projects", "fake", reply.Meta.Session+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"the first prompt", "the second prompt"} {
		if n := strings.Count(string(text), prompt); n != 1 {
			t.Errorf("%q is in the session %d times:\n%s", prompt, n, text)
		}
	}
}

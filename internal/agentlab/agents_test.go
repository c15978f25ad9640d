//go:build unix

package agentlab

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// A scenario is what every program is taken through.
type scenario struct {
	name string
	// means says it in the table's legend.
	means string
	try   func(l *lab)
}

// scenarios are all scenarios, in the order of the table.
var scenarios = []scenario{
	{"doctor", "`wfc doctor` and `info --check` find the program, its version and whether it is signed in", doctor},
	{"plain", "a prompt with any characters, and the reply byte for byte", plain},
	{"typed", "`output_format`, read by field in the next node", typed},
	{"session", "a second node continues the session of the first", session},
	{"mcp", "the tool of an MCP server that the node brings, with a variable, under `safe`", mcp},
	{"edit", "a file created under `permission: edit`", edit},
	{"denial", "under `safe` no file is written and no command run; the log names the permission, and the turn goes on", denial},
	{"idle", "`idle_timeout` ends a silent turn, and nothing is left running", idle},
	{"resume", "killed in a turn and resumed: the node that had completed is not asked again, the other one in its session", resume},
	{"401", "a refused key fails at once, with the way to sign in", refusedKey},
	{"429", "a rate limit passes", rateLimit},
	{"cost", "three turns of one session cost what each of them cost", cost},
	{"1 MB", "a reply of a million bytes, byte for byte", large},
	{"helpers", "a helper agent of the node's option `agents` answers, and what it costs is counted", helpers},
}

// TestAgents takes every program through every scenario, and prints the table.
func TestAgents(t *testing.T) {
	if os.Getenv(enabled) == "" {
		t.Skip("runs the real agent programs: make test-agents")
	}
	m := &matrix{programs: programs(t)}
	t.Cleanup(func() { // when all cells have ended
		m.print(os.Stdout)
		if *update {
			m.write(t)
		}
	})
	for _, p := range m.programs {
		for _, s := range scenarios {
			t.Run(p.String()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				m.try(t, p, s)
			})
		}
	}
}

// try takes a program through a scenario and notes what came of it.
func (m *matrix) try(t *testing.T, p *program, s scenario) {
	if why := p.without[s.name]; why != "" {
		m.note(p, s, outcome{state: notApplicable, reason: why})
		t.Skip(why)
	}
	began := time.Now()
	t.Cleanup(func() { // behind those of the lab
		state := ok
		if t.Failed() {
			state = failed
		}
		m.note(p, s, outcome{state: state})
		fmt.Printf("%-6s  %s/%s (%.1fs)\n", state, p, s.name, time.Since(began).Seconds())
	})
	s.try(newLab(t, p))
}

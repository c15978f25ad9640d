//go:build unix

package agentlab

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// A scenario is a test for every program.
type scenario struct {
	name string
	// means says it in the table's legend.
	means string
	try   func(l *lab)
}

// scenarios are all scenarios, in the order of the table.
var scenarios = []scenario{
	{"doctor", "`wfc doctor` and `info --check` find the program, its version and sign-in", doctor},
	{"plain", "any prompt and any reply arrive byte for byte", plain},
	{"typed", "the next node reads fields of an output with `output_format`", typed},
	{"session", "a second node continues the session of the first", session},
	{"mcp", "under `safe`, the agent uses a tool of the node's MCP server", mcp},
	{"edit", "under `permission: edit`, the agent creates a file", edit},
	{"denial", "under `safe`, the agent can't write or run a command, and the turn continues", denial},
	{"idle", "`idle_timeout` ends a silent turn, and no process remains", idle},
	{"resume", "a killed run leaves no process, and continues its session when resumed", resume},
	{"401", "a refused key fails at once, with the way to sign in", refusedKey},
	{"429", "the turn succeeds after a rate limit has passed", rateLimit},
	{"broken answer", "after an answer that breaks off, only the whole one is in the output", brokenAnswer},
	{"outage", "a model that doesn't answer, or with status 500, fails the turn, and wfc retries it", outage},
	{"interrupt", "a run that Ctrl+C ends keeps what the turn has cost", interrupt},
	{"cost", "three turns of one session have separate costs", cost},
	{"1 MB", "a reply of a million bytes arrives byte for byte", large},
	{"helpers", "a helper agent of the option `agents` answers, and its cost counts", helpers},
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

// try runs a program through a scenario and notes the outcome.
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

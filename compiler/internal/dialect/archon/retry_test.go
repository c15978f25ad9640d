package archon_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect"
)

// Nodes that ask an agent retry transient failures by default; other nodes do not.
func TestDefaultRetry(t *testing.T) {
	p, _ := lint(t, &dialect.Env{Root: "/repo", Files: everything{}}, nodes(`  - {id: ask, prompt: x}
  - {id: told, prompt: x, retry: {max_attempts: 4, delay_ms: 1500, on_error: all}}
  - {id: file, command: ok-cmd}
  - {id: run, bash: x}
  - {id: stop, cancel: x}
`))
	if p == nil {
		t.Fatal("no program")
	}
	want := map[string]string{"ask": "2 3s false", "told": "4 1.5s true", "file": "2 3s false", "run": "", "stop": ""}
	for _, n := range p.Workflow.Body.All() {
		got := ""
		if r := n.Retry; r != nil {
			got = describeRetry(r.Max, r.Delay, r.All)
		}
		if got != want[n.ID] {
			t.Errorf("%s is tried again %q, want %q", n.ID, got, want[n.ID])
		}
	}
}

func describeRetry(most int, delay time.Duration, all bool) string {
	return fmt.Sprint(most, " ", delay, " ", all)
}

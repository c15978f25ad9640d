//go:build unix

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
)

func TestMain(m *testing.M) { fakeagent.Main(m) }

// TestAgents takes one workflow through every kind of agents. Its program is
// built as users build theirs, with a wfc.yaml, and links all the kinds, so that
// each SDK is compiled once: `wfc build` keeps what it compiles.
func TestAgents(t *testing.T) {
	testkit.SkipBuild(t)
	binary := buildOpinions(t)
	t.Run("doctor", func(t *testing.T) { doctorAgrees(t, binary) })
	for _, test := range []struct {
		name string
		test func(t *testing.T, binary string)
	}{
		{"every kind", everyKind},
		{"one run, all kinds", allKinds},
		{"faults", faults},
		{"killed runs", killedRuns},
		{"limits", runLimits},
		{"limits of the project", projectLimits},
		{"before a run", beforeRuns},
		{"what is said of agents", agentsTold},
		{"recording", recordings},
		{"variables", agentVariables},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.test(t, binary)
		})
	}
}

// buildOpinions builds the workflow of the tests and returns its program.
func buildOpinions(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "opinions")
	var out, errs bytes.Buffer
	code := cli.Main([]string{"build", "testdata/agents/opinions.yaml", "-o", binary}, cli.Streams{In: os.Stdin, Out: &out, Err: &errs})
	if code != cli.ExitClean {
		t.Fatalf("wfc build ended with %d: %s%s", code, out.String(), errs.String())
	}
	return binary
}

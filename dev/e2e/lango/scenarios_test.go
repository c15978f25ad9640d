//go:build unix

// Package lango holds a test for each scenario of what was asked of the dialect
// lango: through wfc, through binaries that it builds, and through the engine that
// Go programs embed.
package lango

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// scenarios are the scenarios by the names that they have in the requirement, in
// its order.
var scenarios = []struct {
	name string
	test func(*testing.T)
}{
	{"Parse a valid workflow YAML", parseWorkflow},
	{"Parse workflow with schedule", parseSchedule},
	{"Step with dependencies", stepWithDependencies},
	{"Step without dependencies", stepWithoutDependencies},
	{"Cycle detection", cycle},
	{"Missing dependency reference", missingDependency},
	{"Parallel execution layers", layers},
	{"Variable substitution", substitution},
	{"Concurrent execution within a layer", concurrently},
	{"State persistence on step completion", persistence},
	{"Resume interrupted workflow", resumeInterrupted},
	{"Parent request completes without cancelling workflow", parentCompletes},
	{"Workflow cancellation via workflow_cancel still works", cancelledByTool},
	{"RunAsync returns immediately with run ID", runAsyncReturns},
	{"RunAsync workflow progress is queryable", progressIsQueryable},
	{"workflow_run tool uses RunAsync", toolReturnsAtOnce},
	{"Run a workflow", runWorkflow},
	{"Cancel a running workflow", cancelRunning},
	{"Get workflow status", workflowStatus},
	{"Step with delivery target", stepDelivery},
	{"YAML deliver_to specified", targetsOfTheWorkflow},
	{"Auto-detect from Slack session", targetOfTheSession},
	{"Config default used", targetsOfTheConfiguration},
	{"No delivery channel warning", noChannelWarning},
	{"Workflow completion delivery", completionDelivery},
	{"Graceful shutdown", gracefulShutdown},
	{"StartedAt in GetRunStatus", startedAt},
	{"StartedAt in ListRuns", startedAtInLists},
}

func TestScenarios(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, s.test)
	}
}

// The names are those in the text of the requirement, where that is at hand.
func TestEveryScenarioHasATest(t *testing.T) {
	texts, err := filepath.Glob("../../../../shared/requirements/002_*.txt")
	if err != nil || len(texts) != 1 {
		t.Skip("the text of the requirement is not here")
	}
	text, err := os.ReadFile(texts[0])
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^#### Scenario: (.*)$`).FindAllSubmatch(text, -1) {
		want = append(want, string(m[1]))
	}
	for _, s := range scenarios {
		got = append(got, s.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("there are %d tests of scenarios:\n%q\nthe text has %d:\n%q", len(got), got, len(want), want)
	}
}

package wfctest_test

import (
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/examples/triage/triage"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/wfctest"
)

// A test of the workflow triage with one reply for each of its agents. If the reply of
// classify is a bug, the run investigates and does not plan.
func ExampleCase_Run() {
	var run *sim.Result
	passed := goTest(func(t *testing.T) {
		run = wfctest.Case{
			Inputs: triage.Inputs{Arguments: "It crashes"},
			Replies: map[string][]any{
				"classify":    {triage.ClassifyOutput{Kind: triage.ClassifyKindBug, Confidence: 1, Title: "Crash"}},
				"investigate": {"A race."},
			},
			Outputs: map[string][]any{"fetch": {"It crashes"}, "report": {"done"}},
		}.Run(t, &triage.Workflow)
	})
	fmt.Println("passed:", passed)
	fmt.Println("run:", run.End.Status)
	for _, key := range []string{"investigate", "plan"} {
		fmt.Printf("%s: %s\n", key, run.Step(key).Status)
	}
	// Output:
	// passed: true
	// run: completed
	// investigate: completed
	// plan: skipped
}

// A test that runs the test files of the workflow triage.
func ExampleRun() {
	passed := goTest(func(t *testing.T) {
		wfctest.Run(t, "../../examples/triage/*.test.yaml", &triage.Workflow)
	})
	fmt.Println("passed:", passed)
	// Output: passed: true
}

func ExampleFaults() {
	const text = `tests:
  - name: a bug is investigated
    input: {arguments: It crashes}
    expect:
      status: complete
`
	wfctest.Faults([]byte(text), func(line, column int, message string) {
		fmt.Printf("triage.test.yaml:%d:%d: %s\n", line, column, message)
	})
	// Output:
	// triage.test.yaml:3:5: unknown key `input` in a test; did you mean `inputs`?
	// triage.test.yaml:5:15: unknown status `complete`; did you mean `completed`?
}

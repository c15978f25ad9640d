// Package wfctest tests workflows: by test files, as `wfc test` runs them, and from Go.
//
// A package of tests names the generated packages whose workflows its test files are for:
//
//	func TestWorkflows(t *testing.T) {
//		wfctest.Run(t, "testdata/*.test.yaml", &triage.Workflow, &review.Workflow)
//	}
//
// A Case scripts the agents of one run with values of the generated types:
//
//	run := wfctest.Case{
//		Inputs:  triage.Inputs{Arguments: "It crashes"},
//		Replies: map[string][]any{"classify": {triage.ClassifyOutput{Kind: triage.ClassifyKindBug}}, "investigate": {"a race"}},
//	}.Run(t, &triage.Workflow)
//	if s := run.Step("plan").Status; s != flow.Skipped {
//		t.Errorf("plan is %s", s)
//	}
//
// Runs take place on the simulated engine: they ask no agent and no person, deliver
// nothing, and their clock is virtual. They do run bash scripts, if the test gives no
// output for them; see Case.Outputs.
package wfctest

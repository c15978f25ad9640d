package dry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/dry"
)

func TestOutputsFile(t *testing.T) {
	for text, want := range map[string]string{
		``:                             "not JSON",
		`[]`:                           "not a JSON object",
		`{"fix": }`:                    "not JSON",
		`{"fix": "x"`:                  "it ends too early",
		`{"fix": "x"} {}`:              "more than one JSON object",
		`{"fix": "x", "fix": "y"}`:     "duplicate key `fix`",
		`{"fix": null}`:                "`fix` is null",
		`{"fxi": "x"}`:                 "unknown node `fxi`",
		`{"fxi#1/until": "true"}`:      "unknown node `fxi`",
		`{"fix#": "x"}`:                "node `fix` cannot have a part `#`",
		`{"fix#1/untill": "x"}`:        "cannot have a part `#1/untill`",
		`{"fix/attempt": "x"}`:         "cannot have a part `/attempt`",
		`{"fix[x]": "x"}`:              "cannot have a part `[x]`",
		`{"fix#1": "x", "fix/": true}`: "cannot have a part `/`",
	} {
		_, err := dry.ReadOutputs([]byte(text), deliver().Nodes)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		var unknown *dry.UnknownNodeError
		if strings.Contains(want, "no node") && (!errors.As(err, &unknown) || unknown.Node != "fxi") {
			t.Errorf("%s: %#v", text, err)
		}
	}
	good := `{"gate": "approve", "gate#2": "reject", "gate/rework#1": "x", "fix": 1, "fix#1": true, "fix/attempt2#1/until": false, "talk#3/gate": "approve"}`
	if _, err := dry.ReadOutputs([]byte(good), deliver().Nodes); err != nil {
		t.Error(err)
	}
}

// Outputs that a step could not give are errors, as they would be of the step.
func TestImpossibleOutputs(t *testing.T) {
	for outputs, want := range map[string]string{
		`{"classify": {"count": 3}}`:                    "the output of `classify`: ",
		`{"classify": "no JSON at all"}`:                "no JSON was found",
		`{"fix#1": "x", "fix#1/until": "perhaps"}`:      "neither true nor false",
		`{"gate": {"choice": "maybe"}}`:                 `unknown answer {"choice": "maybe"}: give {"choice": "approve|reject", "text": "…"}`,
		`{"gate": {"text": "no choice"}}`:               "unknown answer",
		`{"gate": 3}`:                                   "3 is not an answer",
		`{"gate": {"choice": "approve", "words": "x"}}`: "is not an answer",
		`{"gate": "approve", "fix": ""}`:                "it is empty, and the answer of an agent never is",
	} {
		def := deliver()
		if strings.Contains(outputs, "classify") {
			def = triage()
		}
		_, err := dry.Make(def, options(t, def, outputs))
		var output *dry.OutputError
		if !errors.As(err, &output) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", outputs, err, want)
		}
	}
}

// A structured answer is found among words, as a real one is.
func TestProseAroundJSON(t *testing.T) {
	p := plan(t, triage(), `{"classify": "Here you are:\n`+"```json"+`\n{\"kind\":\"question\",\"count\":1,\"confidence\":1,\"urgent\":false,\"tags\":[],\"extra\":0}\n`+"```"+`"}`)
	if p.Verdict.Status != "cancelled" || p.Verdict.Reasons[0] != "a question" {
		t.Errorf("%+v", p.Verdict)
	}
}

// What a node is said to give does not have its declared form.
func TestOutputOfAnotherForm(t *testing.T) {
	p := plan(t, triage(), `{"classify": {"kind": "bug"}}`)
	s := step(p, "classify")
	if s.Status != flow.Failed || !strings.Contains(s.Failure, "`count` is missing") || p.Verdict.Status != "failed" {
		t.Errorf("%+v %+v", s, p.Verdict)
	}
}

func TestScriptedFailures(t *testing.T) {
	p := plan(t, deliver(), `{"gate": {"fail": "nobody is there"}}`)
	if s := step(p, "gate"); s.Status != flow.Failed || s.Failure != "nobody is there" {
		t.Errorf("gate: %+v", s)
	}
	if s := step(p, "fix"); s.Decision != dry.Skipped || s.Why[0] != "its trigger rule all_success does not hold: `gate` fails" {
		t.Errorf("fix: %+v", s)
	}
	if p.Verdict.Status != "failed" || p.Verdict.Reasons[0] != "`gate` fails: nobody is there" {
		t.Errorf("%+v", p.Verdict)
	}
	// A failure is final: the loop, which would begin again after any, does not.
	p = plan(t, deliver(), `{"fix": {"fail": "no tools"}}`)
	if s := step(p, "fix"); len(s.Actions) != 1 || s.Failure != "iteration 1: no tools" {
		t.Errorf("fix: %+v", s)
	}
}

// A loop that never ends runs as often as it may, and fails.
func TestLoopThatNeverEnds(t *testing.T) {
	p := plan(t, deliver(), `{"talk": "hm", "talk#1/gate": "approve", "talk#2/gate": "approve"}`)
	s := step(p, "talk")
	if len(s.Actions) != 6 || !strings.Contains(s.Failure, "ran 3 iterations without reaching DONE") || s.Repeats != "" {
		t.Errorf("%+v", s)
	}
}

// What is known of the test decides, also when the iteration is not known.
func TestKnownTest(t *testing.T) {
	p := plan(t, deliver(), `{"fix#1/until": false, "fix#2/until": true}`)
	s := step(p, "fix")
	if len(s.Actions) != 4 || s.Repeats != "" || s.Status != flow.Completed || s.OutputKnown || s.Output != "‹output of fix›" {
		t.Errorf("%+v", s)
	}
	p = plan(t, deliver(), `{"fix#1": "not yet", "fix#1/until": false}`)
	if s := step(p, "fix"); len(s.Actions) != 4 || s.Repeats != "2 to 4 times" {
		t.Errorf("%+v", s)
	}
}

func step(p *dry.Plan, id string) *dry.Step {
	for _, s := range p.Steps {
		if s.ID == id {
			return s
		}
	}
	return &dry.Step{}
}

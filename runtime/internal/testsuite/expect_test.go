package testsuite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// ship is a workflow with a step of every kind: it builds, writes twice, asks a person,
// publishes and tells a channel. The step never is skipped.
func ship() *flow.Definition {
	return &flow.Definition{
		Name: "ship", Source: "ship.yaml", Agents: []string{"claude"},
		Inputs: []flow.InputInfo{{Name: "version", Type: "text"}, {Name: "loud", Type: "bool", Default: "false"}},
		Nodes: []flow.NodeInfo{
			{Key: "build", Kind: "bash"}, {Key: "write", Kind: "loop", After: []string{"build"}},
			{Key: "agreed", Kind: "approval", After: []string{"write"}}, {Key: "publish", Kind: "bash", After: []string{"agreed"}},
			{Key: "never", Kind: "bash"}, {Key: "tell", Kind: "deliver", After: []string{"publish"}},
		},
		Graph: &flow.GraphInfo{State: []flow.VariableInfo{{Name: "done", Type: "int"}}},
		Flow: func(c *flow.Context) (any, error) {
			build := flow.Spawn(c, flow.Node[string]{Key: "build", Kind: "bash", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: "make \"$v\"", Bindings: []flow.Binding{{Name: "v", Value: string(c.Scheduler().Run().Inputs)}}})
				return r.Text, err
			}})
			write := flow.Spawn(c, flow.Node[string]{Key: "write", Kind: "loop", After: flow.After(build), Run: func(c *flow.Context) (string, error) {
				text := ""
				for n := 1; n <= 2; n++ {
					r, err := c.At(fmt.Sprintf("#%d", n)).Do(flow.Prompt{Agent: "claude", Text: "Write about " + build.Final().Text + " after " + text})
					if err != nil {
						return "", err
					}
					text = r.Text
				}
				return text, nil
			}})
			agreed := flow.Spawn(c, flow.Node[string]{Key: "agreed", Kind: "approval", After: flow.After(write), Run: func(c *flow.Context) (string, error) {
				return steps.Approval{Message: "Ship it?", Capture: true}.Run(c)
			}})
			publish := flow.Spawn(c, flow.Node[string]{Key: "publish", Kind: "bash", After: flow.After(agreed), Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: `gh release create "$1" && echo out > shipped.txt && echo shipped`})
				return r.Text, err
			}})
			flow.Spawn(c, flow.Node[string]{Key: "never", Kind: "bash", When: func() (bool, error) { return false, nil }})
			flow.Spawn(c, flow.Node[string]{Key: "tell", Kind: "deliver", After: flow.After(publish), Run: func(c *flow.Context) (string, error) {
				if _, err := c.At("/state").Do(graphstate.State{Variables: []byte(`{"done":2}`), Executed: []string{"write", "write"}, Warnings: []string{"the disk is nearly full"}}); err != nil {
					return "", err
				}
				_, err := c.Do(flow.Delivery{Targets: []string{"slack:ops"}, Text: "shipped"})
				return "", err
			}})
			err := flow.Settle(c)
			return map[string]any{"notes": write.Final().Text, "size": 3}, err
		},
	}
}

// suite writes a test file and runs its tests.
func suite(t *testing.T, text string, opt testsuite.Options) *testsuite.Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ship.test.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return suiteAt(t, path, opt)
}

func suiteAt(t *testing.T, path string, opt testsuite.Options) *testsuite.Report {
	t.Helper()
	r, err := testsuite.Run([]testsuite.Source{{Source: testjob.Source{Path: path, Shown: "ship.test.yaml", Diagnostics: []string{"WFC250"}}, Definition: ship()}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The stand-ins of all tests, and what is true of the run.
const standIns = `
    inputs: {version: v1}
    files: {README.md: "read me\n"}
    bash: {build: "ok"}
    commands: {gh: {args: release create*, output: done}}
    agents:
      write:
        - {text: first, cost: 0.5, delay: 1m}
        - {text: second, cost: 0.25}
    answers: {agreed: {approve: Go, after: 1h}}
`

// holding is a test with every kind of expectation, which all hold.
const holding = "tests:\n  - name: all" + standIns + `    expect:
      status: completed
      exit: 0
      reason: {absent: true}
      error: {absent: true}
      summary: {absent: true}
      outputs:
        notes: second
        size: {equals: 3, json: 3, schema: {type: integer}}
      nodes:
        build: ok
        write: {status: completed, output: {contains: sec, matches: ^s, not_matches: ^x, not_contains: first}}
        never: {status: skipped, reason: when_condition, attempts: {max: 1}}
        publish: {output: "done\nshipped"}
      prompts:
        write: [{contains: Write about ok, not_contains: first}, {contains: first}]
      values: {build: {contains: 'v = {"version":"v1"'}, publish: ""}
      programs: {build: make "$v"}
      ran: {only: [build, write, agreed, publish, tell]}
      skipped: never
      failed: {only: []}
      order: [build, "write#1", "write#2", publish]
      before: {build: write, agreed: [publish, tell]}
      iterations: {write: 2}
      state: {done: 2}
      questions: {agreed: "Ship it?"}
      waits: {write: {absent: true}}
      files:
        shipped.txt: out
        README.md: "read me\n"
        nothing.txt: {absent: true}
      delivered: {"slack:ops": shipped}
      commands: {gh: {matches: ^release create}}
      cost: 0.75
      turns: {min: 1, max: 2}
      warnings: {contains: nearly full}
      diagnostics: {only: [WFC250]}
`

// TestExpectations: every kind of expectation that holds passes.
func TestExpectations(t *testing.T) {
	r := suite(t, holding, testsuite.Options{})
	for _, test := range r.Files[0].Tests {
		if test.Failed() {
			t.Error(test.Explain(""))
		}
	}
	for _, fault := range r.Files[0].Faults {
		t.Error(r.Files[0].Fault(fault))
	}
}

// failing is a test with every kind of expectation. None of those that a comment follows holds.
const failing = "tests:\n  - name: all" + standIns + `    expect:
      status: failed # want "status of the run; failed; completed"
      exit: 1 # want "exit code; 1; 0"
      reason: x # want "reason"
      error: x # want "error of the run"
      summary: nothing # want "summary"
      outputs:
        notes: first # want "output .notes.; .first.; .second."
        size: {equals: 4} # want "output .size.; .4.; .3."
        zz: 1 # want "output .zz.; a value; no such output"
      nodes:
        build: {contains: bad} # want "output of node .build."
        write: {json: {a: 1}} # want "JSON that contains"
        agreed: {matches: zzz} # want "zzz"
        never: {status: completed} # want "status of node .never.; completed; skipped .when_condition."
        publish:
          output:
            not_contains: shipped # want "without"
            not_matches: ^d # want "does not match"
            schema: {type: object} # want "satisfies the schema|usable"
          attempts: 2 # want "attempts at node .publish.; 2; 1"
        tell: {reason: x, error: y} # want "reason of node .tell." # want "error of node .tell."
      prompts:
        write: # want "number of prompts of .write.; 1; 2"
          - contains: nothere # want "nothere"
      values:
        build: {contains: v2} # want "values for .build., number 1"
      programs: {build: make} # want "scripts of .build., number 1"
      ran: [never] # want ".never.; it ran; skipped"
      skipped: [build] # want ".build.; it was skipped; completed"
      failed: {only: [write]} # want ".write.; it failed; completed"
      order: [publish, build] # want "start of .build.; after .publish."
      before: {tell: build} # want "start of .build.; after the end of .tell."
      iterations: {write: 3} # want "iterations of .write.; 3; 2"
      state: {done: 3} # want "state variable .done.; .3.; .2."
      waits: {write: claude 3h} # want "waits of .write. for quotas; at least one; none"
      questions: {agreed: "Stop?"} # want "questions of .agreed., number 1; .Stop..; .Ship it"
      files:
        shipped.txt: in # want "file .shipped.txt."
        README.md: {absent: true} # want "file .README.md.; nothing"
        zz.txt: {contains: a} # want "happened|zz.txt.*; nothing"
      delivered: {"slack:dev": x} # want "messages to .slack:dev. .the run sent to .slack:ops.."
      commands: {gh: [a, b]} # want "number of calls of .gh.; 2; 1" # want "calls of .gh., number 1"
      cost: {max: 0.1} # want "cost in US dollars; at most 0.1; 0.75"
      turns: {min: 5} # want "turns of agents; at least 5; 2"
      warnings: {contains: zz} # want "warnings"
      diagnostics: [WFC101] # want ".WFC101.; it was found; no such finding"
    snapshot: true # want "missing golden transcript"
`

// TestWrongExpectations: every kind of expectation that does not hold fails at its line.
func TestWrongExpectations(t *testing.T) {
	text := failing
	r := suite(t, text, testsuite.Options{})
	for _, fault := range r.Files[0].Faults {
		t.Error(r.Files[0].Fault(fault))
	}
	got := map[int][]string{}
	for _, f := range r.Files[0].Tests[0].Failures {
		got[f.Line] = append(got[f.Line], strings.Join([]string{f.What, f.Expected, f.Happened}, "; "))
	}
	want := regexp.MustCompile(`# want "([^"]*)"`)
	for i, line := range strings.Split(text, "\n") {
		expected := want.FindAllStringSubmatch(line, -1)
		for _, w := range expected {
			found := false
			for _, message := range got[i+1] {
				found = found || regexp.MustCompile(w[1]).MatchString(message)
			}
			if !found {
				t.Errorf("line %d: no failure matches %q in %q", i+1, w[1], got[i+1])
			}
		}
		if len(expected) != len(got[i+1]) {
			t.Errorf("line %d: %d failures, want %d: %q", i+1, len(got[i+1]), len(expected), got[i+1])
		}
	}
	explained := r.Files[0].Tests[0].Explain("wfc test")
	for _, part := range []string{
		"ship.test.yaml:13:15: status of the run", "expected: failed", "happened: completed",
		"way: build → write#1 → write#2 → agreed#1 [approve] → publish → tell",
		"> Write about ok after first", "repeat: wfc test ship.test.yaml --run '^ship/all$' --keep",
	} {
		if !strings.Contains(explained, part) {
			t.Errorf("the explanation lacks %q:\n%s", part, explained)
		}
	}
}

// TestMissingStandIns: a step that needs a stand-in says so at the line of the test.
func TestMissingStandIns(t *testing.T) {
	for _, tt := range []struct{ name, standIns, want string }{
		{"no reply", `{inputs: {version: v1}, bash: {build: ok}}`, "step `write#1` asks an agent, but the test has no reply; add `agents: {write: …}`"},
		{"no command", `{inputs: {version: v1}}`, "the script of step `build` calls `make`, for which the test has no stand-in"},
		{"no arguments", `{inputs: {version: v1}, bash: {build: ok}, agents: {write: x}, answers: {agreed: approve}, commands: {gh: {args: issue*}}}`, "the script called `gh release create `, and no stand-in has these arguments"},
		{"no pattern", `{inputs: {version: v1}, bash: {build: ok}, agents: {write: {text: x, prompt: zzz}}}`, "no reply matches the prompt of step `write#1`"},
		{"no choice", `{inputs: {version: v1}, bash: {build: ok}, agents: {write: x}, answers: {agreed: maybe}}`, "unknown choice `maybe`: use one of `approve`, `reject`"},
		{"no input", `{bash: {build: ok}}`, "the workflow needs the input `version`"},
		{"wrong input", `{inputs: {version: v1, loud: perhaps}}`, "input `loud`"},
		{"no interrupt", `{inputs: {version: v1}, bash: {build: {exit: 2}}, interrupt: publish, expect: {status: failed}}`, "the run never performed step `publish`"},
		{"no fixture", `{inputs: {version: v1}, fixture: zz}`, "the fixture folder `zz` does not exist"},
		{"outside", `{inputs: {version: v1}, files: {../x: y}}`, "the file `../x` is outside the working folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := suite(t, "tests:\n  - "+strings.Replace(tt.standIns, "{", "{name: one, ", 1)+"\n", testsuite.Options{})
			for _, fault := range r.Files[0].Faults {
				t.Fatal(r.Files[0].Fault(fault))
			}
			explained := r.Files[0].Tests[0].Explain("")
			if !strings.Contains(explained, tt.want) {
				t.Errorf("want %q in\n%s", tt.want, explained)
			}
		})
	}
}

// TestUnknownNames: a name that the workflow lacks is a mistake with its place and the name
// that was meant.
func TestUnknownNames(t *testing.T) {
	r := suite(t, `tests:
  - name: one
    inputs: {verson: v1}
    agents: {wirte: x}
    answers: {agred: approve}
    interrupt: [buidl]
    expect:
      nodes: {publsh: x}
      ran: [nevr]
      before: {build: tel}
      state: {dnoe: 1}
      commands: {git: x}
`, testsuite.Options{})
	explained := r.Files[0].Tests[0].Explain("")
	for _, want := range []string{
		":3:14: unknown input `verson`; did you mean `version`?", ":4:14: unknown node `wirte`; did you mean `write`?", ":5:15: unknown node `agred`; did you mean `agreed`?",
		":6:17: unknown node `buidl`; did you mean `build`?", ":8:15: unknown node `publsh`; did you mean `publish`?", ":9:13: unknown node `nevr`; did you mean `never`?",
		":10:23: unknown node `tel`; did you mean `tell`?", ":11:15: unknown state variable `dnoe`; did you mean `done`?", ":12:18: unknown stand-in `git`",
	} {
		if !strings.Contains(explained, want) {
			t.Errorf("no %q in\n%s", want, explained)
		}
	}
}

// TestDelaysAndRetries: delays pass on the virtual clock, and a kill repeats the step with
// the same reply.
func TestDelaysAndInterrupts(t *testing.T) {
	begin := time.Now()
	r := suite(t, "tests:\n  - name: all"+strings.Replace(standIns, "    answers", "    now: 2027-01-31T09:00:00Z\n    interrupt: [\"write#1\", publish]\n    answers", 1)+`    expect:
      iterations: {write: 2}
      nodes: {write: second}
      turns: 2
`, testsuite.Options{})
	test := r.Files[0].Tests[0]
	if test.Failed() {
		t.Error(test.Explain(""))
	}
	if got := test.Observed.Elapsed; got != time.Hour+time.Minute {
		t.Errorf("the run took %v on the virtual clock", got)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("the test took %v", took)
	}
	if n := strings.Count(test.Observed.Transcript(), "the process was killed"); n != 2 {
		t.Errorf("%d kills in the transcript", n)
	}
}

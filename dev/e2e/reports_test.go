//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// A report is a row of the design's table of what happens to users of the
// engines behind the formats, in the words of the row.
type report struct {
	name string
	// flows are the workflows to build.
	flows []string
	test  func(t *testing.T, s *suite)
}

// TestFieldReports shows what wfc does instead of each.
func TestFieldReports(t *testing.T) {
	s := newSuite(t)
	for _, r := range reports {
		for _, text := range r.flows {
			s.add(t, text, nil)
		}
	}
	s.build(t)
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) { r.test(t, s) })
	}
}

var reports = []report{
	{"a misspelt or misplaced key is dropped; a human gate one level too high is skipped", nil, keysAreKept},
	{"a condition that cannot be parsed, or a missing field, quietly skips the branch", []string{missingField}, conditionsAreLoud},
	{"a quoted reference corrupts the value; agent text becomes shell syntax", []string{quotedReference}, valuesAreBound},
	{"an unknown name or step reference goes to the model as literal text", []string{unknownNames}, namesResolve},
	{"loose output schemas: a field that never comes turns a branch off", []string{neverComes}, fieldsAreKnown},
	{"a loop sentinel the prompt never mentions, a loop that cannot end", []string{noSentinel}, loopsEnd},
	{"resume re-runs finished work, loses typed outputs, passes a gate, finds no workflow", []string{longWay}, resumeKeepsWhatIsDone},
	{"an agent cleans the working directory and the run's state with it", []string{cleansUp}, stateIsElsewhere},
	{"documentation examples inside prompts are taken for references", []string{examplesInPrompts}, examplesAreText},
	{"one slow sibling holds up unrelated branches", []string{slowSibling}, siblingsGoOn},
}

func keysAreKept(t *testing.T, _ *suite) {
	text := workflow(`  - id: build
    bash: make
    timeot: 5000
  - id: refine
    depends_on: [build]
    interactive: true
    gate_message: Is it good?
    loop: {prompt: Refine. Say DONE., until: DONE, max_iterations: 3}
`)
	want := []string{
		"error[WFC125]: unknown key `timeot` on a node", "did you mean `timeout`?",
		"[WFC118]: misplaced key `interactive` on a node", "`interactive` is valid at the top of the file and under `loop:`",
		"[WFC118]: misplaced key `gate_message` on a node", "`gate_message` is valid under `loop:`",
	}
	finds(t, text, 1, want...)
}

var missingField = workflow(`  - id: test
    bash: echo '{"passed":true}'
  - id: ship
    depends_on: [test]
    when: $test.output.ok == 'true'
    bash: echo shipped
`)

func conditionsAreLoud(t *testing.T, s *suite) {
	finds(t, workflow(`  - id: test
    bash: make test
  - id: ship
    depends_on: [test]
    when: $test.output = 'ok'
    bash: make ship
`), 1, "[WFC301]: `=` is not an operator in conditions", "replace `=` with `==`")
	p := s.site(t, missingField, nil)
	r := p.run(1)
	p.fails(r, "ship", "has no field `ok`; it has `passed`")
	if r.Status != "failed" {
		t.Errorf("the run is %s", r.Status)
	}
}

var quotedReference = workflow(`  - id: say
    prompt: Say something.
  - id: show
    depends_on: [say]
    bash: |
      printf '%s.' "$say.output" "<$say.output>" '$say.output' $say.output
`)

func valuesAreBound(t *testing.T, s *suite) {
	finds(t, quotedReference, 0)
	value := `it's "so"; $(touch pwned) ` + "`touch pwned` \\"
	p := s.site(t, quotedReference, map[string]any{"say": []string{value}})
	p.want(p.run(0), "show", value+".<"+value+">."+value+"."+value+".")
	harmless(t, p.Place)
}

var unknownNames = workflow(`  - id: analyse
    prompt: Look at $ARGUMENT.
  - id: sum-up
    depends_on: [analyse]
    prompt: Sum up [$analyze.output].
`)

func namesResolve(t *testing.T, s *suite) {
	finds(t, unknownNames, 0,
		"[WFC262]: unknown variable `$ARGUMENT`", "did you mean `$ARGUMENTS`?",
		"[WFC250]: unknown node `analyze`", "did you mean `analyse`?")
	p := s.site(t, unknownNames, echoes())
	p.want(p.run(0), "sum-up", "ECHO[Sum up [].]")
	finds(t, strings.ReplaceAll(unknownNames, "prompt: Sum up [$analyze.output].", "when: $analyze.output == 'x'\n    prompt: Sum up."), 1,
		"error[WFC203]: unknown node `analyze` in a condition")
}

var neverComes = workflow(`  - id: classify
    prompt: Classify it.
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature]}
        area: {type: string}
      required: [kind]
  - id: fix
    depends_on: [classify]
    when: $classify.output.kind == 'bug'
    bash: echo fixed
`)

func fieldsAreKnown(t *testing.T, s *suite) {
	finds(t, strings.ReplaceAll(neverComes, "'bug'", "'defect'"), 0, "[WFC320]: always false: `kind` is one of bug, feature")
	finds(t, strings.ReplaceAll(neverComes, "kind == 'bug'", "area == 'ui'"), 0, "[WFC324]: optional field `area`", "add `area` to `required`")
	finds(t, strings.ReplaceAll(neverComes, "kind == 'bug'", "kinds == 'bug'"), 1, "error[WFC257]", "did you mean `kind`?")
	p := s.site(t, neverComes, map[string]any{"classify": []any{map[string]any{"structured": map[string]any{"area": "ui"}}}})
	r := p.run(1)
	p.fails(r, "classify", "`kind`")
	if status, _, _ := r.node("fix"); status != "skipped" || r.Status != "failed" {
		t.Errorf("`fix` is %s in a run that is %s", status, r.Status)
	}
}

var noSentinel = workflow(`  - id: mend
    loop: {prompt: Mend the tests., until: COMPLETE, max_iterations: 2}
`)

func loopsEnd(t *testing.T, s *suite) {
	finds(t, noSentinel, 0, "[WFC403]: the prompt of `mend` never mentions `COMPLETE`", "answer with `<promise>COMPLETE</promise>`")
	finds(t, strings.ReplaceAll(noSentinel, ", max_iterations: 2", ""), 1, "[WFC112]: missing key `max_iterations` in `loop`")
	p := s.site(t, noSentinel, map[string]any{"mend": []string{"INCOMPLETE"}})
	p.fails(p.run(1), "mend", "ran 2 iterations without reaching")
}

var longWay = workflow(`  - id: plan
    prompt: Plan it.
    output_format: {type: object, properties: {steps: {type: integer}, title: {type: string}}, required: [steps, title]}
  - id: count
    depends_on: [plan]
    bash: echo count >>traces; echo $(( $plan.output.steps + 1 ))
  - id: gate
    depends_on: [count]
    approval: {message: Go on?}
  - id: work
    depends_on: [gate, count, plan]
    bash: |
      echo work >>traces
      test -e ready && echo "$plan.output.title has $count.output"
`)

func resumeKeepsWhatIsDone(t *testing.T, s *suite) {
	p := s.site(t, longWay, map[string]any{"plan": []any{
		map[string]any{"structured": map[string]any{"steps": 2, "title": "it"}, "cost": 0.5}, map[string]any{"throw": "asked again"},
	}})
	p.run(3)
	// The gate stays shut for everything but its answer.
	p.json(3, "resume")
	if status, _, _ := p.json(0, "status").node("gate"); status != "waiting" {
		t.Errorf("the gate is %s", status)
	}
	p.json(1, "approve")
	p.file("ready", "")
	// The program is the workflow: it needs no file, and not the folder.
	began := p.Work
	p.Work = t.TempDir()
	r := p.json(0, "resume")
	p.want(r, "work", "it has 3")
	p.Work = began
	if r.Status != "completed" || p.content("traces") != "count\nwork\nwork\n" {
		t.Errorf("the run is %s, and performed %q", r.Status, p.content("traces"))
	}
}

var cleansUp = workflow(`  - id: before
    bash: echo before
  - id: agent
    depends_on: [before]
    bash: |
      find . -mindepth 1 -delete; cd ..; rm -rf "$OLDPWD"; mkdir "$OLDPWD"
  - id: after
    depends_on: [before, agent]
    bash: test -z "$FAIL" && echo "after $before.output"
`)

func stateIsElsewhere(t *testing.T, s *suite) {
	p := s.site(t, cleansUp, nil)
	p.file("wanted", "work")
	p.Environ = append(p.Environ, "FAIL=once")
	p.run(1)
	if p.content("wanted") != "" {
		t.Error("the working folder was not cleaned")
	}
	p.Environ = p.Environ[:len(p.Environ)-1]
	r := p.json(0, "resume")
	p.want(r, "before", "before")
	p.want(r, "after", "after before")
	p.call(0, "logs")
	if !strings.Contains(p.stdout, "[before] completed") || !strings.Contains(p.stdout, "run completed") {
		t.Errorf("the log is %s", p.stdout)
	}
}

var examplesInPrompts = workflow(`  - id: look
    bash: echo seen
  - id: write
    depends_on: [look]
    prompt: |
      Write a workflow in which a node reads another as ` + "`$node.output`" + `:

      ` + "```yaml" + `
      bash: echo "$other.output" $MISSING
      ` + "```" + `

      It is about $look.output.
`)

func examplesAreText(t *testing.T, s *suite) {
	finds(t, examplesInPrompts, 0)
	p := s.site(t, examplesInPrompts, echoes())
	_, prompt, _ := p.run(0).node("write")
	for _, want := range []string{"as `$node.output`:", `echo "$other.output" $MISSING`, "It is about seen."} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt has no %q:\n%s", want, prompt)
		}
	}
}

// The slow node ends when the branch beside it has.
var slowSibling = workflow(`  - id: slow
    bash: until [ -e branch ]; do sleep 0.01; done; echo slow
    timeout: 20000
  - id: quick
    bash: echo quick
  - id: branch
    depends_on: [quick]
    bash: touch branch; echo "after $quick.output"
`)

func siblingsGoOn(t *testing.T, s *suite) {
	p := s.site(t, slowSibling, nil)
	r := p.run(0)
	p.want(r, "branch", "after quick")
	p.want(r, "slow", "slow")
}

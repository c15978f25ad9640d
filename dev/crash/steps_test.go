//go:build unix

package crash

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/dev/e2e/program"
)

// stepsText is a sequence with loops of every kind, each of which reads earlier
// results, and with parallel steps, also in a loop.
func stepsText() string {
	return `name: stepwise
steps:
  - name: seed
    ` + block("bash", "echo items='[\"x\",\"y\",\"z\"]'") + `
  - name: each
    for: { item: "{{ seed['items'] }}", i: [1, 2, 3] }
    ` + block("bash", "echo v={{ item }}{{ i }}") + `
  - name: poll
    while: {condition: "{{ poll.more }}", max: 9}
    output: { more: bool, seen: int }
    ` + block("bash", "echo seen={{ poll.seen + 1 if poll is defined else 1 }}\n[ \"$WFC_STEP_KEY\" = 'poll#4' ] && echo more=no || echo more=yes") + `
  - name: grow
    repeat: {until: "{{ grow.n >= 4 }}", max: 4}
    output: { n: int }
    prompt: 'n{{ grow.n + 1 if grow is defined else 1 }};'
  - name: sides
    parallel:
      - name: left
        ` + strings.ReplaceAll(block("bash", "sleep 0.04\necho l={{ grow.n }}"), "\n    ", "\n        ") + `
      - name: right
        ` + strings.ReplaceAll(block("bash", "echo r={{ poll.seen }}"), "\n    ", "\n        ") + `
      - name: middle
        prompt: 'm{{ each | length }};'
  - name: grid
    for: { side: "{{ sides }}" }
    parallel:
      - name: up
        ` + strings.ReplaceAll(block("bash", "echo u={{ side }}"), "\n    ", "\n        ") + `
      - name: down
        ` + strings.ReplaceAll(block("bash", "echo d={{ side | length }}"), "\n    ", "\n        ") + `
  - name: last
    ` + block("bash", "printf '%s' '{{ [each, poll, grow, sides, grid] | tojson }}'") + `
`
}

// stepsAgent answers with the number in its prompt, and with the users' feedback on
// its earlier answers. It takes so long that most kills come before the end.
const stepsAgent = `#!/bin/bash
read -r request
` + preamble + `sleep 0.05
prompt=${request#*'"prompt":"'}; prompt=${prompt%%';'*}
word=$(grep -o 'word [0-9]*' <<< "$request" | tail -1)
echo "{\"n\": ${prompt#?}, \"of\": \"$WFC_STEP_KEY\", \"word\": \"$word\"}"
`

// A run that is killed in a loop or beside others continues at the iterations and
// the children that were not done.
func TestStepsKilledAndResumed(t *testing.T) {
	t.Parallel()
	kills(t, load{name: "stepwise", text: stepsText(), agent: stepsAgent, peace: func(t *testing.T, d *document) {
		const want = `[[{"v": "x1"}, {"v": "y2"}, {"v": "z3"}], {"seen": 4, "more": false}, {"n": 4, "of": "grow#4", "word": ""}, ` +
			`{"left": {"l": "4"}, "right": {"r": "4"}, "middle": {"_raw": "{\"n\": 3, \"of\": \"sides/middle\", \"word\": \"\"}"}}, `
		var last []json.RawMessage
		done := d.completed()
		if !strings.HasPrefix(done["last"], want) && json.Unmarshal([]byte(done["last"]), &last) != nil || d.Status != "completed" {
			t.Fatalf("undisturbed, the run is %s with %s", d.Status, done["last"])
		}
		for _, key := range []string{"each[2]", "poll#4", "grow#4", "sides/left", "grid[0]/up"} {
			if done[key] == "" {
				t.Fatalf("undisturbed, there is no %s in %v", key, slices.Sorted(maps.Keys(done)))
			}
		}
	}}, quota(12))
}

// reviewsText has users review the outputs of an agent and of scripts, also in a
// loop.
func reviewsText() string {
	return `name: reviewed
steps:
  - name: plan
    prompt: 'p1;'
    output: { n: int }
    hitl: true
  - name: make
    output: { made: word }
    hitl: true
    ` + block("bash", "echo made=$WFC_STEP_KEY") + `
  - name: tries
    repeat: {until: "{{ tries.n >= 2 }}"}
    output: { n: int }
    hitl: true
    ` + block("bash", "echo n={{ tries.n + 1 if tries is defined else 1 }}") + `
  - name: last
    if: "{{ plan.approved and make.approved and tries.approved }}"
    ` + block("bash", "printf '%s' '{{ [plan, make, tries] | tojson }}'") + `
`
}

var reviewVerdicts = map[string][]string{
	"plan/review#1": {"answer", "--choice", "feedback"}, "plan/review#2": {"approve"},
	"make/review#1": {"answer", "--choice", "rerun"}, "make/review#2": {"approve"},
	"tries/review#1": {"approve"},
}

// reviewed checks that a run has the result that its answers require.
func (g *gated) reviewed() {
	g.t.Helper()
	d := g.status()
	done := d.completed()
	want := map[string]string{
		"plan":  `{"n":1,"of":"plan/make2","word":"` + done["plan/review#1"] + `","approved":true}`,
		"make":  `{"made":"make/make2","approved":true}`,
		"tries": `{"n":2,"approved":true}`,
	}
	want["last"] = `[` + want["plan"] + `,` + want["make"] + `,` + want["tries"] + `]`
	for key, w := range want {
		if done[key] != w {
			g.t.Errorf("`%s` is %s, want %s", key, done[key], w)
		}
	}
	if !strings.HasPrefix(done["plan/review#1"], "word ") || d.Status != "completed" || len(d.Questions) > 0 {
		g.t.Errorf("the run is %s, was told %q, and asks %v", d.Status, done["plan/review#1"], d.Questions)
	}
	effects := strings.Join(slices.Sorted(maps.Keys(g.check(d))), " ")
	if effects != "last make/make1 make/make2 plan/make1 plan/make2 tries/make1#1 tries/make1#2" {
		g.t.Errorf("these ran: %s", effects)
	}
}

// A process can be killed while an output is made, while it waits for a review, or
// between the answer and its effect. No output is made twice except after an
// answer, and an answer counts once.
func TestReviewsKilledAndAnswered(t *testing.T) {
	t.Parallel()
	killAndAnswer(t, program.Build(t, "reviewed", reviewsText()), stepsAgent, reviewVerdicts, quota(12), (*gated).reviewed)
}

// cleanupText has steps that clean up after steps that may fail.
func cleanupText(failing bool) string {
	value := "echo made=1"
	if failing {
		value = "echo 'as it must' >&2; exit 3"
	}
	return `environment: { PLACE: here }
steps:
  - name: lock
    ` + block("bash", "echo held=$PLACE") + `
  - name: make
    ` + block("bash", value) + `
  - name: use
    ` + block("bash", "echo used={{ make.made }}") + `
  - name: unlock
    finally: true
    ` + block("bash", "sleep 0.03\necho unlocked={{ lock.held if lock is defined else 'none' }}") + `
  - name: sides
    finally: true
    parallel:
      - name: left
        ` + strings.ReplaceAll(block("bash", "sleep 0.03\necho l=1"), "\n    ", "\n        ") + `
      - name: right
        ` + strings.ReplaceAll(block("bash", "echo r=1"), "\n    ", "\n        ") + `
  - name: report
    finally: true
    ` + block("bash", "printf '%s' '{{ sides | default({}) | tojson }}'") + `
`
}

// A run that is killed before or while it cleans up goes on with that, whether it
// completed or failed.
func TestCleanupKilledAndResumed(t *testing.T) {
	for _, failing := range []bool{false, true} {
		want := map[bool]string{false: "completed", true: "failed"}[failing]
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			kills(t, load{name: "cleanup", text: cleanupText(failing), peace: func(t *testing.T, d *document) {
				done := d.completed()
				if d.Status != want || done["unlock"] != `{"unlocked":"here"}` || done["report"] != `{"left":{"l":"1"},"right":{"r":"1"}}` || (done["use"] == "") != failing {
					t.Fatalf("undisturbed, the run is %s with %v", d.Status, done)
				}
			}}, quota(6))
		})
	}
}

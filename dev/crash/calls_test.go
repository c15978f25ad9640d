//go:build unix

package crash

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/e2e/program"
)

// The steps of runs that a run began have the names of the steps there, so their traces
// have the part of the run's id before them that names the child.
var childPreamble = strings.ReplaceAll(`case $WFC_RUN_ID in *--*) key=${WFC_RUN_ID#*--}/$WFC_STEP_KEY ;; *) key=$WFC_STEP_KEY ;; esac
`+preamble, "echo \"start $WFC_STEP_KEY", "echo \"start $key")

// childBlock is block with that preamble.
func childBlock(script string) string {
	text := strings.NewReplacer("end $WFC_STEP_KEY", "end $key", "late $WFC_STEP_KEY", "late $key").Replace(childPreamble)
	return "bash: |\n        " + strings.ReplaceAll(text+script, "\n", "\n        ") + "\n"
}

// callsText is a workflow that runs others, two deep and for the items of a list.
var callsText = `name: calls
description: Runs that leave traces in other runs.
mutates_checkout: false
nodes:
  - id: list
    ` + childBlock(`printf '["a","b","c"]'`) + `
  - id: one
    workflow: middle
    depends_on: [list]
    with: {topic: t}
  - id: each
    workflow: leaf
    depends_on: [list]
    fan_out: {items: $list.output, max_parallel: 2}
  - id: last
    depends_on: [one, each]
    ` + childBlock(`printf '%s\n' $one.output.of $each.output`)

var calledFiles = map[string]string{
	"middle.yaml": `name: middle
description: Runs another one.
mutates_checkout: false
inputs: {topic: {required: true}}
returns: end
nodes:
  - id: begin
    ` + childBlock("printf began") + `
  - id: below
    workflow: leaf
    depends_on: [begin]
    input: below $INPUTS.topic
  - id: end
    depends_on: [below]
    output_format: {type: object, properties: {of: {type: string}}, required: [of]}
    ` + childBlock(`printf '{"of":"%s"}' $below.output`),
	"leaf.yaml": `name: leaf
description: Two steps.
mutates_checkout: false
nodes:
  - id: first
    ` + childBlock("printf first") + `
  - id: second
    depends_on: [first]
    ` + childBlock(`printf '%s %s' $first.output "$ARGUMENTS"`),
}

// family is a document with the runs below a run.
type family struct {
	document
	Children []struct{ ID string }
}

// TestCallsKilledAndResumed kills a process that works on a run and on runs which that one
// began, and resumes it. What is durable in any of them never runs again.
func TestCallsKilledAndResumed(t *testing.T) {
	const want = "first below t\n[\"first a\",\"first b\",\"first c\"]"
	binary := program.BuildFiles(t, "calls", callsText, calledFiles)
	began := time.Now()
	peace := newEpisode(t, binary, "")
	peace.start()
	took := time.Since(began)
	if last := peace.status().completed()["last"]; last != want {
		t.Fatalf("undisturbed, `last` is %q", last)
	}
	peace.checkFamily(map[string]int{})

	random := rand.New(rand.NewPCG(*seed, uint64(len(callsText))))
	for cut := 0; cut < quota(16) && !t.Failed(); {
		e := newEpisode(t, binary, "")
		since := map[string]int{}
		for !e.over && cut < quota(16) {
			if !e.startAndKill(time.Duration(random.Int64N(int64(took)))) {
				continue
			}
			cut++
			if e.look() {
				e.learnFamily(since)
			}
		}
		if !e.over {
			e.start()
		}
		if last := e.status().completed()["last"]; last != want {
			t.Errorf("`last` is %q", last)
		}
		e.checkFamily(since)
	}
}

// learnFamily notes since which generation steps of the children are known to be durable.
func (e *episode) learnFamily(since map[string]int) {
	e.t.Helper()
	for _, child := range e.family().Children {
		out, errs, code, err := e.Run(e.t.Context(), nil, "status", child.ID, "--json")
		if err != nil {
			e.t.Fatal(err)
		}
		_, name, _ := strings.Cut(child.ID, "--")
		for key := range e.decode(out, errs, code).completed() {
			if _, known := since[name+"/"+key]; !known {
				since[name+"/"+key] = e.generation
			}
		}
	}
}

func (e *episode) family() (f family) {
	e.t.Helper()
	out, errs, code, err := e.Run(e.t.Context(), nil, "status", "--json")
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	if err != nil || code != 0 {
		e.t.Fatalf("status ended with code %d, %v: %s", code, err, errs)
	}
	return f
}

// checkFamily checks the traces of a run and its children.
func (e *episode) checkFamily(since map[string]int) {
	e.t.Helper()
	for key, generation := range e.since {
		since[key] = generation
	}
	list, err := readTraces(e.traces())
	if err != nil {
		e.t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, trace := range list {
		ran[trace.key] = true
	}
	if len(ran) != 12 { // list, last, begin, end, and first and second of four leaves
		e.t.Errorf("%d steps left traces: %v", len(ran), ran)
	}
	for _, fault := range checkTraces(list, since) {
		e.t.Error(fault)
	}
}

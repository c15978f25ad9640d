//go:build unix

package attacks

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// TestNoValueBecomesCode holds the law that an interpreter parses only fragments that the
// author wrote and names that wfc made: a value may choose or repeat a fragment, but it never
// contributes a byte.
//
// It draws scripts and prompts of all dialects, with holes wherever the compiler accepts
// them, and hostile values. One program of all workflows runs with a recorder under the names
// of the interpreters and of the agent. What these were given to parse (arguments, scripts,
// file names, preludes)
//
//   - has no byte of a value: each value has a marker;
//   - is the same for any two assignments of values that choose the same branches;
//   - is put together from the parts of the compiled program, see matches.
//
// Then the scripts run in the real interpreters: they print each value unchanged, and none of
// the values is executed. An agent's prompt has each value once, unchanged.
func TestNoValueBecomesCode(t *testing.T) {
	needBash(t)
	testkit.SkipBuild(t)
	drawn, strings := drawSteps(t)
	formats := append(slices.Clone(formats), constant(strings[0]))
	drawn[formats[len(formats)-1]] = drawn[xprompt][:min(15, len(drawn[xprompt]))]
	b := devkit.NewBatch(t)
	programs := map[*format]*ir.Program{}
	ids := map[*format]string{}
	for _, f := range formats {
		result := f.compile(drawn[f])
		if result.HasErrors() {
			t.Fatalf("%s: accepted alone, refused together: %v", f.name, result.Diagnostics[0].Message)
		}
		programs[f] = result.Workflow
		ids[f] = b.Add(t, result.Workflow)
	}
	real := interpreters(t)
	program := b.Build(t, "dev/e2e/runner")
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, f, drawn[f], program, ids[f])
			w.programs = scriptsOf(programs[f])
			own := slices.Clone(strings)
			first := w.try(t, assign(&own, 4270391, true, 2), real)
			if f.constant != "" {
				return
			}
			w.equal(t, first, w.try(t, assign(&own, 9318572, true, 2), nil))
			if f.has("⟨if⟩") { // other branches
				w.try(t, assign(&own, 6801935, false, 0), real)
				w.try(t, assign(&own, 7730164, true, 3), nil)
			}
		})
	}
}

// constant is xprompt with an input that the compiler knows.
func constant(value string) *format {
	f := *xprompt
	f.name, f.constant, f.inputs = "xprompt with a constant", value, nil
	return &f
}

// compile compiles steps as a workflow, by the newest rules.
func (f *format) compile(steps []drawnStep) *compiler.Result {
	options := compiler.Options{
		Path: "/project/construction.yaml", Root: "/project", Files: testkit.Memory{}, Settings: settings.Project{Archon: settings.Archon{Version: "0.9"}},
	}
	if f.constant != "" {
		options.Constants = []compiler.Constant{{Name: "v", Value: f.constant}}
	}
	return compiler.Compile(source.NewFile("construction.yaml", []byte(f.workflow(steps))), options)
}

// tries is how often a nesting of places is drawn until one is accepted.
const tries = 5

// drawSteps draws steps of all formats and languages, and strings. Steps that the compiler
// refuses are left out.
func drawSteps(t *testing.T) (drawn map[*format][]drawnStep, strings []string) {
	drawn = map[*format][]drawnStep{}
	refused, long, number, tried, free := map[string]int{}, map[string]bool{}, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		strings = append(strings, drawString(rt))
		f := formats[number%len(formats)]
		language := f.languages[number/len(formats)%len(f.languages)]
		number++
		d := &drawer{T: rt, ifs: f.has("⟨if⟩"), loops: f.has("⟨for⟩")}
		s := drawnStep{key: fmt.Sprintf("s%03d", number), language: language, text: d.draw(language)}
		s.text.source = f.source(s.text.source)
		if first := f.name + language; language != "prompt" && !long[first] {
			long[first] = true
			s.source = padding(language) + s.source
		}
		if result := f.compile([]drawnStep{s}); result.HasErrors() {
			for _, x := range result.Diagnostics {
				if x.Severity == diag.Error {
					refused[f.name+" "+language+" "+x.Code.ID+" "+x.Message+"\n"+excerpt(s.source)]++
				}
			}
			return
		}
		drawn[f] = append(drawn[f], s)
		if language == "prompt" {
			return
		}
		for range tries {
			s := drawnStep{key: fmt.Sprintf("x%03d", number), language: language, free: true}
			s.source = f.source(d.nested(language))
			tried++
			if !f.compile([]drawnStep{s}).HasErrors() {
				drawn[f] = append(drawn[f], s)
				free++
				break
			}
		}
	})
	t.Logf("%d of %d nestings of places were accepted", free, tried)
	for why, n := range refused {
		t.Errorf("refused %d times: %s", n, why)
	}
	t.Logf("%d steps", number)
	for _, steps := range drawn {
		slices.SortStableFunc(steps, func(a, b drawnStep) int { return cmp.Compare(a.key[0], b.key[0]) }) // those that may fail are last
	}
	return drawn, strings
}

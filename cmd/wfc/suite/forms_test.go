package suite

import (
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
)

// An output without a schema gets the form that its uses need.
func TestForms(t *testing.T) {
	for _, tt := range []struct{ name, use, want string }{
		{"a printed text", `{{ d }}`, `"Output of d."`},
		{"a field", `{{ d["a"] }}`, `{"a":"a of d"}`},
		{"arithmetic", `{{ d.n + 1 }}`, `{"n":3}`},
		{"a chain of comparisons", `{{ 1 < d.n <= 5 }}`, `{"n":3}`},
		{"a test", `{{ d.n is odd }}`, `{"n":3}`},
		{"a filter of lists", `{{ d.l | join(",") }}`, `{"l":["l of d 1","l of d 2","l of d 3"]}`},
		{"a sum", `{{ d.l | sum }}`, `{"l":[3,2,1]}`},
		{"attributes", `{{ d.l | map(attribute="n") | list }}`, `{"l":[{"n":"n of l of d 1"},{"n":"n of l of d 2"},{"n":"n of l of d 3"}]}`},
		{"an iteration", `{% for x in d.l %}{{ x.k + 1 }}{% endfor %}`, `{"l":[{"k":3},{"k":3},{"k":3}]}`},
		{"an object", `{% for k, v in d.m.items() %}{{ k }}{% endfor %}`, `{"m":{"key":"value of m of d"}}`},
		{"a string", `{{ d.n + 1 }}{{ d.s | upper }}{{ d.s[0:2] }}`, `{"n":3,"s":"s of d"}`},
		{"a nested field", `{{ d.a.b }}{{ d.n * 2 }}`, `{"a":{"b":"b of a of d"},"n":3}`},
	} {
		m := newModel(compileSteps(t, "steps:\n  - name: d\n    bash: print\n  - name: s\n    prompt: '"+tt.use+"'\n"))
		if got := encodeJSON(m.baseGive(m.producers[slot{"bash", "d"}]).data); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

const sequence = `input: { rows: text }
steps:
  - name: plan
    bash: print
    output: { n: int }
    hitl: true
  - name: go
    if: "{{ plan.approved }}"
    bash: print
  - name: fixed
    for: { x: "[1, 2]" }
    bash: print {{ x }}
  - name: open
    for: { x: "{{ rows }}" }
    bash: print {{ x }}
  - name: once
    bash: print
    repeat: { until: "{{ once.n == 1 }}", max: 1 }
`

// A way of a sequence that no run goes has a proof, and others have none.
func TestProofsOfWays(t *testing.T) {
	s := searchOf(compileSteps(t, sequence), nil)
	for way, want := range map[string]string{
		"way plan run": "", "way plan reject": "", "way plan given": "", "way END": "",
		"way go skip":     "only an accepted output of `plan` lets the run continue",
		"way fixed empty": "`x` always has items", "way fixed item": "", "way fixed next": "",
		"way open empty": "", "way open item": "", "way open next": "",
		"way once repeat": "the limit is one iteration", "way once limit": "", "way once done": "",
	} {
		if reason, proven := s.whyUnreachable(cover.Item{Name: way}); proven != (want != "") || proven && reason != want {
			t.Errorf("%s: %t, %s, want %q", way, proven, reason, want)
		}
	}
}

// The ways through a sequence have solutions.
func TestSolutionsOfWays(t *testing.T) {
	m := newModel(compileSteps(t, sequence))
	for way, want := range map[string]string{
		"way open empty": "rows is []", "way open item": `rows is ["element-1"]`, "way plan reject": "plan review gets reject",
		"way plan given": "plan is given", "way once limit": "once n is 2",
	} {
		found := ""
		for _, flips := range m.solveItem(cover.Item{Name: way}) {
			for _, f := range flips {
				found += f.text + "\n"
				if f.text == want {
					found = want
					break
				}
			}
			if found == want {
				break
			}
		}
		if found != want {
			t.Errorf("%s: no solution %q in\n%s", way, want, found)
		}
	}
}

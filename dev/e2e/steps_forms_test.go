//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// formed has prompts everywhere whose answer's form another prompt promises.
const formed = `name: formed
steps:
  - name: each
    for: { i: [1, 2] }
    prompt: '#count(what="apples {{ i }}")'
  - name: grow
    repeat: { until: "{{ grow.n >= 2 }}", max: 3 }
    prompt: '#count(what="pears")'
  - name: sides
    parallel:
      - name: left
        prompt: '#count(what="plums")'
      - name: right
        prompt: Say nothing of numbers.
  - name: seen
    prompt: '#count(what="figs")'
    output: { n: int, more: { type: word, default: none } }
    hitl: true
  - name: last
    bash: |
      echo '{{ [each, grow, sides.left, seen] | tojson }}'
`

var formFiles = testkit.Memory{"/project/xprompts/count.md": "---\ninput: {what: line}\noutput: {n: int, sure: {type: bool, default: true}}\n---\nCount the {{ what }}."}

// countingAgent notes whether it is asked for a form. It answers without one at
// first, and with JSON between words when it is told.
const countingAgent = `#!/bin/bash
read -r request
[[ $request == *'"schema":'*'"integer"'* ]] && form=form || form=none
echo "$WFC_STEP_KEY $form" >>asked
case $request in
  *CORRECTION*|*figs*|*plums*) echo "I see: {\"n\": $(grep -c ^grow asked)}" ;;
  *numbers*) echo 'None.' ;;
  *) echo 'some' ;;
esac
`

// An agent is told the form of an answer wherever a step refers to the prompt that
// promises it, and asked again when its answer has another.
func TestFormsOfPrompts(t *testing.T) {
	s := newSuite(t)
	s.add(t, formed, formFiles)
	s.build(t)
	p := s.site(t, formed, nil)
	p.file("agent", countingAgent)
	p.agents = []string{"--agent", "claude=command:./agent"}
	p.run(3)
	r := p.answered(0, "approve")
	const want = `[[{"n": 0, "sure": true}, {"n": 0, "sure": true}], {"n": 2, "sure": true}, {"n": 2, "sure": true}, {"n": 2, "more": "none", "approved": true}]`
	p.gives(r, "last", want)
	const asked = "each[0] form\neach[0] form\neach[1] form\neach[1] form\ngrow#1 form\ngrow#1 form\nseen/make1 form\nsides/left form\nsides/right none\n"
	lines := strings.Split(strings.TrimSpace(p.content("asked")), "\n")
	if got := sorted(lines); got != asked {
		t.Errorf("agents were asked:\n%swant:\n%s", got, asked)
	}
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

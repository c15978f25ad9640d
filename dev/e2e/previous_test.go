//go:build unix

package e2e

import "testing"

// comparing compares a field that a node printed in the previous iteration; once with, and
// once without a declared type.
const comparing = `name: comparing
description: Compares fields of the previous iteration.
nodes:
  - id: group
    loop_group:
      until: END
      max_iterations: 2
      nodes:
        - {id: open, bash: cat open}
        - id: typed
          bash: cat typed
          output_format: {type: object, properties: {field: {}}}
        - {id: a, depends_on: [open], when: $LOOP_PREV.open.output.field == 'x', bash: printf a}
        - {id: b, depends_on: [typed], when: $LOOP_PREV.typed.output.field == 'x', bash: printf b}
        - {id: both, depends_on: [open, typed], when: $LOOP_PREV.open.output.field == 'x' && $LOOP_PREV.typed.output.field == 'x', bash: printf both}
        - {id: end, depends_on: [a, b, both], trigger_rule: all_done, bash: 'echo "<$a.output$b.output$both.output>"; test ! -e last || echo END; touch last'}
`

// A condition on a field of the previous iteration that is an object or a list fails the
// node, as one on a field of the same iteration does.
func TestConditionsOnPreviousFields(t *testing.T) {
	s := newSuite(t)
	s.add(t, comparing, nil)
	s.build(t)
	for name, c := range map[string]struct{ open, typed, want, fault string }{
		"strings":                  {`{"field": "x"}`, `{"field": "x"}`, "<abboth>\nEND", ""},
		"other strings":            {`{"field": "y"}`, `{"field": 5}`, "<>\nEND", ""},
		"an absent declared field": {`{"field": "x"}`, `{}`, "<a>\nEND", ""},
		"an object":                {`{"field": {"x": 1}}`, `{"field": "x"}`, "", "`$LOOP_PREV.open.output.field` cannot be compared: it is an object"},
		"a list":                   {`{"field": ["x"]}`, `{"field": "x"}`, "", "`$LOOP_PREV.open.output.field` cannot be compared: it is a list"},
		"a declared object":        {`{"field": "x"}`, `{"field": {"x": 1}}`, "", "`$LOOP_PREV.typed.output.field` cannot be compared: it is an object"},
		"a declared list":          {`{"field": "x"}`, `{"field": ["x"]}`, "", "`$LOOP_PREV.typed.output.field` cannot be compared: it is a list"},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.site(t, comparing, nil)
			p.file("open", c.open)
			p.file("typed", c.typed)
			if c.fault == "" {
				p.want(p.run(0), "group", c.want)
				return
			}
			p.fails(p.run(1), "group", c.fault)
		})
	}
}

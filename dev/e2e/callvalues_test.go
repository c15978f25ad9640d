//go:build unix

package e2e

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// handing passes objects and lists to child runs, as values under `with:` and as items.
const handing = `name: handing
description: Passes objects and lists on.
mutates_checkout: false
nodes:
  - id: plan
    bash: cat plan
    output_format:
      type: object
      properties:
        object: {type: object, properties: {k: {type: array, items: {type: integer}}}, required: [k]}
        objects: {type: array, items: {type: object, properties: {a: {type: string}}, required: [a]}}
      required: [object, objects]
  - {id: mixed, bash: cat mixed}
  - id: constants
    workflow: show
    with: {object: {a: {b: 1.50}}, list: [1, x, {y: null}], integer: "3", string: [1, "2"], any: {x: [1, "b"]}}
  - id: outputs
    workflow: show
    depends_on: [plan]
    with: {object: $plan.output.object, list: $plan.output.objects, string: $plan.output.object, any: $plan.output.object}
  - id: objects
    workflow: show
    depends_on: [plan]
    fan_out: {items: $plan.output.objects, as: object}
  - id: integers
    workflow: show
    depends_on: [mixed]
    fan_out: {items: $mixed.output, as: integer}
  - id: anything
    workflow: show
    depends_on: [mixed]
    fan_out: {items: $mixed.output, as: any}
`

var shown = testkit.Memory{
	"/project/.archon/workflows/show.yaml": `name: show
description: Shows its inputs.
mutates_checkout: false
inputs:
  object: {default: {}}
  list: {default: []}
  integer: {default: 1}
  string: {default: ""}
  any: {}
nodes:
  - id: show
    bash: printf '%s|' "$INPUTS.object" "$INPUTS_LIST" "$INPUTS.integer" "$INPUTS.string" "$INPUTS_ANY" "$ARGUMENTS"
`,
}

// Objects and lists reach child runs as JSON, items as they are. An input of another type
// takes the string that reads as one, and fails the item that is something else.
func TestCallsPassObjectsAndLists(t *testing.T) {
	s := newSuite(t)
	s.add(t, handing, shown)
	s.build(t)
	p := s.site(t, handing, nil)
	p.file("plan", `{"object": {"k": [1]}, "objects": [{"a": "$(touch pwned)"}, {"a": "\""}]}`)
	p.file("mixed", `["7", 8, [9], {"a": 1}]`)
	r := p.run(0)
	p.want(r, "constants", `{"a":{"b":1.5}}|[1,"x",{"y":null}]|3|[1,"2"]|{"x":[1,"b"]}||`)
	p.want(r, "outputs", `{"k":[1]}|[{"a":"$(touch pwned)"},{"a":"\""}]|1|{"k":[1]}|{"k":[1]}||`)
	p.want(r, "objects", `["{\"a\":\"$(touch pwned)\"}|[]|1|||{\"a\":\"$(touch pwned)\"}|","{\"a\":\"\\\"\"}|[]|1|||{\"a\":\"\\\"\"}|"]`)
	failed := func(value string) string {
		return `{"archon_failed":true,"error":"input ` + "`integer`" + ` cannot be \"` + value + `\"","status":"failed"}`
	}
	p.want(r, "integers", `["{}|[]|7|||7|","{}|[]|8|||8|",`+failed("[9]")+`,`+failed(`{\\\"a\\\":1}`)+`]`)
	p.want(r, "anything", `["{}|[]|1||7|7|","{}|[]|1||8|8|","{}|[]|1||[9]|[9]|","{}|[]|1||{\"a\":1}|{\"a\":1}|"]`)
	if p.content("pwned") != "" {
		t.Error("an item was run")
	}
}

//go:build unix

package e2e

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

const strictNode = `  - id: node
    prompt: Answer.
    output_format: {type: object, properties: {known: {type: string}, maybe: {type: string}}, required: [known]}
`

// reply is what the agent of strictNode says: more than its schema declares.
var reply = map[string]any{"node": []any{map[string]any{"structured": map[string]any{"known": "x", "more": "y"}}}}

const nullableNode = `  - id: node
    prompt: Answer.
    output_format: {type: [object, "null"], properties: {known: {type: string}}, required: [known]}
`

const untypedNode = `  - id: node
    prompt: Answer.
    output_format: {properties: {known: {type: string}}, required: [known]}
`

const noFieldsNode = `  - id: node
    prompt: Answer.
    output_format: {type: object, properties: {}}
`

const openNode = `  - id: node
    prompt: Answer.
    output_format: {type: object}
`

var undeclaredReaders = []struct{ name, text string }{
	{"a prompt", strictNode + "  - {id: b, depends_on: [node], prompt: Read $node.output.more}\n"},
	{"bash", strictNode + "  - {id: b, depends_on: [node], bash: 'echo \"$node.output.more\"'}\n"},
	{"a message", strictNode + "  - {id: b, depends_on: [node], cancel: Because of $node.output.more}\n"},
	{"a schema that allows null", nullableNode + "  - {id: b, depends_on: [node], prompt: Read $node.output.more}\n"},
	{"a schema without a type", untypedNode + "  - {id: b, depends_on: [node], prompt: Read $node.output.more}\n"},
	{"a schema that declares nothing", noFieldsNode + "  - {id: b, depends_on: [node], prompt: Read $node.output.more}\n"},
}

var (
	declaredReader = workflow(strictNode + "  - {id: b, depends_on: [node], bash: 'echo \"[$node.output.known][$node.output.maybe]\"'}\n")
	openReader     = workflow(openNode + "  - {id: b, depends_on: [node], bash: 'echo \"$node.output.more\"'}\n")
)

const blankConditions = `  - {id: a, bash: echo a, when: ""}
  - {id: b, bash: echo b, when: "  "}
  - id: c
    bash: echo c
    when: |

  - {id: after, bash: echo after, depends_on: [a]}
  - {id: free, bash: echo free}
`

const selfInCode = "  - id: a\n    prompt: |-\n      Others read `$a.output`:\n      ```\n      echo $a.output.x\n      ```\n"

const twoRules = "---\nFirst look around.\n---\nThen $ARGUMENTS\n"

// TestArchonRules runs what the dialect archon promises beyond its scenarios.
func TestArchonRules(t *testing.T) {
	s := newSuite(t)
	for _, c := range undeclaredReaders {
		s.add(t, workflow(c.text), nil)
	}
	files := testkit.Memory{"/project/.archon/commands/rules.md": twoRules, "/project/.archon/commands/front.md": "---\ndescription: d\n---\nDo $ARGUMENTS\n"}
	rules, front := workflow("  - {id: a, command: rules}\n"), workflow("  - {id: a, command: front}\n")
	s.add(t, rules, files)
	s.add(t, front, files)
	for _, text := range []string{declaredReader, openReader, workflow(blankConditions), workflow(selfInCode)} {
		s.add(t, text, nil)
	}
	s.build(t)
	for _, c := range undeclaredReaders {
		t.Run("undeclared field in "+c.name, func(t *testing.T) {
			finds(t, workflow(c.text), 0, "warning[WFC256]", "`more`")
			p := s.site(t, workflow(c.text), reply)
			p.fails(p.run(1), "b", "`$node.output.more` cannot be read", "does not declare the field `more`")
		})
	}
	t.Run("undeclared field in a condition", func(t *testing.T) {
		finds(t, workflow(strictNode+"  - {id: b, depends_on: [node], bash: echo, when: $node.output.more == 'y'}\n"), 1, "error[WFC257]", "`more`")
	})
	t.Run("declared fields", func(t *testing.T) {
		p := s.site(t, declaredReader, reply)
		p.want(p.run(0), "b", "[x][]")
	})
	t.Run("schema without fields", func(t *testing.T) {
		p := s.site(t, openReader, reply)
		p.want(p.run(0), "b", "y")
	})
	t.Run("blank conditions", func(t *testing.T) {
		finds(t, workflow(blankConditions), 0, "warning[WFC325]: the condition is empty", "3 warnings")
		p := s.site(t, workflow(blankConditions), nil)
		r := p.run(0)
		for _, id := range []string{"a", "b", "c", "after"} {
			p.skips(r, id)
		}
		p.want(r, "free", "free")
	})
	t.Run("itself in code", func(t *testing.T) {
		finds(t, workflow(selfInCode), 0)
		p := s.site(t, workflow(selfInCode), echoes())
		p.want(p.run(0), "a", "ECHO[Others read `$a.output`:\n```\necho $a.output.x\n```]")
	})
	t.Run("rules in a command file", func(t *testing.T) {
		p := s.site(t, rules, echoes())
		p.want(p.run(0, "go"), "a", "ECHO[---\nFirst look around.\n---\nThen go\n]")
	})
	t.Run("front matter of a command file", func(t *testing.T) {
		p := s.site(t, front, echoes())
		p.want(p.run(0, "go"), "a", "ECHO[Do go\n]")
	})
}

const definedNames = `steps:
  - name: before
    bash: echo "{{ later is defined }} {{ before is defined }} {{ x is defined }} {{ nobody is defined }} {{ later | default('none') }}"
  - name: looped
    for: {x: [1, 2]}
    if: "{{ x is not defined }}"
    bash: echo n="{{ x is defined }}"
  - name: later
    bash: echo k=v
  - name: both
    parallel:
      - name: left
        bash: echo "{{ right is defined }} {{ both is defined }} {{ left is defined }}"
      - name: right
        bash: echo "{% if left is defined %}{{ left }}{% else %}no{% endif %}"
  - name: after
    bash: echo "{{ later is defined }} {{ later.k is defined }} {{ later.z is defined }} {{ right is defined }} {{ both is defined }} {{ x is defined }}"
`

const ownTypes = `steps:
  - name: ask
    prompt: Ask.
    output:
      type: json_schema
      schema:
        type: object
        required: [w, i, b]
        properties:
          w: {type: word}
          t: {type: text}
          p: {type: path}
          l: {type: line}
          i: {type: int}
          b: {type: bool}
          list: {type: array, items: {anyOf: [{type: word}, {type: int}]}}
          null_too: {type: [line, "null"]}
          rest: {type: object, additionalProperties: {type: bool}}
  - name: show
    bash: echo "{{ ask.w }} {{ ask.i + 1 }} {{ ask.b }} {{ ask.list | length }}"
`

const notANumber = `steps:
  - name: make
    bash: |
      echo '{"a": NaN}'
  - name: ask
    prompt: Ask.
    output: {a: float}
  - name: show
    bash: echo '{{ make._output }} {{ ask._raw }}'
`

// TestStepRules runs what the dialect xprompt promises beyond its examples.
func TestStepRules(t *testing.T) {
	s := newSuite(t)
	for _, text := range []string{definedNames, ownTypes, notANumber} {
		s.add(t, text, nil)
	}
	s.build(t)
	t.Run("is defined", func(t *testing.T) {
		p := s.site(t, definedNames, nil)
		r := p.run(0)
		p.gives(r, "before", `{"_output": "False False False False none"}`)
		p.gives(r, "looped", `[{"n": "True"}, {"n": "True"}]`)
		p.gives(r, "after", `{"_output": "True True False False True False"}`)
		p.gives(r, "both/left", `{"_output": "False False False"}`)
		p.gives(r, "both/right", `{"_output": "no"}`)
	})
	t.Run("types of the format in a JSON Schema", func(t *testing.T) {
		finds(t, ownTypes, 0)
		p := s.site(t, ownTypes, map[string]any{"ask": []string{`{"w": "x", "i": 3, "b": true, "list": ["a", 2], "null_too": null, "rest": {"z": false}}`}})
		p.gives(p.run(0), "show", `{"_output": "x 4 True 2"}`)
		p = s.site(t, ownTypes, map[string]any{"ask": []string{`{"w": "x", "i": "three", "b": true}`}})
		p.fails(p.run(1), "ask", "`i`")
	})
	t.Run("NaN", func(t *testing.T) {
		p := s.site(t, notANumber, map[string]any{"ask": []string{`{"a": NaN}`}})
		p.gives(p.run(0), "show", `{"_output": "{\"a\": NaN} {\"a\": NaN}"}`)
	})
}

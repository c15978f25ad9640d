package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 49x: what the generator cannot build.
var generateCodes = []*Code{notGenerated}

var notGenerated = &Code{
	ID: "WFC490", Slug: "not-generated", Severity: Error,
	Doc: `The workflow is right, but this version of wfc does not write code for nodes
of this kind. "wfc check" takes such workflows; "wfc gen", "wfc build" and
"wfc run" do not.

Nothing is wrong with the file. Until a version that can, run it with the
original engine, or replace the node: a loop by a script that repeats its
command, an approval by a condition on an earlier node's output.`,
	Bad: `name: release
description: Release after somebody has agreed.
nodes:
  - id: agree
    approval:
      message: Release now?
  - id: release
    depends_on: [agree]
    bash: echo released
`,
	Good: `name: release
description: Release when the tests have passed.
nodes:
  - id: test
    bash: echo passed
  - id: release
    depends_on: [test]
    when: $test.output == 'passed'
    bash: echo released
`,
}

// NotGenerated reports a node of a kind for which the generator has no code.
func NotGenerated(at source.Span, id, kind string) *Diagnostic {
	return notGenerated.new(at, fmt.Sprintf("no code can be generated yet for node `%s`: it is of kind %s", id, kind)).
		WithLabel("a node of kind " + kind).
		WithHelp("`wfc check` accepts the workflow; run it with its original engine until wfc can build it")
}

package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 55x: scripts in Python and JavaScript.
var scriptCodes = []*Code{scriptHole}

var scriptHole = &Code{
	ID: "WFC550", Slug: "value-in-script", Severity: Error,
	Doc: `A script holds a reference or a variable. Its value would become part of the
program, where a quote or a line break changes what the program does.

Write the value to a file in an earlier bash node and read that file, or use a
bash node.`,
	Bad:  exampleHead + "  - id: a\n    bash: echo hi\n  - id: b\n    script: console.log('$a.output')\n    runtime: bun\n    depends_on: [a]\n",
	Good: exampleHead + "  - id: a\n    bash: echo hi > note.txt\n  - id: b\n    script: console.log(await Bun.file('note.txt').text())\n    runtime: bun\n    depends_on: [a]\n",
}

// ScriptHole reports a value that cannot be handed to a script where it stands.
func ScriptHole(at source.Span, label string) *Diagnostic {
	return scriptHole.new(at, fmt.Sprintf("`%s` cannot be inserted into a script here", label)).
		WithHelp("write the value to a file in an earlier bash node and read that file")
}

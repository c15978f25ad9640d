package report

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

const painted = `# a comment
name: "a # b"
n: [1, 2, true]
url: http://x#y
when: $a.output == 'x' # why
nodes:
  - id: a
    bash: |
      # text: "{{ x }}"
      echo ${a.b}

  - prompt: x
`

// TestWriteSource shows a file with its syntax: comments, strings, constants, keys and
// references have colours, and a block string only has those of references.
func TestWriteSource(t *testing.T) {
	file := source.NewFile("flow.yaml", []byte(painted))
	at := func(text string) source.Span {
		i := strings.Index(painted, text)
		return source.Span{File: file, Start: i, End: i + len(text)}
	}
	d := finding.YAMLSyntax(at("bash"), "wrong").WithRelated(at("id: a"), "here")
	var b strings.Builder
	if err := WriteSource(&b, file, []*diag.Diagnostic{d}, Options{Color: true}); err != nil {
		t.Fatal(err)
	}
	marks := strings.NewReplacer("\x1b[34m", "", "\x1b[2m", "<comment ", "\x1b[32m", "<string ", "\x1b[33m", "<constant ",
		"\x1b[36m", "<key ", "\x1b[35m", "<reference ", "\x1b[1;31m", "<error ", "\x1b[0m", ">")
	want := ` 1 |> <comment # a comment>
 2 |> <key name>: <string "a # b">
 3 |> <key n>: [<constant 1>, <constant 2>, <constant true>]
 4 |> <key url>: http://x#y
 5 |> <key when>: <reference $a.output> == <string 'x'> <comment # why>
 6 |> <key nodes>:
 7 |>   - <key id>: a
   | >    ----- here>
 8 |>     <key bash>: |
   | >    <error ^^^^ ` + d.Message + `>
 9 |>       # text: "<reference {{ x }}>"
10 |>       echo <reference ${a.b}>
11 |>
12 |>   - <key prompt>: x
`
	if got := marks.Replace(b.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	if err := WriteSource(&b, file, nil, Options{}); err != nil || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%v: colours without Options.Color: %q", err, b.String())
	}
}

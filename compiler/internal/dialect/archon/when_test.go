package archon

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// readWhen parses a condition whose references all resolve, and returns it in a
// plain notation with the findings, as "slug text under the span".
func readWhen(t testing.TB, text string) (string, []string, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	file := source.NewFile("w.yaml", []byte(text))
	whole := source.FileText(file, 0, len(text))
	e := parseWhen(whole, func(ref nodeRef) expr.Expr {
		at := whole.Span(ref.start, ref.end)
		if ref.field == "" {
			return &expr.Output{At: at, Node: ref.node}
		}
		return &expr.Field{At: at, Node: ref.node, Path: []string{ref.field}, Typ: types.Any}
	}, nil, &bag)
	var found []string
	for _, d := range bag.Sorted() {
		found = append(found, d.Code.Slug+" "+d.Span.Text())
	}
	return notation(e), found, bag.Sorted()
}

func notation(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Output:
		return e.Node
	case *expr.Field:
		return e.Node + "." + e.Path[0]
	case *expr.Literal:
		return fmt.Sprintf("%q", e.Text)
	case *expr.Compare:
		return notation(e.X) + e.Op.String() + notation(e.Y)
	case *expr.Logic:
		op := " and "
		if e.Op == expr.Or {
			op = " or "
		}
		return "(" + notation(e.X) + op + notation(e.Y) + ")"
	case *expr.Not:
		return "not " + notation(e.X)
	case *expr.Bad:
		return "?"
	}
	return fmt.Sprintf("%T", e)
}

func TestWhenReads(t *testing.T) {
	for text, want := range map[string]string{
		"$a.output == 'X'":                                                `a=="X"`,
		"  $a.output   !=   ''  ":                                         `a!=""`,
		"$a.output=='X'":                                                  `a=="X"`,
		"$a-b.output == true":                                             `a-b=="true"`,
		"$_x.output.f_1 >= -3.5":                                          `_x.f_1>="-3.5"`,
		"$a.type == 'BUG'":                                                `a.type=="BUG"`,
		"$a.output<5":                                                     `a<"5"`,
		"$a.output == 'X && Y || (Z)'":                                    `a=="X && Y || (Z)"`,
		"$a.output == 'x'\n && $b.output == 'y'":                          `(a=="x" and b=="y")`,
		"$a.x == 1 || $b.y == 2 && $c.z == 3":                             `(a.x=="1" or (b.y=="2" and c.z=="3"))`,
		"$a.x == 1 && $b.y == 2 || $c.z == 3":                             `((a.x=="1" and b.y=="2") or c.z=="3")`,
		"$a.x == 1 && ($b.y == 2 || $c.z == 3)":                           `(a.x=="1" and (b.y=="2" or c.z=="3"))`,
		"!$a.x == 1 || !!($b.y == \"it's\")":                              `(not a.x=="1" or not not b.y=="it's")`,
		"$a.x == 1||!$b.y == 2&&$c.z == 3":                                `(a.x=="1" or (not b.y=="2" and c.z=="3"))`,
		"$a.output\u00a0== 'nbsp is a blank'":                             `a=="nbsp is a blank"`,
		strings.Repeat("(", 100) + "$a.x == 1" + strings.Repeat(")", 100): `a.x=="1"`,
	} {
		got, _, list := readWhen(t, text)
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
		if diag.HasErrors(list) {
			t.Errorf("%s: %s", text, list[0].Message)
		}
	}
}

// Every fault is found, at its place, in one run, and the correct parts beside it
// are understood.
func TestWhenFaults(t *testing.T) {
	for _, c := range []struct {
		text  string
		found []string
		reads string
	}{
		{"$a.output = 'X'", []string{"unknown-operator ="}, `a=="X"`},
		{"$a.output === 'X'", []string{"unknown-operator ==="}, `a=="X"`},
		{"$a.output is not 'X'", []string{"unknown-operator is not"}, `a!="X"`},
		{"$a.output => 5", []string{"unknown-operator =>"}, `a>="5"`},
		{"$a.output == 'X' and $b.output == 'Y'", []string{"unknown-operator and"}, `(a=="X" and b=="Y")`},
		{"$a.output == 'X' OR $b.output == 'Y'", []string{"unknown-operator OR"}, `(a=="X" or b=="Y")`},
		{"$a.output == 'X' & $b.output == 'Y'", []string{"unknown-operator &"}, `(a=="X" and b=="Y")`},
		{"not $a.output == 'X'", []string{"unknown-operator not"}, `not a=="X"`},
		{"$a.output == 'X' | $b.output == 'Y'", []string{"unknown-operator |"}, `(a=="X" or b=="Y")`},
		{"$a.output | length > 0", []string{"condition-syntax | length"}, "?"},
		{"$a.output | default('x') && $b.output == 'Y'", []string{"condition-syntax | default"}, `(? and b=="Y")`},
		{"$a.output == 'X' | upper || $b.output == 'Y'", []string{"condition-syntax | upper"}, `(a=="X" or b=="Y")`},
		{"$a.output contains 'X'", []string{"unknown-operator contains"}, "?"},
		{"$a.output =~ 'X' || $b.output = 'Y'", []string{"unknown-operator =~", "unknown-operator ="}, `(? or b=="Y")`},
		{"$a.output == X", []string{"condition-syntax X"}, `a=="X"`},
		{"$a.output == needs review && $b.output == 1e3", []string{"condition-syntax needs review", "condition-syntax 1e3"}, `(a=="needs review" and b=="1e3")`},
		{"$a.output == True", []string{"condition-syntax True"}, `a=="True"`},
		{"$a.output > +5", []string{"condition-syntax +5"}, `a>"+5"`},
		{"$a.output == $b.output", []string{"condition-syntax $b.output"}, `a==?`},
		{"$a.output", []string{"condition-syntax $a.output"}, "?"},
		{"true", []string{"condition-syntax true"}, "?"},
		{"", []string{"condition-syntax "}, "?"},
		{"$a.output ==", []string{"condition-syntax "}, "a==?"},
		{"== 'X'", []string{"condition-syntax =="}, "?"},
		{"$a.output == 'X' &&", []string{"condition-syntax &&"}, `(a=="X" and ?)`},
		{"|| $a.output == 'X'", []string{"condition-syntax ||"}, `(? or a=="X")`},
		{"$a.output && $b.output", []string{"condition-syntax $a.output", "condition-syntax $b.output"}, "(? and ?)"},
		{"$a.output 'X'", []string{"condition-syntax 'X'"}, "?"},
		{"$a.output == 'X' 'Y'", []string{"condition-syntax 'Y'"}, `a=="X"`},
		{"$a.output == 'it's'", []string{"condition-syntax s"}, ""},
		{"$a.x == 1 $b.y == 2", []string{"condition-syntax $b.y"}, `(a.x=="1" and b.y=="2")`},
		{"1 < $a.x < 5", []string{"condition-syntax 1"}, "?"},
		{"$a.x > 1 < 5", []string{"condition-syntax <"}, `a.x>"1"`},
		{"'X' == $a.output", []string{"condition-syntax 'X'"}, "?"},
		{"a.output == 'X'", []string{"condition-syntax a.output"}, "?"},
		{"$ARGUMENTS == 'X'", []string{"condition-syntax $ARGUMENTS"}, `?=="X"`},
		{"$a == 'X'", []string{"condition-syntax $a"}, `?=="X"`},
		{"$1a.output == 'X'", []string{"condition-syntax $1a.output"}, `?=="X"`},
		{"${a.output} == 'X'", []string{"condition-syntax ${a.output}"}, `?=="X"`},
		{"$a.output[0] == 'X'", []string{"condition-syntax $a.output[0]"}, `?=="X"`},
		{"$a.nested.x == 'y'", []string{"condition-path $a.nested.x"}, `?=="y"`},
		{"$a.output.o.k == 'y'", []string{"condition-path $a.output.o.k"}, `?=="y"`},
		{"$a.output.my-field == 'y'", []string{"condition-path $a.output.my-field"}, `?=="y"`},
		{"$a.output. == 'y'", []string{"condition-path $a.output."}, `?=="y"`},
		{"$a.output == 'X", []string{"condition-syntax '"}, "a==?"},
		{"($a.output == \"X", []string{"condition-extension (", "condition-syntax \""}, "a==?"},
		{"($a.x == 1", []string{"condition-syntax (", "condition-extension ("}, `a.x=="1"`},
		{"$a.x == 1) || $b.y = 2", []string{"condition-syntax )", "unknown-operator ="}, `(a.x=="1" or b.y=="2")`},
		{"#", []string{"condition-syntax #"}, "?"},
	} {
		reads, found, list := readWhen(t, c.text)
		if c.text == "$a.output == 'it's'" {
			// Whatever else is said, the single quote in the text is explained.
			if !diag.HasErrors(list) || !slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return strings.Contains(strings.Join(d.Help, " "), "double quotes") }) {
				t.Errorf("%s: %q", c.text, found)
			}
			continue
		}
		if !slices.Equal(found, c.found) || reads != c.reads {
			t.Errorf("%s\ngot  %q %s\nwant %q %s", c.text, found, reads, c.found, c.reads)
		}
		if !diag.HasErrors(list) {
			t.Errorf("%s: no error", c.text)
		}
	}
}

// The fixes of a condition make it right.
func TestWhenFixes(t *testing.T) {
	for text, want := range map[string]string{
		"$a.output = 'X' and $b.output == Y":   "$a.output == 'X' && $b.output == 'Y'",
		"5 <= $a.output":                       "$a.output >= 5",
		"${a.output} == 'X'":                   "$a.output == 'X'",
		"a.output == 'X'":                      "$a.output == 'X'",
		"$a == 'X'":                            "$a.output == 'X'",
		"$a.output 'X'":                        "$a.output == 'X'",
		"$a.output is not 'X' or not $b.x = 1": "$a.output != 'X' || ! $b.x == 1",
	} {
		_, _, list := readWhen(t, text)
		got := applyFixes(text, list)
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
		if _, _, list := readWhen(t, got); diag.HasErrors(list) {
			t.Errorf("%s: still wrong: %s", got, list[0].Message)
		}
	}
}

// applyFixes makes the first fix of each finding, last place first.
func applyFixes(text string, list []*diag.Diagnostic) string {
	var edits []diag.Edit
	for _, d := range list {
		if len(d.Fixes) > 0 {
			edits = append(edits, d.Fixes[0].Edits...)
		}
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return b.Span.Start - a.Span.Start })
	for _, e := range edits {
		text = text[:e.Span.Start] + e.New + text[e.Span.End:]
	}
	return text
}

// A condition that the original engine accepts is accepted. One that it rejects is
// refused, or accepted as an extension with a note. Errors that it never evaluated
// are refused here.
func TestWhenAgreesWithRecordedConditions(t *testing.T) {
	content, err := os.ReadFile("../../../../../shared/conformance/archon/cases.json")
	if err != nil {
		t.Skip("the recorded cases are not here: ", err)
	}
	var cases []struct {
		Name, Op string
		Input    struct{ Expr string }
		Expect   json.RawMessage
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if c.Op != "condition" {
			continue
		}
		ran++
		_, found, list := readWhen(t, c.Input.Expr)
		var expect struct{ OK *struct{ Parsed bool } }
		if err := json.Unmarshal(c.Expect, &expect); err != nil {
			t.Fatal(c.Name, err)
		}
		parsed := expect.OK == nil || expect.OK.Parsed // a condition that throws was parsed
		rubbish := strings.Contains(c.Input.Expr, "garbage")
		// An empty text where a number must be is for the checks to find.
		undecided := c.Name == "numeric op empty rhs"
		switch {
		case parsed && !rubbish && len(found) > 0:
			t.Errorf("%s: the engine reads %s, we say %q", c.Name, c.Input.Expr, found)
		case (!parsed || rubbish) && len(list) == 0 && !undecided:
			t.Errorf("%s: the engine cannot read %s, we can", c.Name, c.Input.Expr)
		}
	}
	t.Logf("%d conditions", ran)
}

func FuzzWhen(f *testing.F) {
	for _, text := range []string{
		"$a.output == 'X' || !($b.f < 5)", "$a.output = x and not $b", "('", "${a}", "$a.output == \"", "!!!!(((", "&&||", "\xff$a.\xfe",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reads, _, list := readWhen(t, text)
		if !diag.HasErrors(list) && strings.Contains(reads, "?") && !strings.ContainsAny(text, "?") {
			t.Errorf("%q reads %s without an error", text, reads)
		}
		for _, d := range list {
			if d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End {
				t.Errorf("%q: %s at %d to %d", text, d.Code.Slug, d.Span.Start, d.Span.End)
			}
		}
	})
}

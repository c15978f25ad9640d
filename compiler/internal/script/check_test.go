package script

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/oracle"
)

// checked rewrites programs by one rewriter and has them checked together.
func checked(ask Checker, programs ...string) []string {
	var bag diag.Bag
	r := NewRewriter(Python)
	r.Ask = ask
	for _, src := range programs {
		file := source.NewFile("script", []byte("x: "+src))
		r.Rewrite(source.FileText(file, 3, len(file.Content)), findHoles(src), &bag)
	}
	r.Check(&bag)
	r.Check(&bag) // nothing is left to check
	var found []string
	for _, d := range bag.Sorted() {
		found = append(found, d.Code.ID+" "+d.Span.Text()+": "+d.Message)
	}
	slices.Sort(found)
	return found
}

// TestCheckAsks shows the interpreter all programs at once, with a name of the
// same length in place of each value.
func TestCheckAsks(t *testing.T) {
	calls := 0
	found := checked(func(programs []string) []*Fault {
		calls++
		if want := []string{"print(_xxxxxxxx)", "y = '_xxxxxxxx' +"}; !slices.Equal(programs, want) {
			t.Errorf("asked about %q, want %q", programs, want)
		}
		return []*Fault{nil, {16, 17, "nothing follows"}}
	}, "print($a.output)", "y = '$a.output' +", "eval($a.output)")
	want := []string{
		"WFC500 +: the script is not valid Python: nothing follows",
		"WFC510 $a.output: `$a.output` becomes part of the program that `eval` runs",
	}
	if calls != 1 || !slices.Equal(found, want) {
		t.Errorf("%d calls, found %q", calls, found)
	}
	if found := checked(func([]string) []*Fault { t.Error("asked about nothing"); return nil }); found != nil {
		t.Errorf("found %q", found)
	}
}

// TestCheckWithoutPython finds faults in strings and brackets without python3.
func TestCheckWithoutPython(t *testing.T) {
	found := checked(func([]string) []*Fault { return nil }, "print('$a.output')\nx = 'open", "f(1))", "x = = 1")
	if len(found) != 2 || !strings.HasPrefix(found[0], "WFC500 ': ") || !strings.HasPrefix(found[1], "WFC500 ): ") {
		t.Errorf("%q", found)
	}
}

// TestCheckByPython asks the real interpreter, which runs nothing.
func TestCheckByPython(t *testing.T) {
	needInterpreter(t, Python)
	t.Chdir(t.TempDir())
	found := checked(PythonChecker(oracle.OnPath()),
		"open('pwned', 'w')\nprint(f'{1 + 1} $a.output', $a.output)",
		"def f():\nreturn 1",
		"é = 1\nü = 'ä' 'b' 5",
		"match $a.output:\n    case 1: pass",
		"x = '''never ends\n\n",
	)
	for i, want := range []string{"WFC500 '", "WFC500 5", "WFC500 return"} {
		if i >= len(found) || !strings.HasPrefix(found[i], want) && !(i == 1 && strings.HasPrefix(found[i], "WFC500 'ä'")) {
			t.Fatalf("found %q, want %s", found, want)
		}
	}
	if len(found) != 3 || strings.Contains(strings.Join(found, ""), "line") {
		t.Errorf("found %q", found)
	}
}

func TestOffsetOf(t *testing.T) {
	const program = "aé\nbü"
	for _, c := range []struct{ line, column, want int }{
		{0, 0, 0}, {1, 1, 0}, {1, 2, 1}, {1, 3, 3}, {1, 9, 3}, {2, 1, 4}, {2, 2, 5}, {2, 3, 5}, {9, 9, 5},
	} {
		if got := offsetOf(program, c.line, c.column); got != c.want {
			t.Errorf("%d:%d is at %d, want %d", c.line, c.column, got, c.want)
		}
	}
	if offsetOf("", 1, 1) != 0 {
		t.Error("of an empty program")
	}
}

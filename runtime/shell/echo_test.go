//go:build unix

package shell_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// TestEcho has echo read backslashes, in the script and in what it runs in
// subshells, but in no bash that it starts.
func TestEcho(t *testing.T) {
	const script = `echo "a=1\nb=${V//\\/\\\\}"; x=$(echo 'c\td'); printf '%s\n' "$x"; bash -c 'echo "e\nf"'`
	for _, padding := range []string{"", "\n#" + strings.Repeat("p", 200<<10)} {
		b := newBench(t)
		got := b.output(flow.Bash{Script: script + padding, EchoEscapes: true, Bindings: bind("V", `C:\new`)})
		if want := "a=1\nb=C:\\new\nc\td\ne\\nf"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := b.output(flow.Bash{Script: `echo "a\nb"` + padding}); got != `a\nb` {
			t.Errorf("without: %q", got)
		}
	}
}

// TestWords makes arrays of values, and leaves IFS alone.
func TestWords(t *testing.T) {
	for value, want := range map[string]string{
		"a b\tc\n\nd\n": "<a><b><c><d>", "": "", " \n": "", "*": "<*>", `"x y" \n`: `<"x><y"><\n>`, "é\xc3 \xff": "<é\uFFFD><\uFFFD>",
	} {
		b := newBench(t)
		got := b.output(flow.Bash{
			Script:   `IFS=:; n=${#W[@]}; ((n == 0)) || printf '<%s>' "${W[@]}"; [ "$N" = next ]`,
			Bindings: []flow.Binding{{Name: "W", Value: value, Words: true}, {Name: "N", Value: "next"}},
		})
		if got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

// TestEchoed writes values for an echo, which prints them as they are.
func TestEchoed(t *testing.T) {
	for _, value := range []string{"-n", "-5", "", `C:\new \0101 \\`, "-", `-e\c`, "plain"} {
		b := newBench(t)
		got := b.output(flow.Bash{Script: `echo "$V"; echo "$V$V" "$V"`, EchoEscapes: true, Bindings: []flow.Binding{{Name: "V", Value: value, Echoed: true}}})
		if want := value + "\n" + value + value + " " + value; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

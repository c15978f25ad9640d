package shell

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fragment is a part of a random script with its expected meaning in bash; «v» is the
// value.
type fragment struct{ src, want string }

var words = rapid.StringMatching(`[a-z:,.]{0,4}`)

// bareWord draws a word as it may be among the arguments of a command.
func bareWord(t *rapid.T, depth int) fragment {
	kind := rapid.IntRange(0, 9).Draw(t, "word")
	if depth <= 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return fragment{"$a.output", "«v»"}
	case 1:
		w := words.Draw(t, "text")
		return fragment{`"` + w + `$a.output"`, w + "«v»"}
	case 2:
		w := words.Draw(t, "text")
		return fragment{`'` + w + `$a.output"\'`, w + `«v»"\`}
	case 3:
		return fragment{`$'\t$a.output\'x'`, "\t«v»'x"}
	case 4:
		return fragment{`\\$a.output\"`, `\«v»"`}
	case 5:
		in := doubleText(t, depth-1)
		return fragment{`"` + in.src + `"`, in.want}
	case 6:
		in := bareWord(t, depth-1)
		return fragment{`${u:-` + in.src + `}`, in.want}
	case 7:
		a, b := bareWord(t, depth-1), bareWord(t, depth-1)
		return fragment{a.src + b.src, a.want + b.want}
	case 8:
		in := bareWord(t, depth-1)
		return fragment{`"$(printf '%s.' ` + in.src + `)"`, in.want + "."}
	}
	in := doubleText(t, depth-1)
	end := "END" + strconv.Itoa(depth) // a here-document inside another needs its own
	return fragment{"\"$(cat <<" + end + "\n" + in.src + ".\n" + end + "\n)\"", in.want + "."}
}

// doubleText draws text as it may be inside double quotes or in a here-document,
// which bash reads nearly alike.
func doubleText(t *rapid.T, depth int) fragment {
	kind := rapid.IntRange(0, 9).Draw(t, "text")
	if depth <= 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return fragment{"$a.output", "«v»"}
	case 1:
		w := words.Draw(t, "text")
		return fragment{w + "'$a.output'", w + "'«v»'"}
	case 2:
		return fragment{`\\$a.output\$a`, `\«v»$a`}
	case 3:
		return fragment{"$x$a.output$$a.output", "X«v»$«v»"}
	case 4:
		return fragment{words.Draw(t, "text"), ""}.same()
	case 5:
		in := doubleText(t, depth-1)
		return fragment{"${u:-" + in.src + "}", in.want}
	case 6:
		a, b := doubleText(t, depth-1), doubleText(t, depth-1)
		return fragment{a.src + b.src, a.want + b.want}
	case 7:
		return fragment{"${y#$a.output}", ":rest"}
	case 8:
		in := bareWord(t, depth-1)
		return fragment{"$(printf '%s.' " + in.src + ")", in.want + "."}
	}
	return fragment{"`printf '%s.' $a.output`", "«v»."}
}

func (p fragment) same() fragment { return fragment{p.src, p.src} }

// TestRandomScripts composes contexts at random and runs them.
func TestRandomScripts(t *testing.T) {
	bashPath(t)
	values := []string{nasty["injection"] + nasty["globs"] + nasty["quotes"] + nasty["newlines"] + nasty["dollars"] + nasty["spaces"], ""}
	rapid.Check(t, func(r *rapid.T) {
		w := bareWord(r, 4)
		src := "x=X; y=\"$a.output:rest\"\nprintf '%s|' " + w.src + " end\n"
		out, found := rewriteText(src)
		if out == nil {
			r.Fatalf("%s\nrefused: %v", src, messages(found))
		}
		for i, got := range runAll(t, out, values) {
			if want := strings.ReplaceAll(w.want, "«v»", values[i]) + "|end|"; got.stdout != want {
				r.Fatalf("with %q: got %q, want %q\n%s\n%s", values[i], got.stdout, want, src, out.Text)
			}
		}
	})
}

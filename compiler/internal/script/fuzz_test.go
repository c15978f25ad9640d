package script

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

func FuzzJavaScript(f *testing.F) { fuzz(f, JavaScript) }

func FuzzPython(f *testing.F) { fuzz(f, Python) }

// fuzz rewrites any program: each hole is refused, bound or stays as it is, and
// nothing else of the program is lost.
func fuzz(f *testing.F, lang Language) {
	for _, test := range refused[lang] {
		f.Add(test[1])
	}
	for _, test := range texts[lang] {
		f.Add(test[0])
	}
	f.Add("f'") // ends in a literal that has parts, but no hole
	f.Fuzz(func(t *testing.T, src string) {
		holes := findHoles(src)
		out, found := rewriteText(lang, src)
		if out == nil {
			if len(found) == 0 {
				t.Error("refused without a reason")
			}
			return
		}
		if strings.Count(out.Text, "\n") != strings.Count(src, "\n") {
			t.Errorf("the lines changed:\n%s", out.Text)
		}
		for _, b := range out.Bindings {
			if !strings.Contains(out.Text, b.Name) || b.Hole >= len(holes) {
				t.Errorf("binding %v is not used", b)
			}
		}
	})
}

// TestAnyPlace puts holes at all kinds of places, not only at those that resemble a
// reference.
func TestAnyPlace(t *testing.T) {
	pieces := []string{"'", "\"", "`", "'''", "f'", "rb\"", "{", "}", "${", "(", ")", "[", "]", "\\", "\n", "\r\n", "//", "/*", "*/", "/", "#", "x", "=", ":", ",", ".", " ", "1", "case ", "\\u", "\\N{", "!r", "exec", "é", "%", ";"}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 30).Draw(t, "parts")
		var src strings.Builder
		var holes []Hole
		for i, part := range parts {
			start := src.Len()
			src.WriteString(part)
			if rapid.IntRange(0, 4).Draw(t, "hole") == 0 {
				holes = append(holes, Hole{Start: start, End: src.Len(), Name: "h", Label: part + string(rune('a'+i))})
			}
		}
		for _, lang := range []Language{JavaScript, Python} {
			p := newProgram(lang, source.PlainText(src.String()), holes)
			p.analyseHoles()
			for _, s := range p.spots {
				if s.place == unread && len(p.found) == 0 {
					t.Fatalf("%q: the hole at %d is forgotten", src.String(), s.Start)
				}
			}
			if !diag.HasErrors(p.found) {
				p.rewrite()
			}
		}
	})
}

// TestDeepNesting does not overflow the stack.
func TestDeepNesting(t *testing.T) {
	for lang, unit := range map[Language]string{JavaScript: "`${", Python: "f'{f\"{"} {
		if out, found := rewriteText(lang, strings.Repeat(unit, 100000)+"$a.output"); out != nil || len(found) != 1 {
			t.Errorf("%v, %v", out, found)
		}
	}
}

// TestRandomLiterals builds literals from pieces whose text is known, runs them
// and compares.
func TestRandomLiterals(t *testing.T) {
	kinds := map[Language][]literalKind{
		JavaScript: {{"'", "'", false, false}, {`"`, `"`, false, false}, {"`", "`", false, true}, {"String.raw`", "`", true, true}},
		Python: {{"'", "'", false, false}, {`"`, `"`, false, false}, {"'''", "'''", false, true}, {`"""`, `"""`, false, true}, {"r'", "'", true, false},
			{`R"""`, `"""`, true, true}, {"u'", "'", false, false}, {"f'", "'", false, false}, {`rf"`, `"`, true, false}, {"F'''", "'''", false, true}},
	}
	for _, lang := range []Language{JavaScript, Python} {
		var sources, wants []string
		rapid.Check(t, func(t *rapid.T) {
			k := rapid.SampledFrom(kinds[lang]).Draw(t, "kind")
			src, want := k.draw(t, lang)
			sources, wants = append(sources, src), append(wants, want)
		})
		head, push := "const x = []\n", "x.push("
		if lang == Python {
			head, push = "x = []\n", "x.append("
		}
		out := mustRewrite(t, lang, head+push+strings.Join(sources, ")\n"+push)+")"+emit[lang])
		for _, value := range nasty[:3] {
			var got []string
			if err := json.Unmarshal([]byte(run(t, lang, out, value)), &got); err != nil {
				t.Fatal(err)
			}
			for i, want := range wants {
				if want = strings.ReplaceAll(want, "\x00", value); got[i] != want {
					t.Fatalf("%s\ngot  %q\nwant %q", sources[i], got[i], want)
				}
			}
		}
	}
}

// literalKind is a kind of string literal.
type literalKind struct {
	open, close string
	raw, lines  bool
}

// draw returns a literal with holes and the text that it represents, with a NUL for
// each value.
func (k literalKind) draw(t *rapid.T, lang Language) (src, want string) {
	format := strings.ContainsAny(strings.ToLower(k.open), "f") && lang == Python
	type piece struct{ src, want string }
	pieces := []piece{{"$a.output", "\x00"}, {"$a.output", "\x00"}, {"a", "a"}, {" ", " "}, {"é", "é"}, {"#", "#"}, {"//", "//"}, {"%s", "%s"}, {"$", "$"}}
	if format {
		pieces = append(pieces, piece{"{{", "{"}, piece{"}}", "}"}, piece{"{1}", "1"}, piece{"{2:>3}", "  2"})
	} else {
		pieces = append(pieces, piece{"}", "}"})
		if lang == Python {
			pieces = append(pieces, piece{"{", "{"})
		}
	}
	if lang == JavaScript && k.close == "`" {
		pieces = append(pieces, piece{"${1}", "1"}, piece{"${'}$a.output'}", "}\x00"}, piece{"${`}${2}`}", "}2"})
	}
	if k.raw {
		pieces = append(pieces, piece{`\d`, `\d`}, piece{`\\`, `\\`})
		if lang == JavaScript {
			pieces = append(pieces, piece{`\$a.output`, "\\\x00"})
		}
	} else {
		pieces = append(pieces, piece{`\n`, "\n"}, piece{`\\`, `\`}, piece{`\'`, "'"}, piece{`\"`, `"`}, piece{`\x41`, "A"}, piece{`\u0042`, "B"}, piece{"\\\n", ""})
	}
	if k.lines {
		pieces = append(pieces, piece{"\n", "\n"})
	}
	for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces") {
		if strings.HasSuffix(src, "$a.output") && p.src == "a" {
			// A name in front of what could go on in it would be another reference.
			src, want = src+" ", want+" "
		}
		src, want = src+p.src, want+p.want
	}
	return k.open + src + k.close, want
}

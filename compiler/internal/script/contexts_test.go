package script

import (
	"encoding/json"
	"strings"
	"testing"
)

// nasty are texts that would be code, or end a literal, if they were pasted.
var nasty = []string{
	`'; touch pwned; "$(touch pwned)" \`,
	"`${require('fs').writeFileSync('pwned','')}` ${1+1} {1+1} {{x}} %s %d",
	"'''\"\"\"\n{__import__('os').system('touch pwned')}\n\\",
	"", "\n", "a\r\nb\u2028c\u0000d", "日本 é 🎉", "{}", "\\N{DASH} \\x41 \\", "$a.output", "*/ // # <!--",
}

// emit prints the variable x as JSON.
var emit = map[Language]string{
	JavaScript: "\nconsole.log(JSON.stringify(x))",
	Python:     "\nimport json; print(json.dumps(x))",
}

// texts are expressions with holes for text, with their results; V is the value.
var texts = map[Language][][2]string{
	JavaScript: {
		{`'$a.output'`, "V"},
		{`"$a.output"`, "V"},
		{"`$a.output`", "V"},
		{`'a $a.output b'`, "a V b"},
		{`"it's \"$a.output\" $a.output"`, `it's "V" V`},
		{`'\\$a.output\n$a.output'`, "\\V\nV"},
		{"`x${`y$a.output${'$a.output'}`}$a.output`", "xyVVV"},
		{"`$$a.output $${1}{$a.output}`", "$V $1{V}"},
		{"String.raw`C:\\d\\$a.output\\\\$a.output`", `C:\d\V\\V`},
		{"((s, ...v) => s.join('|') + v.join())`<$a.output>`", "<|>V"},
		{`'a $a.output'.length > 0 ? 'b $a.output' : ''`, "b V"},
		{`'a'+'b $a.output'.concat('c')`, "abVc"[:2] + " Vc"},
		{`"line \
$a.output"`, "line V"},
		{`[1, 2].map(n => 'x$a.output'.slice(0, 1)).join('')`, "xx"},
		{`8 / 2 / 1 + '$a.output'`, "4V"},
		{`/['"$]/.test("'") + ' $a.output'`, "true V"},
		{`(() => { if (true) /'/.test(''); return '$a.output' })()`, "V"},
		{`({ a: '$a.output', 'b': 'x$a.output' }).b`, "xV"},
		{`({ ['k$a.output']: 1, m() { return '$a.output' } }).m()`, "V"},
		{`/* '$a.output */ 'q' // "$a.output`, "q"},
		{`typeof 'a$a.output'`, "string"},
		{`'\u0041\x42$a.output'`, "ABV"},
		{`[['$a.output'], ["$a.output"]][1][0]`, "V"},
	},
	Python: {
		{`'$a.output'`, "V"},
		{`"$a.output"`, "V"},
		{`'''$a.output'''`, "V"},
		{`"""a "quoted" $a.output
b"""`, "a \"quoted\" V\nb"},
		{`'a {$a.output} {{b}}'`, "a {V} {{b}}"},
		{`r'C:\d\$a.output\{x}'`, `C:\d\V\{x}`},
		{`R"\'$a.output"`, `\'V`},
		{`u'u $a.output'`, "u V"},
		{`'\\$a.output\n\x41\u0042\N{BULLET}{$a.output}'`, "\\V\nAB•{V}"},
		{`'a' 'b $a.output' f'{1+1}' "c"`, "ab V2c"},
		{`f'{1+1} $a.output {{$a.output}}'`, "2 V {V}"},
		{`f'{"$a.output"}{"x" + "$a.output":s}{3!r:>{2}}'`, "VxV 3"},
		{`rf'\d{1}$a.output'`, `\d1V`},
		{`fR"""{1}
$a.output"""`, "1\nV"},
		{`'x$a.output'.upper()[:1]`, "X"},
		{`('a'
   '$a.output' # it's $a.output
   'b')`, "aVb"},
		{`'a\
$a.output'`, "aV"},
		{`'%s $a.output'.strip('%s ') if False else '$a.output'`, "V"},
		{`{'k$a.output': '$a.output'}.popitem()[1]`, "V"},
		{`(lambda v: v)(v='$a.output')`, "V"},
		{`'a' if 1 != 2 else '$a.output'`, "a"},
		{`'\{$a.output}\}'`, `\{V}\}`},
		{`f'{dict(a="$a.output")["a"]}'`, "V"},
	},
}

func TestTextInEveryLiteral(t *testing.T) {
	for lang, list := range texts {
		// One program for all, so that an interpreter starts once a value.
		var src strings.Builder
		for i, test := range list {
			if i == 0 {
				src.WriteString(map[Language]string{JavaScript: "const x = []\n", Python: "x = []\n"}[lang])
			}
			src.WriteString(map[Language]string{JavaScript: "x.push(", Python: "x.append("}[lang] + test[0] + "\n)\n")
		}
		out := mustRewrite(t, lang, src.String()+emit[lang])
		if got, want := strings.Count(out.Text, "\n"), strings.Count(src.String()+emit[lang], "\n"); got != want {
			t.Errorf("%d lines became %d:\n%s", want, got, out.Text)
		}
		for _, value := range nasty {
			var got []string
			if err := json.Unmarshal([]byte(run(t, lang, out, value)), &got); err != nil {
				t.Fatal(err)
			}
			for i, test := range list {
				if want := strings.ReplaceAll(test[1], "V", value); got[i] != want {
					t.Errorf("%s\ngot  %q\nwant %q", test[0], got[i], want)
				}
			}
		}
	}
}

func TestValuesInCode(t *testing.T) {
	for lang, list := range map[Language][]string{
		JavaScript: {
			"const x = $a.output", "let x = [$a.output][0]", "const x = (() => $a.output)()", "const x = `${JSON.stringify($a.output)}`; ",
			"const { k: x } = { k: $a.output }", "const x = true ? $a.output : 1", "const f = v => v, x = f($a.output)",
			"let x; switch (1) { case 1: x = $a.output\n}", "const x = [...[$a.output]].at(0)", "const x = ($a.output)",
		},
		Python: {
			"x = $a.output", "x = [$a.output][0]", "x = (lambda: $a.output)()", "x = {1: $a.output}[1]", "x: object = $a.output",
			"def f(v=$a.output): return v\nx = f()", "x = f'{json.dumps($a.output)}' if 0 else $a.output", "x = $a.output if True else 1",
			"from __future__ import annotations\nx = $a.output", "'''a docstring'''\nx = (\n  $a.output\n)",
		},
	} {
		for n, src := range list {
			out := mustRewrite(t, lang, src+emit[lang])
			// Each program starts once but for the first.
			values := []string{`{"a":[1,null,true]}`, `42`, "plain text"}
			if n > 0 {
				values = values[:1]
			}
			for _, value := range values {
				got := strings.TrimSpace(run(t, lang, out, value))
				want := value
				if value == "plain text" {
					want = `"plain text"`
				}
				if strings.Contains(src, "stringify") {
					b, _ := json.Marshal(want)
					want = string(b)
				}
				if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
					t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
				}
			}
		}
	}
}

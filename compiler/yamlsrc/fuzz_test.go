package yamlsrc_test

import "testing"

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, list := parse(string(text))
		checkDocument(t, doc, list)
	})
}

var seeds = []string{
	"", "# only\n", "---\n", "a", "a: 1\n---\nb: 2\n", "...\n", "%YAML 1.2\n---\na: b\n",
	"name: w\nnodes:\n  - id: a\n    bash: |\n      echo hi # no\n\n      x\n  - id: b # c\n    prompt: >-\n      p q\n      r\n\n      s\n",
	"a: |2-\n   x\nb: |+\n  x\n\n\nc: >\n\n x\n  y\n z\n", "? a\n? b\n: c\n", "- - - |\n   x\n  - y\n",
	"a: \"q\\tq \\u00e9\\x41\\U0001F600\\\n  z\\L\\N\\_\\e\\0\\/\"\nb: 'x''y\n\n  z'\nc: p q\n  r\n\n  s\n",
	"&a a: &b !!str\nb: !t &c x\nc: [*a, {x: y}, z: w, !!int '1', ]\nd: &m {e: , f}\ng: {<<: *m, h: 1}\n",
	"a: &x\n  b: 1\n<<: [*x, {c: 2}]\n", "\ufeffa: b\r\nc: |\r\n  d\r\n  e\r\n", "a:\n\tb: c\n", "a: [b, {c: d]\n", "a: 'b\n", "é: ü\n日本: [語, \"🎉 x\"]\n",
	"a: b: c\n", "a: b\n  c: d\n", "a:\n    b: 1\n  c: 2\n", "- a\nb: c\n", "a: \"\\q\"\n", "a: *nope\n", "&a [*a]\n", "a: b\u2028c\n", "a: `x`\n", "a: @b\n", "a: %b\n",
	"a: |\n  x\n y\n", "a: {{x}}\n", "{{x}: y}\n", "[? a : b]\n", "a:\n- b\n-\n- c:\n", "a: ! \nb: ! c\n", "a: !<tag:yaml.org,2002:str> 1\n",
}

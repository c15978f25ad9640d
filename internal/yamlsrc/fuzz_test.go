package yamlsrc_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
)

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, list := parse(string(text))
		checkDocument(t, doc, list)
		checkVerdict(t, text, list)
	})
}

// checkVerdict compares the findings with yaml.v3's verdict on the first two
// documents: a syntax error is reported if and only if yaml.v3 rejects the file.
func checkVerdict(t *testing.T, text []byte, list []*diag.Diagnostic) {
	t.Helper()
	rejected := false
	for _, d := range list {
		cyclic := strings.HasSuffix(d.Message, "is inside the value that it refers to")
		switch {
		case d.Code == codes.YAMLTooLarge, strings.HasPrefix(d.Message, "invalid encoding"), cyclic:
			return
		case d.Code == codes.YAMLSyntax, d.Code == codes.YAMLAlias:
			rejected = true
		}
	}
	first, both := rejects(text)
	if first && !rejected && !bytes.Contains(text, []byte(`\/`)) && !bytes.Contains(text, []byte("?")) && !bytes.Contains(text, []byte("%YAML 1.2")) {
		t.Errorf("%q: nothing reported, but yaml.v3 rejects it", text)
	}
	if rejected && !both {
		t.Errorf("%q: %s, but yaml.v3 accepts it", text, list[0].Message)
	}
}

// rejects reports whether yaml.v3 rejects the first document of a text, and
// whether it rejects the first or the second.
func rejects(text []byte) (first, both bool) {
	defer func() {
		if recover() != nil {
			first, both = first || !both, true
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var node yaml.Node
	err := dec.Decode(&node)
	if err != nil && !errors.Is(err, io.EOF) {
		return true, true
	}
	both = true // a panic from here on is the second's
	err = dec.Decode(&node)
	return false, err != nil && !errors.Is(err, io.EOF)
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

// BenchmarkLibrary is yaml.v3 alone on the text of BenchmarkParse.
func BenchmarkLibrary(b *testing.B) {
	text := benchmarkText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var n yaml.Node
		if err := yaml.Unmarshal(text, &n); err != nil {
			b.Fatal(err)
		}
	}
}

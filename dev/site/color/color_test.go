package color

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// show writes the tokens of a code that have a class.
func show(tokens []Token) string {
	var list []string
	for _, t := range tokens {
		if t.Class != Plain {
			list = append(list, fmt.Sprintf("%s=%s", t.Class, strings.TrimSpace(t.Text)))
		}
	}
	return strings.Join(list, " ")
}

func TestTokens(t *testing.T) {
	for _, test := range []struct{ language, code, want string }{
		{"yaml", "name: fix # why\n", "key=name comment=# why"},
		{"yaml", "- id: \"a\"\n  max: 3\n", "key=id string=\"a\" key=max literal=3"},
		{"yaml", "a: don't: stop 3 times\nb: 2026-11-22\n", "key=a key=b"},
		{"yaml", "x: {a: true, b: [1, 'it''s'], c: no}\n", "key=x key=a literal=true key=b literal=1 string='it''s' key=c"},
		{"yaml", "prompt: |\n  key: value # text\n\n  more\nnext: 1\n", "key=prompt key=next literal=1"},
		{"yaml", "- bash: |\n    exit 1 # no\n  id: b\n", "key=bash keyword=exit comment=# no key=id"},
		{"yaml", "\"quoted key\": 'v'\n", "key=\"quoted key\" string='v'"},
		{"yaml", "url: https://a.b/#c\n", "key=url"},
		{"sh", "echo \"a $b\" '#' a#b # c\n", "string=\"a $b\" string='#' comment=# c"},
		{"bash", "if [ -e $file ]; then exit 1; fi\n", "keyword=if value=$file keyword=then keyword=exit keyword=fi"},
		{"console", "$ wfc run \\\n    --x 'a'\noutput 'b'\n$ exit\n", "prompt=$ string='a' prompt=$ keyword=exit"},
		{"go", "func f() { return \"a\" } // b", "keyword=func keyword=return string=\"a\" comment=// b"},
		{"go", "...\nx := 'b", "string='b"},
		{"json", `{"a": ["b", 1.5, null], "c":true}`, `key="a" string="b" literal=1.5 literal=null key="c" literal=true`},
		{"python", "def f():  # x\n    return 'a'\n", "keyword=def comment=# x keyword=return string='a'"},
		{"toml", "[a]\nb = \"c\" # d\n", "keyword=[a] key=b string=\"c\" comment=# d"},
		{"dockerfile", "FROM x AS y\nRUN a \"b\"\n", "keyword=FROM keyword=AS keyword=RUN string=\"b\""},
		{"text", "if 1 'a'", ""},
		{"", "if 1 'a'", ""},
	} {
		if got := show(Tokens(test.language, test.code)); got != test.want {
			t.Errorf("%s %q\n%s\nwant\n%s", test.language, test.code, got, test.want)
		}
	}
}

// TestNothingIsLost checks that the tokens of any code are the code, in every language.
func TestNothingIsLost(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob("../../../examples/*/*.*")
	if err != nil || len(examples) < 20 {
		t.Fatal(examples, err)
	}
	codes := []string{"", "\n", "\r\n", "`a\r\nb`", "'", "\"\\", "a: |", "é: \"ü", "\xff: \xff", "$ ", "$ \\\n"}
	if testing.Short() { // many texts are slow under the race detector
		examples = examples[:5]
	}
	for _, name := range append(files, examples...) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, string(content[:min(len(content), 2000)]))
	}
	for _, code := range codes {
		for _, language := range []string{"go", "yaml", "console", "sh", "json", "python", "lua", "toml", "dockerfile", "lisp", "vim", "other"} {
			var b strings.Builder
			for _, token := range Tokens(language, code) {
				b.WriteString(token.Text)
			}
			if b.String() != code {
				t.Errorf("%s: the tokens of %.60q are %.60q", language, code, b.String())
			}
		}
	}
}

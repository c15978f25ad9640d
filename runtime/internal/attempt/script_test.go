package attempt_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
)

func TestScriptText(t *testing.T) {
	secrets := []string{"DB_PASSWORD=hunter2222"}
	var many []flow.Binding
	for i := range 52 {
		many = append(many, flow.Binding{Name: fmt.Sprint("v", i), Value: "x"})
	}
	for name, c := range map[string]struct {
		payload flow.Payload
		want    string
	}{
		"no values": {flow.Bash{Script: "make test"}, "make test"},
		"values": {
			flow.Bash{Script: `echo "${title}"`, Bindings: []flow.Binding{{Name: "title", Value: "It \"crashes\"\n$(rm -rf ~)"}}, Env: []flow.Variable{{Name: "LEVEL", Value: "2"}}},
			"echo \"${title}\"\n\ntitle = \"It \\\"crashes\\\"\\n$(rm -rf ~)\"\nLEVEL = \"2\"",
		},
		"secrets": {
			flow.Bash{Script: "curl -u me:hunter2222 x", Bindings: []flow.Binding{{Name: "said", Value: "it is hunter2222"}}},
			"curl -u me:*** x\n\nsaid = \"it is ***\"",
		},
		"a named script": {flow.Script{Runtime: "uv", Name: "count.py", Source: "print(n)", Bindings: []flow.Binding{{Name: "n", Value: "3"}}}, "uv count.py:\nprint(n)\n\nn = \"3\""},
		"many values":    {flow.Bash{Script: "a", Bindings: many}, "v49 = \"x\"\n… (2 more values)"},
		"a prompt":       {flow.Prompt{Text: "Fix it"}, ""},
	} {
		if got := attempt.ScriptText(c.payload, secrets); got != c.want && !(strings.HasPrefix(c.want, "v49") && strings.HasSuffix(got, c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Of a long text, neither the end of a secret nor half a character is left.
func TestScriptTextIsBounded(t *testing.T) {
	secret := strings.Repeat("s3cr3t-", 20)
	for _, before := range []int{3990, 4 * 4000, 4*4000 + 64<<10 - 5} {
		text := attempt.ScriptText(flow.Bash{
			Script: strings.Repeat("x", before) + secret, Bindings: []flow.Binding{{Name: "v", Value: strings.Repeat("ä", before) + secret}},
		}, []string{"TOKEN=" + secret})
		if len(text) > 4000+2*300+20 || strings.Contains(text, "s3cr") || !utf8.ValidString(text) {
			t.Errorf("%d characters before the secret: %d bytes, %q", before, len(text), text[max(0, len(text)-40):])
		}
	}
}

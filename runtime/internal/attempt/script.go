package attempt

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The longest script and value that a journal keeps for people, in characters, and how many values.
const (
	longestScript = 4000
	longestValue  = 300
	mostValues    = 50
)

// ScriptText describes for people what a script runs: its text, and below it the values of its
// variables. It's shortened, and secrets are masked. For other payloads it's "".
func ScriptText(p flow.Payload, secrets []string) string {
	var b strings.Builder
	var bindings []flow.Binding
	var environ []flow.Variable
	switch p := p.(type) {
	case flow.Bash:
		b.WriteString(shortened(p.Script, longestScript, secrets))
		bindings, environ = p.Bindings, p.Env
	case flow.Script:
		if p.Name != "" {
			fmt.Fprintf(&b, "%s %s:\n", p.Runtime, plain.Line(p.Name))
		}
		b.WriteString(shortened(p.Source, longestScript, secrets))
		bindings, environ = p.Bindings, p.Env
	default:
		return ""
	}
	if len(bindings)+len(environ) > 0 {
		b.WriteString("\n")
	}
	left := mostValues
	write := func(name, value string) {
		if left--; left < 0 {
			return
		}
		text, _ := json.Marshal(shortened(value, longestValue, secrets)) // no string fails
		fmt.Fprintf(&b, "\n%s = %s", name, text)
	}
	for _, v := range bindings {
		write(v.Name, v.Value)
	}
	for _, v := range environ {
		write(v.Name, v.Value)
	}
	if left < 0 {
		fmt.Fprintf(&b, "\n… (%d more values)", -left)
	}
	return b.String()
}

// shortened returns at most n characters of a text without secrets. Of a long text, it reads only
// so much that half a secret at the end is cut off.
func shortened(text string, n int, secrets []string) string {
	const longestSecret = 64 << 10
	if most := 4*n + longestSecret; len(text) > most {
		text = text[:most]
	}
	return plain.Clip(strings.ToValidUTF8(process.Mask(secrets, text), "\uFFFD"), n)
}

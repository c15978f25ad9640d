package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/runtime/draw"
)

// hostile are strings that files, keys and callers may hold, each with something
// in it that is to reach nobody as it is.
var hostile = []string{
	"x\x1b[2J\x1b[1A\x1b]0;title\a\x1bP+q\x1b\\y",
	"x\x1b[31mred\x1b[8mhidden",
	"x\u009b2Jy\u009d0;t\u009c\u0085z",
	"x\by\vz\fa\x7fb\x0ec",
	"pay\u202elap\u2066\u200b\ufeffpal\u2028z\u00ad",
	"x\rwfc: forged",
	"x\nwfc: forged\nerror[WFC000]: forged\nwrote forged\nforged.yaml:1:1: error\n::error ::forged\n",
	"::error file=a,line=1::forged%0A, ##[error]forged",
}

// forged are beginnings of lines that only wfc may print.
var forged = regexp.MustCompile(`(?m)^(wfc: forged|error\[WFC000\]|wrote forged|forged\.yaml|\s*::)|##\[`)

// flows are workflows that say a string wherever they can, well or badly.
func flows(h string) map[string]string {
	q := strconv.QuoteToASCII(h)
	return map[string]string{
		"good":  fmt.Sprintf("name: %[1]s\ndescription: %[1]s\nnodes:\n  - id: a\n    prompt: %[1]s\n  - id: b\n    bash: echo hi\n    depends_on: [a]\n    when: \"$a.output == 'x'\"\n", q),
		"ids":   fmt.Sprintf("name: ids\ndescription: d\nnodes:\n  - id: %[1]s\n    bash: echo\n  - id: b\n    bash: echo\n    depends_on: [%[1]s, %[1]s]\n    when: %[1]s\n  - id: %[1]s\n    bash: echo\n", q),
		"bad":   fmt.Sprintf("name: bad\ndescription: d\n%[1]s: 1\nnodes:\n  - id: a\n    %[1]s: %[1]s\n    bash: %[1]s\n    trigger_rule: %[1]s\n  - id: c\n    prompt: \"$zz.output %[2]s\"\n    model: %[1]s\n    depends_on: [%[1]s]\n    command: %[1]s\n", q, strings.Trim(q, `"`)),
		"yaml":  "nodes: [" + strings.NewReplacer("\n", " ").Replace(h) + "\n",
		"raw":   "name: raw\ndescription: d\nnodes:\n  - id: a\n    bash: |\n      echo " + strings.ReplaceAll(h, "\n", "\n      ") + "\n    zz: 1\n",
		"graph": fmt.Sprintf("name: g\nstart: a\nnodes:\n  a:\n    type: shell\n    command: %[1]s\n  %[1]s:\n    type: prompt\n    prompt: %[1]s\nedges:\n  - from: START\n    to: a\n  - from: a\n    to: %[1]s\n    when: %[1]s\n  - from: %[1]s\n    to: END\n", q),
	}
}

// No command passes on what steers a terminal, forges a line of wfc's own or
// commands GitHub, in any of its formats.
func TestNothingHostileIsShown(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	formats := report.Formats()
	for _, h := range hostile {
		t.Chdir(t.TempDir())
		call := func(args ...string) {
			t.Helper()
			var out, messages bytes.Buffer
			cli.Main(args, cli.Streams{In: strings.NewReader(h), Out: &out, Err: &messages})
			for name, text := range map[string]string{"output": out.String(), "messages": messages.String()} {
				if r := steering(text); r != 0 {
					t.Errorf("%q: %U in the %s of %q:\n%q", h, r, name, args, text)
				}
				line := forged.FindString(text)
				if name == "output" && slices.Contains(args, string(report.GitHub)) {
					line = forgedCommand(text)
				}
				if line != "" {
					t.Errorf("%q: %q in the %s of %q:\n%s", h, line, name, args, text)
				}
				if strings.Contains(text, "internal error") {
					t.Errorf("%q: %q fails:\n%s", h, args, text)
				}
			}
		}
		odd := strings.NewReplacer("/", "_", "\x00", "").Replace(h) + ".yaml"
		for name, text := range flows(h) {
			if err := os.WriteFile(name+".yaml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(odd, []byte(flows(h)["bad"]), 0o600); err != nil {
			t.Logf("%q is no name of a file here: %v", odd, err)
			odd = "bad.yaml"
		}
		files := []string{"good.yaml", "ids.yaml", "bad.yaml", "yaml.yaml", "raw.yaml", "graph.yaml", odd}
		for _, format := range formats {
			call(append([]string{"check", "-v", "--format", string(format)}, files...)...)
			call("check", "--format", string(format), ".")
			call("check", "--format", string(format), "-", "--stdin-filename", h)
		}
		call("check", "--color", "never", "--report", ".")
		call("check", "--fix", odd)
		for _, file := range files {
			for _, format := range draw.Formats() {
				call("graph", file, "--format", string(format))
			}
			call("graph", file, "--layers")
			call("gen", file, "-o", "out")
			call("gen", file, "-o", "out", "--check")
			call("gen", file, "-o", h)
		}
		for _, args := range [][]string{
			{h}, {"--" + h}, {"check", h}, {"check", "--" + h}, {"check", "--format", h}, {"graph", h}, {"graph", "good.yaml", "--format", h},
			{"gen", h, "-o", "out"}, {"gen", "good.yaml", "-o", "out", "--package", h}, {"build", h}, {"build", "good.yaml", "--store", h}, {"build", "good.yaml", "--const", h},
			{"run", h}, {"run", "bad.yaml"}, {"run", odd}, {"explain", h}, {"doctor", h},
		} {
			call(args...)
		}
		if err := os.WriteFile("wfc.yaml", fmt.Appendf(nil, "%[1]s: %[1]s\nagents:\n  %[1]s: {kind: %[1]s}\nseverity: {%[1]s: %[1]s}\n", strconv.QuoteToASCII(h)), 0o600); err != nil {
			t.Fatal(err)
		}
		call("check", ".")
		call("check", "-v", "--format", string(report.GitHub), "good.yaml")
		call("doctor", "good.yaml")
		if err := os.RemoveAll(filepath.Join(".", "wfc.yaml")); err != nil {
			t.Fatal(err)
		}
	}
}

// forgedCommand returns a line of workflow commands that is none of wfc's.
func forgedCommand(text string) string {
	for line := range strings.Lines(text) {
		if !regexp.MustCompile(`^::(error|warning|notice) (file=[^:,]+,[^:]*,)?title=WFC[^:]*::`).MatchString(line) {
			return line
		}
	}
	return ""
}

// steering returns the first character that is not to be shown, or 0.
func steering(s string) rune {
	for _, r := range s {
		switch {
		case r == '\n', r == '\t':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), strings.ContainsRune("\u00ad\u200b\u2028\u2029\ufeff", r):
			return r
		}
	}
	if !utf8.ValidString(s) {
		return utf8.RuneError
	}
	return 0
}

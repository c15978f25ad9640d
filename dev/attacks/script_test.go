package attacks

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// shellPayloads are code of shells, options and names of programs, and scriptPayloads code
// of a language. Scripts in the samples use a value whole, as a list of words, or as a part
// of a string. Every payload costs a run of all accepted scripts.
var (
	shellPayloads  = []string{"$(PWN)", "'; PWN; '", "PWN x", "PWN", "v[$(PWN)]", "-oProxyCommand=PWN", `{"cmd": "PWN", "shell": true, "__proto__": {"shell": true}}`}
	scriptPayloads = map[string][]string{
		"uv":  {`x"); __import__("os").system("PWN")#`, "__import__('os').system('PWN')"},
		"bun": {"require('child_process').execSync('PWN')", "data:text/javascript,require('child_process').execSync('PWN')"},
	}
)

// scriptForm is a workflow of archon, with a script node for each case.
var scriptForm = Form{Name: "script", Workflow: func(steps []Step) string {
	var b strings.Builder
	b.WriteString("name: attacks\ndescription: Hostile values in scripts.\nnodes:\n  - id: a\n    bash: cat \"$PAYLOAD\"\n")
	for _, s := range steps {
		b.WriteString("  - id: " + s.Key + "\n    depends_on: [a]\n    timeout: 10000\n    runtime: " + s.Kind + "\n    script: |\n")
		b.WriteString("      " + strings.ReplaceAll(s.Script, "\n", "\n      ") + "\n")
	}
	return b.String()
}}

// scriptSamples reads the scripts of a file, one a line; § is a line break.
func scriptSamples(t *testing.T, kind, name string) []Case {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []Case
	for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		list = append(list, Case{kind, strings.ReplaceAll(line, "§", "\n")})
	}
	return list
}

// useRuntime puts a program on PATH under the name of a runtime. uv is Python
// without the packages.
func useRuntime(t *testing.T, kind string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if kind == "uv" {
		python, err := exec.LookPath("/usr/bin/python3") // what is on PATH may be the shim of a version manager, which is slow
		if err != nil {
			python, err = exec.LookPath("python3")
		}
		if err != nil {
			t.Skip("no python3 on PATH")
		}
		stand := "#!/bin/sh\n# uv run python ARGUMENTS\nshift 2\nexec '" + python + "' \"$@\"\n"
		if err := os.WriteFile(filepath.Join(dir, "uv"), []byte(stand), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		return
	}
	if _, err := exec.LookPath("bun"); err == nil {
		return
	}
	bun := os.Getenv("WFC_TEST_BUN")
	if bun == "" {
		t.Skip("no bun on PATH, and WFC_TEST_BUN does not name it")
	}
	if err := os.Symlink(bun, filepath.Join(dir, "bun")); err != nil {
		t.Fatal(err)
	}
}

func testScripts(t *testing.T, kind, prefix string) {
	if testing.Short() {
		t.Skip("runs each script with every payload")
	}
	useRuntime(t, kind)
	want := map[string]bool{}
	var cases []Case
	for _, group := range []string{"hostile", "safe", "mixed"} {
		list := scriptSamples(t, kind, "script-"+prefix+"-"+group+".txt")
		for _, c := range list {
			want[c.Script+group] = true
		}
		cases = append(cases, list...)
	}
	counts := map[Outcome]int{}
	payloads := slices.Concat(shellPayloads, scriptPayloads[kind])
	for _, r := range Try(t, scriptForm, cases, payloads) {
		counts[r.Outcome]++
		switch {
		case r.Outcome == Executed:
			t.Errorf("executed %q:\n%s", r.Payloads, r.Script)
		case want[r.Script+"hostile"] && r.Outcome != Refused:
			t.Errorf("accepted:\n%s", r.Script)
		case want[r.Script+"safe"] && (r.Outcome != Accepted || diag.HasErrors(r.Findings)):
			t.Errorf("refused, %v %s:\n%s", r.Codes(), r.Findings[0].Message, r.Script)
		}
	}
	t.Logf("%d scripts: %d refused, %d accepted and run with %d payloads", len(cases), counts[Refused], counts[Accepted], len(payloads))
}

// TestPythonScripts refuses every hostile script and runs every accepted one with
// each payload.
func TestPythonScripts(t *testing.T) { testScripts(t, "uv", "python") }

// TestBunScripts is the same for JavaScript and TypeScript.
func TestBunScripts(t *testing.T) { testScripts(t, "bun", "bun") }

// TestNamedScripts compiles workflows whose script is a file. Its values come in
// environment variables.
func TestNamedScripts(t *testing.T) {
	for _, c := range []struct {
		kind, file, script string
		want               Outcome
	}{
		{"uv", "scripts/job.py", "import os\nos.system('echo ' + os.environ['ARGUMENTS'])\n", Refused},
		{"uv", ".archon/scripts/job.py", "import os, subprocess\nsubprocess.run(os.getenv('USER_MESSAGE'), shell=True)\n", Refused},
		{"uv", "scripts/job.py", "import os\nprint(os.environ['ARGUMENTS'])\n", Accepted},
		{"uv", "scripts/job.py", "import os, subprocess\nsubprocess.run(['echo', os.environ['CONTEXT']])\n", Accepted},
		{"uv", "scripts/job.py", "import os\nos.system(os.environ['EDITOR'])\n", Accepted},
		{"bun", "scripts/job.ts", "import { execSync } from 'child_process'\nexecSync(`git log ${process.env.ARGUMENTS}`)\n", Refused},
		{"bun", "scripts/job.ts", "eval(process.env.LOOP_PREV_OUTPUT as string)\n", Refused},
		{"bun", "scripts/job.ts", "console.log(process.env.ARGUMENTS)\n", Accepted},
	} {
		form := Form{Name: "named", Files: map[string]string{c.file: c.script}, Workflow: func(steps []Step) string {
			return "name: named\ndescription: A named script.\nnodes:\n  - id: " + steps[0].Key + "\n    runtime: " + c.kind + "\n    script: job\n"
		}}
		for _, r := range Try(t, form, []Case{{c.kind, c.script}}, nil) {
			if r.Outcome != c.want {
				t.Errorf("%s: %s, want %s: %v", c.script, r.Outcome, c.want, r.Codes())
			}
		}
	}
}

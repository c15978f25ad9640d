package script

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// TestVariables refuses scripts that run environment variables with run-time
// values, and accepts other uses of them.
func TestVariables(t *testing.T) {
	for _, c := range []struct {
		lang Language
		src  string
		code string
	}{
		{Python, "import os\nos.system('echo ' + os.environ['ARGUMENTS'])", "WFC510"},
		{Python, "import os\nv = os.environ.get('ARGUMENTS', '')\nos.system(v)", "WFC510"},
		{Python, "import os\nv = os.getenv('ARGUMENTS')\neval(v)", "WFC510"},
		{Python, "from os import environ as e\nimport subprocess\nsubprocess.run(f\"echo {e['ARGUMENTS']}\", shell=True)", "WFC510"},
		{Python, "import os\nos.system('echo \"$ARGUMENTS\"')", ""},
		{Python, "import os\nos.system(os.environ['EDITOR'] + ' x') # not ARGUMENTS", ""},
		{Python, "import os, subprocess\nsubprocess.run(['echo', os.environ['ARGUMENTS']])", ""},
		{Python, "import os\nos.system(input())", ""},
		{JavaScript, "eval(process.env.ARGUMENTS)", "WFC510"},
		{JavaScript, "const { ARGUMENTS: v } = process.env\neval(v)", "WFC510"},
		{JavaScript, "import { env } from 'node:process'\neval(env['ARGUMENTS'])", "WFC510"},
		{JavaScript, "const v = Bun.env.ARGUMENTS ?? ''\nnew Function(v)()", "WFC510"},
		{JavaScript, "import { execSync } from 'child_process'\nexecSync(`git log ${process.env.ARGUMENTS}`)", "WFC510"},
		{JavaScript, "import { execFileSync } from 'child_process'\nexecFileSync('echo', [process.env.ARGUMENTS ?? ''])", ""},
		{JavaScript, "console.log(process.env.ARGUMENTS, eval(process.env.OTHER))", ""},
	} {
		var bag diag.Bag
		file := source.NewFile("script", []byte(c.src))
		out := Rewrite(c.lang, source.FileText(file, 0, len(c.src)), nil, &bag, "ARGUMENTS")
		found := bag.Sorted()
		if c.code == "" && (len(found) > 0 || out == nil) || c.code != "" && (len(found) != 1 || found[0].Code.ID != c.code) {
			t.Errorf("%s\nwant %q, got %d findings", c.src, c.code, len(found))
			for _, d := range found {
				t.Errorf("\t%s at %q: %s", d.Code, d.Span.Text(), d.Message)
			}
		}
	}
}

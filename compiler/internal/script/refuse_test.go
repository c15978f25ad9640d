package script

import (
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
)

// refused are programs with the codes that they must yield; "" means none.
var refused = map[Language][][3]string{
	JavaScript: {
		// names and other fixed parts
		{"WFC503", "console.log(x.$a.output)", "name of a property"},
		{"WFC503", "const $a.output = 1", "an assignment|a name"},
		{"WFC503", "$a.output = 1", "an assignment"},
		{"WFC503", "$a.output++", "an assignment"},
		{"WFC503", "f({ $a.output: 1 })", "name of a property"},
		{"WFC503", "f({ '$a.output': 1 })", "name of a property"},
		{"WFC503", "f({ x: 1, 'b $a.output': 1 })", "name of a property"},
		{"WFC503", "f({ $a.output })", "without a value"},
		{"WFC503", "class A { 'm$a.output'() {} }", "name of a property"},
		{"WFC503", "$a.output.split(',')", "function"},
		{"WFC503", "let f = $a.output => 1", "parameter"},
		{"WFC503", "let s = x$a.output", "part of a name"},
		{"WFC503", "@$a.output class A {}", "decorator"},
		{"WFC507", "import x from './$a.output.ts'", "imported module"},
		{"WFC507", "import '$a.output'", "imported module"},
		{"WFC507", "export * from \"$a.output\"", "imported module"},
		{"WFC507", "x = /^$a.output$/", "regular expression"},
		{"WFC507", "if (x) /[/]$a.output/.test(y)", "regular expression"},
		{"WFC507", `x = '\x4$a.output'`, `escape sequence .\\x4`},
		{"WFC507", "x = `\\u{1$a.output}`", "escape sequence"},
		{"WFC501", "x = 'never ends $a.output\ny = 1", "this string never ends"},
		{"WFC501", "x = 'never ends\ny = '$a.output $b.output'", "this string never ends"},
		{"WFC501", "/* $a.output", "comment never ends"},
		{"WFC501", "x = `$a.output ${1 + '`;", "never"},
		{"WFC504", "$a.output", "whole statement"},
		{"WFC504", "let x = 1;\n$a.output\nlet y = 2", "whole statement"},
		{"WFC504", "if (x) { $a.output }", "whole statement"},
		// programs
		{"WFC510", "eval('$a.output')", "`eval`"},
		{"WFC510", "eval($a.output)", "`eval`"},
		{"WFC510", "globalThis.eval?.(`1 + ${'$a.output'}`)", "eval"},
		{"WFC510", "new Function('x', 'return $a.output')", "Function"},
		{"WFC510", "await import('$a.output')", "`import`"},
		{"WFC510", "require(`./${'$a.output'}`)", "`require`"},
		{"WFC510", "vm.runInNewContext('$a.output', {})", "runInNewContext"},
		{"WFC510", "new vm.Script('$a.output')", "Script"},
		{"WFC510", "import { exec } from 'child_process'\nexec('ls $a.output', () => {})", "shell of `exec`"},
		{"WFC510", "import { exec as sh } from 'node:child_process'\nsh(`ls $a.output`)", "shell of `sh`"},
		{"WFC510", "import * as p from 'child_process'\np.exec('ls $a.output')", "shell of `p.exec`"},
		{"WFC510", "const { exec: sh } = require('child_process')\nsh('ls $a.output')", "shell of `sh`"},
		{"WFC510", "require('child_process').exec('ls $a.output')", "shell of `exec`"},
		{"WFC510", "const { promisify } = require('util')\nconst { exec } = require('child_process')\nconst run = promisify(exec)\nawait run('ls $a.output')", "shell of `run`"},
		{"WFC510", "import { execSync } from 'child_process'\nexecSync(['ls', '$a.output'].join(' '))", "execSync"},
		{"WFC510", "import { spawnSync } from 'child_process'\nspawnSync('ls', ['$a.output'], { shell: true })", "shell of `spawnSync`"},
		{"WFC510", "Bun.spawn(['bash', '-c', 'ls $a.output'])", "`bash`"},
		{"WFC510", "import { execFileSync } from 'child_process'\nexecFileSync('/bin/sh', ['-c', `ls $a.output`])", "`sh`"},
		{"WFC510", "import { execSync } from 'child_process'\nconst cmd = `ls $a.output`\nexecSync(cmd)", "`cmd` contains `.a.output`"},
		{"WFC510", "import { execSync } from 'child_process'\nconst data = JSON.parse('$a.output'), full = 'x ' + data.name\nexecSync(full)", "`full` contains"},
		// right ones that look like the others
		{"", "/x/.exec('$a.output')", ""},
		{"", "const m = pattern.exec('$a.output')", ""},
		{"", "execFileSync('ls', ['--', '$a.output'])", ""},
		{"", "spawnSync('ls', ['$a.output'], { shell: false })", ""},
		{"", "Bun.spawn(['bash', '-c', 'ls \"$1\"', '_', '$a.output'])", ""},
		{"", "execSync('ls', { cwd: '$a.output' })", ""},
		{"", "const big = '$a.output'.length > 3 ? 1 : 0, n = count('$a.output'); execSync('seq ' + n)", ""},
		{"", "db.query('SELECT * FROM t WHERE n = ?').all('$a.output')", ""},
		{"", "await sql`SELECT * FROM t WHERE n = $a.output`", ""},
		{"", "const from = x ? '$a.output' : y", ""},
		{"", "switch (x) { case '$a.output': y() }", ""},
		{"", "f({ a: '$a.output', [`$a.output`]: $a.output })", ""},
		{"", "// $a.output'\nf(1)", ""},
		{"", "try {\n  const issue = $a.output;\n  f((issue.labels ?? []).map((l) => l.name));\n} catch { }", ""},
		{"WFC950", `f('\$a.output')`, "makes it literal text"},
	},
	Python: {
		{"WFC507", "x = b'$a.output'", "bytes literal"},
		{"WFC507", "x = Rb\"\"\"$a.output\"\"\"", "bytes literal"},
		{"WFC507", "'''about $a.output'''\nx = 1", "docstring"},
		{"WFC507", "def f():\n  'about $a.output'\n  return 1", "docstring"},
		{"WFC507", "class A: '$a.output'", "docstring"},
		{"WFC507", "match x:\n  case '$a.output':\n    pass", "pattern"},
		{"WFC507", "match x:\n  case {'k': ['$a.output']} if y:\n    pass", "pattern"},
		{"WFC507", "match x:\n  case $a.output:\n    pass", "pattern"},
		{"WFC507", `x = '\u00$a.output'`, "escape sequence"},
		{"WFC507", `x = '\N{$a.output}'`, "escape sequence"},
		{"WFC501", "x = 'never $a.output\n", "never ends"},
		{"WFC501", "x = '''never\ny = '$a.output'", "never ends"},
		{"WFC501", "x = )\ny = '$a.output'", "closes nothing"},
		{"WFC501", "x = f'{1'\ny = '$a.output'", "never"},
		{"WFC503", "x.$a.output", "attribute"},
		{"WFC503", "@$a.output\ndef f(): pass", "decorator"},
		{"WFC503", "import $a.output", "a name"},
		{"WFC503", "from $a.output import x", "a name"},
		{"WFC503", "def $a.output(): pass", "a name"},
		{"WFC503", "for $a.output in x: pass", "a name"},
		{"WFC503", "f($a.output=1)", "argument"},
		{"WFC503", "$a.output = 1", "an assignment"},
		{"WFC503", "$a.output.strip()", "function"},
		{"WFC503", "x = y$a.output", "part of a name"},
		{"WFC504", "$a.output", "whole statement"},
		{"WFC504", "x = 1\n$a.output # run\ny = 2", "whole statement"},
		{"WFC504", "if x: $a.output", "whole statement"},
		{"WFC510", "eval('$a.output')", "`eval`"},
		{"WFC510", "exec($a.output)", "`exec`"},
		{"WFC510", "import os\nos.system(f'ls {x} $a.output')", "shell of `os.system`"},
		{"WFC510", "subprocess.run('ls $a.output', check=True, shell=True)", "shell of `subprocess.run`"},
		{"WFC510", "subprocess.check_output(args='ls $a.output', shell=True)", "shell of"},
		{"WFC510", "subprocess.getoutput('ls $a.output')", "shell of"},
		{"WFC510", "subprocess.run(['bash', '-c', 'ls $a.output'])", "`bash`"},
		{"WFC510", "await asyncio.create_subprocess_shell('ls $a.output')", "shell of"},
		{"WFC510", "importlib.import_module('$a.output')", "import_module"},
		{"WFC510", "cmd: str = 'ls ' + '$a.output'\nos.system(cmd)", "`cmd` contains"},
		{"WFC510", "import json\ndata = json.loads('''$a.output''')\nos.system('ls ' + data['dir'])", "`data` contains"},
		{"WFC556", "print('%s $a.output' % x)", "`%` formats"},
		{"WFC556", "print(('{} '\n '$a.output').format(x))", "`.format` formats"},
		{"", "subprocess.run(['ls', '--', '$a.output'])", ""},
		{"", "subprocess.run(['ls', '$a.output'], shell=False)", ""},
		{"", "re.compile('$a.output')\nmodel.eval('$a.output')", ""},
		{"", "cursor.execute('SELECT * FROM t WHERE n = ?', ('$a.output',))", ""},
		{"", "n = len('$a.output')\nos.system('seq ' + str(n))", ""},
		{"", "case = '$a.output'\ncase_2: str = '$a.output'", ""},
		{"", "match $a.output:\n  case _ if '$a.output' == 'x':\n    pass\n  case x: y = '$a.output'", ""},
		{"", "x = 1\n'a comment with $a.output'\ny = 2", ""},
		{"", "'%s' % '$a.output'\nraise ValueError('x') from $a.output", ""},
		{"", "def f(x: '$a.output' = 1, *, y='$a.output') -> None: return x['$a.output':$a.output]", ""},
		{"", "# it's $a.output\nprint('$a.output') # '$a.output", ""},
		{"WFC950", `f('\$a.output')`, "makes it literal text"},
	},
}

func TestRefusals(t *testing.T) {
	for lang, list := range refused {
		for _, test := range list {
			code, src, message := test[0], test[1], test[2]
			out, found := rewriteText(lang, src)
			if code == "" {
				if len(found) > 0 || out == nil {
					t.Errorf("%s\n%s at %q: %s", src, found[0].Code, found[0].Span.Text(), found[0].Message)
				}
				continue
			}
			if len(found) != 1 || found[0].Code.ID != code || !regexp.MustCompile(message).MatchString(found[0].Message) {
				t.Errorf("%s\nwant %s %q, got %d findings", src, code, message, len(found))
				for _, d := range found {
					t.Errorf("\t%s at %q: %s", d.Code, d.Span.Text(), d.Message)
				}
				continue
			}
			if place := found[0].Span.Text(); !strings.Contains(place, "$a.output") && code != "WFC510" && !strings.Contains(place, "$b.output") {
				t.Errorf("%s\nreported at %q", src, place)
			}
			if (out == nil) != (code != "WFC950") {
				t.Errorf("%s\nresult %v", src, out)
			}
		}
	}
}

// TestComments leaves holes that nothing reads as they are, without bindings.
func TestComments(t *testing.T) {
	for lang, src := range map[Language]string{
		JavaScript: "#! $a.output\n// $a.output\n/* $a.output\n$a.output */ f(1) // '$a.output",
		Python:     "# $a.output\nf(1) # '$a.output\n\"\"\"a $a.output\"\"\"\n",
	} {
		if out := mustRewrite(t, lang, src); out.Text != src || len(out.Bindings) > 0 {
			t.Errorf("%s\nbecame %s with %v", src, out.Text, out.Bindings)
		}
	}
}

func TestNames(t *testing.T) {
	out := mustRewrite(t, Python, "wfc_a_output = '$a.output' '$a.output'\nprint($a.output, '$a.output.x', 'wfc_a_output_value')")
	want := "wfc_a_output = f'{wfc_a_output_2}' f'{wfc_a_output_2}'\nprint(wfc_a_output_value_2, f'{wfc_a_output_x}', 'wfc_a_output_value')"
	if out.Text != want {
		t.Errorf("got  %s\nwant %s", out.Text, want)
	}
	if b := out.Bindings; len(b) != 3 || b[0] != (bind.Binding{Name: "wfc_a_output_2"}) || b[1] != (bind.Binding{Name: "wfc_a_output_value_2", Hole: 2, Literal: true}) || b[2] != (bind.Binding{Name: "wfc_a_output_x", Hole: 3}) {
		t.Errorf("bindings %v", b)
	}
}

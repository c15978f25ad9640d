package script

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// TestComputedPrograms judges the arguments of a program that the script computes from
// fixed strings for each of them.
func TestComputedPrograms(t *testing.T) {
	const js = "import { spawnSync } from 'node:child_process'\nimport { join } from 'node:path'\nconst v = `$a.output`\nconst on = process.platform === 'win32'\n"
	const py = "import subprocess, os, sys\nv = '''$a.output'''\n"
	for _, c := range []struct {
		lang   Language
		src    string
		refuse bool
	}{
		{JavaScript, js + "spawnSync(on ? 'cmd' : 'sh', ['-c', v])", true},
		{JavaScript, js + "const p = on ? 'cmd' : 'sh'\nspawnSync(p, ['-c', v])", true},
		{JavaScript, js + "const p = process.env.SHELL ?? 'bash'\nspawnSync(p, ['-c', v])", true},
		{JavaScript, js + "let p = 'git'\nif (on) p = 'sh'\nspawnSync(p, ['-c', v])", true},
		{JavaScript, js + "spawnSync(`${process.env.BIN}/bash`, ['-c', v])", true},
		{JavaScript, js + "spawnSync(['git', 'sh'][1], ['-c', v])", true},
		{JavaScript, js + "spawnSync(on ? 'git.exe' : 'git', ['-c', v])", false},
		{JavaScript, js + "spawnSync(on ? 'git.exe' : 'git', ['commit', '-m', v])", false},
		{JavaScript, js + "spawnSync(join('tools', 'report'), ['-c', v])", false},
		{JavaScript, js + "spawnSync(`${process.env.BIN}/report`, [v])", false},
		{Python, py + "subprocess.run(['cmd' if os.name == 'nt' else 'sh', '-c', v])", true},
		{Python, py + "subprocess.run([os.path.join('tools', 'report'), '-c', v])", false},
	} {
		if _, found := rewriteText(c.lang, c.src); diag.HasErrors(found) != c.refuse {
			t.Errorf("refused %v, want %v:\n%s", !c.refuse, c.refuse, c.src)
			for _, d := range found {
				t.Logf("%s at %q: %s", d.Code, d.Span.Text(), d.Message)
			}
		}
	}
}

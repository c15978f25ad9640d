package script

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// TestLoops judges each round of a loop over a written list on its own.
func TestLoops(t *testing.T) {
	const js = "import { spawnSync, execFileSync } from 'node:child_process'\nconst dir = process.argv[2]\nconst v = `$a.output`\n"
	const py = "import subprocess, sys\nv = '''$a.output'''\n"
	for _, c := range []struct {
		lang   Language
		src    string
		refuse bool
	}{
		{JavaScript, js + "for (const args of [['-C', dir, 'add', 'x'], ['commit', '-m', `to ${v}`]]) { const r = spawnSync('git', args, { stdio: 'inherit' }); console.error(`git ${args.slice(2).join(' ')} ${args[0]}`) }", false},
		{JavaScript, js + "for (const args of [['add', 'x'], ['commit', '-m', v]] as const) spawnSync('git', [...args])", false},
		{JavaScript, js + "const steps = [['add', 'x'], ['commit', '-m', v]]\nfor (const args of steps) { console.log(args, steps.length); execFileSync('git', ['-C', dir, ...args]) }", false},
		{JavaScript, js + "for (const cmd of [['git', 'commit', '-m', v], ['echo', v]]) Bun.spawnSync(cmd)", false},
		{JavaScript, js + "for (const prog of ['git', 'gh']) spawnSync(prog, ['status', v])", false},
		{Python, py + "for args in [['add', 'x'], ['commit', '-m', v]]:\n    subprocess.run(['git', *args], check=True)\n    print(args[0], ' '.join(args))", false},
		{Python, py + "for cmd in (['git', 'commit', '-m', v], ['echo', v]):\n    subprocess.run(cmd)", false},

		// a shell, a program or an option that runs code
		{JavaScript, js + "for (const args of [['add', 'x'], ['commit', '-m', v]]) spawnSync('git', args, { shell: true })", true},
		{JavaScript, js + "for (const args of [['add', 'x'], ['commit', '-m', v]]) spawnSync('git', args, opts)\nvar opts = { shell: true }", true},
		{JavaScript, js + "for (const args of [['add', v]]) spawnSync(v, args)", true},
		{JavaScript, js + "for (const cmd of [['git', 'status'], ['bash', '-c', v]]) Bun.spawnSync([...cmd])", true},
		{JavaScript, js + "for (const prog of ['git', 'sh']) spawnSync(prog, ['-c', v])", true},
		{Python, py + "for cmd in [['git', 'commit', '-m', v], ['sh', '-c', v]]:\n    subprocess.run(cmd)", true},
		{Python, py + "for args in [['add', 'x'], ['commit', '-m', v]]:\n    subprocess.run(['git', *args], shell=True)", true},
	} {
		if _, found := rewriteText(c.lang, c.src); diag.HasErrors(found) != c.refuse {
			t.Errorf("refused %v, want %v:\n%s", !c.refuse, c.refuse, c.src)
			for _, d := range found {
				t.Logf("%s at %q: %s", d.Code, d.Span.Text(), d.Message)
			}
		}
	}
}

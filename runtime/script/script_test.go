//go:build unix

package script_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/script"
)

// bench is a place to perform scripts in, with a PATH of its own.
type bench struct {
	t              testing.TB
	dir, work, bin string
	environ        []string
	logged         *strings.Builder
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, dir: t.TempDir(), work: t.TempDir(), bin: t.TempDir(), logged: &strings.Builder{}}
	b.environ = append(os.Environ(), "PATH="+b.bin+":/usr/bin:/bin", "XDG_CACHE_HOME="+t.TempDir(), "WFC_CACHE=", "NODE_PATH=",
		"PYTHONDONTWRITEBYTECODE=1", "LC_ALL=C.UTF-8")
	return b
}

// withBun puts bun on PATH, or skips the test.
func withBun(t testing.TB) *bench {
	t.Helper()
	path := os.Getenv("WFC_TEST_BUN")
	if path == "" {
		found, err := exec.LookPath("bun")
		if err != nil {
			t.Skip("there is no bun on PATH and WFC_TEST_BUN names none")
		}
		path = found
	}
	b := newBench(t)
	if err := os.Symlink(path, filepath.Join(b.bin, "bun")); err != nil {
		t.Fatal(err)
	}
	return b
}

// withUV puts a program in uv's place that notes its arguments and starts what
// uv would: python, or a file by python.
func withUV(t testing.TB) *bench {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 on PATH")
	}
	b := newBench(t)
	b.file(filepath.Join(b.bin, "uv"), `#!/bin/sh
printf '%s\n' "$@" >"`+b.bin+`/argv"
[ "$1" = run ] || exit 97
shift
while [ "$1" = --with ]; do shift 2; done
[ "$1" = python ] && shift
exec `+executable(t, python)+` "$@"
`)
	return b
}

// executable is the real interpreter, and not a wrapper that needs more of PATH.
func executable(t testing.TB, python string) string {
	out, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// withPython puts python3 on PATH.
func withPython(t testing.TB) *bench {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 on PATH")
	}
	b := newBench(t)
	b.file(filepath.Join(b.bin, "python3"), "#!/bin/sh\nexec "+executable(t, python)+" \"$@\"\n")
	return b
}

func (b *bench) file(path, content string) {
	b.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.work, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) perform(s flow.Script, timeout time.Duration) flow.Result {
	return script.Performer{}.Perform(context.Background(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-abc123", WorkDir: b.work}, Action: flow.Action{Key: "x#2", Payload: s, Timeout: timeout},
		Number: 1, RunDir: b.dir, Environ: b.environ, Log: slog.New(slog.NewTextHandler(b.logged, nil)),
	})
}

func (b *bench) output(s flow.Script) string {
	b.t.Helper()
	r := b.perform(s, 0)
	if r.Status != flow.Completed {
		b.t.Fatalf("%s: %+v", r.Status, r.Failure)
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, "bindings", "*")); len(left) > 0 {
		b.t.Errorf("left behind: %v", left)
	}
	return r.Text
}

func (b *bench) message(s flow.Script) string {
	b.t.Helper()
	r := b.perform(s, 0)
	if r.Status != flow.Failed {
		b.t.Fatalf("%s with %q, want a failure", r.Status, r.Text)
	}
	return r.Failure.Message
}

// literals are texts and what they are as JSON when read as a literal.
var literals = map[string][][2]string{
	"bun": {
		{`42`, `42`}, {` -1.5e3 `, `-1500`}, {`0x1F`, `31`}, {`1_000`, `1000`}, {`007`, `"007"`}, {`.5`, `0.5`}, {`5.`, `5`},
		{`true`, `true`}, {`null`, `null`}, {`"a\"b"`, `"a\"b"`}, {`'it\'s \x41\u{1F600}\n'`, `"it's A😀\n"`}, {"`a\nb`", `"a\nb"`}, {"`a${1}`", "\"`a${1}`\""},
		{`{a: 1, 'b c': [2, -3,], "d": {}}`, `{"a":1,"b c":[2,-3],"d":{}}`}, {`{"a": [true, null]}`, `{"a":[true,null]}`},
		{`{"__proto__": {"x": 1}}`, `{"__proto__":{"x":1}}`}, {`process.exit(3)`, `"process.exit(3)"`}, {`[1, process]`, `"[1, process]"`},
		{``, `""`}, {`plain text`, `"plain text"`}, {`2024-01-02`, `"2024-01-02"`}, {`1 2`, `"1 2"`}, {`[1,,2]`, `"[1,,2]"`}, {`'a`, `"'a"`}, {`{a}`, `"{a}"`},
	},
	"uv": {
		{`42`, `42`}, {`-1.5e3`, `-1500.0`}, {`0x1F`, `31`}, {`007`, `"007"`}, {`True`, `true`}, {`true`, `true`}, {`None`, `null`}, {`null`, `null`},
		{`"a\"b"`, `"a\"b"`}, {`'it\'s'`, `"it's"`}, {`(1, 2)`, `[1, 2]`}, {`{'a': [1, None]}`, `{"a": [1, null]}`}, {`{"a": [true, null]}`, `{"a": [true, null]}`},
		{`__import__('os').system('touch pwned')`, `"__import__('os').system('touch pwned')"`},
		{``, `""`}, {`plain text`, `"plain text"`}, {`...`, `"..."`}, {`'\q'`, `"\\q"`}, {strings.Repeat("(", 3000), `"` + strings.Repeat("(", 3000) + `"`},
	},
}

func TestValuesReadAsLiterals(t *testing.T) {
	for runtime, bench := range map[string]func(testing.TB) *bench{"bun": withBun, "uv": withUV, "python": withPython} {
		t.Run(runtime, func(t *testing.T) {
			b := bench(t)
			list := literals[runtime]
			if runtime == "python" {
				list = literals["uv"]
			}
			s := flow.Script{Runtime: runtime, Source: "import builtins, json\nfor n in range(COUNT): print(json.dumps(getattr(builtins, 'wfc_%d' % n), ensure_ascii=False))"}
			if runtime == "bun" {
				s.Source = "for (let n = 0; n < COUNT; n++) console.log(JSON.stringify(globalThis['wfc_' + n]))"
			}
			s.Source = strings.ReplaceAll(s.Source, "COUNT", itoa(len(list)))
			for i, l := range list {
				s.Bindings = append(s.Bindings, flow.Binding{Name: "wfc_" + itoa(i), Value: l[0], Literal: true})
			}
			got := strings.Split(b.output(s), "\n")
			for i, l := range list {
				if i >= len(got) || got[i] != l[1] {
					t.Errorf("%.50q is %s, want %s", l[0], got[min(i, len(got)-1)], l[1])
				}
			}
			if _, err := os.Stat(filepath.Join(b.work, "pwned")); err == nil {
				t.Error("a value was executed")
			}
		})
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// TestValuesAsText hands over texts unchanged, also long ones, to short and
// long scripts, which do not see each other's surroundings.
func TestValuesAsText(t *testing.T) {
	values := []string{"'; touch pwned; \"$(touch pwned)\" \\", "\x00\n\r\n\u2028\n\n", strings.Repeat("é`${1}\n", 60<<10), "42"}
	for runtime, bench := range map[string]func(testing.TB) *bench{"bun": withBun, "uv": withUV, "python": withPython} {
		for _, padding := range []int{0, 200 << 10} {
			b := bench(t)
			s := flow.Script{Runtime: runtime, Source: "import sys, json\nsys.stdout.write(json.dumps([v0, v1, v2, v3]))\n#" + strings.Repeat("p", padding)}
			if runtime == "bun" {
				s.Source = "process.stdout.write(JSON.stringify([v0, v1, v2, v3]))\n//" + strings.Repeat("p", padding)
			}
			for i, v := range values {
				s.Bindings = append(s.Bindings, flow.Binding{Name: "v" + itoa(i), Value: v})
			}
			var got []string
			if err := json.Unmarshal([]byte(b.output(s)), &got); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if got[i] != v {
					t.Errorf("%s: %.40q became %.40q", runtime, v, got[i])
				}
			}
		}
	}
}

func TestBun(t *testing.T) {
	b := withBun(t)
	b.file("lib/util.ts", "export const u: string = 'util'")
	b.file(".env", "FROM_FILE=1")
	b.file("package.json", "{}")
	for source, want := range map[string]string{
		"import { u } from './lib/util.ts'\nconst n: number = await Promise.resolve(3)\nconsole.log(u, n)":         "util 3",
		"#!/usr/bin/env bun\n'use strict'\nconsole.log(process.env.FROM_FILE, process.env.E, process.argv.length)": "undefined env 1",
		"process.stdout.write('a\\n\\n')":                                                "a\n",
		"console.log(require('fs').readFileSync(0).length, process.env.WFC_STEP_KEY, v)": "0 x#2 V",
	} {
		if got := b.output(flow.Script{Runtime: "bun", Source: source, Env: []flow.Variable{{Name: "E", Value: "env"}}, Bindings: []flow.Binding{{Name: "v", Value: "V"}}}); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", source, got, want)
		}
	}
	got := b.message(flow.Script{Runtime: "bun", Source: "let a = 1\n\nthrow new Error('boom ' + v)", Bindings: []flow.Binding{{Name: "v", Value: "V"}}})
	if !strings.HasPrefix(got, "Script node 'x#2' failed [exit 1]: ") || !strings.Contains(got, "boom V") || !strings.Contains(got, "[eval]:3:") {
		t.Errorf("message %q", got)
	}
}

func TestBunPackages(t *testing.T) {
	b := withBun(t)
	b.file("dep/package.json", `{"name": "mydep", "version": "1.0.0", "main": "i.js"}`)
	b.file("dep/i.js", "module.exports = 'first'")
	s := flow.Script{Runtime: "bun", Source: "import d from 'mydep'\nconsole.log(d)", Deps: []string{"./dep"}}
	if got := b.output(s); got != "first" {
		t.Errorf("got %q", got)
	}
	b.file("dep/i.js", "module.exports = 'second'")
	if got := b.output(s); got != "second" {
		t.Errorf("after a change: got %q", got)
	}
	if _, err := os.Stat(filepath.Join(b.work, "node_modules")); err == nil {
		t.Error("packages were installed into the working directory")
	}
	s.Deps = []string{"./nowhere"}
	if got := b.message(s); !strings.Contains(got, "failed before it started: bun cannot install ") {
		t.Errorf("message %q", got)
	}
	s.Deps = []string{"--cwd=/"}
	if got := b.message(s); !strings.Contains(got, "`--cwd=/` in `deps` is not the name of a package") {
		t.Errorf("message %q", got)
	}
}

// TestPackageCache installs packages of the registry once, with a program in
// bun's place that counts.
func TestPackageCache(t *testing.T) {
	b := newBench(t)
	b.file(filepath.Join(b.bin, "bun"), "#!/bin/sh\nif [ \"$1\" = add ]; then shift; echo \"$*\" >>\""+b.bin+"/added\"; mkdir node_modules; else echo \"$NODE_PATH\"; fi\n")
	first := b.output(flow.Script{Runtime: "bun", Source: "1", Deps: []string{"b@2", "a"}})
	second := b.output(flow.Script{Runtime: "bun", Source: "2", Deps: []string{"a", "b@2"}})
	other := b.output(flow.Script{Runtime: "bun", Source: "2", Deps: []string{"a"}})
	if first != second || first == other || filepath.Base(first) != "node_modules" {
		t.Errorf("modules in %s, %s, %s", first, second, other)
	}
	if added, _ := os.ReadFile(filepath.Join(b.bin, "added")); string(added) != "a b@2\na\n" {
		t.Errorf("added %q", added)
	}
}

func TestUV(t *testing.T) {
	b := withUV(t)
	b.file("helper.py", "h = 'helped'")
	for source, want := range map[string]string{
		"from __future__ import annotations\nimport sys, helper\nprint(helper.h, sys.argv, __name__)": "helped ['-c'] __main__",
		"# -*- coding: latin-1 -*-\nprint('é', v)":                                                    "é V",
		"'doc'\nprint(__doc__, sorted(n for n in globals() if n[0] != '_'))":                          "doc []",
		"def f():\n  return [v for _ in 'a']\nclass C: x = v\nprint(f(), C.x)":                        "['V'] V",
		"import os, sys\nprint(os.environ['E'], len(sys.stdin.read()), end='\\n\\n')":                 "env 0\n",
	} {
		if got := b.output(flow.Script{Runtime: "uv", Source: source, Deps: []string{"rich", "a>=2"}, Env: []flow.Variable{{Name: "E", Value: "env"}}, Bindings: []flow.Binding{{Name: "v", Value: "V"}}}); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", source, got, want)
		}
	}
	if argv, _ := os.ReadFile(filepath.Join(b.bin, "argv")); !strings.HasPrefix(string(argv), "run\n--with\nrich\n--with\na>=2\npython\n-c\n") {
		t.Errorf("uv was given %.80q", argv)
	}
	for source, want := range map[string]string{
		"x = 1\n\nraise ValueError('boom')": "line 3, in <module>\n    raise ValueError('boom')\nValueError: boom",
		"x = 1\ny = = 2":                    "line 2\n    y = = 2",
	} {
		got := b.message(flow.Script{Runtime: "uv", Source: source})
		if !strings.HasPrefix(got, "Script node 'x#2' failed [exit 1]: ") || !strings.Contains(got, want) || strings.Contains(got, "<string>") {
			t.Errorf("message %q", got)
		}
	}
	if got := b.message(flow.Script{Runtime: "uv", Source: "import sys; sys.exit(7)"}); got != "Script node 'x#2' failed [exit 7]: no diagnostic output" {
		t.Errorf("message %q", got)
	}
}

// TestNamedScripts run where they stand, with what stands beside them, as long
// as they are what was built in; else from a copy.
func TestNamedScripts(t *testing.T) {
	for runtime, test := range map[string]struct {
		bench              func(testing.TB) *bench
		name, beside, text string
	}{
		"bun": {withBun, "hello.ts", "export const u = 'beside'", "let u: string = 'alone'\ntry { u = (await import('./util')).u } catch {}\nconsole.log(u)"},
		"uv":  {withUV, "hello.py", "u = 'beside'", "try:\n  from util import u\nexcept ImportError:\n  u = 'alone'\nprint(u)"},
	} {
		t.Run(runtime, func(t *testing.T) {
			s := flow.Script{Runtime: runtime, Name: test.name, Source: test.text}
			ending := filepath.Ext(test.name)
			b := test.bench(t)
			if got := b.output(s); got != "alone" {
				t.Errorf("without the file: %q", got)
			}
			b.file(".archon/scripts/sub/util"+ending, test.beside)
			b.file(".archon/scripts/sub/"+test.name, test.text)
			if got := b.output(s); got != "beside" {
				t.Errorf("in its place: %q", got)
			}
			b.file(".archon/scripts/sub/"+test.name, test.text+"\n"+test.text)
			if got := b.output(s); got != "alone" {
				t.Errorf("changed since: %q", got)
			}
		})
	}
}

// A script whose name has a folder runs only from there, beside what it imports: another
// one with the same text may import something else.
func TestNamedScriptsOfPackages(t *testing.T) {
	b := withBun(t)
	const text = "console.log((await import('../../.shared/m.js').catch(() => ({u: 'alone'}))).u)"
	home := t.TempDir()
	t.Setenv("HOME", home)
	b.file(filepath.Join(home, ".archon/workflows/one/w/scripts/show.js"), text)
	b.file(filepath.Join(home, ".archon/workflows/one/.shared/m.js"), "export const u = 'home'")
	for _, pack := range []string{"one", "two"} {
		b.file(".archon/workflows/"+pack+"/w/scripts/show.js", text)
		b.file(".archon/workflows/"+pack+"/.shared/m.js", "export const u = '"+pack+"'")
	}
	for name, want := range map[string]string{
		".archon/workflows/one/w/scripts/show.js": "one", ".archon/workflows/two/w/scripts/show.js": "two",
		".archon/workflows/three/w/scripts/show.js": "alone", "../two/w/scripts/show.js": "alone",
		"~/.archon/workflows/one/w/scripts/show.js": "home", "~/.archon/workflows/two/w/scripts/show.js": "alone",
		"~/../" + filepath.Base(home) + "/.archon/workflows/one/w/scripts/show.js": "alone",
	} {
		if got := b.output(flow.Script{Runtime: "bun", Name: name, Source: text}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFailures(t *testing.T) {
	b := newBench(t)
	b.environ = append(b.environ, "PATH="+b.bin)
	for want, s := range map[string]flow.Script{
		"Script node 'x#2' failed before it started: bun is not on PATH; install it as https://bun.sh says, or set PATH so that it is found":           {Runtime: "bun", Source: "1"},
		"Script node 'x#2' failed before it started: uv is not on PATH; install it as https://docs.astral.sh/uv says, or set PATH so that it is found": {Runtime: "uv", Source: "1"},
		"Script node 'x#2' failed before it started: unknown runtime `deno`: use one of `bun`, `python`, `uv`":                                         {Runtime: "deno", Source: "1"},
		"Script node 'x#2' failed before it started: python3 is not on PATH; install Python 3, or set PATH so that it is found":                        {Runtime: "python", Source: "1"},
	} {
		if got := b.message(s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestTimeout(t *testing.T) {
	b := withUV(t)
	r := b.perform(flow.Script{Runtime: "uv", Source: "import time\nwhile True: time.sleep(60)"}, 300*time.Millisecond)
	if r.Status != flow.Failed || r.Failure.Message != "Script node 'x#2' timed out after 300ms" {
		t.Errorf("%s: %+v", r.Status, r.Failure)
	}
	b = newBench(t)
	b.file(filepath.Join(b.bin, "bun"), "#!/bin/sh\nexec sleep 60\n")
	r = b.perform(flow.Script{Runtime: "bun", Source: "1", Deps: []string{"a"}}, 300*time.Millisecond)
	if r.Status != flow.Failed || r.Failure.Message != "Script node 'x#2' timed out after 300ms" {
		t.Errorf("while installing: %s: %+v", r.Status, r.Failure)
	}
}

func TestLongVariables(t *testing.T) {
	b := withUV(t)
	got := b.output(flow.Script{Runtime: "uv", Source: "import os; print('LONG' in os.environ)", Env: []flow.Variable{{Name: "LONG", Value: strings.Repeat("x", 200<<10)}}})
	if got != "False" || !strings.Contains(b.logged.String(), "variable=LONG") {
		t.Errorf("got %s; logged %s", got, b.logged)
	}
}

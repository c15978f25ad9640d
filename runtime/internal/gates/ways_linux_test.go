package gates_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// started is what a process is told that the run has started.
const started = `refused: this process was started by run self-`

// clean begins a program in an environment that says nothing of a run.
const clean = `clean() { env -i PATH="$PATH" WFC_STATE="$WFC_STATE" "$@"; }; `

// later waits until nobody works on the run, and then does something; it is for
// processes that outlive the run's process.
const later = `later='while kill -0 "$2" 2>/dev/null; do sleep 0.05; done; cd "$0" && { eval "$4"; } >"$0/said" 2>&1; mv "$0/said" "$0/late"'; `

// ways are ways in which a run may try to answer itself. What a way prints goes to
// the file `said`; a late one makes the file `late` itself, when the run's process
// has ended.
var ways = []struct {
	name, script string
	// late says that the way waits until the run's process has ended.
	late bool
	// needs are programs without which it cannot be tried.
	needs []string
	// want is a pattern of what it prints, if it lives long enough, or "" if it does not
	// live until then.
	want string
}{
	{name: "approve", script: `self approve "$run"`, want: started},
	{name: "reject", script: `self reject "$run"`, want: started},
	{name: "answer", script: `self answer "$run" --choice approve`, want: started},
	{name: "respond", script: `self respond "$run" approve`, want: started},
	{name: "wake", script: `self wake "$run" --node gate`, want: started},
	{name: "answer with a file from a pipe", script: `echo x | self answer "$run" --edit -`, want: started},
	{name: "words from a pipe", script: `yes approve | head -n 100 | self approve "$run"`, want: started},
	{name: "without the variable", script: `env -u WFC_RUN_ID -u WFC_STEP_KEY self approve "$run"`, want: started},
	{name: "in place of the shell", script: `(unset WFC_RUN_ID WFC_STEP_KEY; exec self approve "$run")`, want: started},
	{name: "as of another run", script: `WFC_RUN_ID=self-zzzzzz self approve "$run"`, want: started},
	{name: "with an emptied environment", script: `clean self approve "$run"`, want: started},
	{name: "nohup with an emptied environment", script: `clean nohup self approve "$run" </dev/null & wait`, needs: []string{"nohup"}, want: started},
	{name: "a session of its own", script: `clean setsid -w self approve "$run"`, needs: []string{"setsid"}, want: started},
	{name: "a daemon", script: `clean setsid sh -c 'sh -c "sleep 0.2; self approve \"$0\" >said.d 2>&1; mv said.d late" "$0" &' "$run"; while ! [ -e late ]; do sleep 0.05; done; cat late`,
		needs: []string{"setsid"}, want: started},
	{name: "a daemon that waits until the run has paused", late: true, needs: []string{"setsid"},
		script: later + `clean setsid sh -c 'sh -c "$4" "$@" &' "$PWD" "$PWD" "$run" "$holder" "$later" 'self approve "$1"' </dev/null >/dev/null 2>&1`},
	{name: "a daemon that resumes at a terminal of its own", late: true, needs: []string{"setsid", "script"},
		script: later + `clean setsid sh -c 'sh -c "$4" "$@" &' "$PWD" "$PWD" "$run" "$holder" "$later" 'yes a | head -n 50 | script -qec "self resume $1" /dev/null' </dev/null >/dev/null 2>&1`},
	{name: "after the run's process was killed", late: true,
		script: `trap '' TERM HUP; (kill -9 "$holder"; sleep 0.3; clean self approve "$run" >said.d 2>&1; mv said.d late) </dev/null >/dev/null 2>&1`, want: started + `|^Terminated\n$`}, // by its watcher
	{name: "a PID namespace", script: `clean unshare -p -f self approve "$run"`, needs: []string{"unshare"}, want: started + `|refused: process [0-9]+ on .* in another PID namespace`},
	{name: "a PID namespace with its own /proc", script: `clean unshare -p -f --mount-proc self approve "$run"`, needs: []string{"unshare"}, want: `in another PID namespace`},
	{name: "a user's PID namespace", script: `clean unshare -U -r -p -f --mount-proc self approve "$run"`, needs: []string{"unshare"}, want: `in another PID namespace`},
	{name: "a PID namespace that waits until the run has paused", late: true, needs: []string{"unshare", "setsid"},
		script: later + `clean setsid unshare -p -f --mount-proc sh -c 'while [ -d "$1/state" ] && ! self list --status paused | grep -q "$2"; do sleep 0.05; done; cd "$1"; self approve "$2" >said.d 2>&1; mv said.d late' sh "$PWD" "$run" </dev/null >/dev/null 2>&1 &`},
	{name: "without /proc", script: `clean unshare -m sh -c 'mount -t tmpfs none /proc && self approve "$0"' "$run"`, needs: []string{"unshare", "mount"}, want: `refused: /proc does not show this process`},
	{name: "a user's PID namespace that waits until the run has paused", late: true, needs: []string{"unshare", "setsid"},
		script: later + `clean setsid unshare -U -r -p -f --mount-proc sh -c 'while [ -d "$1/state" ] && ! self list --status paused | grep -q "$2"; do sleep 0.05; done; cd "$1"; self approve "$2" >said.d 2>&1; mv said.d late' sh "$PWD" "$run" </dev/null >/dev/null 2>&1 &`},
	{name: "a user's mount without /proc", script: `clean unshare -U -r -m sh -c 'mount -t tmpfs none /proc && self approve "$0"' "$run"`, needs: []string{"unshare", "mount"}, want: `refused: /proc does not show this process`},
	{name: "a forged parent", script: `clean unshare -U -r -m sh -c 'mount --bind /proc/1/stat /proc/$$/stat && self approve "$0"; true' "$run"`, needs: []string{"unshare", "mount"}, want: `refused: /proc does not show this process`},
	{name: "a forged file of the parent", script: `clean unshare -U -r -m sh -c 'sed "s/^\([0-9]* ([^)]*) .\) [0-9]*/\1 1/" /proc/$$/stat >stat; mount --bind stat /proc/$$/stat && self approve "$0"; true' "$run"`, needs: []string{"unshare", "mount"}, want: started + `|refused: /proc does not show this process`},
	{name: "a terminal of its own", script: `clean script -qec "self approve $run" /dev/null </dev/null`, needs: []string{"script"}, want: started},
	{name: "resume", script: `self resume "$run" --force --quiet </dev/null`, want: `works on run`},
	{name: "a later run", script: `rm try; self run --quiet </dev/null >/dev/null 2>&1; printf 'env -i PATH="$PATH" WFC_STATE="$WFC_STATE" self approve "%s" >said2 2>&1' "$run" >try; self run --quiet </dev/null >/dev/null 2>&1; cat said2`, want: `refused: this process was started by run self-`},
	{name: "an MCP client", script: `{ printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"workflow_approve","arguments":{"run_id":"'"$run"'"}}}'; until grep -q '"id":2' answers; do sleep 0.02; done; } | self mcp 2>/dev/null >answers; cat answers`,
		want: `unknown tool`},
}

func TestARunDoesNotAnswerItself(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range w.needs {
				if _, err := exec.LookPath(name); err != nil {
					t.Skipf("%s is not installed", name)
				}
			}
			if strings.Contains(w.script, "unshare ") {
				mayUnshare(t, w.script)
			}
			h := newHome(t)
			alive := h.lifeline()
			if w.late {
				h.tries("exec 9>alive; " + clean + w.script)
			} else {
				h.tries(clean + "{ " + w.script + "\n} >said 2>&1 || true")
			}
			_, out := h.calls(nil, "self", "run")
			run := runID(out)
			said := ""
			if w.late {
				alive.ends()
				text, _ := os.ReadFile(h.path("late")) // it may have died before
				said = string(text)
			} else {
				said = h.await("said")
			}
			switch {
			case w.late && said == "": // it has ended before
			case w.want == "":
				t.Errorf("it has outlived the run, and says %q", said)
			case !regexp.MustCompile(w.want).MatchString(said):
				t.Errorf("it says %q, want %q; the run said %s", said, w.want, out)
			}
			h.unanswered("self", run)
		})
	}
}

// mayUnshare skips a test where the system makes no such namespaces.
func mayUnshare(t *testing.T, script string) {
	t.Helper()
	flags := regexp.MustCompile(`unshare ((-\S+ )+)`).FindStringSubmatch(script)
	args := append(strings.Fields(flags[1]), "true")
	if out, err := exec.Command("unshare", args...).CombinedOutput(); err != nil {
		t.Skipf("the system does not permit `unshare %s`: %s", strings.Join(args, " "), out)
	}
}

// Script nodes and agents do not answer either.
func TestOtherNodesDoNotAnswer(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const head = "#!/usr/bin/env python3\nimport os, subprocess, sys, time\nrun = os.environ['WFC_RUN_ID']\n" +
		"clean = {k: os.environ[k] for k in ('PATH', 'WFC_STATE')}\n" +
		"def answer(env):\n    r = subprocess.run(['self', 'approve', run], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)\n" +
		"    open('said.d', 'a').write(r.stdout + r.stderr)\n"
	const done = "os.rename('said.d', 'said')\nprint('done')\n"
	const daemon = "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        [os.close(n) for n in range(3)]\n        time.sleep(0.2)\n" +
		"        answer(clean)\n        os.rename('said.d', 'said')\n    os._exit(0)\nwhile not os.path.exists('said'): time.sleep(0.02)\nprint('done')\n"
	const terminal = "import pty\nif pty.fork()[0] == 0:\n    answer(clean)\n    os.rename('said.d', 'said')\n    os._exit(0)\n" +
		"while not os.path.exists('said'): time.sleep(0.02)\nprint('done')\n"
	for name, body := range map[string]string{
		"at once": "answer(None)\n" + done, "clean": "answer(clean)\n" + done, "as a daemon": daemon, "at a terminal of its own": terminal,
	} {
		for _, file := range []string{"try.py", "agent"} {
			t.Run(file+" "+name, func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				if err := os.WriteFile(h.path(file), []byte(head+body), 0o700); err != nil {
					t.Fatal(err)
				}
				_, out := h.calls(nil, "self", "run", "--skip-agent-check")
				if strings.Contains(out, "unknown flag") {
					_, out = h.calls(nil, "self", "run")
				}
				if said := h.await("said"); !strings.Contains(said, started) {
					t.Errorf("it says %q; the run said %s", said, out)
				}
				h.unanswered("self", runID(out))
			})
		}
	}
}

// A process of another run answers nothing either.
func TestAnotherRunDoesNotAnswer(t *testing.T) {
	h := newHome(t)
	_, out := h.calls(nil, "self", "run")
	first := runID(out)
	h.tries(clean + `clean self approve ` + first + ` >said 2>&1; self approve ` + first + ` >>said 2>&1`)
	h.calls(nil, "self", "run")
	// With an emptied environment it is its parents that tell.
	if said := h.await("said"); strings.Count(said, "and only a person answers the questions of run "+first) != 2 {
		t.Errorf("%s", said)
	}
	h.unanswered("self", first)
	// A person does.
	if code, out := h.calls(nil, "self", "approve", first); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
}

// What a child does to the terminal that the run was started from is no answer.
func TestChildrenDoNotTypeAtTheTerminal(t *testing.T) {
	const inject = `use strict; my ($tty) = @ARGV; open(my $f, "+<", $tty) or do { print "open: $!\n"; exit 0 };
		for my $c (split //, "a\n\n") { my $b = $c; ioctl($f, 0x5412, $b) or do { print "inject: $!\n"; exit 0 } } print "injected\n";`
	unprivileged := ""
	if administers() {
		unprivileged = "setpriv --bounding-set=-all --inh-caps=-all "
		if _, err := exec.LookPath("setpriv"); err != nil {
			t.Skip("this user administers the system, which lets it type at every terminal, and setpriv is not installed")
		}
	}
	for _, w := range []struct{ name, script, want string }{
		{"the controlling terminal", `echo a >/dev/tty`, `No such device or address`},
		{"reading the controlling terminal", `head -n 1 </dev/tty`, `No such device or address`},
		{"injecting into the controlling terminal", `perl -e "$inject" /dev/tty`, `open: No such device or address`},
		{"injecting into the terminal by its name", unprivileged + `perl -e "$inject" "$(readlink /proc/$holder/fd/0)"`, `(inject|open): `},
		{"writing to the run's input", `printf 'a\n\n' >/proc/$holder/fd/0`, ``},
		{"an open file of the shell that started the run", `printf 'a\n\n' >&7; perl -e 'open(my $f, "+<&=", 7) or print "no file 7\n"'`, `no file 7|Bad file descriptor`},
	} {
		t.Run(w.name, func(t *testing.T) {
			if strings.Contains(w.script, "perl ") {
				if _, err := exec.LookPath("perl"); err != nil {
					t.Skip("perl is not installed")
				}
			}
			h := newHome(t)
			h.tries("inject='" + inject + "'\nuntil [ -e begin ]; do sleep 0.02; done\n{ " + w.script + "\n} >said.d 2>&1; mv said.d said")
			s := h.sits(nil, "bash", "-c", "exec 7<>/dev/tty; exec self run")
			s.Sees(prompt)
			if err := os.WriteFile(h.path("begin"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if said := h.await("said"); !regexp.MustCompile(w.want).MatchString(said) {
				t.Errorf("it says %q, want %q", said, w.want)
			}
			s.Types("nonsense\n") // what was injected would have come before
			s.Sees(`please answer with one of these words(.|\n)*` + prompt)
			s.Types("\x04")
			s.Exits(3)
			h.unanswered("self", "latest")
		})
	}
}

// administers reports whether the kernel lets this process do everything.
func administers() bool {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	found := regexp.MustCompile(`(?m)^CapEff:\s*([0-9a-f]+)$`).FindSubmatch(text)
	if found == nil {
		return false
	}
	var bits uint64
	for _, c := range found[1] {
		bits = bits<<4 | uint64(strings.IndexByte("0123456789abcdef", c))
	}
	return bits&(1<<unix.CAP_SYS_ADMIN) != 0
}

package probes_test

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// A probe is an attack by the steps of a run. With the sandbox it fails; without it, it
// succeeds, or it would prove nothing.
type probe struct {
	name string
	// scripts are what the nodes do, by their ids. One that succeeds writes "won" to the file
	// proof.
	scripts map[string]string
	// program is the name of the program, "self" by default.
	program string
	// state is the state folder, "state" by default, and dir the folder of the run, "work" by
	// default.
	state, dir string
	setup      func(h *home)
	// won reports whether the attack has succeeded, if the file proof does not say so.
	won func(h *home) bool
	// gate says that something else than the sandbox holds the attack as well.
	gate  bool
	needs []string
}

// try is an attack of one step.
func try(script string) map[string]string { return map[string]string{"try": script} }

// plants is an attack that leaves something for a later step that the sandbox does not hold.
func plants(path, script string) map[string]string {
	return map[string]string{"try": script, "trusted": `[ -e ` + path + ` ] && grep -rq won ` + path + ` && echo won >proof`}
}

const (
	up     = `p=$PPID; while [ "$p" -gt 1 ]; do `
	parent = `; p=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$p/stat"); done 2>/dev/null; true`
	// forks is a daemon that is another process again and again, until the run has paused.
	forks = `i=0; while [ $i -lt 100 ]; do
i=$((i+1)); ./self status "$run" 2>/dev/null | grep -q paused && ./self approve "$run"
env -i PATH="$PATH" WFC_STATE="$WFC_STATE" HOME="$HOME" run="$run" setsid sh -c 'i=100; ./self approve "$run"' &
done`
)

var probes = []probe{
	// Files of people.
	{name: "read a key", scripts: try(`grep -q secret "$HOME/.ssh/id_ed25519" && echo won >proof`)},
	{name: "read a file outside", scripts: try(`grep -q secret "$D/outside/file" && echo won >proof`)},
	{name: "write a file outside", scripts: try(`echo won >"$D/outside/file"`), won: says("outside/file")},
	{name: "write the home folder", scripts: try(`echo won >"$HOME/.profile"`), won: says("home/.profile")},
	{name: "read a file that the shell left open", scripts: try(`grep -q secret <&7 && echo won >proof`)},

	// What belongs to wfc.
	{name: "read the states of runs", scripts: try(`[ -s "$WFC_STATE/runs.db" ] && echo won >proof`)},
	{name: "write the states of runs", scripts: try(`[ -e "$WFC_STATE" ] && echo won >"$WFC_STATE/forged"`), won: says("state/forged")},
	{name: "read states in the work tree", state: "work/state", scripts: try(`[ -s state/runs.db ] && echo won >proof`)},
	{name: "write states in the work tree", state: "work/state", scripts: try(`echo won >state/forged`), won: says("work/state/forged")},
	{name: "move states in the work tree", state: "work/sub/state", scripts: try(`mv sub sub2`), won: func(h *home) bool {
		return exists(h.path("work/sub2"))
	}},
	{name: "forge the log", scripts: try(`echo won >>"$WFC_STATE/runs/$run/log.jsonl"`), won: func(h *home) bool {
		_, out := h.calls(nil, "bash", "-c", `cat "$WFC_STATE"/runs/*/log.jsonl`)
		return strings.Contains(out, "won\n")
	}},
	{name: "the program that the run keeps", scripts: try(`for f in "$WFC_STATE"/builds/* "$WFC_STATE"/runs/*/executable; do if [ -e "$f" ]; then echo won >proof; fi; done`)},
	{name: "the folder of the run", scripts: try(`ls "$WFC_STATE/runs/$run/" | grep -q log && echo won >proof`)},

	// Other steps.
	{name: "the environment of a step beside", scripts: map[string]string{
		"beside": `SECRET_OF_STEP=won sh -c ': >ready; until [ -e over ]; do sleep 0.02; done'`,
		"try":    `until [ -e ready ]; do sleep 0.02; done; for p in /proc/[0-9]*; do tr '\0' '\n' <"$p/environ" 2>/dev/null | grep '^SECRET_OF_STEP=won' >>proof; done; : >over`,
	}},
	{name: "the arguments of a step beside", scripts: map[string]string{
		"beside": `sh -c ': >ready; until [ -e over ]; do sleep 0.02; done' argument-of-step`,
		"try":    `until [ -e ready ]; do sleep 0.02; done; for p in /proc/[0-9]*; do tr '\0' '\n' <"$p/cmdline" 2>/dev/null | grep -q '^argument-of-[s]tep' && echo won >>proof; done; : >over`,
	}},
	{name: "kill a step beside", scripts: map[string]string{
		"beside": `trap 'echo won >proof; exit' USR1; echo $$ >pid.new; mv pid.new pid; until [ -e over ]; do sleep 0.02; done; sleep 0.02`,
		"try":    `until [ -e pid ]; do sleep 0.02; done; kill -USR1 "$(cat pid)"; : >over`,
	}},
	{name: "kill the run", scripts: try(`[ "$PPID" -gt 0 ] && kill -0 "$PPID" && echo won >proof`)},
	{name: "files in /tmp for a later step", scripts: map[string]string{
		"try": `echo won >"/tmp/wfc-probe-$run"`, "later": `f="/tmp/wfc-probe-$run"; if [ -e "$f" ]; then cat "$f" >proof; rm "$f"; fi`,
	}},
	{name: "a cache of packages for a later step", scripts: map[string]string{
		"try": `echo won >"$HOME/.npm/package"`, "later": `grep won "$HOME/.npm/package" >proof`,
	}},
	{name: "a cache of packages for others", scripts: try(`echo won >"$HOME/.npm/package"`), won: says("home/.npm/package")},
	{name: "a link in the place of a granted folder", scripts: map[string]string{
		"try": `ln -s "$HOME/.ssh" given`, "later": `cat given/id_ed25519 "$HOME/.ssh/id_ed25519" | grep -q secret && echo won >proof`,
	}},
	{name: "a link in the place of a granted folder to read", scripts: map[string]string{
		"try": `ln -s "$HOME/.ssh" read`, "later": `cat read/id_ed25519 "$HOME/.ssh/id_ed25519" | grep -q secret && echo won >proof`,
	}},
	{name: "a link in the place of a private folder", scripts: map[string]string{
		"try": `ln -s "$HOME/.ssh" cache`, "later": `cat cache/id_ed25519 "$HOME/.ssh/id_ed25519" | grep -q secret && echo won >proof`,
	}},
	{name: "a link in the place of the run's folder", dir: "work/sub", scripts: try(`cd ..; mv sub sub2; ln -s "$D/outside" sub`),
		setup: func(h *home) {
			h.write("outside/later", `grep -q secret "$D/outside/file" && echo won >"$D/outside/proof"`)
		}, won: says("outside/proof")},
	{name: "a repository that leads elsewhere", setup: func(h *home) { _ = os.RemoveAll(h.path("work/.git")) }, scripts: map[string]string{
		"try": `mkdir -p evil/worktrees/x; echo "$D/home" >evil/worktrees/x/commondir; echo "$PWD/.git" >evil/worktrees/x/gitdir
echo "gitdir: $PWD/evil/worktrees/x" >.git`,
		"later": `grep -q secret "$HOME/.ssh/id_ed25519" && echo won >proof`,
	}},

	// What other programs execute later.
	{name: "a hook of git", scripts: plants(".git/hooks/pre-commit", `echo won >.git/hooks/pre-commit`)},
	{name: "a new hook of git", scripts: plants(".git/hooks/post-commit", `echo won >.git/hooks/post-commit`)},
	{name: "hooks of git in a folder that is moved", scripts: plants(".git/hooks", `mv .git .git2; mkdir -p .git/hooks; echo won >.git/hooks/pre-commit`)},
	{name: "new hooks of git", setup: func(h *home) { _ = os.RemoveAll(h.path("work/.git/hooks")) },
		scripts: plants(".git/hooks", `mkdir .git/hooks; echo won >.git/hooks/pre-commit`)},
	{name: "settings of git", scripts: plants(".git/config", `echo '# won' >.git/config`)},
	{name: "a repository for git", scripts: plants(".git/commondir", `echo ../won >.git/commondir`)},
	{name: "a repository in the index of git", needs: []string{"git"}, setup: func(h *home) { h.calls(nil, "git", "init", "-q") },
		scripts: plants("lib/.git/config", `mkdir lib; (cd lib; git init -q .
git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m a; echo '# won' >>.git/config); git add lib`)},
	{name: "settings of an agent", scripts: plants(".claude/settings.json", `echo won >.claude/settings.json`)},
	{name: "settings of an agent in a folder that is moved", scripts: plants(".claude/settings.json", `mv .claude c; mkdir .claude; echo won >.claude/settings.json`)},
	{name: "new settings of an agent", scripts: plants(".claude/settings.local.json", `echo won >.claude/settings.local.json`)},
	{name: "a link to settings of an agent", scripts: plants(".claude/settings.local.json", `echo won >x; ln -sf ../x .claude/settings.local.json`)},
	{name: "servers for agents", scripts: plants(".mcp.json", `echo won >.mcp.json`)},
	{name: "tasks of an editor", scripts: plants(".vscode", `mkdir .vscode; echo won >.vscode/tasks.json`)},
	{name: "settings of wfc", scripts: plants("wfc.yaml", `echo '# won' >wfc.yaml`)},
	{name: "settings of wfc in a subfolder", setup: func(h *home) {
		h.write("work/flows/f.yaml", "")
		h.write("work/flows/wfc.yaml", "sandbox: on\n")
		h.began("work/flows/f.yaml", "outside/any")
	}, scripts: plants("flows/wfc.yaml", `echo '# won' >flows/wfc.yaml`)},
	{name: "new settings of wfc in a subfolder", setup: func(h *home) {
		h.write("work/flows/deep/f.yaml", "")
		h.began("work/flows/deep/f.yaml", "outside/any")
	}, scripts: plants("flows/deep/wfc.yaml", `echo '# won' >flows/deep/wfc.yaml`)},
	{name: "settings of wfc in a folder that is moved", setup: func(h *home) {
		h.write("work/flows/wfc.yaml", "sandbox: on\n")
		h.began("work/flows/f.yaml", "outside/any")
	}, scripts: plants("flows/wfc.yaml", `mv flows f; mkdir flows; echo won >flows/wfc.yaml`)},
	{name: "the program that runs", scripts: try(`rm self; echo won >self`), won: says("work/self")},
	{name: "the program of an earlier run", setup: func(h *home) {
		h.write("work/bin/earlier", "")
		h.began("", "work/bin/earlier")
	}, scripts: plants("bin/earlier", `mv bin b; mkdir bin; echo won >bin/earlier`)},
	{name: "the copy that the run keeps of its program", gate: true, scripts: try(`rm self; echo won >self`), won: func(h *home) bool {
		_, out := h.calls(nil, "bash", "-c", `cmp "$D"/state/runs/*/executable "$D/home/self" && echo same`)
		return !strings.Contains(out, "same")
	}, setup: func(h *home) { h.write("home/self", h.read("work/self")) }},
	{name: "an environment for shells", scripts: plants(".envrc", `echo won >.envrc`)},
	{name: "a daemon that plants during a later step", scripts: map[string]string{
		"try":     `(setsid sh -c 'until [ -e now ]; do sleep 0.02; done; mkdir .vscode; echo won >.vscode/tasks.json; : >planted' </dev/null >/dev/null 2>&1 &)`,
		"later":   `: >now; until [ -e planted ]; do sleep 0.02; done`,
		"trusted": `grep won .vscode/tasks.json >proof`,
	}},
	{name: "a daemon that plants before a trusted step", scripts: map[string]string{
		"try":     `(setsid sh -c 'until [ -e now ]; do sleep 0.02; done; mkdir .vscode; echo won >.vscode/tasks.json; : >planted' </dev/null >/dev/null 2>&1 &)`,
		"later":   `: >now`,
		"trusted": `i=0; until [ -e planted ] || [ $i -gt 50 ]; do i=$((i+1)); sleep 0.02; done; grep won .vscode/tasks.json >proof`,
	}},
	{name: "a daemon that plants during a trusted step", scripts: map[string]string{
		"try":     `(setsid sh -c 'until [ -e now ]; do sleep 0.02; done; mkdir .vscode; echo won >.vscode/tasks.json; : >planted' </dev/null >/dev/null 2>&1 &)`,
		"trusted": `: >now; i=0; until [ -e planted ] || [ $i -gt 50 ]; do i=$((i+1)); sleep 0.02; done; grep won .vscode/tasks.json >proof`,
	}},

	{name: "the program of a notice", program: "noticed", scripts: try(`echo '#!/bin/sh
grep -q secret "$HOME/.ssh/id_ed25519" && echo won >proof' >page; chmod +x page`)},
	{name: "a guarded file by the program of a notice", program: "noticed", scripts: try(`echo '#!/bin/sh
mkdir .vscode; echo won >.vscode/tasks.json' >page; chmod +x page`), won: says("work/.vscode/tasks.json")},

	// The machine.
	{name: "sockets of services", scripts: try(`ls -A /run | grep -q . && echo won >proof`)},
	{name: "jobs of cron and at", scripts: try(`ls -A /var/spool | grep -q . && echo won >proof`)},
	{name: "other processes", scripts: try(`[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 6 ] && echo won >proof`)},
	{name: "the environment of the shell above", scripts: try(up + `tr '\0' '\n' <"/proc/$p/environ" | grep '^PERSONS_TOKEN=won' >>proof` + parent)},
	{name: "the folder of the shell above", scripts: try(up + `[ -e "/proc/$p/cwd/../outside/file" ] && echo won >>proof` + parent)},
	{name: "TCP", setup: listen, scripts: try(`exec 3<>"/dev/tcp/127.0.0.1/$(cat port)" && head -n 1 <&3 >proof`)},
	{name: "TCP through the proxy", setup: listen, needs: []string{"timeout"}, scripts: try(`trap '' PIPE; at=${http_proxy:-http://127.0.0.1:$(cat port)}; at=${at#http://}
exec 3<>"/dev/tcp/${at%:*}/${at#*:}"; printf 'CONNECT 127.0.0.1:%s HTTP/1.1\r\nHost: x\r\n\r\n' "$(cat port)" >&3; timeout 2 cat <&3 >proof`)},
	{name: "a daemon that outlives the run", gate: true, won: func(h *home) bool {
		_, out := h.calls(nil, "bash", "-c", `sleep 0.2; before=$(cat work/beat); sleep 0.2; [ "$(cat work/beat)" = "$before" ] || echo won`)
		return strings.Contains(out, "won")
	}, scripts: try(`(trap '' TERM HUP; env -i setsid sh -c 'i=0; while [ -d . ] && [ $i -lt 500 ]; do i=$((i+1)); echo $i >beat; sleep 0.02; done' </dev/null >/dev/null 2>&1 &)`)},

	// The run's own question.
	{name: "approve", gate: true, scripts: try(`./self approve "$run"`), won: answered},
	{name: "approve in an empty environment", gate: true, won: answered,
		scripts: try(`env -i WFC_STATE="$WFC_STATE" HOME="$HOME" setsid -w ./self approve "$run"`)},
	{name: "approve with a state in the work tree", state: "work/state", gate: true, won: answered,
		scripts: try(`env -i WFC_STATE="$WFC_STATE" HOME="$HOME" ./self approve "$run"`)},
	{name: "approve by a daemon that forks on and on", gate: true, won: answered,
		scripts: try(`(setsid sh -c '` + strings.ReplaceAll(forks, `'`, `'\''`) + `' </dev/null >/dev/null 2>&1 &)`)},
}

// says is an attack that wrote to a file.
func says(name string) func(*home) bool {
	return func(h *home) bool { text := h.read(name); return len(text) < 1000 && strings.Contains(text, "won") }
}

func answered(h *home) bool {
	_, out := h.calls(nil, "self", "status", "latest")
	return !strings.Contains(out, "gate#1 asks") || strings.Contains(out, "was answered")
}

// listen makes a server on this machine, whose port is in a file.
func listen(h *home) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { l.Close() })
	h.write("work/port", fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = fmt.Fprintln(c, "won")
			c.Close()
		}
	}()
}

// attempt runs the workflow of a probe with a flag, and returns whether the attack succeeds.
func (p *probe) attempt(t *testing.T, flag string) (won bool, out string) {
	t.Helper()
	state, dir := cmp.Or(p.state, "state"), cmp.Or(p.dir, "work")
	h := newHome(t, state)
	for key, script := range p.scripts {
		h.write(dir+"/"+key, script)
	}
	if p.setup != nil {
		p.setup(h)
	}
	_, out = h.calls([]string{"PERSONS_TOKEN=won"}, "bash", "-c", `cd "$0"; exec 7<"$D/outside/file"; (exec -a "$2" "$D/work/self" run --quiet --no-ask $1); true`, h.path(dir), flag, cmp.Or(p.program, "self"))
	if p.won != nil {
		return p.won(h), out
	}
	return strings.Contains(h.read(dir+"/proof"), "won"), out
}

// TestProbes performs the probes as the user of the test.
func TestProbes(t *testing.T) {
	needs(t, "setsid")
	all := slices.Concat(probes, laterProbes)
	for i, p := range all {
		if testing.Short() && i%10 > 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			needs(t, p.needs...)
			if won, out := p.attempt(t, ""); won {
				t.Errorf("in the sandbox, it succeeds: %s", out)
			} else if testing.Verbose() {
				t.Log(out)
			}
			if won, out := p.attempt(t, "--sandbox=off"); won == p.gate {
				t.Errorf("without the sandbox, it succeeds: %v: %s", won, out)
			}
		})
	}
	t.Logf("%d probes as user %d", len(all), os.Getuid())
}

// TestTerminal tries to use the terminal at which a person runs the workflow, by its name.
func TestTerminal(t *testing.T) {
	needs(t)
	for mode, want := range map[string]bool{"on": false, "off": true} {
		t.Run(mode, func(t *testing.T) {
			h := newHome(t, "state")
			h.write("work/try", up+`tty=$(readlink "/proc/$p/fd/0"); case $tty in /dev/pts/*) exec 5<>"$tty" && echo won >>proof;; esac`+parent+
				`; for tty in /dev/tty /dev/pts/[0-9]*; do [ -O "$tty" ] && exec 5<>"$tty" && echo won >>proof; done 2>/dev/null; : >over`)
			h.write("work/trusted", ": >trusted.over")
			s := h.sits(nil, "bash", "-c", `self run --sandbox=`+mode+`; true`)
			s.Sees(`\[a\]pprove or \[r\]eject \(Ctrl-D leaves the question open\): $`)
			for h.read("work/proof") == "" && !exists(h.path("work/over")) {
				time.Sleep(10 * time.Millisecond)
			}
			s.Types("\x04")
			s.Exits(0)
			if won := strings.Contains(h.read("work/proof"), "won"); won != want {
				t.Errorf("it opens the terminal: %v", won)
			}
		})
	}
}

// TestGateToken looks for the token of gates in the environment of the shell above.
func TestGateToken(t *testing.T) {
	needs(t)
	for mode, want := range map[string]bool{"on": false, "off": true} {
		t.Run(mode, func(t *testing.T) {
			h := newHome(t, "state")
			h.write("work/try", up+`tr '\0' '\n' <"/proc/$p/environ" | grep '^WFC_GATE_TOKEN=' >>proof`+parent)
			_, out := h.calls([]string{"WFC_GATE_TOKEN=a-token-of-a-person"}, "bash", "-c", `secret run --no-ask --sandbox=`+mode+`; true`)
			if won := strings.Contains(h.read("work/proof"), "a-token-of-a-person"); won != want {
				t.Errorf("it finds the token: %v: %s", won, out)
			}
			h.unanswered("secret")
		})
	}
}

// TestNotices looks at what the program of a notice can do in the sandbox.
func TestNotices(t *testing.T) {
	needs(t)
	h := newHome(t, "state")
	h.write("work/page", "#!/bin/sh\n{ echo $WFC_NOTICE_EVENT from $PWD; cat; } >told\nls $HOME/.ssh >>told 2>&1\n")
	h.calls(nil, "chmod", "+x", "page")
	h.calls(nil, "noticed", "run", "--no-ask")
	if told := h.read("work/told"); !strings.HasPrefix(told, "waits from "+h.path("work")+"\n") || !strings.Contains(told, "Really?") || strings.Contains(told, "id_ed25519") {
		t.Errorf("it was told %q", told)
	}
	for _, left := range []string{"steps", "refused"} {
		if found, _ := filepath.Glob(h.path("state/runs/*/" + left + "/*")); len(found) > 0 {
			t.Errorf("left: %q", found)
		}
	}
	h.write("work/told", "")
	h.calls(nil, "noticed", "run", "--no-ask", "--sandbox=off")
	if told := h.read("work/told"); !strings.Contains(told, "id_ed25519") {
		t.Errorf("without the sandbox, it was told %q", told)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestProbesAsAnotherUser performs the probes as a user who does not administer the system.
func TestProbesAsAnotherUser(t *testing.T) {
	testkit.RepeatAsNobody(t, "^(TestProbes|TestTerminal|TestGateToken|TestNotices|TestRefusalsTeach|TestGrantOnce)$")
}

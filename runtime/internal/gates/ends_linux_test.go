package gates_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// lasting are programs of steps that hold the lifeline `alive`, say `up` there, and do not
// end by themselves, by the file of the step.
var lasting = []struct{ name, file, text string }{
	{"a script", "try", "exec 9>alive; echo up >&9; sleep 600"},
	{"a script that ignores signals", "try", "exec 9>alive; trap '' TERM HUP INT; echo up >&9; while :; do sleep 0.01; done"},
	{"a daemon", "try", `exec 9>alive; env -i PATH="$PATH" setsid sh -c "(trap '' TERM HUP; echo up >&9; while :; do sleep 0.01; done) &" </dev/null >/dev/null 2>&1; sleep 600`},
	{"a daemon that comes back", "try", `exec 9>alive; env -i PATH="$PATH" setsid sh -c "(trap 'setsid sleep 600 & exit' TERM; echo up >&9; while :; do sleep 0.01; done) &" </dev/null >/dev/null 2>&1; sleep 600`},
	{"a Python script", "try.py", pythonDaemon},
	{"an agent", "agent", "#!/bin/sh\nexec 9>alive\necho up >&9\nsleep 600\n"},
	{"an agent with a daemon", "agent", "#!/usr/bin/env python3\n" + pythonDaemon},
}

const pythonDaemon = `import os, signal, time
alive = os.open("alive", os.O_WRONLY)
os.set_inheritable(alive, True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        [os.close(n) for n in range(3)]
        os.write(alive, b"up\n")
        os.execve("/bin/sleep", ["sleep", "600"], {})
    os._exit(0)
time.sleep(600)
`

// The programs of a run end with its process, even if that is killed.
func TestProgramsEndWithTheirRun(t *testing.T) {
	path, err := exec.LookPath("self")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lasting {
		for _, whole := range []bool{false, true} {
			name := "the process"
			if whole {
				name = "the group"
			}
			t.Run(l.name+", "+name, func(t *testing.T) {
				t.Parallel()
				if strings.Contains(l.text, "python") || strings.Contains(l.file, ".py") {
					if _, err := exec.LookPath("python3"); err != nil {
						t.Skip("python3 is not installed")
					}
				}
				h := newHome(t)
				if err := os.WriteFile(h.path(l.file), []byte(l.text), 0o700); err != nil {
					t.Fatal(err)
				}
				alive := h.lifeline()
				args := []string{"self", "run"}
				if l.file == "agent" {
					args = append(args, "--skip-agent-check")
				}
				cmd := &exec.Cmd{Path: path, Args: args, Dir: h.dir, Env: h.environ()}
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				alive.says("up")
				pid := cmd.Process.Pid
				if whole {
					pid = -pid
				}
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				alive.ends()
			})
		}
	}
}

// What a step leaves running serves later steps, and ends before the run's process, which
// says so.
func TestLeftoversEndWithTheRun(t *testing.T) {
	for name, script := range map[string]string{
		"a server":                     `(sleep 600 </dev/null >/dev/null 2>&1 &)`,
		"a daemon":                     `(env -i setsid sleep 600 </dev/null >/dev/null 2>&1 &)`,
		"a daemon that ignores TERM":   `(trap '' TERM; env -i setsid sleep 600 </dev/null >/dev/null 2>&1 &)`,
		"a daemon that comes back":     `env -i PATH="$PATH" setsid sh -c "(trap 'setsid sleep 600 & exit' TERM; while :; do sleep 0.01; done) &" </dev/null >/dev/null 2>&1`,
		"a daemon that hides its tag":  `(ulimit -x 5; env -i setsid sleep 600 </dev/null >/dev/null 2>&1 &)`,
		"a program with another limit": `(ulimit -n 50; env -i setsid sleep 600 </dev/null >/dev/null 2>&1 &)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			alive := h.lifeline()
			h.tries("exec 9>alive; " + script)
			code, out := h.calls(nil, "self", "run")
			alive.hasEnded()
			if code != 3 || !strings.Contains(out, " left ") || !strings.Contains(out, ", which the run ended: ") {
				t.Errorf("%d: %s", code, out)
			}
			if _, out := h.calls(nil, "self", "status", "--json"); !strings.Contains(out, "which the run ended") {
				t.Errorf("%s", out)
			}
			// It is a warning, and nothing of the next run.
			if code, out := h.calls(nil, "self", "approve", "--no-resume"); code != 0 {
				t.Errorf("%d: %s", code, out)
			}
		})
	}
}

//go:build unix

package process_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// holderScript makes the test binary play the process that dies: it runs the
// script that the variable holds.
const holderScript = "WFC_TEST_HOLDER_SCRIPT"

// markVariable makes the test binary print its mark and wait for the end of its
// input.
const markVariable = "WFC_TEST_MARK"

func TestMain(m *testing.M) {
	if text := os.Getenv(holderScript); text != "" {
		hold(text)
		return
	}
	if os.Getenv(markVariable) != "" {
		os.Stdout.WriteString(process.Mark() + "\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	testkit.SeededMain(m)
}

func hold(text string) {
	path, err := process.LookPath("sh", "", os.Environ())
	if err != nil {
		panic(err)
	}
	_, _ = process.Run(context.Background(), &process.Command{
		Path: path, Args: []string{"-c", text}, Env: os.Environ(),
		Owner:  process.Owner{Dir: os.Getenv("DIR"), RunID: "w-abc123", Key: "build"},
		Output: func(_ string, piece []byte) { os.Stdout.Write(piece) },
	})
}

// endWatcher kills the watcher of a holder, which would end its programs: a later process of
// the run must also end what nobody watched.
func endWatcher(t *testing.T, holder int) {
	t.Helper()
	list, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		t.Skipf("ps lists no processes: %v", err)
	}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[1] == strconv.Itoa(holder) && strings.Contains(line, "wfc-watcher") {
			pid, _ := strconv.Atoi(fields[0])
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
	t.Fatalf("process %d has no watcher: %s", holder, list)
}

// orphan runs a script under a holder, kills the holder once the script has
// printed a line, and returns the numbers in that line.
func orphan(t *testing.T, dir, text string) []string {
	t.Helper()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderScript+"="+text, "DIR="+dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	endWatcher(t, holder.Process.Pid)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	return strings.Fields(line)
}

func TestEndSurvivors(t *testing.T) {
	for _, test := range []struct{ name, script string }{
		// The script prints only once its record is there.
		{"leader", `while [ ! -s "$DIR/procs" ]; do :; done; echo $$; exec sleep 1000`},
		{"whole group", `while [ ! -s "$DIR/procs" ]; do :; done; sleep 1000 & echo $$ $!; wait`},
		{"refuses", `while [ ! -s "$DIR/procs" ]; do :; done; trap '' TERM; echo $$; while :; do sleep 0.01; done`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			pids := orphan(t, dir, test.script)
			ended, err := process.EndSurvivorsWithin(dir, 100*time.Millisecond)
			if err != nil || !slices.Equal(ended, []string{"build"}) {
				t.Errorf("ended %v, %v", ended, err)
			}
			for _, pid := range pids {
				waitGone(t, firstNumber(t, []byte(pid)))
			}
			if again, err := process.EndSurvivors(dir); err != nil || len(again) != 0 {
				t.Errorf("the second time: %v, %v", again, err)
			}
		})
	}
}

func TestEndSurvivorsFindsChildrenOfADeadLeader(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the environment of other processes")
	}
	dir := t.TempDir()
	pids := orphan(t, dir, `while [ ! -s "$DIR/procs" ]; do :; done; sleep 1000 & echo $$ $!; wait`)
	leader, child := firstNumber(t, []byte(pids[0])), firstNumber(t, []byte(pids[1]))
	if err := syscall.Kill(leader, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitGone(t, leader)
	ended, err := process.EndSurvivors(dir)
	if err != nil || !slices.Equal(ended, []string{"build"}) {
		t.Errorf("ended %v, %v", ended, err)
	}
	waitGone(t, child)
}

// A process that merely has the number of a recorded one is left alone.
func TestEndSurvivorsSparesOthers(t *testing.T) {
	innocent := exec.Command("sleep", "1000")
	innocent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := innocent.Start(); err != nil {
		t.Fatal(err)
	}
	defer innocent.Wait()
	defer innocent.Process.Kill()
	dir := t.TempDir()
	pid := innocent.Process.Pid
	record, err := json.Marshal(map[string]any{"pid": pid, "identity": "another time", "run_id": "w-abc123", "key": "build"})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{string(record), `{"pid":1,"key":"one"}`, "", "no JSON", string(record[:10])}
	if err := process.WriteFile(filepath.Join(dir, "procs"), []byte(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	ended, err := process.EndSurvivors(dir)
	if err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v", ended, err)
	}
	if err := innocent.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the innocent process is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "procs")); err == nil {
		t.Error("the records are left")
	}
}

func TestEndSurvivorsWithoutRecords(t *testing.T) {
	if ended, err := process.EndSurvivors(filepath.Join(t.TempDir(), "none")); err != nil || ended != nil {
		t.Errorf("got %v, %v", ended, err)
	}
}

// waitGone is requireGone for a process that somebody else has to take note of.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(status), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

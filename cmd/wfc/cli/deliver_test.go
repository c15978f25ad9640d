//go:build unix

package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// dialectReports are workflows whose steps are shell commands alone.
var dialectReports = map[string]string{
	"archon":    "name: archon\ndescription: A report.\nnodes:\n  - id: count\n    bash: echo \"the report of archon\"\n",
	"xprompt":   "name: xprompt\nsteps:\n  - name: count\n    bash: echo \"the report of xprompt\"\n",
	"graphloop": "workflow: graphloop\nversion: \"1\"\ndescription: A report.\nnodes:\n  count:\n    type: task\n    agent: bash\n    command: echo \"the report of graphloop\"\n    outputs: [done]\nedges:\n  - {from: START, to: count}\n  - {from: count, to: END}\ncompletion: [count.done]\n",
}

// A workflow of any dialect runs on a schedule and delivers its result when
// wfc.yaml says so; addresses are tried before, and what was not delivered shows.
func TestReportsOfAllDialects(t *testing.T) {
	testkit.SkipBuild(t)
	arrived := make(chan string, 10)
	status := http.StatusOK
	inbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // the test sees what is missing
		arrived <- string(text)
		w.WriteHeader(status)
	}))
	defer inbox.Close()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "wfc.yaml"), "workflows:\n  reports/xprompt.yaml: {schedule: 0 7 * * *}\n  'reports/*.yaml': {schedule: 0 8 * * *, deliver_to: ['webhook:inbox']}\n")
	if err := os.Mkdir(filepath.Join(dir, "reports"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range dialectReports {
		write(t, filepath.Join(dir, "reports", name+".yaml"), text)
	}
	if code, _, messages := wfcCommand(t, dir, []string{"GOPROXY=off"}, "build", "reports/archon.yaml", "reports/xprompt.yaml", "reports/graphloop.yaml", "-o", "bin"); code != ExitClean {
		t.Fatalf("exit code %d\n%s", code, messages)
	}
	call := func(name, address string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(dir, "bin", name), args...)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state-"+name), "WFC_WEBHOOK_INBOX_URL="+address)
		return cmd
	}
	says := func(code int, cmd *exec.Cmd, want ...string) {
		t.Helper()
		out, _ := cmd.CombinedOutput() // its exit code is looked at
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%v: exit code %d, want %d\n%s", cmd.Args, got, code, out)
		}
		for _, w := range want {
			if !regexp.MustCompile(w).Match(out) {
				t.Errorf("%v does not say %q:\n%s", cmd.Args, w, out)
			}
		}
	}
	for name, hour := range map[string]string{"archon": "08", "xprompt": "07", "graphloop": "08"} {
		says(0, call(name, "", "info"), "schedule .*at "+hour+":00 every day", "delivers to +webhook:inbox")
		says(0, call(name, "", "schedule", "--next", "1"), "at "+hour+":00 every day")
		says(0, call(name, inbox.URL, "run"), "the report of "+name, "✓ /deliver")
		if got := <-arrived; !strings.Contains(got, "the report of "+name) {
			t.Errorf("%s delivered %s", name, got)
		}
		says(1, call(name, "", "schedule", "--now"), "these targets cannot be delivered to:", "webhook:inbox: missing address: set WFC_WEBHOOK_INBOX_URL", "--skip-delivery-check")
		says(1, call(name, "hush-hush-hush", "schedule", "--now"), "the value of WFC_WEBHOOK_INBOX_URL is not the address of a webhook channel")
		says(0, call(name, "", "run"), "! this run cannot deliver to webhook:inbox: missing address", "✗ /deliver")
		says(0, call(name, "", "list"), "completed .* not delivered to webhook:inbox: missing address", "completed [^!]*\n")
		says(0, call(name, "", "list", "--json"), `"undelivered": \[\s*"not delivered to webhook:inbox: missing address`)
		says(0, call(name, "", "status", "--json"), `"undelivered": \[`)
	}
	for code, answer := range map[int]int{1: http.StatusForbidden, 0: http.StatusOK} {
		status = answer
		cmd := call("archon", inbox.URL, "schedule", "--now")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-arrived:
		case <-time.After(time.Minute):
			t.Fatal("nothing is delivered")
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // its exit code is looked at
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("a schedule whose delivery is answered with %d ends with %d, want %d\n%s", answer, got, code, out.String())
		}
		if code == 1 && (!strings.Contains(out.String(), "not delivered") || !strings.Contains(out.String(), "1 of the runs could not deliver everything")) {
			t.Errorf("%s", out.String())
		}
	}
}

// What is wrong under `workflows` is shown at its place in wfc.yaml.
func TestWorkflowsInConfig(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "wfc.yaml"), "workflows:\n  \"a.yaml\": {schedule: \"0 25 * * *\", deliver_to: [\"webhook\"]}\n  \"b.yaml\": {shedule: x}\n  \"[\": {}\n  \"c.yaml\": {schedule: \"0 0 1-31 * MON\"}\n")
	write(t, filepath.Join(dir, "a.yaml"), "name: a\ndescription: d\nnodes:\n  - id: a\n    bash: echo\n")
	_, out, _ := wfcCommand(t, dir, nil, "check", "--format", "oneline", "a.yaml")
	for _, want := range []string{
		"wfc.yaml:2:27: error[WFC730]", "wfc.yaml:2:51: error[WFC286]", "wfc.yaml:3:14: error[WFC125]", "wfc.yaml:4:3: error[WFC113]", "wfc.yaml:5:29: warning[WFC732]",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("wfc check does not say %s:\n%s", want, out)
		}
	}
}

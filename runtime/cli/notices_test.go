package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A bell is a webhook, and a program with a state folder whose notices go there.
type bell struct {
	*testing.T
	program cli.Program
	state   string
	// answer is the status of its answers, and rings gets the notices.
	answer int
	rings  chan map[string]any
}

func newBell(t *testing.T) *bell {
	t.Helper()
	b := &bell{T: t, program: program(demo()), state: filepath.Join(t.TempDir(), "state"), answer: http.StatusOK, rings: make(chan map[string]any, 100)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var ring map[string]any
		if err := json.Unmarshal(text, &ring); err != nil {
			t.Errorf("%v: %s", err, text)
		}
		b.rings <- ring
		w.WriteHeader(b.answer)
	}))
	t.Cleanup(server.Close)
	t.Chdir(t.TempDir())
	t.Setenv("WFC_WEBHOOK_OPS_URL", server.URL)
	b.program.Performers = append(b.program.Performers, deliver.New())
	for _, event := range settings.NoticeEvents() {
		b.program.Defaults.Notify.Rules = append(b.program.Defaults.Notify.Rules, settings.NoticeRule{Event: event, Targets: []string{"webhook:ops"}})
	}
	return b
}

func (b *bell) call(code int, args ...string) string {
	b.Helper()
	var out bytes.Buffer
	if got := cli.Run(b.program, append(args, "--state", b.state), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out}); got != code {
		b.Fatalf("%q: exit code %d, want %d\n%s", args, got, code, &out)
	}
	return out.String()
}

// A notice that a channel refuses for good is shown by status and waiting.
func TestFailedNoticesAreShown(t *testing.T) {
	b := newBell(t)
	b.answer = http.StatusNotFound
	if err := os.WriteFile("fail", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.call(1, "run")
	if ring := <-b.rings; ring["event"] != "failed" || ring["title"] != "demo failed" || !strings.Contains(ring["text"].(string), "the gate is closed") {
		t.Errorf("%v", ring)
	}
	const want = "notice `failed` to webhook:ops: it answers with 404"
	if out := b.call(0, "status"); !strings.Contains(out, "\nnot sent: "+want) {
		t.Errorf("status:\n%s", out)
	}
	if out := b.call(0, "status", "--json"); !strings.Contains(out, `"failed_notices": [`) {
		t.Errorf("status:\n%s", out)
	}
	out := b.call(1, "waiting", "--exit-code")
	if !strings.Contains(out, "\nnotice: run demo-") || !strings.Contains(out, want) || !strings.HasPrefix(out, "failed: 1, notice: 1\n\nEnded in the last 7 days, or not sent:\n\nfailed: run demo-") {
		t.Errorf("waiting:\n%s", out)
	}
	if len(b.rings) > 0 {
		t.Errorf("it was sent again: %v", <-b.rings)
	}
}

// A scheduled time at which no run starts has a notice.
func TestMissedTimesAreTold(t *testing.T) {
	b := newBell(t)
	b.program.Definition.Schedule = "TZ=UTC 0 9 * * *"
	s, _ := cron.Parse(b.program.Definition.Schedule)
	memory, err := schedule.Recall(schedule.File(state.Folder{Path: b.state}, "demo", ".json"), s.Text)
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Keep(time.Now().Add(-72 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	// The command runs until the end of the test's process.
	go cli.Run(b.program, []string{"schedule", "--missed", "skip", "--grace", "200h", "--state", b.state}, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	ring := <-b.rings
	if ring["event"] != "missed" || ring["title"] != "demo missed a scheduled run" || !strings.Contains(ring["text"].(string), "nothing kept the schedule then") {
		t.Errorf("%v", ring)
	}
}

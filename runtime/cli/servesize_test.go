package cli_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/serve"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// A served is a server of pages that is signed in to.
type served struct {
	t    testing.TB
	base string
	http.Client
}

var openAddress = regexp.MustCompile(`open (http://[^/\s]+)(/\S*)?\n`)

// startServing serves the pages of a state folder in this process.
func startServing(t testing.TB, state string) *served {
	t.Helper()
	in, stop := io.Pipe()
	out, messages := io.Pipe()
	code := make(chan int, 1)
	p := program(&flow.Definition{Name: "runs"})
	p.Serve = cli.Pages(serve.Pages())
	go func() {
		code <- cli.Run(p, []string{"serve", "--stdin", "--address=127.0.0.1:0", "--store=" + state}, cli.Streams{In: in, Out: io.Discard, Err: messages})
		messages.Close()
	}()
	t.Cleanup(func() {
		stop.Close()
		if c := <-code; c != 0 {
			t.Errorf("serve: exit code %d", c)
		}
	})
	said, piece := "", make([]byte, 4096)
	for {
		n, err := out.Read(piece)
		said += string(piece[:n])
		if found := openAddress.FindStringSubmatch(said); found != nil {
			go io.Copy(io.Discard, out)
			jar, _ := cookiejar.New(nil)
			s := &served{t, found[1], http.Client{Jar: jar}}
			s.page(found[2])
			return s
		}
		if err != nil {
			t.Fatalf("serve said %q: %v", said, err)
		}
	}
}

// page returns a page.
func (s *served) page(path string) string {
	s.t.Helper()
	reply, err := s.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d, %v\n%s", path, reply.StatusCode, err, text)
	}
	return string(text)
}

// A journal is a store that runs statements.
type journal interface {
	store.Store
	Write(ctx context.Context, query string, values ...driver.Value) error
}

// openJournal makes a store in a state folder, for journals of any size.
func openJournal(t testing.TB, state string) journal {
	t.Helper()
	s, err := entstore.OpenState(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.(journal)
}

// addRuns adds runs of ten workflows, one a minute until now. One of ten has failed, and each has
// cost something.
func addRuns(t testing.TB, w journal, n int) {
	t.Helper()
	now := time.Now().UnixNano()
	if err := w.CreateRun(t.Context(), store.Run{RunInfo: flow.RunInfo{ID: "first-000000", Workflow: "first"}, Status: flow.Completed, Created: time.Unix(1, 0), Finished: time.Unix(2, 0)}, nil); err != nil {
		t.Fatal(err)
	}
	many := fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < %d) `, n-1)
	for _, query := range []string{
		fmt.Sprintf(`INSERT INTO workflow_runs (id, workflow, fingerprint, status, inputs, artifacts_dir, log_dir, work_dir, docs_dir, error, outputs, settings, created, started, finished, updated)
			SELECT printf('flow%%d-%%06d', i%%%%10, i), printf('flow%%d', i%%%%10), 'abc', CASE WHEN i%%%%10 = 3 THEN 'failed' ELSE 'completed' END, CAST('{"issue": "text"}' AS BLOB), '/a', '/l', '/w', 'docs',
			CASE WHEN i%%%%10 = 3 THEN CAST('the tests failed' AS BLOB) END, zeroblob(400), CAST('{"max_cost": 3}' AS BLOB), %[1]d - i*60000000000, %[1]d - i*60000000000, %[1]d - i*60000000000 + 5000000000, %[1]d FROM n`, now),
		fmt.Sprintf(`INSERT INTO workflow_spending (run_id, key, attempt, workflow, node, agent, model, time, state, micros, input_tokens, output_tokens, priced)
			SELECT printf('flow%%d-%%06d', i%%%%10, i), 'ask', 1, printf('flow%%d', i%%%%10), 'ask', 'claude', 'opus', %d - i*60000000000, 'settled', 1500, 1000, 200, 1 FROM n`, now),
		`INSERT INTO workflow_step_runs (run_id, key, kind, status, failure) SELECT printf('flow%d-%06d', i%10, i), 'test', 'bash', 'failed', CAST('{"message":"exit 1","class":"permanent","reason":"exit"}' AS BLOB) FROM n WHERE i%10 = 3`,
	} {
		if err := w.Write(t.Context(), many+strings.ReplaceAll(query, "%%", "%")); err != nil {
			t.Fatal(err)
		}
	}
}

// addLongRun adds a completed run with a loop of many iterations of two steps.
func addLongRun(t testing.TB, w journal, steps int) {
	t.Helper()
	begin := time.Now().Add(-time.Hour)
	record := func(key, kind string, i int) flow.Record {
		return flow.Record{Key: key, Kind: kind, Status: flow.Completed, Text: strings.Repeat("output ", 300), Prompt: strings.Repeat("prompt ", 300), Attempt: 1, Started: begin.Add(time.Duration(i) * time.Millisecond), Finished: begin.Add(time.Duration(i+1) * time.Millisecond)}
	}
	run := store.Run{RunInfo: flow.RunInfo{ID: "long-000000", Workflow: "long"}, Status: flow.Completed, Created: begin, Finished: begin.Add(time.Hour)}
	if err := w.CreateRun(t.Context(), run, []flow.Record{record("fix", "loop", 0), record("end", "bash", steps)}); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < steps/2; i += 500 {
		var b flow.Batch
		for j := i; j < i+500; j++ {
			b.Steps = append(b.Steps, record(fmt.Sprintf("fix#%d.try", j+1), "prompt", 2*j), record(fmt.Sprintf("fix#%d.test", j+1), "bash", 2*j+1))
		}
		if err := w.Commit(t.Context(), run.ID, b); err != nil {
			t.Fatal(err)
		}
	}
}

// What waits is counted whole, however much it is, and runs that ended alike are one entry.
func TestServeCountsAllThatWaits(t *testing.T) {
	state := t.TempDir()
	addRuns(t, openJournal(t, state), 1500)
	page := startServing(t, state).page("/")
	for _, want := range []string{`Waits for you <span class="number">150</span>`, "149 more ended like this", "and older ones"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func BenchmarkServe(b *testing.B) {
	state := b.TempDir()
	w := openJournal(b, state)
	addRuns(b, w, 100_000)
	addLongRun(b, w, 10_000)
	s := startServing(b, state)
	place := regexp.MustCompile(`/runs/([0-9a-f]+)/`).FindStringSubmatch(s.page("/"))[1]
	next := regexp.MustCompile(`/\?after=[^"]+`).FindString(s.page("/"))
	for _, c := range []struct{ name, path string }{
		{"list", "/"}, {"next", strings.ReplaceAll(next, "&amp;", "&")}, {"status", "/?status=failed&status=running"}, {"workflow", "/?workflow=flow7"}, {"search", "/?search=flow3-099993"}, {"searchnone", "/?search=nothing"},
		{"totals", "/totals?since=7d"}, {"totalsall", "/totals?since="},
		{"run", "/runs/" + place + "/long-000000"}, {"parts", "/runs/" + place + "/long-000000/parts?of=fix"}, {"step", "/runs/" + place + "/long-000000/step?key=fix%2377.try"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s.page(c.path)
			}
		})
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		b.Logf("%s", regexp.MustCompile(`VmHWM:.*`).Find(status))
	}
}

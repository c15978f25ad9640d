//go:build unix

package mail_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/deliver/mail"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// program is a workflow with a gate, whose notices go to an e-mail address and a webhook.
func program() cli.Program {
	def := &flow.Definition{Name: "ship", Fingerprint: "f", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}}}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			r, err := c.Ask("", flow.Question{Message: "Ship?", Choices: []string{"approve", "reject"}})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	return cli.Program{
		Definition: def, OpenStore: entstore.OpenState, Performers: []engine.Performer{deliver.WithMail(mail.Sender())},
		Defaults: settings.Project{Notify: settings.Notify{Rules: []settings.NoticeRule{
			{Event: settings.NoticeWaits, Targets: []string{"mailto:bob@example.com", "webhook:ops"}},
			{Event: settings.NoticeCompleted, Targets: []string{"webhook:ops", "mailto:bob@example.com"}},
		}}},
	}
}

// A killer kills the process that sends something.
type killer struct {
	mu sync.Mutex
	// running is the process, and armed the channel whose next message is its end, or "".
	running *os.Process
	armed   string
	kills   map[string]int
}

// strike kills the process if the killer is armed for a channel.
func (k *killer) strike(channel string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.armed == channel && k.running != nil {
		k.armed = ""
		k.kills[channel]++
		_ = k.running.Signal(syscall.SIGKILL)
	}
}

// Processes that are killed with SIGKILL while they send lose no notice. Each repetition has
// the id of the first one.
func TestKilledSenders(t *testing.T) {
	k := &killer{kills: map[string]int{}}
	letters := &mailServer{arrived: func() { k.strike("mail") }}
	address := letters.serve(t)
	var mu sync.Mutex
	posts := map[string][]string{} // keys by event
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var d struct {
			Event, ID, Title string
			Commands         []string
		}
		text, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(text, &d); err != nil || d.ID != r.Header.Get("Idempotency-Key") {
			t.Errorf("%v: %s", err, text)
		}
		mu.Lock()
		posts[d.Event] = append(posts[d.Event], d.ID)
		mu.Unlock()
		k.strike("hook")
	}))
	defer hook.Close()
	folder := t.TempDir()
	work := t.TempDir()
	call := func(armed string, args ...string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0], args...)
		cmd.Dir = work
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Env = append(os.Environ(), "WFC_TEST_AS_PROGRAM=1", "WFC_STATE="+folder, "WFC_MAIL_URL="+address, "WFC_WEBHOOK_OPS_URL="+hook.URL+"/hook-of-ops")
		k.mu.Lock()
		err := cmd.Start()
		k.running, k.armed = cmd.Process, armed
		k.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		k.mu.Lock()
		k.running = nil
		k.mu.Unlock()
		if strings.Contains(out.String(), "secret-of-ann") || strings.Contains(out.String(), "hook-of-ops") {
			t.Errorf("%q shows a secret:\n%s", args, &out)
		}
		return out.String()
	}
	// queued returns how many notices wait, and ends the claims of those that were killed.
	queued := func() int {
		t.Helper()
		s, err := entstore.OpenState(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		box := s.(runstore.Mailbox)
		list, err := box.Messages(context.Background(), runstore.MessageFilter{State: runstore.MessageQueued})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			m.Due = time.Now()
			if err := box.SettleMessage(context.Background(), m, m.Due); err != nil {
				t.Fatal(err)
			}
		}
		return len(list)
	}
	drain := func(event string) {
		t.Helper()
		for i := 0; queued() > 0; i++ {
			if i > 20 {
				t.Fatalf("the notices of %s are never sent", event)
			}
			armed := ""
			if i < 4 {
				armed = []string{"mail", "hook"}[i%2]
			}
			call(armed, "status")
		}
	}
	out := call("mail", "run")
	if k.kills["mail"] != 1 {
		t.Fatalf("the run was not killed:\n%s", out)
	}
	drain("waits")
	out = call("hook", "approve")
	call("", "resume") // if it was killed before the run's end
	drain("completed")

	if len(posts["waits"]) == 0 || len(posts["completed"]) == 0 {
		t.Errorf("posts %v after\n%s", posts, out)
	}
	for event, ids := range posts {
		for _, id := range ids {
			if id != ids[0] {
				t.Errorf("the notices of %s have several keys: %v", event, ids)
			}
		}
	}
	ids := map[string]map[string]bool{}
	for _, letter := range letters.got() {
		subject := regexp.MustCompile(`Subject: (.*)\r\n`).FindStringSubmatch(letter)[1]
		id := regexp.MustCompile(`Message-ID: <([0-9a-f]{32}@example\.com)>\r\n`).FindStringSubmatch(letter)[1]
		if ids[subject] == nil {
			ids[subject] = map[string]bool{}
		}
		ids[subject][id] = true
	}
	if fmt.Sprint(len(ids["ship waits for you at gate"]), len(ids["ship completed"]), len(ids)) != "1 1 2" {
		t.Errorf("letters: %v", ids)
	}
	t.Logf("kills %v, %d letters, posts %d and %d", k.kills, len(letters.got()), len(posts["waits"]), len(posts["completed"]))
	if k.kills["mail"] == 0 || k.kills["hook"] == 0 {
		t.Errorf("processes were killed at one channel alone: %v", k.kills)
	}
}

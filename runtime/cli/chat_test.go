package cli_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/trigger"
	"github.com/wfc-lang/wfc/runtime/webhooks"
)

// A chat is a program that listens for the answers of users of Slack and GitHub, with the notices
// that it sends, and what it tells users.
type chat struct {
	*bell
	http.Client
	replies chan chatReply
	// messages are the notices on Slack.
	messages chan string
	slack    string
	sent     int
}

type chatReply struct {
	Text    string `json:"text"`
	Replace bool   `json:"replace_original"`
}

const chatSecret = "8f742231b10e8888abcd99yyyzzz85a5"

func newChat(t *testing.T) *chat {
	c := &chat{bell: newBell(t), replies: make(chan chatReply, 100), messages: make(chan string, 100)}
	hook := func(kind settings.WebhookKind) settings.TriggerSource {
		return settings.TriggerSource{Webhook: kind, Path: "/" + string(kind), SecretVariable: "CHAT_SECRET"}
	}
	c.program = program(ship())
	c.program.Performers = append(c.program.Performers, deliver.New())
	c.program.Defaults.Notify = settings.Notify{
		Page: "https://runs.example.com/", Rules: []settings.NoticeRule{{Event: settings.NoticeWaits, Targets: []string{"webhook:ops", "slack"}}},
	}
	c.program.Triggers = []trigger.Trigger{
		{Trigger: settings.Trigger{On: hook(settings.WebhookSlack), Answer: []settings.ChatUser{
			{User: "U0ANN", Name: "ann"}, {User: "U0BOB", Name: "bob", Roles: []string{"approver"}}, {User: "U0EVE", Name: "eve", Roles: []string{"viewer"}},
		}}},
		{Trigger: settings.Trigger{On: hook(settings.WebhookGitHub), Answer: []settings.ChatUser{{User: "octo-ann", Name: "ann"}, {User: "4242", Name: "bob"}}}},
	}
	c.program.Webhooks = webhooks.Server()
	t.Setenv("CHAT_SECRET", chatSecret)
	slack := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/services/notices" {
			text, _ := io.ReadAll(r.Body)
			c.messages <- string(text)
			return
		}
		var reply chatReply
		if err := json.NewDecoder(r.Body).Decode(&reply); err != nil {
			t.Error(err)
		}
		c.replies <- reply
	}))
	t.Cleanup(slack.Close)
	t.Setenv("WFC_SLACK_URL", slack.URL+"/services/notices")
	c.slack = slack.URL
	return c
}

// listen starts to receive answers.
func (c *chat) listen() {
	c.Helper()
	socket := filepath.Join(c.TempDir(), "s")
	in, stop := io.Pipe()
	var log bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(c.program, []string{"listen", "--stdin", "--address=unix:" + socket, "--state=" + c.state}, cli.Streams{In: in, Out: io.Discard, Err: &log})
	}()
	c.Cleanup(func() {
		stop.Close()
		if code := <-ended; code != 0 || c.Failed() {
			c.Errorf("listen ends with %d:\n%s", code, &log)
		}
	})
	c.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (conn net.Conn, err error) {
		for range 1000 {
			if conn, err = new(net.Dialer).DialContext(ctx, "unix", socket); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return conn, err
	}}
}

// begin starts a run that asks, and returns its notice.
func (c *chat) begin() (ring map[string]any, run, hash string) {
	c.Helper()
	c.call(3, "run", "--no-ask")
	ring = <-c.rings
	buttons := ring["buttons"].([]any)
	value := strings.Fields(buttons[0].(map[string]any)["value"].(string))
	return ring, value[0], value[1]
}

// A call to the listener; sign and age make it a wrong or an old one.
type chatCall struct {
	body, secret string
	age          time.Duration
	github       string
}

func (c *chat) post(call chatCall) int {
	c.Helper()
	secret := chatSecret
	if call.secret != "" {
		secret = call.secret
	}
	mac, at := hmac.New(sha256.New, []byte(secret)), fmt.Sprint(time.Now().Add(-call.age).Unix())
	path := "/slack"
	if call.github != "" {
		path = "/github"
	} else {
		fmt.Fprintf(mac, "v0:%s:", at)
	}
	io.WriteString(mac, call.body)
	r, err := http.NewRequest(http.MethodPost, "http://chat"+path, strings.NewReader(call.body))
	if err != nil {
		c.Fatal(err)
	}
	if call.github != "" {
		c.sent++
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-GitHub-Event", call.github)
		r.Header.Set("X-GitHub-Delivery", fmt.Sprint("d", c.sent))
		r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	} else {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Slack-Request-Timestamp", at)
		r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	}
	answer, err := c.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// click is the body of a click on a button.
func (c *chat) click(user, id, run, hash, choice string) string {
	text, _ := json.Marshal(map[string]any{
		"type": "block_actions", "user": map[string]string{"id": user}, "channel": map[string]string{"id": "C7"}, "trigger_id": id, "response_url": c.slack,
		"actions": []any{map[string]string{"action_id": outbox.ButtonAction + "0", "value": outbox.ButtonValue(run, hash, choice)}},
	})
	return url.Values{"payload": {string(text)}}.Encode()
}

// told is what the user is told next.
func (c *chat) told(want string) chatReply {
	c.Helper()
	select {
	case reply := <-c.replies:
		if !strings.Contains(reply.Text, want) {
			c.Errorf("the user is told %q, want %q", reply.Text, want)
		}
		return reply
	case <-time.After(time.Minute):
		c.Fatalf("nobody is told %q", want)
		return chatReply{}
	}
}

// await waits for the status of a run.
func (c *chat) await(run, status string) string {
	c.Helper()
	out := ""
	for range 600 {
		if out = c.call(0, "status", run); strings.Contains(out, "run "+run+": "+status) {
			return c.call(0, "status", run, "--json")
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.Fatalf("never %q:\n%s", status, out)
	return ""
}

// A button answers the one question that its notice showed, once, for the people of the
// configuration, and everybody is told why a click does not count.
func TestButtonsOnSlack(t *testing.T) {
	c := newChat(t)
	ring, run, hash := c.begin()
	if text := ring["text"].(string); !strings.Contains(text, "https://runs.example.com/runs/"+run) {
		t.Errorf("the notice has no link:\n%s", text)
	}
	message := <-c.messages
	for _, want := range []string{
		`{"type":"section","text":{"type":"plain_text","text":"ship waits for you at gate\n\n│ Ship it?`,
		`{"type":"button","text":{"type":"plain_text","text":"approve"},"action_id":"wfc-answer-0","value":"` + run + " " + hash + ` approve","style":"primary"}`,
		`"value":"` + run + " " + hash + ` reject","style":"danger"}`,
	} {
		if !strings.Contains(message, want) {
			t.Errorf("the message has no %s:\n%s", want, message)
		}
	}
	c.listen()
	for name, call := range map[string]chatCall{
		"a wrong signature": {body: c.click("U0ANN", "t1", run, hash, "approve"), secret: "guessed"},
		"an old one":        {body: c.click("U0ANN", "t1", run, hash, "approve"), age: 6 * time.Minute},
	} {
		if code := c.post(call); code != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, code)
		}
	}
	for i, no := range []struct{ user, run, hash, choice, told string }{
		{"U0BAD", run, hash, "approve", "refused: U0BAD is nobody who may answer here"},
		{"U0EVE", run, hash, "approve", "needs the role approver, which eve doesn't have"},
		{"U0ANN", run, strings.Repeat("0", 64), "approve", "the question has changed since you saw it"},
		{"U0ANN", "ship-gone", hash, "approve", "run ship-gone is gone"},
		{"U0ANN", run, hash, "maybe", "unknown answer `maybe`"},
	} {
		if code := c.post(chatCall{body: c.click(no.user, fmt.Sprint("no", i), no.run, no.hash, no.choice)}); code != http.StatusAccepted {
			t.Errorf("%s: %d", no.told, code)
		}
		if reply := c.told(no.told); reply.Replace {
			t.Errorf("%q replaces the question", reply.Text)
		}
	}
	c.await(run, "paused")

	// Of two clicks at once, one counts.
	var both sync.WaitGroup
	for user, choice := range map[string]string{"U0ANN": "approve", "U0BOB": "reject"} {
		both.Go(func() { c.post(chatCall{body: c.click(user, "both-"+user, run, hash, choice)}) })
	}
	both.Wait()
	first, second := c.told(""), c.told("")
	if first.Replace == second.Replace {
		t.Errorf("%v and %v", first, second)
	}
	if !first.Replace {
		first, second = second, first
	}
	if !strings.Contains(first.Text, "by ") || !strings.Contains(second.Text, "answered") {
		t.Errorf("%q, %q", first.Text, second.Text)
	}
	out := c.await(run, map[bool]string{true: "completed", false: "cancelled"}[strings.Contains(first.Text, "approve")])
	if !regexp.MustCompile(`(ann|bob)`).MatchString(out) {
		t.Errorf("nobody answered:\n%s", out)
	}

	// The same request counts once, and a later click is told of the first.
	if code := c.post(chatCall{body: c.click("U0ANN", "both-U0ANN", run, hash, "approve")}); code != http.StatusOK {
		t.Errorf("a repeated click: %d", code)
	}
	c.post(chatCall{body: c.click("U0ANN", "late", run, hash, "approve")})
	c.told("was answered before, by ")
}

// A chat records no answer with which the run could not continue, and says which agent is missing.
func TestAnswersNeedAgents(t *testing.T) {
	c := newChat(t)
	w := writes()
	c.program.Definition, c.program.Prompts, c.program.Defaults.Agents = w.Definition, w.Prompts, w.Defaults.Agents
	t.Chdir(t.TempDir())
	_, run, hash := c.begin()
	c.listen()
	c.post(chatCall{secret: "guessed"}) // it answers, so it has found its agents
	if err := os.WriteFile("claude", []byte("missing"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.post(chatCall{body: c.click("U0ANN", "t1", run, hash, "approve")})
	if reply := c.told("`claude` is not on PATH"); reply.Replace {
		t.Errorf("%q replaces the question", reply.Text)
	}
	c.await(run, "paused")
	if err := os.Remove("claude"); err != nil {
		t.Fatal(err)
	}
	c.post(chatCall{body: c.click("U0ANN", "t2", run, hash, "approve")})
	c.told("approve")
	c.await(run, "completed")
}

func comment(action, user, body string) string {
	text, _ := json.Marshal(map[string]any{
		"action": action, "issue": map[string]any{"number": 7}, "repository": map[string]any{"full_name": "acme/app"},
		"comment": map[string]any{"body": body, "user": map[string]any{"login": user, "id": 1}}, "sender": map[string]any{"login": "somebody", "id": 2},
	})
	return string(text)
}

// The comment that a notice names answers the question, and so does a check with the same.
func TestAnswersOnGitHub(t *testing.T) {
	c := newChat(t)
	ring, run, hash := c.begin()
	_, other, otherHash := c.begin()
	c.listen()
	said := fmt.Sprint(ring["commands"])
	found := regexp.MustCompile(`/approve (\S+) ([0-9a-f]{12})`).FindString(said)
	if found != trigger.Comment("approve", run, hash[:12]) {
		t.Fatalf("the notice names %q:\n%s", found, said)
	}
	if code := c.post(chatCall{body: comment("created", "octo-ann", found), github: "issue_comment", secret: "guessed"}); code != http.StatusUnauthorized {
		t.Errorf("a wrong signature: %d", code)
	}
	for name, body := range map[string]string{
		"an edited comment": comment("edited", "octo-ann", found), "the notice itself": comment("created", "octo-ann", fmt.Sprint(ring["title"], "\n\n", ring["text"])),
		"another comment": comment("created", "octo-ann", "I would "+found), "no code": comment("created", "octo-ann", "/approve "+run),
	} {
		if code := c.post(chatCall{body: body, github: "issue_comment"}); code != http.StatusOK {
			t.Errorf("%s: %d", name, code)
		}
	}
	if code := c.post(chatCall{body: comment("created", "mallory", found), github: "issue_comment"}); code != http.StatusAccepted {
		t.Errorf("an unknown user: %d", code)
	}
	c.post(chatCall{body: comment("created", "Octo-Ann", found+"\r\nlooks good"), github: "issue_comment"})
	if out := c.await(run, "completed"); !strings.Contains(out, `"by": "ann"`) || !strings.Contains(out, `"from": "GitHub, Octo-Ann at acme/app#7"`) || !strings.Contains(out, "published: looks good") {
		t.Error(out)
	}
	check, _ := json.Marshal(map[string]any{
		"action": "requested_action", "requested_action": map[string]any{"identifier": "approve"}, "check_run": map[string]any{"external_id": other + " " + otherHash[:12]},
		"repository": map[string]any{"full_name": "acme/app"}, "sender": map[string]any{"login": "renamed", "id": 4242},
	})
	c.post(chatCall{body: string(check), github: "check_run"})
	if out := c.await(other, "completed"); !strings.Contains(out, `"by": "bob"`) || !strings.Contains(out, `"from": "GitHub, renamed by a check of acme/app"`) {
		t.Error(out)
	}
}

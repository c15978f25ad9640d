package webhooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store/memory"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

const secret = "It's a Secret to Everybody"

// now is the time of the server under test.
var now = time.Unix(1_760_000_000, 0)

// A world is a server on the loopback, with a real queue behind it.
type world struct {
	t       *testing.T
	address string
	box     runstore.Mailbox
}

// serve starts a server for sources, whose payloads give the input title.
func serve(t *testing.T, l limits, sources ...settings.TriggerSource) *world {
	t.Helper()
	w := &world{t: t, box: memory.New().(runstore.Mailbox)}
	def := &flow.Definition{Name: "triage", Inputs: []flow.InputInfo{{Name: "title", Type: "line"}}}
	log := slog.New(slog.DiscardHandler)
	q := &inbox.Queue{Box: w.box, Definition: def, Log: log}
	site := inbox.Site{Address: "127.0.0.1:0", Secret: func(string) string { return secret }, Accept: q.Accept, Log: log}
	for _, on := range sources {
		on.SecretVariable = "SECRET"
		place := "/title"
		if on.Path == "" { // a path of several triggers
			on.Path, place = "/hook", "/"+on.Events[0]
		}
		site.Triggers = append(site.Triggers, trigger.Trigger{Trigger: settings.Trigger{
			On: on, Inputs: []settings.MappedValue{{Name: "title", Pointer: place}},
		}})
	}
	ready := make(chan string, 1)
	site.Ready = func(address string) { ready <- address }
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- receiver{l}.Serve(ctx, site) }()
	select {
	case w.address = <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return w
}

// testLimits are the usual ones with a fixed clock.
func testLimits() limits {
	l := usualLimits
	l.now = func() time.Time { return now }
	return l
}

// send sends a request and returns the code and the text of the answer.
func (w *world) send(method, path, body string, header map[string]string) (int, string) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, "http://"+w.address+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Error(err)
	}
	return answer.StatusCode, string(text)
}

// queued returns the deliveries in the queue.
func (w *world) queued() []runstore.Message {
	w.t.Helper()
	list, err := w.box.Messages(w.t.Context(), runstore.MessageFilter{Box: runstore.BoxTrigger})
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func digest(algorithm func() hash.Hash, key, content string) []byte {
	mac := hmac.New(algorithm, []byte(key))
	mac.Write([]byte(content))
	return mac.Sum(nil)
}

func hexOf(key, content string) string { return hex.EncodeToString(digest(sha256.New, key, content)) }

// A kind of webhook signs a body at a time, and names its delivery.
type kind struct {
	name   string
	on     settings.TriggerSource
	sign   func(body, id string, at time.Time) map[string]string
	stamps bool
}

func kinds() []kind {
	stamp := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	return []kind{
		{
			name: "github", on: settings.TriggerSource{Webhook: settings.WebhookGitHub},
			sign: func(body, id string, _ time.Time) map[string]string {
				return map[string]string{"X-Hub-Signature-256": "sha256=" + hexOf(secret, body), "X-GitHub-Delivery": id, "X-GitHub-Event": "issues"}
			},
		},
		{
			name: "gitlab token", on: settings.TriggerSource{Webhook: settings.WebhookGitLab},
			sign: func(_, id string, _ time.Time) map[string]string {
				return map[string]string{"X-Gitlab-Token": secret, "Idempotency-Key": id, "X-Gitlab-Event": "issues"}
			},
		},
		{
			name: "gitlab signature", on: settings.TriggerSource{Webhook: settings.WebhookGitLab}, stamps: true,
			sign: func(body, id string, at time.Time) map[string]string {
				signature := base64.StdEncoding.EncodeToString(digest(sha256.New, secret, id+"."+stamp(at)+"."+body))
				return map[string]string{"webhook-signature": "v1,bm90IHRoaXM= v1," + signature, "webhook-id": id, "webhook-timestamp": stamp(at), "X-Gitlab-Event": "issues"}
			},
		},
		{
			name: "slack", on: settings.TriggerSource{Webhook: settings.WebhookSlack}, stamps: true,
			sign: func(body, _ string, at time.Time) map[string]string {
				return map[string]string{"X-Slack-Signature": "v0=" + hexOf(secret, "v0:"+stamp(at)+":"+body), "X-Slack-Request-Timestamp": stamp(at)}
			},
		},
		{
			name: "hmac", stamps: true,
			on: settings.TriggerSource{Webhook: settings.WebhookHMAC, Signature: settings.Signature{
				Header: "X-Sig", Algorithm: "sha512", Encoding: "base64", TimestampHeader: "X-Time", IDHeader: "X-ID", EventHeader: "X-Event",
			}},
			sign: func(body, id string, at time.Time) map[string]string {
				return map[string]string{
					"X-Sig":  base64.StdEncoding.EncodeToString(digest(sha512.New, secret, stamp(at)+"."+body)),
					"X-Time": stamp(at), "X-ID": id, "X-Event": "issues",
				}
			},
		},
		{
			name: "plain hmac", on: settings.TriggerSource{Webhook: settings.WebhookHMAC, Signature: settings.Signature{Header: "X-Sig", Prefix: "sha256=", EventHeader: "X-Event"}},
			sign: func(body, _ string, _ time.Time) map[string]string {
				return map[string]string{"X-Sig": "sha256=" + hexOf(secret, body), "X-Event": "issues"}
			},
		},
	}
}

// bodyOf is a delivery of an id; Slack has the id in the body.
func bodyOf(id string) string {
	return fmt.Sprintf(`{"title":"It crashes","event_id":%q,"event":{"type":"issues"}}`, id)
}

// Of every kind, an authentic delivery is queued once, and no other one at all.
func TestSignatures(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			k.on.Path, k.on.Events = "/hook", []string{"issues"}
			w := serve(t, testLimits(), k.on)
			post := func(want int, body string, header map[string]string) {
				t.Helper()
				if code, text := w.send(http.MethodPost, "/hook", body, header); code != want {
					t.Errorf("%d %q, want %d", code, text, want)
				}
			}
			body := bodyOf("one")
			post(http.StatusUnauthorized, body, nil)
			wrong := k.sign(body, "one", now)
			for name, value := range wrong {
				if strings.Contains(strings.ToLower(name), "sig") || strings.Contains(name, "Token") {
					wrong[name] = strings.Map(func(r rune) rune {
						if r == '0' || r == 'a' {
							return 'b'
						}
						return r
					}, value) + "0"
				}
			}
			post(http.StatusUnauthorized, body, wrong)
			if k.name != "gitlab token" { // which signs nothing
				post(http.StatusUnauthorized, bodyOf("other"), k.sign(body, "one", now))
			}
			if k.stamps {
				post(http.StatusUnauthorized, body, k.sign(body, "one", now.Add(-window-time.Second)))
				post(http.StatusUnauthorized, body, k.sign(body, "one", now.Add(window+time.Second)))
				late := k.sign(body, "one", now.Add(-window-time.Second))
				for name := range late {
					if strings.Contains(strings.ToLower(name), "time") {
						late[name] = strconv.FormatInt(now.Unix(), 10) // a new time without a new signature
					}
				}
				post(http.StatusUnauthorized, body, late)
			}
			if list := w.queued(); len(list) > 0 {
				t.Fatalf("queued: %+v", list)
			}

			post(http.StatusAccepted, body, k.sign(body, "one", now))
			post(http.StatusOK, body, k.sign(body, "one", now)) // a replay
			post(http.StatusAccepted, bodyOf("two"), k.sign(bodyOf("two"), "two", now))
			list := w.queued()
			if len(list) != 2 {
				t.Fatalf("queued: %+v", list)
			}
			var item inbox.Item
			if err := json.Unmarshal(list[0].Body, &item); err != nil {
				t.Fatal(err)
			}
			if string(item.Inputs) != `{"title":"It crashes"}` || list[0].Event != "issues" || !bytes.Equal(item.Payload, []byte(body)) {
				t.Errorf("the item is %+v", item)
			}
			if list[0].RunID == list[1].RunID || list[0].RunID != inbox.RunID("triage", list[0].Key) {
				t.Errorf("the runs are %s and %s", list[0].RunID, list[1].RunID)
			}
		})
	}
}

// A delivery that arrives many times at once is queued once, and every sender gets 2xx.
func TestSameDeliveryInParallel(t *testing.T) {
	k := kinds()[0]
	k.on.Path = "/hook"
	w := serve(t, testLimits(), k.on)
	var codes [16]int
	var wait sync.WaitGroup
	for i := range codes {
		wait.Go(func() {
			codes[i], _ = w.send(http.MethodPost, "/hook", bodyOf("one"), k.sign(bodyOf("one"), "one", now))
		})
	}
	wait.Wait()
	accepted := 0
	for _, code := range codes {
		switch code {
		case http.StatusAccepted:
			accepted++
		case http.StatusOK:
		default:
			t.Errorf("a sender got %d", code)
		}
	}
	if n := len(w.queued()); accepted != 1 || n != 1 {
		t.Errorf("%d were accepted and %d queued", accepted, n)
	}
}

// What a webhook refuses, and how.
func TestRefusals(t *testing.T) {
	k := kinds()[0]
	k.on.Path, k.on.Events, k.on.PerMinute = "/hook", []string{"issues"}, 8
	l := testLimits()
	l.body = 1000
	w := serve(t, l, k.on)
	signed := func(body string) map[string]string { return k.sign(body, body, now) }
	with := func(header map[string]string, name, value string) map[string]string {
		header[name] = value
		return header
	}
	for _, c := range []struct {
		what, method, path, body string
		header                   map[string]string
		code                     int
		text                     string
	}{
		{"an unknown path", http.MethodPost, "/hook/", "{}", signed("{}"), 404, "no webhook has this path"},
		{"another method", http.MethodPut, "/hook", "{}", signed("{}"), 405, "a webhook is a POST request"},
		{"another type", http.MethodPost, "/hook", "{}", with(signed("{}"), "Content-Type", "text/plain"), 415, "application/json"},
		{"a large body", http.MethodPost, "/hook", strings.Repeat(" ", 1001), signed("x"), 413, "larger than 1000 bytes"},
		{"no JSON", http.MethodPost, "/hook", "{", signed("{"), 400, "not JSON"},
		{"an input that is missing", http.MethodPost, "/hook", "{}", signed("{}"), 422, "nothing at `/title`"},
		{"an input of a wrong type", http.MethodPost, "/hook", `{"title":"a\nb"}`, signed(`{"title":"a\nb"}`), 422, "more than one line"},
		{"another event", http.MethodPost, "/hook", "{}", with(signed("{}"), "X-GitHub-Event", "push"), 200, "ignored"},
		{"a ping", http.MethodPost, "/hook", "{}", with(signed("{}"), "X-GitHub-Event", "ping"), 200, "pong"},
		{"a form", http.MethodPost, "/hook", "payload=%7B%22title%22%3A%22t%22%7D", with(signed("payload=%7B%22title%22%3A%22t%22%7D"), "Content-Type", "application/x-www-form-urlencoded"), 202, "queued"},
		{"health", http.MethodGet, "/healthz", "", nil, 200, "ok"},
	} {
		if code, text := w.send(c.method, c.path, c.body, c.header); code != c.code || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %q, want %d %q", c.what, code, text, c.code, c.text)
		}
	}
	// Unsigned requests use up nothing of the rate, signed ones do.
	for range 20 {
		w.send(http.MethodPost, "/hook", "{}", nil)
	}
	codes := map[int]int{}
	for i := range 4 {
		body := fmt.Sprintf(`{"title":"n%d"}`, i)
		code, _ := w.send(http.MethodPost, "/hook", body, signed(body))
		codes[code]++
	}
	if codes[202] != 2 || codes[429] != 2 {
		t.Errorf("the answers at the limit: %v", codes)
	}
}

// Slack asks whether a URL is that of its app, by a signed request.
// Triggers of one path, which have the same secret, divide the events among them.
func TestEventsOfOnePath(t *testing.T) {
	on := func(event string) settings.TriggerSource {
		return settings.TriggerSource{Webhook: settings.WebhookGitHub, Events: []string{event}}
	}
	w := serve(t, testLimits(), on("issues"), on("status"))
	const body = `{"issues": "an issue", "status": "a status"}`
	for event, want := range map[string]int{"issues": http.StatusAccepted, "status": http.StatusAccepted, "push": http.StatusOK, "ping": http.StatusOK} {
		code, text := w.send(http.MethodPost, "/hook", body, map[string]string{
			"X-Hub-Signature-256": "sha256=" + hexOf(secret, body), "X-GitHub-Event": event, "X-GitHub-Delivery": event,
		})
		if code != want {
			t.Errorf("%s: %d %s, want %d", event, code, text, want)
		}
	}
	list := w.queued()
	for _, m := range list {
		if m.Event == "" || !strings.Contains(string(m.Body), `"inputs":{"title":"a`+map[string]string{"issues": "n issue", "status": " status"}[m.Event]+`"}`) {
			t.Errorf("%s: %s", m.Event, m.Body)
		}
	}
	if len(list) != 2 {
		t.Errorf("%d deliveries are queued", len(list))
	}
}

func TestSlackChallenge(t *testing.T) {
	k := kinds()[3]
	k.on.Path = "/hook"
	w := serve(t, testLimits(), k.on)
	body := `{"type":"url_verification","challenge":"3eZbrw"}`
	if code, text := w.send(http.MethodPost, "/hook", body, nil); code != 401 {
		t.Errorf("unsigned: %d %q", code, text)
	}
	if code, text := w.send(http.MethodPost, "/hook", body, k.sign(body, "", now)); code != 200 || !strings.Contains(text, `"challenge":"3eZbrw"`) {
		t.Errorf("%d %q", code, text)
	}
	command := "command=%2Ftriage&text=It+crashes&title=t&trigger_id=1.2"
	header := k.sign(command, "", now)
	header["Content-Type"] = "application/x-www-form-urlencoded"
	if code, text := w.send(http.MethodPost, "/hook", command, header); code != 202 {
		t.Errorf("a slash command: %d %q", code, text)
	}
	if list := w.queued(); len(list) != 1 || list[0].Event != "command" {
		t.Errorf("queued: %+v", list)
	}
}

// A sender that does not finish its request loses its connection, and others are served
// meanwhile.
func TestSlowBody(t *testing.T) {
	k := kinds()[0]
	k.on.Path = "/hook"
	l := testLimits()
	l.request = 300 * time.Millisecond
	w := serve(t, l, k.on)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", w.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /hook HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	if code, text := w.send(http.MethodPost, "/hook", bodyOf("one"), k.sign(bodyOf("one"), "one", now)); code != 202 {
		t.Errorf("another sender: %d %q", code, text)
	}
	answer, err := io.ReadAll(conn) // until the server closes it
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf("%q, %v", answer, err)
	}
	if n := len(w.queued()); n != 1 {
		t.Errorf("%d are queued", n)
	}
}

// Without its secret, no webhook is served.
func TestNoSecret(t *testing.T) {
	site := inbox.Site{
		Address: "127.0.0.1:0", Secret: func(string) string { return "" }, Log: slog.New(slog.DiscardHandler),
		Triggers: []trigger.Trigger{{Trigger: settings.Trigger{On: settings.TriggerSource{Webhook: settings.WebhookGitHub, Path: "/hook", SecretVariable: "HOOK_SECRET"}}}},
	}
	err := Server().(inbox.Receiver).Serve(t.Context(), site)
	if err == nil || !strings.Contains(err.Error(), "set the environment variable HOOK_SECRET") {
		t.Error(err)
	}
}

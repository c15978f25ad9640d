package cli_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/serve"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/trigger"
	"github.com/wfc-lang/wfc/runtime/webhooks"
)

// hooked is demo, or with HOOKED_WAITS the workflow of waits, with triggers.
func hooked() cli.Program {
	p := program(demo())
	if os.Getenv("HOOKED_WAITS") != "" {
		p = program(waitQuestions())
	}
	hook := func(path string) settings.TriggerSource {
		return settings.TriggerSource{Webhook: settings.WebhookGitHub, Path: path, SecretVariable: "HOOK_SECRET"}
	}
	if os.Getenv("HOOKED_SCHEDULE") != "" {
		p.Definition.Schedule = "TZ=UTC 0 9 * * MON"
	}
	p.Triggers = []trigger.Trigger{
		{
			Trigger: settings.Trigger{On: hook("/greet"), Inputs: []settings.MappedValue{{Name: "arguments", Pointer: "/who"}}},
			When:    func(p *trigger.Payload) bool { return p.Text("action") != "ignore" },
		},
		{Trigger: settings.Trigger{On: hook("/event"), Signal: &settings.Signal{Event: "deployed", Run: "/run", Payload: "/what"}}},
		{Trigger: settings.Trigger{
			On: settings.TriggerSource{Files: "inbox/*.txt", Every: 10 * time.Millisecond}, Inputs: []settings.MappedValue{{Name: "arguments", Pointer: "/name"}},
		}},
	}
	if os.Getenv("HOOKED_WAITS") != "" {
		p.Triggers = slices.Delete(p.Triggers, 2, 3)
		p.Triggers[0].Inputs = []settings.MappedValue{{Name: "number", Pointer: "/number"}}
		p.Definition.Inputs = []flow.InputInfo{{Name: "number", Type: "int", Default: "0"}}
		p.Triggers = append(p.Triggers, trigger.Trigger{Trigger: settings.Trigger{
			On: hook("/match"), Signal: &settings.Signal{Event: "deployed", Match: []settings.MappedValue{{Name: "number", Pointer: "/pr/number"}}},
		}})
	}
	p.Webhooks = webhooks.Server()
	p.Serve = cli.Pages(serve.Pages())
	return p
}

// newDelivery is a request with a delivery that is signed as those of GitHub are.
func newDelivery(address, id, body, secret string) (*http.Request, error) {
	mac := hmac.New(sha256.New, []byte(secret))
	io.WriteString(mac, body)
	r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Delivery", id)
	r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	return r, nil
}

// throughSocket is a client of the server at a socket.
func throughSocket(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
}

// scrapeCommand is `scrape SOCKET`: it prints what /metrics at a socket says to the file metrics.
func scrapeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: scrape SOCKET")
	}
	r, err := throughSocket(ts.MkAbs(args[0])).Get("http://localhost/metrics")
	ts.Check(err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("metrics"), text, 0o600))
}

// postCommand is `post PATH DELIVERY BODY`: it sends a signed request to the socket of a listener,
// or with POST_TO=pages to the served pages, as soon as the listener answers, and prints the code and
// the text of the answer.
func postCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: post PATH DELIVERY BODY")
	}
	client, base := throughSocket(ts.MkAbs("socket")), "http://localhost"
	if ts.Getenv("POST_TO") == "pages" {
		client, base = http.DefaultClient, visitorOf(ts).base
	}
	var last error
	for range 6000 {
		r, err := newDelivery(base+args[0], args[1], args[2], ts.Getenv("HOOK_SECRET"))
		ts.Check(err)
		answer, err := client.Do(r)
		if err == nil && answer.StatusCode == http.StatusServiceUnavailable {
			answer.Body.Close()
			err = errors.New(answer.Status)
		}
		if err != nil {
			last = err
			time.Sleep(10 * time.Millisecond)
			continue
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs("answer"), fmt.Appendf(nil, "%d %s\n", answer.StatusCode, text), 0o600))
		return
	}
	ts.Fatalf("nobody answers: %v", last)
}

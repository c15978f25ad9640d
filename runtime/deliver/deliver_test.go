package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var ok = answer{status: 200, body: "ok"}

// Requirement 002, step-level delivery: a step's result goes to Slack.
func TestSlackWebhook(t *testing.T) {
	s := serve(t, ok)
	p := newSender().set("WFC_SLACK_URL", s.URL+"/services/T00000000/B00000000/secretsecretsecret")
	d := to("done: <!channel> a & b", "slack")
	d.Step = "fetch"
	completed(t, p.send(t.Context(), d), "slack")
	l := s.got()
	if len(l) != 1 || l[0].body["text"] != "[digest/fetch] done: &lt;!channel&gt; a &amp; b" || l[0].path != "/services/T00000000/B00000000/secretsecretsecret" {
		t.Errorf("%+v", l)
	}
	if _, set := l[0].body["channel"]; set {
		t.Errorf("%+v", l)
	}
	if l[0].header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%v", l[0].header)
	}
}

func TestSlackBot(t *testing.T) {
	s := serve(t, answer{status: 200, body: `{"ok":true}`})
	p := newSender(settings.Channel{Name: "slack", TokenVariable: "BOT", Receiver: "C9", BaseURL: s.URL + "/api/"}).set("BOT", "xoxb-1-2-secret")
	completed(t, p.send(t.Context(), to("hello", "slack", "slack:C1")), "slack, slack:C1")
	rooms := texts(s.got(), "channel")
	slices.Sort(rooms)
	if l := s.got(); !slices.Equal(rooms, []string{"C1", "C9"}) || l[0].path != "/api/chat.postMessage" || l[0].header.Get("Authorization") != "Bearer xoxb-1-2-secret" {
		t.Errorf("%+v", l)
	}
}

// Slack's failures come with the status of success.
func TestSlackRefuses(t *testing.T) {
	s := serve(t, answer{status: 200, body: `{"ok":false,"error":"channel_not_found"}`})
	p := newSender(settings.Channel{Name: "slack", BaseURL: s.URL, Receiver: "C9"}).set("WFC_SLACK_TOKEN", "xoxb-secret-secret")
	if m := failure(t, p.send(t.Context(), to("x", "slack"))); m != "not delivered to slack: it refuses the message: channel_not_found" {
		t.Error(m)
	}
	if len(s.got()) != 1 || len(p.waits) != 0 {
		t.Errorf("%d requests", len(s.got()))
	}
	s = serve(t, answer{status: 200, body: `{"ok":false,"error":"ratelimited"}`}, answer{status: 200, body: `{"ok":true}`})
	p = newSender(settings.Channel{Name: "slack", BaseURL: s.URL, Receiver: "C9"}).set("WFC_SLACK_TOKEN", "xoxb-secret-secret")
	completed(t, p.send(t.Context(), to("x", "slack")), "slack")
}

// TestReceivers sends to receivers that want to lead elsewhere: whoever starts a
// run may name one, by the key of a session. No request goes to another path.
func TestReceivers(t *testing.T) {
	paths := map[string]string{"slack": "/chat.postMessage", "discord": "/channels/42/messages", "telegram": "/bot1:secret-of-bot/sendMessage"}
	for kind, path := range paths {
		for _, receiver := range []string{"42", "..", ".", "../guilds", "42/../43", "42?wait=1", "42#x", "%2e%2e", "42\r\nX-Evil: 1", `42","text":"x`, "@evil.example", "//evil.example/"} {
			s := serve(t, answer{status: 200, body: `{"ok":true}`})
			p := newSender(settings.Channel{Name: kind, BaseURL: s.URL}).set("WFC_"+strings.ToUpper(kind)+"_TOKEN", "1:secret-of-bot")
			r := p.send(t.Context(), to("hi", kind+":"+receiver))
			for _, l := range s.got() {
				if l.path != path || len(l.header["X-Evil"]) > 0 {
					t.Errorf("%s:%s went to %s with %v", kind, receiver, l.path, l.header)
				}
				if text := fmt.Sprint(l.body["text"], l.body["content"]); !strings.Contains(text, "hi") {
					t.Errorf("%s:%s sent %v", kind, receiver, l.body)
				}
			}
			if receiver == "42" {
				completed(t, r, kind+":42")
			}
		}
	}
}

// What an agent writes hides no address, mentions nobody and formats nothing, also where a long
// text is divided.
func TestMarkup(t *testing.T) {
	for _, test := range []struct{ text, slack, discord, telegram string }{
		{"see [the docs](https://evil.example/a_b)", "see [the docs](https://evil.example/a_b)", `see \[the docs\](https://evil.example/a_b)`, "see [the docs](https://evil.example/a_b)"},
		{"<https://evil.example|docs> <@U1> <#C1> <!here> <@&1>", "&lt;https://evil.example|docs&gt; &lt;@U1&gt; &lt;#C1&gt; &lt;!here&gt; &lt;@&amp;1&gt;",
			`\<https://evil.example\|docs> \<@U1> \<#C1> \<!here> \<@&1>`, "<https://evil.example|docs> <@\u2060U1> <#C1> <!here> <@&1>"},
		{"`a` *b* _c_ ~~d~~ ||e|| \\[f](x)", "`a` *b* _c_ ~~d~~ ||e|| \\[f](x)", "\\`a\\` \\*b\\* \\_c\\_ \\~\\~d\\~\\~ \\|\\|e\\|\\| \\\\\\[f\\](x)", "`a` *b* _c_ ~~d~~ ||e|| \\[f](x)"},
		{"x\n# one\n > two\n- three\n12. four\n-# five", "x\n# one\n &gt; two\n- three\n12. four\n-# five", "x\n\\# one\n \\> two\n\\- three\n12\\. four\n\\-# five", "x\n# one\n > two\n- three\n12. four\n-# five"},
		{"@channel, ann@shop.example (@ann)", "@channel, ann@shop.example (@ann)", "@channel, ann@shop.example (@ann)", "@\u2060channel, ann@shop.example (@\u2060ann)"},
		{"https://x.example/a_b?c=d#e is **it**", "https://x.example/a_b?c=d#e is **it**", `https://x.example/a_b?c=d#e is \*\*it\*\*`, "https://x.example/a_b?c=d#e is **it**"},
	} {
		s := serve(t, answer{status: 200, body: `{"ok":true,"result":{}}`})
		p := newSender(settings.Channel{Name: "telegram", BaseURL: s.URL, Receiver: "1"}, settings.Channel{Name: "ci", Kind: "webhook", URLVariable: "CI"}).
			set("WFC_TELEGRAM_TOKEN", "1:secret-of-bot").set("WFC_SLACK_URL", s.URL+"/slack").set("WFC_DISCORD_URL", s.URL+"/discord").set("CI", s.URL+"/ci")
		for target, want := range map[string]string{"slack": test.slack, "discord": test.discord, "telegram": test.telegram, "ci": test.text} {
			completed(t, p.send(t.Context(), to(test.text, target)), target)
			l := s.got()
			body := l[len(l)-1].body
			got := body["text"]
			if target == "discord" {
				got = body["content"]
			}
			if got != want || body["parse_mode"] != nil || (target == "slack") != (body["mrkdwn"] == false) {
				t.Errorf("%s gets %q, want %q: %v", target, got, want, body)
			}
		}
	}
	for _, line := range []string{"# a\n", "[*_", "- \n"} {
		s := serve(t, answer{status: 204})
		p := newSender().set("WFC_DISCORD_URL", s.URL)
		completed(t, p.send(t.Context(), to(strings.Repeat(line, 2500/len(line)), "discord")), "discord")
		for _, text := range texts(s.got(), "content") {
			if len(text) > 2000 || !strings.HasPrefix(text, `\`) {
				t.Errorf("%d characters: %.20q", len(text), text)
			}
		}
	}
}

func TestDiscord(t *testing.T) {
	s := serve(t, answer{status: 204})
	p := newSender().set("WFC_DISCORD_URL", s.URL+"/api/webhooks/1/secretsecret")
	completed(t, p.send(t.Context(), to("@everyone done", "discord")), "discord")
	l := s.got()[0]
	mentions, _ := l.body["allowed_mentions"].(map[string]any)
	if l.body["content"] != "@everyone done" || mentions == nil || len(mentions["parse"].([]any)) != 0 {
		t.Errorf("%+v", l.body)
	}
	s = serve(t, ok)
	p = newSender(settings.Channel{Name: "discord", BaseURL: s.URL}).set("WFC_DISCORD_TOKEN", "bot-secret")
	completed(t, p.send(t.Context(), to("hi", "discord:42")), "discord:42")
	if l := s.got()[0]; l.path != "/channels/42/messages" || l.header.Get("Authorization") != "Bot bot-secret" {
		t.Errorf("%+v", l)
	}
}

func TestTelegram(t *testing.T) {
	s := serve(t, answer{status: 200, body: `{"ok":true,"result":{}}`})
	p := newSender(settings.Channel{Name: "telegram", BaseURL: s.URL, Receiver: "-100"}).set("WFC_TELEGRAM_TOKEN", "123:secret-secret")
	completed(t, p.send(t.Context(), to("*not* <b>markup</b>", "telegram")), "telegram")
	l := s.got()[0]
	if l.path != "/bot123:secret-secret/sendMessage" || l.body["chat_id"] != "-100" || l.body["text"] != "*not* <b>markup</b>" || l.body["parse_mode"] != nil {
		t.Errorf("%+v", l)
	}
	s = serve(t, answer{status: 400, body: `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`})
	p = newSender(settings.Channel{Name: "telegram", BaseURL: s.URL}).set("WFC_TELEGRAM_TOKEN", "123:secret-secret")
	if m := failure(t, p.send(t.Context(), to("x", "telegram:7"))); m != "not delivered to telegram:7: it answers with 400: Bad Request: chat not found" {
		t.Error(m)
	}
}

// A webhook gets a document, and can tell a delivery that was performed again.
func TestWebhook(t *testing.T) {
	s := serve(t, answer{status: 202})
	p := newSender(settings.Channel{Name: "ci", Kind: "webhook", URLVariable: "CI_HOOK", TokenVariable: "CI_TOKEN"}).set("CI_HOOK", s.URL+"/in").set("CI_TOKEN", "t0ken")
	d := to("line one\nline <two>", "webhook:ci")
	d.Step = "fetch"
	completed(t, p.send(t.Context(), d), "webhook:ci")
	completed(t, p.send(t.Context(), d), "webhook:ci")
	d.Step = "other"
	completed(t, p.send(t.Context(), d), "webhook:ci")
	l := s.got()
	b := l[0].body
	if b["workflow"] != "digest" || b["run"] != "digest-abc123" || b["step"] != "fetch" || b["text"] != "line one\nline <two>" || b["target"] != "webhook:ci" || b["schema_version"] != 1.0 {
		t.Errorf("%v", b)
	}
	if b["id"] != l[1].body["id"] || b["id"] == l[2].body["id"] || l[0].header.Get("Idempotency-Key") != b["id"] || l[0].header.Get("Authorization") != "Bearer t0ken" {
		t.Errorf("%v %v", l[0].header, texts(l, "id"))
	}
}

func TestRateLimits(t *testing.T) {
	for name, c := range map[string]struct {
		first answer
		wait  time.Duration
	}{
		"header":        {answer{status: 429, header: "Retry-After: 7"}, 7 * time.Second},
		"discord":       {answer{status: 429, body: `{"message":"slow down","retry_after":2.5}`}, 2500 * time.Millisecond},
		"telegram":      {answer{status: 429, body: `{"ok":false,"parameters":{"retry_after":30}}`}, 30 * time.Second},
		"nothing said":  {answer{status: 429}, time.Second},
		"a false wait":  {answer{status: 429, header: "Retry-After: -5"}, time.Second},
		"a server down": {answer{status: 503, body: "down"}, time.Second},
	} {
		s := serve(t, c.first, ok)
		p := newSender().set("WFC_WEBHOOK_X_URL", s.URL)
		completed(t, p.send(t.Context(), to("x", "webhook:x")), "webhook:x")
		if !slices.Equal(p.waits, []time.Duration{c.wait}) || len(s.got()) != 2 {
			t.Errorf("%s: %v", name, p.waits)
		}
		if !strings.Contains(p.log.String(), "has not arrived yet") {
			t.Errorf("%s: the log says %q", name, p.log.String())
		}
	}
	s := serve(t, answer{status: 429, header: "Retry-After: 86400"})
	p := newSender().set("WFC_WEBHOOK_X_URL", s.URL)
	if m := failure(t, p.send(t.Context(), to("x", "webhook:x"))); !strings.Contains(m, "a retry after 24h0m0s, which is too long") || len(s.got()) != 1 {
		t.Error(m)
	}
}

// What may pass is tried again, longer and longer, and not for ever.
func TestFailuresThatStay(t *testing.T) {
	s := serve(t, answer{status: 500, body: "oops\nmore"})
	p := newSender().set("WFC_WEBHOOK_X_URL", s.URL)
	r := p.send(t.Context(), to("x", "webhook:x"))
	if m := failure(t, r); m != "not delivered to webhook:x: it answers with 500: oops (tried 5 times)" || r.Failure.Class != flow.ClassTransient {
		t.Error(m)
	}
	if !slices.Equal(p.waits, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}) {
		t.Errorf("%v", p.waits)
	}
	for _, status := range []int{400, 401, 403, 404, 410, 501} {
		s := serve(t, answer{status: status})
		p := newSender().set("WFC_WEBHOOK_X_URL", s.URL)
		if r := p.send(t.Context(), to("x", "webhook:x")); len(s.got()) != 1 || r.Failure.Class == flow.ClassTransient {
			t.Errorf("%d: %d requests, %v", status, len(s.got()), r.Failure)
		}
	}
}

func TestRefusedHangingAndRedirecting(t *testing.T) {
	gone := serve(t, ok)
	gone.Close()
	p := newSender().set("WFC_WEBHOOK_X_URL", gone.URL+"/secretsecretsecret")
	if m := failure(t, p.send(t.Context(), to("x", "webhook:x"))); !strings.Contains(m, "refused") || strings.Contains(m, "secret") {
		t.Error(m)
	}
	hang := serve(t, answer{hang: true})
	p = newSender().set("WFC_WEBHOOK_X_URL", hang.URL)
	p.Quick(20*time.Millisecond, func(time.Duration) {})
	if m := failure(t, p.send(t.Context(), to("x", "webhook:x"))); !strings.Contains(m, "it does not answer in time (tried 5 times)") {
		t.Error(m)
	}
	other := serve(t, ok)
	moved := serve(t, answer{status: 307, header: "Location: " + other.URL})
	p = newSender().set("WFC_WEBHOOK_X_URL", moved.URL)
	if m := failure(t, p.send(t.Context(), to("x", "webhook:x"))); !strings.Contains(m, "307 and another address") || len(other.got()) != 0 {
		t.Error(m)
	}
}

// A cancelled run waits for no service.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, answer{hang: true})
	go func() {
		for len(s.got()) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	p := newSender().set("WFC_WEBHOOK_X_URL", s.URL)
	if r := p.send(ctx, to("x", "webhook:x")); r.Status != flow.Cancelled {
		t.Errorf("%+v", r)
	}
}

// One target that fails keeps no other from getting its message; each gets it
// once.
func TestSeveralTargets(t *testing.T) {
	good, bad := serve(t, ok), serve(t, answer{status: 404, body: "no_service"})
	p := newSender().set("WFC_SLACK_URL", bad.URL).set("WFC_WEBHOOK_CI_URL", good.URL)
	r := p.send(t.Context(), to("x", "slack", "webhook:ci", "slack", "fax", "discord"))
	m := failure(t, r)
	want := "not delivered to slack: it answers with 404: no_service; to fax: unknown channel `fax`: use one of `discord`, `mail`, `slack`, `telegram`, `webhook`; " +
		"to discord: missing address: set WFC_DISCORD_URL or WFC_DISCORD_TOKEN, or `delivery.channels.discord` in wfc.yaml; delivered to webhook:ci"
	if m != want || r.Text != "webhook:ci" || len(good.got()) != 1 || len(bad.got()) != 1 {
		t.Errorf("%s\n%q", m, r.Text)
	}
}

// No error and no line of the log holds what is secret, whatever a service says.
func TestSecretsStaySecret(t *testing.T) {
	const secret = "T0P-SECRET-TOKEN-0123456789"
	s := serve(t, answer{status: 500, body: strings.Repeat("x", 165) + " POST /hooks/" + secret + " with Bearer " + secret + " failed"})
	p := newSender(settings.Channel{Name: "ci", Kind: "webhook", URLVariable: "HOOK", TokenVariable: "TOKEN"}, settings.Channel{Name: "telegram", BaseURL: s.URL, Receiver: "1"},
		settings.Channel{Name: "wrong", Kind: "slack", URLVariable: "WRONG"}, settings.Channel{Name: "odd", Kind: "webhook", URLVariable: "ODD"}).
		set("HOOK", s.URL+"/hooks/"+secret).set("TOKEN", secret).set("WFC_TELEGRAM_TOKEN", "1:"+secret).set("WRONG", "telegram://"+secret).set("ODD", "http://"+secret+"@127.0.0.1:1/%zz")
	m := failure(t, p.send(t.Context(), to("x", "webhook:ci", "telegram", "wrong", "odd")))
	if strings.Contains(m, secret[:8]) || strings.Contains(p.log.String(), secret[:8]) {
		t.Errorf("%s\n%s", m, p.log.String())
	}
	if !strings.Contains(m, "the value of WRONG is not the address of a slack channel") || !strings.Contains(m, " POST *** with Bearer *** ") {
		t.Error(m)
	}
}

// Long texts become several messages, in order; a wide one is cut.
func TestLongTexts(t *testing.T) {
	s := serve(t, answer{status: 204})
	p := newSender().set("WFC_DISCORD_URL", s.URL)
	line := strings.Repeat("wörd ", 30) + "\n"
	text := strings.TrimSpace(strings.Repeat(line, 40)) // 6,000 characters
	completed(t, p.send(t.Context(), to(text, "discord")), "discord")
	all := texts(s.got(), "content")
	if len(all) != 4 || strings.Join(strings.Fields(strings.Join(all, " ")), " ") != strings.Join(strings.Fields(text), " ") {
		t.Errorf("%d messages", len(all))
	}
	s = serve(t, answer{status: 204}, answer{status: 204}, answer{status: 400, body: `{"message":"no"}`})
	p = newSender().set("WFC_DISCORD_URL", s.URL)
	if m := failure(t, p.send(t.Context(), to(text, "discord"))); m != "not delivered to discord: it answers with 400: no, after 2 of 4 messages" {
		t.Error(m)
	}
	s = serve(t, ok)
	p = newSender().set("WFC_SLACK_URL", s.URL)
	completed(t, p.send(t.Context(), to("", "slack")), "slack")
	if got := texts(s.got(), "text"); got[0] != "(no output)" {
		t.Errorf("%q", got)
	}
}

func TestUnready(t *testing.T) {
	p := newSender(settings.Channel{Name: "ops", Kind: "slack", URLVariable: "OPS"})
	list := p.Unready([]string{"ops", "slack", ":", "telegram", "ops"}, []string{"WFC_SLACK_URL=https://hooks.slack.com/services/x", "WFC_TELEGRAM_TOKEN=1:x"})
	var all []string
	for _, err := range list {
		all = append(all, err.Error())
	}
	want := []string{"ops: missing address: set OPS", ":: missing channel in `:`: write one such as `slack` or `telegram:42`",
		"telegram: missing receiver: a bot needs one, as in `telegram:ID` or in wfc.yaml"}
	if !slices.Equal(all, want) {
		t.Errorf("%q", all)
	}
}

package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const notified = `delivery:
  channels:
    pager: {kind: command, command: [./page, --now]}
notify:
  waits:
    to: [slack, "mailto:ann@example.com"]
    title: "{{workflow}} waits"
    escalate: {after: 30m, to: pager}
    urgent: true
  failed: pager
  quiet: {from: "22:00", to: "07:00", zone: Europe/Berlin}
workflows:
  "nightly/*.yaml": {notify: {failed: [], completed: slack}}
`

func TestNotify(t *testing.T) {
	c, findings := config.Parse(source.NewFile("wfc.yaml", []byte(notified)))
	if len(findings) > 0 {
		t.Fatal(findings[0].Message)
	}
	c.Dir = "/p"
	n := c.NotifyOf("/p/a.yaml")
	waits := n.RuleOf(settings.NoticeWaits)
	if strings.Join(waits.Targets, " ") != "slack mailto:ann@example.com" || !waits.Urgent || waits.Title != "{{workflow}} waits" ||
		len(waits.Escalate) != 1 || waits.Escalate[0].After != 30*time.Minute || waits.Escalate[0].Targets[0] != "pager" {
		t.Errorf("waits: %+v", waits)
	}
	if n.Quiet != (settings.QuietHours{From: "22:00", To: "07:00", Zone: "Europe/Berlin"}) || len(n.RuleOf(settings.NoticeFailed).Targets) != 1 {
		t.Errorf("%+v", n)
	}
	// A workflow replaces the rules that it names, and keeps the others.
	n = c.NotifyOf("/p/nightly/b.yaml")
	if len(n.RuleOf(settings.NoticeFailed).Targets) != 0 || len(n.RuleOf(settings.NoticeCompleted).Targets) != 1 || len(n.RuleOf(settings.NoticeWaits).Targets) != 2 || n.Quiet.Zone == "" {
		t.Errorf("of a workflow: %+v", n)
	}
	if got := c.Settings("/p").Channels[0].Command; strings.Join(got, " ") != "/p/page --now" {
		t.Errorf("the program of a channel: %q", got)
	}
}

func TestWrongNotify(t *testing.T) {
	for _, tt := range []struct{ text, at, want string }{
		{`notify: {wait: slack}`, "wait", "unknown key `wait`"},
		{`notify: {waits: slakc}`, "slakc", "unknown channel `slakc`"},
		{`notify: {waits: {to: slack, body: "run {{rum}}"}}`, "{{rum}}", "`notify.waits.body` must be a text with known placeholders: unknown placeholder `rum`"},
		{`notify: {waits: {to: slack, title: "{{run"}}`, "{{", "`notify.waits.title` must be a text with known placeholders: `{{` without `}}`"},
		{`notify: {waits: {title: x}}`, "{title: x}", "`notify.waits` must be a mapping with `to`"},
		{`notify: {waits: {to: slack, escalate: {to: slack}}}`, "{to: slack}", "`notify.waits.escalate` must be a mapping with `after` and `to`"},
		{`notify: {waits: {to: slack, escalate: {after: 5, to: slack}}}`, "5", "`notify.waits.escalate.after` must be a time span"},
		{`notify: {quiet: {from: "22:00"}}`, `{from: "22:00"}`, "`notify.quiet` must be a mapping with `from` and `to`"},
		{`notify: {quiet: {from: "9:00", to: "22:00"}}`, `"9:00"`, "`notify.quiet.from` must be a time such as \"22:00\""},
		{`notify: {quiet: {from: "22:00", to: "22:00"}}`, `{from: "22:00", to: "22:00"}`, "`notify.quiet` must be hours whose `from` and `to` differ"},
		{`notify: {quiet: {from: "22:00", to: "23:00", zone: Mars}}`, "Mars", "`notify.quiet.zone` must be a time zone"},
		{`notify: {waits: "mailto:nobody"}`, `"mailto:nobody"`, "invalid e-mail address `nobody`"},
		{`delivery: {channels: {ops: {kind: command}}}`, "ops", "because its kind is `command`"},
		{`delivery: {channels: {slack: {kind: slack, command: x}}}`, "x", "`delivery.channels.slack.command` must be absent"},
	} {
		_, findings := config.Parse(source.NewFile("wfc.yaml", []byte(tt.text)))
		if len(findings) != 1 || !strings.Contains(findings[0].Message, tt.want) {
			t.Errorf("%s: %+v, want %q", tt.text, findings, tt.want)
			continue
		}
		if at := findings[0].Span; tt.text[at.Start:at.End] != tt.at {
			t.Errorf("%s: at %q, want %q", tt.text, tt.text[at.Start:at.End], tt.at)
		}
	}
}

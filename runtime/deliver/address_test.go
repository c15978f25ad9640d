package deliver_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Addresses as shoutrrr writes them are understood.
func TestAddresses(t *testing.T) {
	for _, c := range []struct{ target, value, url, token, receiver string }{
		{"slack", "https://hooks.slack.com/services/T/B/X", "https://hooks.slack.com/services/T/B/X", "", ""},
		{"slack", "slack://hook:T12345678-B12345678-abcdefghijklmnopqrstuvwx@webhook", "https://hooks.slack.com/services/T12345678/B12345678/abcdefghijklmnopqrstuvwx", "", ""},
		{"slack", "slack://xoxb:123456789012-1234567890123-abcdefghijklmnopqrstuvwx@C123", "", "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx", "C123"},
		{"slack:C9", "slack://xoxb:123456789012-1234567890123-abcdefghijklmnopqrstuvwx@C123", "", "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx", "C9"},
		{"discord", "discord://token@4711", "https://discord.com/api/webhooks/4711/token", "", ""},
		{"discord", "discord://token@4711?thread_id=5", "https://discord.com/api/webhooks/4711/token?thread_id=5", "", ""},
		{"telegram", "telegram://123:abc@telegram?chats=-10042", "", "123:abc", "-10042"},
		{"webhook:ci", "generic://example.com/in", "https://example.com/in", "", ""},
		{"webhook:ci", "generic+http://localhost:80/in?x=y", "http://localhost:80/in?x=y", "", ""},
	} {
		name := "WFC_" + strings.ToUpper(strings.NewReplacer(":ci", "_CI", ":C9", "").Replace(c.target)) + "_URL"
		_, url, token, _, receiver, err := deliver.NewPerformer().Find(c.target, name+"="+c.value)
		if err != nil || url != c.url || token != c.token || receiver != c.receiver {
			t.Errorf("%s: %q %q %q %v", c.value, url, token, receiver, err)
		}
	}
	for _, value := range []string{"hooks.slack.com/services/x", "https://", "discord://a@b", "slack://x", "generic://example.com", "ftp://example.com", "https://%zz"} {
		if _, url, _, _, _, err := deliver.NewPerformer().Find("slack", "WFC_SLACK_URL="+value); err == nil {
			t.Errorf("%s: %q", value, url)
		}
	}
}

// Of several channels the one that is named most exactly counts.
func TestChannels(t *testing.T) {
	p := deliver.NewPerformer(
		settings.Channel{Name: "slack", URLVariable: "ALL"}, settings.Channel{Name: "slack:C1", URLVariable: "ONE"},
		settings.Channel{Name: "ops", Kind: "telegram", TokenVariable: "BOT", Receiver: "7", BaseURL: "http://localhost:1/"}, settings.Channel{Name: "ci", Kind: "webhook"},
	)
	environ := []string{"ALL=https://a.example/x", "ONE=https://b.example/x", "BOT=1:x", "WFC_WEBHOOK_CI_URL=https://c.example/old", "WFC_WEBHOOK_CI_URL= https://c.example/x ", "WFC_WEBHOOK_MY_HOOK_URL=https://d.example/"}
	for target, want := range map[string]string{
		"slack": "slack https://a.example/x   ", "slack:C1": "slack https://b.example/x   C1", "slack:C2": "slack https://a.example/x   C2",
		"ops": "telegram  1:x http://localhost:1 7", "ops:8": "telegram  1:x http://localhost:1 8", "ci": "webhook https://c.example/x   ",
		"webhook:ci": "webhook https://c.example/x   ", "webhook:my-hook": "webhook https://d.example/   ",
	} {
		kind, url, token, base, receiver, err := p.Find(target, environ...)
		if got := strings.Join([]string{kind, url, token, base, receiver}, " "); err != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", target, got, want, err)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"short", []string{"short"}},
		{strings.Repeat("a", 250), []string{strings.Repeat("a", 100), strings.Repeat("a", 100), strings.Repeat("a", 50)}},
		{strings.Repeat("a", 80) + "\n" + strings.Repeat("b", 80), []string{strings.Repeat("a", 80), strings.Repeat("b", 80)}},
		{strings.Repeat("a", 80) + " " + strings.Repeat("b", 80), []string{strings.Repeat("a", 80), strings.Repeat("b", 80)}},
		{strings.Repeat("😀", 60), []string{strings.Repeat("😀", 50), strings.Repeat("😀", 10)}},
	} {
		got := deliver.Split(c.text, 100)
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: %q", c.text, got)
		}
	}
	cut := deliver.Split(strings.Repeat("é", 5000), 100)
	if len(cut) != 10 || !strings.HasSuffix(cut[9], " more characters)") {
		t.Errorf("%q", cut)
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{"", "a", "a\nb c", strings.Repeat("wörd 😀\n", 40), "\xff\xfe", strings.Repeat("\n", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip() // invalid bytes are replaced before
		}
		list := deliver.Split(text, 100)
		for _, part := range list {
			if n := len(utf16.Encode([]rune(part))); n > 100 || !utf8.ValidString(part) {
				t.Fatalf("%q has %d units", part, n)
			}
		}
		whole := strings.Join(strings.Fields(strings.Join(list, " ")), "")
		if len(list) < 10 && whole != strings.Join(strings.Fields(text), "") {
			t.Fatalf("%q became %q", text, list)
		}
	})
}

// Whatever stands in a variable, it is an address or is refused.
func FuzzAddress(f *testing.F) {
	for _, text := range []string{"slack://dummy@dummy.com", "telegram://dummy@dummy.com", "discord://dummy@dummy.com/raw", "generic://a@b:1/c?d=e", "https://a/b", "slack:///", "generic+://", "telegram://1:a@t?chats="} {
		for _, kind := range []string{"slack", "discord", "telegram", "webhook"} {
			f.Add(kind, text)
		}
	}
	f.Fuzz(func(_ *testing.T, kind, text string) {
		_ = deliver.Expand(kind, text) // it must only not panic
	})
}

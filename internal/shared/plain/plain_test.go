package plain_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// hostile are characters that must reach no terminal, each in a string.
var hostile = []string{
	"\x00", "\a", "\b", "\v", "\f", "\x0e", "\x1b", "\x1b[2J", "\x1b[1A", "\x1b]0;title\a", "\x1bP1$r\x1b\\", "\x1b[?1049h", "\x7f", "\u0080", "\u0085", "\u009b31m", "\u009d0;t\u009c",
	"\xff", "\x9b31m", "\u00ad", "\u061c", "\u180e", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2064", "\u2066", "\u2069", "\ufeff", "\ufff9",
	"\U000e0041", "\u115f", "\u3164", "\r", "a\u200db",
}

// steers reports whether a text holds a character that is not shown as one.
func steers(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2064\u2066\u2069\ufeff\ufff9\U000e0041\u115f\u3164", r)
	})
}

func TestNothingHostilePasses(t *testing.T) {
	for _, h := range hostile {
		s := "before" + h + "after"
		for name, got := range map[string]string{
			"Text": plain.Text(s), "Line": plain.Line(s), "Table": plain.Table(0, []string{s, s})[0], "Below": plain.Below(s, "  "), "Message": plain.Message(s),
		} {
			if steers(got) || !strings.Contains(got, "before") || !strings.Contains(got, "after") {
				t.Errorf("%s of %q is %q", name, s, got)
			}
		}
		var out bytes.Buffer
		w := plain.NewWriter(&out)
		for i := range len(s) { // also when it comes in pieces
			if _, err := w.Write([]byte(s[i : i+1])); err != nil {
				t.Fatal(err)
			}
		}
		if steers(out.String()) {
			t.Errorf("written %q is %q", s, out.String())
		}
		document, err := json.Marshal(map[string]string{h: h})
		if err != nil {
			t.Fatal(err)
		}
		var kept map[string]string
		safe := escapeJSON(t, document)
		if err := json.Unmarshal(safe, &kept); err != nil || steers(string(safe)) {
			t.Errorf("JSON of %q is %q: %v", document, safe, err)
		}
		if want := strings.ToValidUTF8(h, "\ufffd"); kept[want] != want {
			t.Errorf("JSON of %q loses it: %q", h, kept)
		}
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		"plain":                "plain",
		"a\n\tb\n":             "a\n\tb\n",
		"a\r\nb\rc":            "a\nb␍c",
		"\x1b[1;31mred\x1b[0m": "red",
		"\x1b[31":              "␛[31",
		"\x1b[2Jx\x1bc":        "␛[2Jx␛c",
		"größe 日本 👩\u200d💻 ❤️ नमस्ते": "größe 日本 👩\u200d💻 ❤️ नमस्ते",
		"می\u200cخواهم": "می\u200cخواهم",
		"pay\u200dpal":  "pay\ufffdpal",
		"bad\xff\xfe":   "bad\ufffd\ufffd",
		"\u0600\u0661":  "\u0600\u0661",
	} {
		if got := plain.Text(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
		if again := plain.Text(plain.Text(text)); again != want {
			t.Errorf("%q twice gives %q", text, again)
		}
	}
}

func TestLinesStayOne(t *testing.T) {
	for _, text := range []string{"a\nb", "a\r\nb", "a\n\nrun x: completed", "a\vb\fc\u0085d\u2028e"} {
		if got := plain.Line(text); strings.Contains(got, "\n") || steers(got) {
			t.Errorf("%q gives %q", text, got)
		}
		if got := plain.Table(0, []string{"x", text})[0]; strings.Contains(got, "\n") {
			t.Errorf("%q gives the row %q", text, got)
		}
	}
	if got, want := plain.Below("one\r\ntwo\n", "  "), "one\n  │ two"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := plain.Message("one\ntwo\n  three\n\nfour\n"), "one\n  two\n  three\n\n  four"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No line of a log of GitHub is a command of somebody else.
func TestGitHubCommands(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	for text, want := range map[string]string{
		"::error::x\n":                  ": :error::x\n",
		"ok\n  \t::set-output name=a\n": "ok\n  \t: :set-output name=a\n",
		"a ::error::x\n":                "a ::error::x\n",
		"std::vector\n":                 "std::vector\n",
		"a ##[error]x\n":                "a # #[error]x\n",
	} {
		var out bytes.Buffer
		w := plain.NewWriter(&out)
		_, _ = w.Write([]byte(text))
		if out.String() != want {
			t.Errorf("%q gives %q, want %q", text, out.String(), want)
		}
		out.Reset()
		w = plain.NewWriter(&out)
		_, _ = w.Write([]byte("ok "))
		_, _ = w.Write([]byte("::error::x"))
		_, _ = w.Write([]byte("\n"))
		_, _ = w.Write([]byte("  "))
		_, _ = w.Write([]byte("::error::y\n"))
		if got, want := out.String(), "ok ::error::x\n  : :error::y\n"; got != want {
			t.Errorf("in pieces: %q, want %q", got, want)
		}
	}
	if got := string(escapeJSON(t, []byte(`{"a":"##[error]x"}`))); strings.Contains(got, "##[") {
		t.Errorf("JSON %s", got)
	}
}

func TestColouredKeepsColoursAlone(t *testing.T) {
	var out bytes.Buffer
	_, _ = plain.Coloured(plain.NewWriter(&out)).Write([]byte("\x1b[1;31merror\x1b[0m\x1b[2J\n"))
	if got, want := out.String(), "\x1b[1;31merror\x1b[0m␛[2J\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// escapeJSON is a JSON document as a JSONWriter passes it on.
func escapeJSON(t *testing.T, document []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := plain.JSONWriter(&out).Write(document); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

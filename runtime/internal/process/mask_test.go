package process_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

func TestNamesSecret(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "api_key": true, "MY_SECRET_NAME": true, "DB_PASSWORD": true, "PASSWORD_FILE": true,
		"OPENAI_APIKEY": true, "SMTP_PASS": true, "PATH": false, "KEYBOARD": false, "TOKENS": false, "MONKEY": false, "": false,
	} {
		if got := process.NamesSecret(name); got != want {
			t.Errorf("NamesSecret(%q) = %v", name, got)
		}
	}
}

func TestMask(t *testing.T) {
	env := []string{"A_KEY=abcdef", "B_KEY=abcdefgh", "C_KEY=x", "PLAIN=visible", "D_SECRET=two\nlines\n", "broken"}
	for text, want := range map[string]string{
		"":                       "",
		"abcdef":                 "***",
		"abcdefgh":               "***",
		"abcdefg":                "***g",
		"ababcdef":               "ab***",
		"x visible abcde":        "x visible abcde",
		"abcdefabcdefgh":         "******",
		"has two\nlines\nin it":  "has ***\nin it",
		"two\nline":              "two\nline",
		"abcdeabcdef and abcdef": "abcde*** and ***",
	} {
		if got := process.Mask(env, text); got != want {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want)
		}
	}
}

// However the output is cut into pieces, it is masked as if it came at once.
func TestMaskDoesNotDependOnPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ab]{6,9}`)
		env := []string{"A_KEY=" + secret.Draw(t, "one"), "B_TOKEN=" + secret.Draw(t, "two")}
		pieces := rapid.SliceOf(rapid.StringMatching(`[abc]{0,12}`)).Draw(t, "pieces")
		var got strings.Builder
		process.MaskPieces(env, pieces, func(piece []byte) { got.Write(piece) })
		if want := process.Mask(env, strings.Join(pieces, "")); got.String() != want {
			t.Fatalf("in pieces %q, at once %q", got.String(), want)
		}
	})
}

// The step's own key ends in _KEY, but its log is about it.
func TestNodeIDsAreNotMasked(t *testing.T) {
	if got := process.Mask([]string{"WFC_STEP_KEY=publish", "API_KEY=sesame-open"}, "published by sesame-open"); got != "published by ***" {
		t.Errorf("masked as %q", got)
	}
}

package process_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// inPieces masks a text that arrives in pieces of random lengths.
func inPieces(t *rapid.T, env []string, text string) string {
	var pieces []string
	for rest := text; rest != ""; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	var out strings.Builder
	process.MaskPieces(env, pieces, func(piece []byte) { out.Write(piece) })
	return out.String()
}

// languages have the escape sequences of a character.
var languages = map[string]func(r rune) []string{
	"URL": func(r rune) []string { return []string{bytewise("%%%02x", r), bytewise("%%%02X", r)} },
	"JSON": func(r rune) []string {
		list := []string{fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r)}
		if units := utf16.AppendRune(nil, r); len(units) > 1 {
			list = []string{fmt.Sprintf(`\u%04x\u%04x`, units[0], units[1]), fmt.Sprintf(`\u%04X\u%04X`, units[0], units[1])}
		}
		if strings.ContainsRune(`/"\`, r) {
			list = append(list, `\`+string(r))
		}
		return list
	},
	"strings": func(r rune) []string {
		return []string{bytewise(`\x%02x`, r), bytewise(`\x%02X`, r), bytewise(`\%03o`, r), fmt.Sprintf(`\U%08x`, r), fmt.Sprintf(`\u{%X}`, r)}
	},
	"HTML": func(r rune) []string {
		return []string{fmt.Sprintf("&#%d;", r), fmt.Sprintf("&#x%x;", r), fmt.Sprintf("&#X%X;", r), html.EscapeString(string(r))}
	},
	"shell": func(r rune) []string {
		switch {
		case r == '\'':
			return []string{`'\''`, `'"'"'`, `''`, `\'`}
		case r == '"':
			return []string{`""`, `\"`}
		case strings.ContainsRune(`\&$<>?= `, r):
			return []string{`\` + string(r)}
		}
		return nil
	},
}

func bytewise(format string, r rune) string {
	var b strings.Builder
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// escaped spells each character of a string as itself or by an escape sequence of one of the
// languages.
func escaped(t *rapid.T, text string, among ...string) string {
	var b strings.Builder
	for _, r := range text {
		ways := []string{string(r)}
		for _, language := range among {
			ways = append(ways, languages[language](r)...)
		}
		b.WriteString(rapid.SampledFrom(ways).Draw(t, "spelling"))
	}
	return b.String()
}

// lineBreaks may be between the lines of a code.
var lineBreaks = []string{
	"\n", "\r\n", " ", "\n\t", "\n12:00:01 INFO> ", "\r\n| ", "\",\n  \"", "\\\n", "\nI ", "\n2026-11-23T17:00:00.123Z stderr F ", "\"}\n{\"log\": \"",
}

// parseLines breaks a code into lines, with a prefix each.
func parseLines(t *rapid.T, code string) string {
	width := rapid.SampledFrom([]int{4, 8, 60, 64, 76, 1000}).Draw(t, "width")
	between := rapid.SampledFrom(lineBreaks).Draw(t, "between")
	var list []string
	for part := range slices.Chunk([]byte(code), width) {
		list = append(list, string(part))
	}
	return strings.Join(list, between)
}

// encodings are the ways to write the bytes around and of a secret.
var encodings = map[string]func(t *rapid.T, text string) string{
	"mixed": func(t *rapid.T, text string) string { return escaped(t, text, slices.Sorted(maps.Keys(languages))...) },
	"twice": func(t *rapid.T, text string) string {
		language := rapid.SampledFrom(slices.Sorted(maps.Keys(languages)))
		return escaped(t, escaped(t, text, language.Draw(t, "inner")), language.Draw(t, "outer"))
	},
	"query":      func(_ *rapid.T, text string) string { return url.QueryEscape(text) },
	"lower path": func(_ *rapid.T, text string) string { return strings.ToLower(url.PathEscape(text)) },
	"base64": func(t *rapid.T, text string) string {
		list := []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}
		return parseLines(t, rapid.SampledFrom(list).Draw(t, "encoding").EncodeToString([]byte(text)))
	},
	"hex": func(t *rapid.T, text string) string {
		code := fmt.Sprintf(rapid.SampledFrom([]string{"%x", "%X", "% x", "% X"}).Draw(t, "digits"), text)
		if code = strings.ReplaceAll(code, " ", rapid.SampledFrom([]string{" ", ":"}).Draw(t, "separator")); strings.ContainsAny(code, " :") {
			return code
		}
		return parseLines(t, code)
	},
}

// around are the encodings of a text that has an encoded secret.
var around = map[string]func(text string) string{
	"":     func(text string) string { return text },
	"JSON": func(text string) string { code, _ := json.Marshal(text); return string(code) },
	"PHP": func(text string) string {
		code, _ := json.Marshal(text)
		return strings.ReplaceAll(string(code), "/", `\/`)
	},
	"Go": strconv.Quote, "ASCII": strconv.QuoteToASCII, "HTML": html.EscapeString, "URL": url.PathEscape,
	"shell": func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" },
}

// A secret is masked in each encoding, wherever the text is cut into pieces.
func TestEncodings(t *testing.T) {
	for name, encode := range encodings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				secret := rapid.StringMatching(`[a-z][a-z0-9"'\\/&<>+=?%$ äß😀-]{8,40}([A-Z]{30,60})?[a-z]`).Draw(t, "secret")
				if name == "lower path" {
					secret = strings.ToLower(secret)
				}
				text := secret
				if name == "base64" || name == "hex" {
					text = rapid.StringMatching(`[.]{0,3}`).Draw(t, "before") + secret + rapid.StringMatching(`[.]{0,3}`).Draw(t, "after")
				}
				code := encode(t, text)
				wrapper := rapid.SampledFrom(slices.Sorted(maps.Keys(around))).Draw(t, "around")
				shown := "line\n" + around[wrapper](code) + "\nlast\n"
				env := []string{"API_TOKEN=" + secret}
				got := process.Mask(env, shown)
				if pieces := inPieces(t, env, shown); pieces != got {
					t.Fatalf("in pieces %q, at once %q", pieces, got)
				}
				if !strings.Contains(got, "***") {
					t.Fatalf("%s of %q in %s: %q is shown as %q", name, secret, wrapper, shown, got)
				}
				// Digits at the ends belong to the bytes around the secret, too.
				isDigit := func(c rune) bool {
					return strings.ContainsRune("+/-_=%", c) || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
				}
				for word := range strings.FieldsFuncSeq(got, func(c rune) bool { return !isDigit(c) }) {
					if len(word) > 8 && strings.Contains(code, word) && !strings.Contains(strings.Join(lineBreaks, ""), word) {
						t.Fatalf("%s of %q in %s: %q is left of %q in %q", name, secret, wrapper, word, shown, got)
					}
				}
			})
		})
	}
}

// What only looks like a part of a secret stays, and output that cannot become one is not
// held back: a line without its break at most.
func TestNoSecrets(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnop"
	env := []string{"API_TOKEN=" + secret, "DB_PASSWORD=correct horse"}
	code := base64.StdEncoding.EncodeToString([]byte(secret))
	for _, text := range []string{
		"Continue? [y/N] ", "Password: ", "waiting for the deployment\n", "45% done\n", "a & b, \"quoted\" and 'quoted'\n", `C:\new\table` + "\n", "67 68 70 5f 99\n",
		code[:len(code)/2] + "\n", code[len(code)/2:] + "\n", code[:20] + "\n-- another line --\n", "%67%68%70 \\u0067\n",
		"-----BEGIN CERTIFICATE-----\n" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("certificate", 20))) + "\n-----END CERTIFICATE-----\n",
		"correct\nhorse\n", strings.Repeat("\\", 1000) + "\n", strings.Repeat("%25", 1000) + "\n",
	} {
		var shown strings.Builder
		write, flush := process.MaskStream(env, func(piece []byte) { shown.Write(piece) })
		write([]byte(text))
		if held := len(text) - shown.Len(); held > 1 && !strings.HasPrefix(code, strings.TrimSpace(text[:min(20, len(text))])) {
			t.Errorf("%d bytes of %q are held back", held, text)
		}
		write([]byte(strings.Repeat(" and more\n", 20)))
		flush()
		if want := text + strings.Repeat(" and more\n", 20); shown.String() != want {
			t.Errorf("%q is shown as %q", want, shown.String())
		}
	}
}

// A prefix of lines stays.
func TestPrefixes(t *testing.T) {
	env := []string{"API_TOKEN=ghp_0123456789abcdefghijklmnop"}
	code := base64.StdEncoding.EncodeToString([]byte("ghp_0123456789abcdefghijklmnop"))
	for text, want := range map[string]string{
		"12:00 INFO " + code[:20] + "\n12:01 INFO " + code[20:] + "\n12:02 end\n":             "12:00 INFO ***\n12:01 INFO ***\n12:02 end\n",
		`{"log":"` + code[:20] + "\"}\n" + `{"log":"` + code[20:] + "\"}\n":                   "{\"log\":\"***\"}\n{\"log\":\"***\"}\n",
		"key:\n  " + code[:2] + "\n  " + code[2:] + "\n":                                      "key:\n  " + code[:2] + "\n  ***\n",
		"key:\r\n\t" + code[:20] + "\r\n\t" + code[20:] + "\r\n":                              "key:\r\n\t***\r\n",
		"the token " + strings.ReplaceAll("ghp_0123456789abcdefghijklmnop", "_", "%5f") + ".": "the token ***.",
	} {
		if got := process.Mask(env, text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

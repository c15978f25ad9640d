package runstore

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzTexts(f *testing.F) {
	for _, text := range []string{"", "a", "ä", "\x00", "a\xffb", "\U0010FE00", "\U0010FEFF\xf4\x8f", "\xed\xa0\x80", "\U0010FDFF", "\ufffd"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		k := EncodeText(text)
		if !utf8.ValidString(k) || strings.ContainsRune(k, 0) {
			t.Fatalf("%q is kept as %q, which no database takes", text, k)
		}
		if got := DecodeText(k); got != text {
			t.Fatalf("%q comes back as %q", text, got)
		}
		if (text == other) != (k == EncodeText(other)) {
			t.Fatalf("%q and %q are mistaken for each other", text, other)
		}
		// What has a prefix is among what is selected by the common one.
		if strings.HasPrefix(text, other) && !strings.HasPrefix(k, EncodeText(CommonPrefix(other))) {
			t.Fatalf("%q is not selected by its prefix %q", text, other)
		}
	})
}

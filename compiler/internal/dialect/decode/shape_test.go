package decode_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
)

func TestShapeInWords(t *testing.T) {
	level := &decode.Level{Where: "here"}
	for want, s := range map[string]decode.Shape{
		"any value":                               decode.Any,
		"string":                                  decode.FilledString,
		"integer from 1 to 5":                     decode.Integer.From(1, 5),
		"integer of at least 1":                   decode.Integer.AtLeast(1),
		"number above 0":                          decode.Number.Above(0),
		"number of milliseconds above 0":          decode.Number.Above(0).In("milliseconds"),
		"number of seconds from 1 to 9":           decode.Number.From(1, 9).In("seconds"),
		"number of seconds from 1":                decode.Number.AtLeast(1).In("seconds"),
		"list of strings":                         decode.ListOf(decode.String).AtLeast(2),
		"object with lists of objects":            decode.MapOf(decode.ListOf(decode.Object(level))),
		"object":                                  decode.MapOf(decode.Any).AtLeast(1).OrNull(),
		"`a`, `b`, or object":                     decode.OneOf("a", "b").Else(decode.Object(level)),
		"string, or list of strings, or `all`":    decode.String.Else(decode.ListOf(decode.String)).Else(decode.OneOf("all")),
		"string (cron expression)":                decode.String.With("(cron expression)"),
		"`false`":                                 decode.Off,
		"object with `on`, `off`":                 decode.MapOf(decode.OneOf("on", "off")).Named("x"),
		"list of integers of at least 0, or bool": decode.ListOf(decode.Integer.AtLeast(0)).Else(decode.Bool),
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestKeyText(t *testing.T) {
	for want, k := range map[string]decode.Key{
		"Doc.": {Doc: "Doc."},
		"Required. Doc. Default: `a b`. Example: `[\"x\"]`.": {Doc: "Doc.", Required: true, Default: `"a b"`, Examples: []string{`["x"]`, `["y"]`}},
		"Doc. Default: `3`.": {Doc: "Doc.", Default: "3"},
	} {
		if got := k.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package jsonvalue_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`"a \u00e9 \"b\" \n"`:              "a é \"b\" \n",
		`true`:                             "true",
		`null`:                             "null",
		`3`:                                "3",
		`3.0`:                              "3",
		`-0`:                               "0",
		`1.50`:                             "1.5",
		`1e21`:                             "1e+21",
		`123456789012345680000`:            "123456789012345680000",
		`1e-6`:                             "0.000001",
		`1.5e-7`:                           "1.5e-7",
		`9007199254740993`:                 "9007199254740992",
		`1e400`:                            "1e400",
		` { "b" : 1.0 , "a" : [ 1 , {} ]}`: `{"b":1,"a":[1,{}]}`,
		`{"b":1,"10":2,"9":3,"01":4,"-1":5,"4294967295":6}`: `{"9":3,"10":2,"b":1,"01":4,"-1":5,"4294967295":6}`,
		`{"a":1,"b":2,"a":3}`:                               `{"a":3,"b":2}`,
		`["<&>\u2028","\u0001\b\f\r\t\\"]`:                  "[\"<&>\u2028\",\"\\u0001\\b\\f\\r\\t\\\\\"]",
		`[null,"x"]`:                                        `[null,"x"]`,
	} {
		v, err := jsonvalue.Parse(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := v.Text(); got != want {
			t.Errorf("%s is rendered as %s, want %s", in, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{"", " ", "{", "{}x", "{} {}", "'a'", "[1,]", "{a:1}", "NaN", "01", strings.Repeat("[", 20000)} {
		if v, err := jsonvalue.Parse(in); err == nil {
			t.Errorf("%.20q is taken for %v", in, v)
		}
	}
}

func TestFind(t *testing.T) {
	for in, want := range map[string]string{
		"{\"a\":1}":                                  `{"a":1}`,
		"Here:\n```json\n{\"a\":1}\n```\nDone.":      `{"a":1}`,
		"```\n[1]\n```":                              `[1]`,
		"```json  \n{\"a\":\n1}\n```":                `{"a":1}`,
		"```ts\nlet x\n```\nand\n```json\n{}\n```":   `{}`,
		"Use ```x``` so:\n```json\n{\"b\":2}\n```\n": `{"b":2}`,
		"```json\n1\n```\n```json\n2\n```":           `1`,
		"Sure! {\"a\":1}":                            "",
		"```json\n{\"a\":1}":                         "",
		"```json\nprose\n```\n{}":                    "",
		"```json {\"a\":1} ```":                      "",
	} {
		v, err := jsonvalue.Find(in)
		switch {
		case err != nil && want != "":
			t.Errorf("%q: %v", in, err)
		case err == nil && v.Text() != want:
			t.Errorf("%q holds %s, want %q", in, v.Text(), want)
		}
	}
}

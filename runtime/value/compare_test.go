package value

import (
	"encoding/json"
	"testing"
)

func TestCompareGoValues(t *testing.T) {
	type enum string
	one := int64(1)
	var none *int64
	raw := func(s string) any { return json.RawMessage(s) }
	for _, tt := range []struct {
		a, b                any
		equal, less, atMost bool
	}{
		{1, 1.0, true, false, true},
		{1, 2, false, true, true},
		{&one, 1, true, false, true},
		{none, nil, true, false, false},
		{none, 0, false, false, false},
		{"a", enum("a"), true, false, true},
		{"a", "b", false, true, true},
		{"1", 1, false, false, false},
		{true, true, true, false, false},
		{true, "true", false, false, false},
		{OrNull(enum("")), none, true, false, false},
		{OrNull(enum("x")), "x", true, false, true},
		{raw(`{"a":1,"b":[2]}`), raw(`{"b":[2.0],"a":1}`), true, false, false},
		{raw(`{"a":1}`), raw(`{"b":1}`), false, false, false},
		{raw(`{"a":1}`), raw(`{"a":1,"b":1}`), false, false, false},
		{raw(`[1]`), []int{1}, true, false, false},
		{raw(`[1,2]`), []int{1}, false, false, false},
		{raw(``), nil, true, false, false},
		{raw(`1e999`), raw(`1e999`), true, false, true},
	} {
		if e, l, m := Equal(tt.a, tt.b), Less(tt.a, tt.b), AtMost(tt.a, tt.b); e != tt.equal || l != tt.less || m != tt.atMost {
			t.Errorf("%v and %v: equal %v, less %v, at most %v", tt.a, tt.b, e, l, m)
		}
		if Equal(tt.b, tt.a) != tt.equal || tt.less && Less(tt.b, tt.a) {
			t.Errorf("%v and %v differ the other way round", tt.a, tt.b)
		}
	}
}

func TestPlain(t *testing.T) {
	var none []string
	for want, v := range map[string]any{
		"": none, "a, <b>": []string{"a", "<b>"}, "1.5": 1.5, "1, 2": []int64{1, 2}, "text": "text", "true": true,
		`[["a"],1]`: json.RawMessage(`[["a"], 1]`), `{"z":1,"a":2}`: json.RawMessage(`{"z":1, "a":2}`), "x, 1, true, null": json.RawMessage(`["x",1.0,true,null]`),
	} {
		if got := Plain(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestRecast(t *testing.T) {
	got := Recast[[]json.RawMessage]([]any{"<a>", 1.5})
	if len(got) != 2 || string(got[0]) != `"<a>"` || string(got[1]) != "1.5" {
		t.Errorf("%s", got)
	}
}

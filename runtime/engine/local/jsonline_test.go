package local

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// jsonFields has every kind of field, for encoding/json to compare with.
type jsonFields struct {
	Text  string    `json:"text"`
	Some  string    `json:"some,omitempty"`
	Count int64     `json:"count,omitempty"`
	Time  time.Time `json:"time"`
}

func (a jsonFields) line() string {
	o := beginLine([]byte("before "))
	o.addText("text", a.Text)
	o.addSomeText("some", a.Some)
	o.addSomeInt("count", a.Count)
	o.addTime("time", a.Time)
	return string(o.endLine())
}

func (a jsonFields) reflected(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(plain.JSONWriter(&b))
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		t.Fatal(err)
	}
	return "before " + string(bytes.TrimSpace(b.Bytes()))
}

func FuzzJSONLine(f *testing.F) {
	f.Add("plain", "", int64(0))
	f.Add(strings.Repeat("äß\"日\xff\xbf\n", 5000), "x"+strings.Repeat("\xbf", 40_000), int64(0))
	f.Add("a \"b\"\\ <&>\n\t\x00\x7f", "é\u2028\xff日", int64(-1<<62))
	f.Fuzz(func(t *testing.T, text, some string, count int64) {
		a := jsonFields{text, some, count, time.Date(2026, 1, 2, 3, 4, 5, int(uint32(count)%1e9), time.UTC)}
		if got, want := a.line(), a.reflected(t); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func TestEmptyAndNestedLines(t *testing.T) {
	o := beginLine(nil)
	if got := string(o.endLine()); got != "{}" {
		t.Errorf("got %s", got)
	}
	o = beginLine(nil)
	o.addJSON("meta", []byte(`{"turns":1}`))
	o.addSomeInt("n", 2)
	if got := string(o.endLine()); got != `{"meta":{"turns":1},"n":2}` {
		t.Errorf("got %s", got)
	}
}

package local

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// A jsonLine is a flat JSON object that is being appended to a buffer. Its fields come in the
// order of the calls; names are plain words. The lines for every step and every piece of output
// use it, because encoding/json's reflection costs several times as much.
type jsonLine struct {
	text   []byte
	filled bool
}

// beginLine begins an object at the end of a buffer.
func beginLine(buffer []byte) jsonLine { return jsonLine{text: append(buffer, '{')} }

// endLine ends the object and returns the buffer.
func (o *jsonLine) endLine() []byte { return append(o.text, '}') }

func (o *jsonLine) writeName(name string) {
	if o.filled {
		o.text = append(o.text, ',')
	}
	o.filled = true
	o.text = append(append(append(o.text, '"'), name...), '"', ':')
}

// addText adds a string. As in encoding/json, invalid UTF-8 becomes U+FFFD; <, > and & stay.
// Characters that a terminal does not show are escaped.
func (o *jsonLine) addText(name, value string) {
	o.writeName(name)
	o.text = appendText(o.text, value)
}

// addSomeText adds a text unless it is empty.
func (o *jsonLine) addSomeText(name, value string) {
	if value != "" {
		o.addText(name, value)
	}
}

// addSomeInt adds a number unless it is 0.
func (o *jsonLine) addSomeInt(name string, value int64) {
	if value != 0 {
		o.writeName(name)
		o.text = strconv.AppendInt(o.text, value, 10)
	}
}

// addTime adds a time in the form of RFC 3339.
func (o *jsonLine) addTime(name string, value time.Time) {
	o.writeName(name)
	o.text = append(o.text, '"')
	o.text = value.AppendFormat(o.text, time.RFC3339Nano)
	o.text = append(o.text, '"')
}

// addJSON adds a value that is JSON already.
func (o *jsonLine) addJSON(name string, value []byte) {
	o.writeName(name)
	o.text = append(o.text, value...)
}

// appendText appends a text as JSON. Most are plain.
func appendText(buffer []byte, value string) []byte {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEncoded(buffer, value)
		}
	}
	return append(append(append(buffer, '"'), value...), '"')
}

// pieceLength is the length in bytes of the pieces in which strings are encoded:
// encoding/json keeps several copies of a string.
const pieceLength = 16 << 10

func appendEncoded(buffer []byte, value string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(plain.JSONWriter(&b))
	enc.SetEscapeHTML(false)
	buffer = append(slices.Grow(buffer, len(value)+len(value)/8), '"')
	for value != "" {
		n := min(pieceLength, len(value))
		for n < len(value) && !utf8.RuneStart(value[n]) {
			n++ // a character stays whole
		}
		b.Reset()
		_ = enc.Encode(value[:n]) // every text encodes
		buffer = append(buffer, bytes.TrimSuffix(b.Bytes()[1:], []byte("\"\n"))...)
		value = value[n:]
	}
	return append(buffer, '"')
}

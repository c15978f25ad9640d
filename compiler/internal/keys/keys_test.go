package keys

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
)

var (
	top  = decode.Level{Where: "at the top of the file", AnyOf: [][]string{{"a", "b"}}, Needs: []decode.Need{{Key: "a", Is: "true", Requires: "b"}, {Key: "b", IsNot: `"x"`, Requires: "c"}}}
	cake = decode.Level{Where: "on a cake", OneOf: [][]string{{"sweet", "salty"}}, Foreign: []decode.Foreign{{Key: "meat", Loss: "taste"}}}
	pie  = decode.Level{Where: "under `pie.crust:`", Closed: true}
)

func sample(keys ...decode.Key) Format {
	return Format{Name: "sample", Title: "sample file", Typed: true, Tables: []decode.Table{
		{Level: top, Keys: keys}, {Level: cake, Keys: []decode.Key{{Name: "sweet", Doc: "Sugar\nhoney."}}}, {Level: pie},
	}}
}

// A level that refers to the file itself, as steps may hold steps, is a reference to the
// root of the schema.
func TestSchemaOfItself(t *testing.T) {
	text := string(sample(decode.Key{Name: "a", Doc: "A.", Shape: decode.ListOf(decode.Object(&top))}).Schema(false))
	for _, want := range []string{`"$ref": "#"`, `"^(meat)$": false`, `"pie.crust": {`, `"additionalProperties": false`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

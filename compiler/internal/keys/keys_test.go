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

func TestPage(t *testing.T) {
	format := sample(
		decode.Key{Name: "a", Doc: "First.", Shape: decode.Object(&cake).Else(decode.ListOf(decode.Object(&cake))).Else(decode.Object(&pie))},
		decode.Key{Name: "b", Doc: "Second.", Shape: decode.MapOf(decode.ByKey("kind", "", decode.Case{Value: "cake", Level: &cake}, decode.Case{Value: "pie", Level: &pie}))},
	)
	format.Since = func(where, key string) string { return map[string]string{cake.Where + " sweet": "2.1"}[where+" "+key] }
	page, err := format.Page("Keys", "Introduction.")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Keys\n\nIntroduction.\n\n## At the top of the file\n\n" +
		"- `a` ([object](#on-a-cake), or list of [objects](#on-a-cake), or [object](#under-piecrust)): First.\n" +
		"- `b` (object with objects: [cake](#on-a-cake), [pie.crust](#under-piecrust)): Second.\n" +
		"\nAt least one of `a`, `b` is required.\n\nWith `a: true`, `b` is required.\n\nWith `b` other than `x`, `c` is required.\n" +
		"\n## On a cake\n\n- `sweet` (any value): Sugar\\nhoney. Since 2.1.\n\nExactly one of `sweet`, `salty` is required.\n" +
		"\n## Under `pie.crust`\n\n"
	if page != want {
		t.Errorf("got\n%s\nwant\n%s", page, want)
	}
}

func TestPageFaults(t *testing.T) {
	for want, k := range map[string]decode.Key{
		"has no description": {Name: "a"},
		"no table lists":     {Name: "a", Doc: "A.", Shape: decode.Object(&decode.Level{Where: "nowhere"})},
	} {
		if _, err := sample(k).Page("Keys", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one that %s", err, want)
		}
	}
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

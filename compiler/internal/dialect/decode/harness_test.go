package decode_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// shop is the front end of a format that exists for these tests alone: a shop
// with its opening hours and its goods.
type shop struct {
	decode.Decoder
	decl shopDecl
}

type shopDecl struct {
	name  *decode.Value
	open  bool
	kind  string
	seats int
	rent  float64
	tags  []decode.Entry
	notes []decode.Entry
	goods []string
	hours hoursDecl
}

type hoursDecl struct{ from, until int }

type field[T any] = decode.Field[*shop, T]

var (
	shopLevel  = decode.Level{Where: "at the top of the file", Name: "the shop"}
	hoursLevel = decode.Level{Where: "under `hours:`", Name: "`hours`", Prefix: "hours."}
	extraLevel = decode.Level{Where: "under `extra:`", Name: "`extra`", Prefix: "extra.", Open: true}
)

var shopFields = []field[shopDecl]{
	{Name: "name", Read: func(d *shop, v decode.Value, s *shopDecl) { s.name = decode.Keep(v, d.Filled) }},
	{Name: "form", Read: func(d *shop, v decode.Value, _ *shopDecl) { d.Text(v) }},
	{Name: "motto", Read: func(d *shop, v decode.Value, _ *shopDecl) { d.NonEmpty(v) }},
	{Name: "open", Read: func(d *shop, v decode.Value, s *shopDecl) { s.open, _ = d.Flag(v) }},
	{Name: "kind", Read: func(d *shop, v decode.Value, s *shopDecl) { s.kind, _ = d.Choice(v, "bakery", "books") }},
	{Name: "seats", Read: func(d *shop, v decode.Value, s *shopDecl) { s.seats, _ = d.Whole(v, 1, math.MaxInt32) }},
	{Name: "rent", Read: func(d *shop, v decode.Value, s *shopDecl) {
		v.Lenient = true
		s.rent, _ = d.NumberIf(v, "an amount above 0", func(f float64) bool { return f > 0 })
	}},
	{Name: "tags", Read: func(d *shop, v decode.Value, s *shopDecl) { s.tags, _ = d.Entries(v, d.Text) }},
	{Name: "notes", Read: func(d *shop, v decode.Value, s *shopDecl) {
		if d.HasItems(v) {
			s.notes, _ = d.Entries(v, d.Filled)
		}
	}},
	{Name: "goods", Read: func(d *shop, v decode.Value, s *shopDecl) {
		if d.HasPairs(v) {
			for _, p := range v.Node.Pairs {
				d.Number(v.Member(&p))
				s.goods = append(s.goods, p.Key.Value)
			}
		}
	}},
	{Name: "hours", Shape: decode.Object(&hoursLevel), Read: func(d *shop, v decode.Value, s *shopDecl) {
		if decode.Fields(d, hoursLevel, v, hoursFields, &s.hours) {
			d.Missing(v, v.Head(), hoursLevel, "from", "until_hour")
		}
	}},
	{Name: "extra", Read: func(d *shop, v decode.Value, s *shopDecl) { decode.Fields(d, extraLevel, v, hoursFields, &s.hours) }},
}

var hoursFields = []field[hoursDecl]{
	{Name: "from", Read: func(d *shop, v decode.Value, h *hoursDecl) { h.from, _ = d.Whole(v, 0, 24) }},
	{Name: "until_hour", Read: func(d *shop, v decode.Value, h *hoursDecl) { h.until, _ = d.Whole(v, 0, 24) }},
}

func tables() []decode.Table {
	return []decode.Table{decode.TableOf(shopLevel, shopFields), decode.TableOf(hoursLevel, hoursFields)}
}

// read reads a shop with the options and returns it with all findings, each as
// "severity slug text: message", with the help behind it; text is what the span
// covers.
func read(t *testing.T, options decode.Decoder, yaml string) (shopDecl, []string) {
	t.Helper()
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("w.yaml", []byte(yaml)), &bag)
	options.Bag, options.Tables = &bag, tables
	d := &shop{Decoder: options}
	if root := decode.Root(doc, &bag, diag.Warning); root != nil {
		v := decode.Value{Node: root}
		decode.Fields(d, shopLevel, v, shopFields, &d.decl)
		d.Missing(v, v.FirstKey(), shopLevel, "name")
	}
	var list []string
	for _, x := range bag.Sorted() {
		text := strings.Join(append([]string{x.Message}, x.Help...), "; ")
		for _, f := range x.Fixes {
			text += " [" + f.Title + ": " + f.Edits[0].New + "]"
		}
		list = append(list, x.Severity.String()+" "+x.Code.Slug+" "+x.Span.Text()+": "+text)
	}
	return d.decl, list
}

// wants compares findings with the wanted ones.
func wants(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("found\n\t%s\nnot\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

package decode_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

func TestGood(t *testing.T) {
	got, list := read(t, decode.Decoder{}, `
name: Corner
motto: ' '
open: yes
kind: books
seats: 4
rent: 10.5
tags: [a, 5]
notes: [b]
goods: {bread: 2, milk: 1}
hours: {from: 8, until_hour: 18}
extra: {colour: red}
x-anything: [1]
`)
	wants(t, list)
	if got.name == nil || got.name.Node.Value != "Corner" || !got.open || got.kind != "books" || got.seats != 4 || got.rent != 10.5 ||
		len(got.tags) != 2 || got.tags[1].Text != "5" || got.tags[1].At.Text() != "5" || len(got.notes) != 1 ||
		len(got.goods) != 2 || got.hours != (hoursDecl{8, 18}) {
		t.Errorf("read %+v", got)
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name      string
		nearFirst bool
		yaml      string
		want      []string
	}{
		{"misspelt", false, "name: a\nseat: 1\n",
			[]string{"error wrong-key seat: unknown key `seat` at the top of the file; did you mean `seats`? [replace with `seats`: seats]"}},
		{"a number where only a mapping fits", false, "name: a\nhour: 9\n",
			[]string{"warning unknown-key hour: unknown key `hour` at the top of the file: it is ignored"}},
		{"a mapping where one fits", false, "name: a\nhour: {from: 1, until_hour: 2}\n",
			[]string{"error wrong-key hour: unknown key `hour` at the top of the file; did you mean `hours`? [replace with `hours`: hours]"}},
		{"nothing where only a mapping fits", false, "name: a\nhour:\n",
			[]string{"error wrong-key hour: unknown key `hour` at the top of the file; did you mean `hours`? [replace with `hours`: hours]"}},
		{"misplaced", false, "name: a\nhours: {from: 1, until_hour: 2, seats: 3}\n",
			[]string{"warning misplaced-key seats: misplaced key `seats` under `hours:`: it is ignored; move it: `seats` is valid at the top of the file"}},
		{"resembles nothing", false, "name: a\nzzzzzz: 1\n",
			[]string{"warning unknown-key zzzzzz: unknown key `zzzzzz` at the top of the file: it is ignored"}},
		{"beginning", false, "name: a\nhours: {from: 1, until_hour: 2, until: 3}\n",
			[]string{"warning unknown-key until: unknown key `until` under `hours:`: it is ignored"}},
		{"beginning, nearest first", true, "name: a\nhours: {from: 1, until: 3}\n",
			[]string{"error wrong-key until: unknown key `until` under `hours:`; did you mean `until_hour`? [replace with `until_hour`: until_hour]"}},
		{"misplaced, nearest first", true, "name: a\nhours: {from: 1, until_hour: 2, seats: 3}\n",
			[]string{"warning misplaced-key seats: misplaced key `seats` under `hours:`: it is ignored; move it: `seats` is valid at the top of the file"}},
		{"misspelt or misplaced", false, "name: a\nhours: {form: 1, from: 1, until_hour: 2}\n",
			[]string{"warning misplaced-key form: misplaced key `form` under `hours:`: it is ignored; move it: `form` is valid at the top of the file"}},
		{"misspelt or misplaced, nearest first", true, "name: a\nhours: {form: 1, until_hour: 2}\n",
			[]string{"error wrong-key form: unknown key `form` under `hours:`; did you mean `from`? [replace with `from`: from]"}},
		{"misspelt beside the one it resembles", true, "name: a\nseats: 2\nseat: 1\n",
			[]string{"warning unknown-key seat: unknown key `seat` at the top of the file: it is ignored"}},
		{"of two letters", false, "name: a\nno: 1\n",
			[]string{"warning unknown-key no: unknown key `no` at the top of the file: it is ignored"}},
		{"of two letters, in capitals", false, "NAME: a\n",
			[]string{"error wrong-key NAME: unknown key `NAME` at the top of the file; did you mean `name`? [replace with `name`: name]"}},
		{"missing because misspelt", false, "nmae: a\nhours: {from: 1, until_hours: 2}\n", []string{
			"error wrong-key nmae: unknown key `nmae` at the top of the file; did you mean `name`? [replace with `name`: name]",
			"error wrong-key until_hours: unknown key `until_hours` under `hours:`; did you mean `until_hour`? [replace with `until_hour`: until_hour]"}},
		{"missing", false, "hours: {}\n", []string{
			"error missing-key hours: missing key `from` in `hours`",
			"error missing-key hours: missing key `name` in the shop",
			"error missing-key hours: missing key `until_hour` in `hours`"}},
		{"written though wrong", false, "name: []\n", []string{"error wrong-value []: `name` must be a string, got a list"}},
		{"twice", false, "name: a\nname: b\n",
			[]string{"warning duplicate-key name: duplicate key `name`; remove one of the two"}},
		{"no mapping", false, "[a]\n", []string{"error not-a-mapping [a]: the top level must be a mapping of keys, got a list"}},
		{"empty", false, "", []string{"error not-a-mapping : the file is empty; write a workflow, or let `wfc init TEMPLATE` write one; `wfc init --list` lists the templates"}},
		{"two documents", false, "name: a\n---\nname: b\n", []string{"error several-documents ---: a second document starts here, but a file contains one workflow; move the second document to another file"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, list := read(t, decode.Decoder{NearFirst: c.nearFirst}, c.yaml)
			wants(t, list, c.want...)
		})
	}
}

func TestValues(t *testing.T) {
	asWritten, typed := decode.Decoder{}, decode.Decoder{Typed: true, AnyNumber: true}
	for _, c := range []struct {
		name    string
		options decode.Decoder
		yaml    string
		want    []string
	}{
		{"number as text", asWritten, "name: 5\n", nil},
		{"number as text, typed", typed, "name: 5\n",
			[]string{"error wrong-value 5: `name` must be a string, got a number; put it in quotes: \"5\" [put it in quotes: \"5\"]"}},
		{"nothing as text", asWritten, "name:\n", []string{"error wrong-value name: `name` must be a string, got nothing"}},
		{"blank", asWritten, "name: ' '\n", []string{"error empty-value ' ': `name` must not be empty"}},
		{"empty", asWritten, "name: a\nmotto: ''\n", []string{"error empty-value '': `motto` must not be empty"}},
		{"yes, typed", typed, "name: a\nopen: yes\n",
			[]string{"error wrong-value yes: `open` must be true or false, got a string [replace with `true`: true]"}},
		{"off, typed", typed, "name: a\nopen: off\n",
			[]string{"error wrong-value off: `open` must be true or false, got a string [replace with `false`: false]"}},
		{"yes in quotes", asWritten, "name: a\nopen: 'yes'\n", []string{"error wrong-value 'yes': `open` must be true or false, got a string"}},
		{"list as boolean", asWritten, "name: a\nopen: []\n", []string{"error wrong-value []: `open` must be true or false, got a list"}},
		{"choice", typed, "name: a\nkind: book\n",
			[]string{"error unknown-value book: `kind` must be `bakery` or `books`, got `book`; did you mean `books`? [replace with `books`: books]"}},
		{"fraction", typed, "name: a\nseats: 1.5\n", []string{"error out-of-range 1.5: `seats` must be an integer of 1 or more, got 1.5"}},
		{"text as number", asWritten, "name: a\nseats: many\n", []string{"error wrong-value many: `seats` must be an integer of 1 or more, got a string"}},
		{"text as number, any number", typed, "name: a\nseats: many\n", []string{"error wrong-value many: `seats` must be a number, got a string"}},
		{"range", typed, "name: a\nhours: {from: 25, until_hour: 2}\n",
			[]string{"error out-of-range 25: `hours.from` must be an integer from 0 to 24, got 25"}},
		{"lenient", typed, "name: a\nrent: -1\n", []string{"warning no-effect -1: `rent` must be an amount above 0, got -1: it is ignored"}},
		{"text as list", typed, "name: a\ntags: b\n", []string{"error wrong-value b: `tags` must be a list, got a string [make it a list: [b]]"}},
		{"text in quotes as list", typed, "name: a\ntags: 'b'\n", []string{"error wrong-value 'b': `tags` must be a list, got a string"}},
		{"number as list, typed", typed, "name: a\ntags: 5\n", []string{"error wrong-value 5: `tags` must be a list, got a number"}},
		{"number as list", asWritten, "name: a\ntags: 5\n", []string{"error wrong-value 5: `tags` must be a list, got a number [make it a list: [5]]"}},
		{"wrong items", typed, "name: a\ntags: [a, {}, 1]\n", []string{
			"error wrong-value {}: `tags item` must be a string, got a mapping",
			"error wrong-value 1: `tags item` must be a string, got a number; put it in quotes: \"1\" [put it in quotes: \"1\"]"}},
		{"no items", typed, "name: a\nnotes: []\n", []string{"error empty-value []: `notes` must not be empty"}},
		{"no pairs", typed, "name: a\ngoods: {}\n", []string{"error empty-value {}: `goods` must not be empty"}},
		{"members", typed, "name: a\ngoods: {bread: dear}\n", []string{"error wrong-value dear: `goods.bread` must be a number, got a string"}},
		{"no mapping", typed, "name: a\nhours: 5\n", []string{"error wrong-value 5: `hours` must be a mapping, got a number"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, list := read(t, c.options, c.yaml)
			wants(t, list, c.want...)
		})
	}
}

// An item that is wrong is left out, and its neighbours are read.
func TestEntriesLeaveOutWrongOnes(t *testing.T) {
	got, _ := read(t, decode.Decoder{Typed: true}, "name: a\ntags: [a, {}, b]\n")
	if len(got.tags) != 2 || got.tags[0].Text != "a" || got.tags[1].Text != "b" {
		t.Errorf("read %v", got.tags)
	}
}

// If a front end reports a special key, nothing else is reported about it.
func TestSpecialKeys(t *testing.T) {
	var seen []string
	options := decode.Decoder{Special: func(v decode.Value, key *yamlsrc.Node) bool {
		if v.Node.Pair(key.Value) == nil {
			t.Errorf("%s is in another mapping", key.Value)
		}
		seen = append(seen, key.Value)
		return key.Value == "later"
	}}
	_, list := read(t, options, "name: a\nlater: 1\nx-mine: 2\nqqqq: 3\n")
	wants(t, list, "warning unknown-key qqqq: unknown key `qqqq` at the top of the file: it is ignored")
	if len(seen) != 2 {
		t.Errorf("asked about %v", seen)
	}
}

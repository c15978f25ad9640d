package config_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
)

// pageOf returns the page of the reference about a format: the title, the introduction, and a
// list of each level's keys. A key that says what one of an earlier level says links to it, and
// the keys of objects are their examples. pageOf returns an error for a key without a
// description, and for an object whose keys no table lists.
func pageOf(f keys.Format, title, introduction string) (string, error) {
	var b strings.Builder
	listed := map[string]bool{}
	said := rows{first: map[string]*decode.Level{}, examples: map[string]bool{}}
	for _, t := range f.Tables {
		listed[t.Level.Where] = true
	}
	for _, t := range f.Tables {
		fmt.Fprintf(&b, "\n## %s\n\n", levelHeading(&t.Level))
		common := commonVersion(f, t)
		if common != "" {
			fmt.Fprintf(&b, "Since %s.\n\n", common)
		}
		for _, k := range t.Keys {
			if k.Doc == "" {
				return "", fmt.Errorf("%s: the key %s %s has no description", f.Name, k.Name, t.Level.Where)
			}
			value, err := describeLinked(k.Shape, listed)
			if err != nil {
				return "", err
			}
			text := strings.ReplaceAll(said.describe(&t.Level, k, value), "\n", `\n`)
			if since := sinceVersion(f, t, k); since != common {
				text += " Since " + since + "."
			}
			fmt.Fprintf(&b, "- `%s`%s\n", k.Name, text)
		}
		b.WriteString(describeAlternatives(&t.Level))
	}
	if strings.Contains(b.String(), "(strings") {
		introduction += " *Strings* are a string or a list of strings."
	}
	introduction += " A key without a type is a string."
	return fmt.Sprintf("# %s\n\n%s\n", title, introduction) + b.String(), nil
}

// sinceVersion is the version that introduced a key of a table, or "" for the first one.
func sinceVersion(f keys.Format, t decode.Table, k decode.Key) string {
	if f.Since == nil {
		return ""
	}
	return f.Since(t.Level.Where, k.Name)
}

// commonVersion is the version that introduced all keys of a table, or "" if they differ.
func commonVersion(f keys.Format, t decode.Table) string {
	common := ""
	for i, k := range t.Keys {
		since := sinceVersion(f, t, k)
		if i > 0 && since != common {
			return ""
		}
		common = since
	}
	return common
}

// rows are what the tables of a page have said.
type rows struct {
	// first is the level of the first key with a name, a value and a description.
	first map[string]*decode.Level
	// examples are those that the page shows.
	examples map[string]bool
}

// describe describes a key of a level and its values, or links to an earlier one that is the
// same. A string or a list of strings is "strings", and a string needs no word. The example of a number shows nothing.
func (r rows) describe(l *decode.Level, k decode.Key, value string) string {
	if k.Shape.Kind == decode.IntegerKind || k.Shape.Kind == decode.NumberKind {
		k.Examples = nil
	}
	row := k.Name + "\n" + value + "\n" + k.Text()
	if earlier := r.first[row]; earlier != nil {
		return ": as [above](" + levelAnchor(earlier) + ")."
	}
	r.first[row] = l
	if len(k.Examples) > 0 {
		if example := k.Examples[0]; r.examples[example] || len(shapeObjects(&k.Shape)) > 0 {
			k.Examples = nil
		} else {
			r.examples[example] = true
		}
	}
	if value == "string" {
		return ": " + k.Text()
	}
	return " (" + strings.Replace(value, "string, or list of strings", "strings", 1) + "): " + k.Text()
}

// describeAlternatives says which keys a mapping needs besides those that it always needs.
func describeAlternatives(l *decode.Level) string {
	text := ""
	for _, some := range []struct {
		count  string
		groups [][]string
	}{{"At least one", l.AnyOf}, {"Exactly one", l.OneOf}} {
		for _, group := range some.groups {
			clash := ""
			if l.Clash != "" && some.count == "At least one" {
				clash = " " + l.Clash
			}
			text += fmt.Sprintf("\n%s of `%s` is required.%s\n", some.count, strings.Join(group, "`, `"), clash)
		}
	}
	for _, need := range l.Needs {
		with := "`" + need.Key + "`"
		switch {
		case need.Is != "":
			with = "`" + need.Key + ": " + decode.Plain(need.Is) + "`"
		case need.IsNot != "":
			with += " other than `" + decode.Plain(need.IsNot) + "`"
		}
		text += fmt.Sprintf("\nWith %s, `%s` is required.\n", with, need.Requires)
	}
	return text
}

// levelHeading is the heading of a level: "On a node".
func levelHeading(l *decode.Level) string {
	where := strings.TrimSuffix(strings.TrimSuffix(l.Where, "`"), ":")
	if where != l.Where && strings.HasSuffix(l.Where, ":`") {
		where += "`"
	}
	return strings.ToUpper(where[:1]) + where[1:]
}

// levelAnchor is the link to the table of a level on the same page.
func levelAnchor(l *decode.Level) string {
	return "#" + strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '`', r == '.', r == ':':
			return -1
		}
		return r
	}, strings.ToLower(levelHeading(l)))
}

// objectWord is an object in the description of a shape. With " with" it has free keys, and so
// no table.
var objectWord = regexp.MustCompile(`objects?( with)?`)

// describeLinked describes a shape, with links to the tables of its objects.
func describeLinked(s decode.Shape, listed map[string]bool) (string, error) {
	var links, cases []string
	for _, o := range shapeObjects(&s) {
		if !listed[o.level.Where] {
			return "", fmt.Errorf("no table lists the keys %s", o.level.Where)
		}
		if o.isCase {
			cases = append(cases, "["+keys.LevelName(o.level)+"]("+levelAnchor(o.level)+")")
			continue
		}
		links = append(links, levelAnchor(o.level))
	}
	text := objectWord.ReplaceAllStringFunc(s.String(), func(word string) string {
		if len(links) == 0 || strings.HasSuffix(word, " with") {
			return word
		}
		link := links[0]
		links = links[1:]
		return "[" + word + "](" + link + ")"
	})
	if cases != nil {
		text += ": " + strings.Join(cases, ", ")
	}
	return text, nil
}

// An object is the level of an object in a shape. isCase says that it is one of several alternatives.
type object struct {
	level  *decode.Level
	isCase bool
}

// shapeObjects returns the objects in a shape.
func shapeObjects(s *decode.Shape) []object {
	if s == nil {
		return nil
	}
	var list []object
	if s.Level != nil {
		list = append(list, object{level: s.Level})
	}
	for _, c := range s.Cases {
		list = append(list, object{level: c.Level, isCase: true})
	}
	list = append(list, shapeObjects(s.Of)...)
	return append(list, shapeObjects(s.Or)...)
}

var (
	top  = decode.Level{Where: "at the top of the file", AnyOf: [][]string{{"a", "b"}}, Needs: []decode.Need{{Key: "a", Is: "true", Requires: "b"}, {Key: "b", IsNot: `"x"`, Requires: "c"}}}
	cake = decode.Level{Where: "on a cake", OneOf: [][]string{{"sweet", "salty"}}, Foreign: []decode.Foreign{{Key: "meat", Loss: "taste"}}}
	pie  = decode.Level{Where: "under `pie.crust:`", Closed: true}
)

func sample(list ...decode.Key) keys.Format {
	return keys.Format{Name: "sample", Title: "sample file", Typed: true, Tables: []decode.Table{
		{Level: top, Keys: list}, {Level: cake, Keys: []decode.Key{{Name: "sweet", Doc: "Sugar\nhoney."}}}, {Level: pie},
	}}
}

func TestPage(t *testing.T) {
	format := sample(
		decode.Key{Name: "a", Doc: "First.", Shape: decode.Object(&cake).Else(decode.ListOf(decode.Object(&cake))).Else(decode.Object(&pie))},
		decode.Key{Name: "b", Doc: "Second.", Shape: decode.MapOf(decode.ByKey("kind", "", decode.Case{Value: "cake", Level: &cake}, decode.Case{Value: "pie", Level: &pie}))},
		decode.Key{Name: "c", Doc: "Third.", Shape: decode.String, Examples: []string{`"word"`}},
		decode.Key{Name: "d", Doc: "Fourth.", Shape: decode.Integer, Examples: []string{"3"}},
	)
	format.Since = func(where, key string) string {
		return map[string]string{cake.Where + " sweet": "2.1", top.Where + " c": "2.2"}[where+" "+key]
	}
	page, err := pageOf(format, "Keys", "Introduction.")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Keys\n\nIntroduction. A key without a type is a string.\n\n## At the top of the file\n\n" +
		"- `a` ([object](#on-a-cake), or list of [objects](#on-a-cake), or [object](#under-piecrust)): First.\n" +
		"- `b` (object with objects: [cake](#on-a-cake), [pie.crust](#under-piecrust)): Second.\n" +
		"- `c`: Third. Example: `word`. Since 2.2.\n- `d` (integer): Fourth.\n" +
		"\nAt least one of `a`, `b` is required.\n\nWith `a: true`, `b` is required.\n\nWith `b` other than `x`, `c` is required.\n" +
		"\n## On a cake\n\nSince 2.1.\n\n- `sweet` (any value): Sugar\\nhoney.\n\nExactly one of `sweet`, `salty` is required.\n" +
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
		if _, err := pageOf(sample(k), "Keys", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one that %s", err, want)
		}
	}
}

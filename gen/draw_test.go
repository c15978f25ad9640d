package gen_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// A drawer draws a workflow of one format.
type drawer struct {
	t      *rapid.T
	format string
	// files are the other files of the project.
	files testkit.Memory
	// used are the keys and constructs of the workflow, and number counts names.
	used   map[string]bool
	number int
	// newer, directives and covers are options of the compiler and the generator.
	newer, directives, covers bool
	text                      string
}

// GoString is what rapid shows of a workflow that shows a fault.
func (d *drawer) GoString() string {
	text := fmt.Sprintf("newer rules: %v, directives: %v, covers: %v\n--- drawn.yaml\n%s", d.newer, d.directives, d.covers, d.text)
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		text += fmt.Sprintf("--- %s\n%s\n", name, d.files[name])
	}
	return text
}

// An object is a mapping in the order in which it is written. Its level is the title of the
// section that describes its keys in docs/reference.
type object struct {
	level string
	pairs []pair
}

type pair struct {
	key   string
	value any
}

// at makes an object of a level from keys and values by turns.
func (d *drawer) at(level string, list ...any) *object {
	o := &object{level: level}
	for i := 0; i < len(list); i += 2 {
		d.set(o, list[i].(string), list[i+1])
	}
	return o
}

// set sets a key, which counts as drawn.
func (d *drawer) set(o *object, key string, value any) {
	if o.level != "" {
		d.use(o.level + ": " + key)
	}
	o.pairs = append(o.pairs, pair{key, value})
}

// maybe sets a key now and then.
func (d *drawer) maybe(o *object, percent int, key string, value func() any) {
	if d.often(percent) {
		d.set(o, key, value())
	}
}

// use counts a construct.
func (d *drawer) use(construct string) { d.used[construct] = true }

// bit is one bit.
var bit = rapid.Bool()

// upTo draws a number up to most, each as often as others. Rapid's own numbers are small ones
// most of the time.
func (d *drawer) upTo(most int) (n int) {
	for range bits.Len(uint(most)) + 3 {
		n <<= 1
		if bit.Draw(d.t, "bit") {
			n++
		}
	}
	return n % (most + 1)
}

func (d *drawer) often(percent int) bool { return d.upTo(99) >= 100-percent }

func pick[T any](d *drawer, list ...T) T { return list[d.upTo(len(list)-1)] }

// some draws a part of a list, in its order.
func some[T any](d *drawer, most int, list []T) (part []T) {
	for _, x := range list {
		if len(part) < most && d.upTo(len(list)) <= most && d.often(60) {
			part = append(part, x)
		}
	}
	return part
}

// size is one of the numbers of nodes of the kind that a workflow mostly has.
func (d *drawer) size() int {
	if d.often(50) {
		return d.upTo(20)
	}
	return d.upTo(5)
}

// goNames are all names in generated code, and what Go declares.
var goNames = sync.OnceValue(func() []string {
	found := map[string]bool{}
	for _, s := range samples {
		for name, code := range s.goldens() {
			file, err := parser.ParseFile(token.NewFileSet(), name, code, 0)
			if err != nil {
				panic(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					found[id.Name] = true
				}
				return true
			})
		}
	}
	for i := token.BREAK; i <= token.VAR; i++ {
		found[i.String()] = true
	}
	for _, name := range usedNames {
		found[name] = true
	}
	return slices.Sorted(maps.Keys(found))
})

// name draws a name that is not taken yet: a number behind a letter, a name of generated
// code, or one that differs from another in its letters' case or in what is between words.
func (d *drawer) name(taken map[string]bool, allowed *regexp.Regexp) string {
	d.number++
	name := fmt.Sprintf("n%d", d.number)
	switch d.upTo(3) {
	case 1:
		name = pick(d, goNames()...)
	case 2:
		name = pick(d, "a-b", "a_b", "aB", "AB", "a-B", "ab", "A_b", "a--b", "a_b2", "aB2", "a-b-2", "run-a", "is-a", "a-output", "a-tasks", "url", "URL", "a-item", "prev-a", "if", "If")
	case 3:
		name = strings.ToLower(pick(d, goNames()...))
	}
	if taken[name] || !allowed.MatchString(name) {
		name = fmt.Sprintf("n%d", d.number)
	}
	for taken[name] {
		name += "x"
	}
	taken[name] = true
	return name
}

// yaml writes a value: a mapping or list in blocks or in one line, and a string of lines in
// a block or with escapes.
func (d *drawer) yaml(v any) string {
	var b strings.Builder
	d.write(&b, v, "")
	return strings.TrimPrefix(b.String(), "\n") + "\n"
}

func (d *drawer) write(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case *object:
		if len(v.pairs) > 0 && (indent == "" || d.often(70)) {
			for _, p := range v.pairs {
				fmt.Fprintf(b, "\n%s%s:", indent, quoted(p.key))
				d.write(b, p.value, indent+"  ")
			}
			return
		}
	case []any:
		if len(v) > 0 && d.often(80) {
			for _, x := range v {
				b.WriteString("\n" + indent + "-")
				d.write(b, x, indent+"  ")
			}
			return
		}
	case string:
		if lines := strings.Split(v, "\n"); len(lines) > 1 && strings.TrimSpace(lines[0]) == lines[0] && lines[0] != "" && !strings.HasSuffix(v, "\n\n") && d.often(90) {
			mark := " |-"
			if lines[len(lines)-1] == "" {
				mark, lines = " |", lines[:len(lines)-1]
			}
			b.WriteString(mark)
			for _, line := range lines {
				b.WriteString("\n")
				if line != "" {
					b.WriteString(indent + line)
				}
			}
			return
		}
	}
	b.WriteString(" " + quoted(v))
}

// plain is a word without quotes.
type plain string

// quoted is a value as JSON, which is YAML in one line.
func quoted(v any) string {
	switch v := v.(type) {
	case plain:
		return string(v)
	case *object:
		var parts []string
		for _, p := range v.pairs {
			parts = append(parts, quoted(p.key)+": "+quoted(p.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, quoted(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	// JSON escapes some characters for HTML only.
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
}

// anys is a list of any values.
func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = x
	}
	return out
}

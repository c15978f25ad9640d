package compiler

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// realFiles are the YAML files of the examples and of the corpus beside the
// repository, as far as it is there.
func realFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, root := range []string{"../examples", "../../shared/corpus"} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && !d.IsDir() && (ext == ".yaml" || ext == ".yml") {
				if content, err := os.ReadFile(path); err == nil {
					files[path] = string(content)
				}
			}
			return nil
		})
	}
	if len(files) < 6 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// values lists every scalar of a document with its path, aliases and all.
func values(content string) (list []string, nodes []*yamlsrc.Node, ok bool) {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("f.yaml", []byte(content)), &bag)
	if doc == nil || doc.Root == nil || bag.HasErrors() {
		return nil, nil, false
	}
	var walk func(path string, n *yamlsrc.Node, own bool)
	walk = func(path string, n *yamlsrc.Node, own bool) {
		own = own && !n.Alias.IsValid()
		if n.Kind == yamlsrc.Scalar {
			list = append(list, fmt.Sprintf("%s %s %q", path, n.Tag, n.Value))
			if !own {
				n = nil
			}
			nodes = append(nodes, n)
			return
		}
		for i, item := range n.Items {
			walk(path+"."+strconv.Itoa(i), item, own)
		}
		for i, p := range n.Pairs {
			walk(path+"."+strconv.Itoa(i)+"k", p.Key, own && !p.Merged)
			walk(path+"."+strconv.Itoa(i)+"v", p.Value, own && !p.Merged)
		}
	}
	walk("", doc.Root, true)
	return list, nodes, true
}

// pieces are texts that YAML writes otherwise in one style or another.
var pieces = []string{
	"", "x", "it's", `say "hi"`, `a\b`, "a: b", "a #b", "- x", "[a, b]", "{a}", "&x", "*x", "!t", "|", ">", "%", "@", "`", "true", "null", "12", "1e3", "~", " x ", "x:", ":x", "#x", "?", "? x", "--- x", "a\nb", "\n", "tab\there", "ä日🎉", "\u2028", "\x07", "$a.output == 'x' && \"y\"", "{{ x | tojson }}", "${a//'/\"}",
}

// fixOne gives a part of a scalar another text, and checks that nothing else has
// changed. It reports whether the fix was applied.
func fixOne(t *testing.T, content string, index, from, to int, text string) bool {
	t.Helper()
	before, nodes, ok := values(content)
	if !ok {
		t.Fatalf("not valid before: %q", content)
	}
	node := nodes[index]
	if place := node.Text(); from == to && from > 0 && place.Span(from, from) == place.Span(from-1, from-1) {
		from, to = from-1, from-1 // the place behind a block's last line break is that before it
	}
	want := node.Value[:from] + text + node.Value[to:]
	first := true
	compile := func(c []byte) *Result {
		r := &Result{File: source.NewFile("f.yaml", c)}
		if first {
			first = false
			r.File = node.Span.File
			at := node.Text().Span(from, to)
			d := (&diag.Diagnostic{Code: stubWarning, Span: at}).WithSureFix("t", at, text)
			r.Diagnostics = []*diag.Diagnostic{d}
			yamlsrc.Parse(r.File, new(diag.Bag)).EncodeFixes(r.Diagnostics)
		}
		return r
	}
	f := Fix(compile(nil), compile)
	after, _, ok := values(string(f.Result.File.Content))
	describe := func() string {
		return fmt.Sprintf("%q of a scalar %q of style %d becomes %q", node.Value[from:to], node.Value, node.Style, text)
	}
	switch {
	case !ok || len(after) != len(before):
		t.Fatalf("%s: the file is broken", describe())
	case f.Applied == 0 && string(f.Result.File.Content) != content:
		t.Fatalf("%s: not applied, but the file has changed", describe())
	case f.Applied == 0:
		return false
	}
	for i := range before {
		if i == index {
			path, _, _ := strings.Cut(before[i], " ")
			if !strings.HasPrefix(after[i], path+" ") || !strings.HasSuffix(after[i], fmt.Sprintf(" %q", want)) {
				t.Fatalf("%s: it is %s, want %q", describe(), after[i], want)
			}
			if node.Tag == yamlsrc.TagString && !strings.HasPrefix(after[i], path+" "+yamlsrc.TagString) {
				t.Fatalf("%s: it is %s", describe(), after[i])
			}
		} else if after[i] != before[i] {
			t.Fatalf("%s: also %s becomes %s", describe(), before[i], after[i])
		}
	}
	return true
}

// boundary moves an offset to the start of a character.
func boundary(s string, at int) int {
	for at < len(s) && at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return at
}

// TestFixesInRealFiles changes scalars of real files where they stand.
func TestFixesInRealFiles(t *testing.T) {
	skipShort(t)
	random := rand.New(rand.NewPCG(1, 2))
	applied, refused := 0, 0
	for path, content := range realFiles(t) {
		_, nodes, ok := values(content)
		if !ok {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			for range 25 {
				i := random.IntN(len(nodes))
				if nodes[i] == nil {
					continue
				}
				value := nodes[i].Value
				from := boundary(value, random.IntN(len(value)+1))
				to := min(len(value), from+random.IntN(6))
				for to < len(value) && !utf8.RuneStart(value[to]) {
					to++
				}
				if fixOne(t, content, i, from, to, pieces[random.IntN(len(pieces))]) {
					applied++
				} else {
					refused++
				}
			}
		})
	}
	t.Logf("%d applied, %d refused", applied, refused)
	if applied < 4*refused {
		t.Errorf("%d fixes were applied and %d refused", applied, refused)
	}
}

// styled writes a value in each of the five styles that can hold it.
func styled(value string) map[string]string {
	styles := map[string]string{}
	lines := func(indent string) string {
		return strings.ReplaceAll(strings.TrimSuffix(value, "\n"), "\n", "\n"+indent)
	}
	add := func(name, yaml string) {
		document := "before: [1, two]\nlist:\n  - key: " + yaml + "\n    next: 'x'\nafter: y\n"
		if list, _, ok := values(document); ok && len(list) == 10 && strings.HasSuffix(list[5], fmt.Sprintf("%s %q", yamlsrc.TagString, value)) {
			styles[name] = document
		}
	}
	add("plain", value)
	add("single", "'"+strings.ReplaceAll(value, "'", "''")+"'")
	add("double", strconv.Quote(value))
	chomp := "-"
	if strings.HasSuffix(value, "\n") {
		chomp = ""
	}
	add("literal", "|"+chomp+"\n      "+lines("      "))
	add("folded", ">"+chomp+"\n      "+lines("\n      "))
	return styles
}

// TestFixesInFiveStyles writes the texts of real files in every style and changes
// them there.
func TestFixesInFiveStyles(t *testing.T) {
	skipShort(t)
	random := rand.New(rand.NewPCG(3, 4))
	applied, refused := map[string]int{}, map[string]int{}
	for _, content := range realFiles(t) {
		_, nodes, ok := values(content)
		if !ok {
			continue
		}
		for range 8 {
			n := nodes[random.IntN(len(nodes))]
			if n == nil || n.Value == "" || len(n.Value) > 2000 {
				continue
			}
			for style, document := range styled(n.Value) {
				_, all, _ := values(document)
				value := all[5].Value
				from := boundary(value, random.IntN(len(value)+1))
				to := min(len(value), from+random.IntN(6))
				for to < len(value) && !utf8.RuneStart(value[to]) {
					to++
				}
				if fixOne(t, document, 5, from, to, pieces[random.IntN(len(pieces))]) {
					applied[style]++
				} else {
					refused[style]++
				}
			}
		}
	}
	t.Logf("applied %v, refused %v", applied, refused)
	if len(applied) != 5 {
		t.Errorf("applied in %v", applied)
	}
}

// skipShort skips a test in short mode, which runs with the race detector. The test compares
// many files in one goroutine, so the detector has nothing to find.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("checks many files in one goroutine")
	}
}

package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/lsp/protocol"
	"github.com/wfc-lang/wfc/cmd/wfc/symbols"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// corpus returns real workflows beside the repository, if they are there.
func corpus(t testing.TB) []string {
	t.Helper()
	var all []string
	root, err := filepath.Abs("../../../../shared/corpus")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")) {
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// overlaid are files of which some have other content.
type overlaid map[string]string

func (o overlaid) Read(path string) ([]byte, error) {
	if text, ok := o[path]; ok {
		return []byte(text), nil
	}
	return os.ReadFile(path)
}

func (o overlaid) List(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

func compiled(t testing.TB, path string, files overlaid) *compiler.Result {
	t.Helper()
	c := &config.Config{}
	if found, err := config.Find(filepath.Dir(path)); err == nil && found != "" {
		if c, _, err = config.Load(found, found); err != nil {
			t.Fatal(err)
		}
	}
	opt := c.Options(path)
	opt.Files = files
	return compiler.Compile(source.NewFile(filepath.Base(path), []byte(files[path])), opt)
}

// TestRenameEveryName renames every name of the examples and of real workflows, one at a
// time. The findings stay equal, and the program is the same up to the name. Without
// WFC_TEST_ALL it takes some names of each file.
func TestRenameEveryName(t *testing.T) {
	all := os.Getenv("WFC_TEST_ALL") != ""
	files := examples(t)
	more := corpus(t)
	if !all && len(more) > 8 {
		more = more[:8]
	}
	for _, file := range append(files, more...) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			renameAll(t, file, all)
		})
	}
}

func renameAll(t *testing.T, file string, all bool) {
	text := read(t, file)
	before := compiled(t, file, overlaid{file: text})
	if before.Workflow == nil {
		t.Skip("not a whole workflow")
	}
	index := symbols.New(before.Workflow, yamlsrc.Parse(before.File, nil))
	c := connect(t, filepath.Dir(file), nil)
	c.open(file, text)
	renamed := 0
	for i, s := range index.Symbols {
		if s.Def.File != before.File || !all && i%5 != 0 {
			continue
		}
		const name = "zq_renamed"
		params := protocol.RenameParams{TextDocumentPositionParams: c.at(file, s.Def.Start), NewName: name}
		var raw struct {
			DocumentChanges []protocol.TextDocumentEdit `json:"documentChanges"`
		}
		code, message := c.try("textDocument/rename", params, &raw)
		switch {
		case s.Kind == symbols.Label && (strings.Contains(message, "mark a failure") || strings.Contains(message, "never mentions its output")):
			continue // the name means something to the format, or to the agent
		case code != 0:
			t.Errorf("%s `%s`: %s", s.Kind, s.Name, message)
			continue
		}
		changed := overlaid{file: text}
		for _, change := range raw.DocumentChanges {
			path := path(change.TextDocument.URI)
			if _, ok := changed[path]; !ok {
				changed[path] = read(t, path)
			}
			changed[path] = applied(t, changed[path], change.Edits)
		}
		after := compiled(t, file, changed)
		if a, b := findings(before, s.Name, name), findings(after, s.Name, name); a != b {
			t.Errorf("%s `%s`: the findings changed from\n%s to\n%s", s.Kind, s.Name, a, b)
		}
		if a, b := dump(before, s.Name, name), dump(after, s.Name, name); a != b {
			t.Errorf("%s `%s`: the program changed: %s", s.Kind, s.Name, firstDifference(a, b))
		}
		renamed++
	}
	t.Logf("renamed %d names", renamed)
}

// findings are the codes and messages of a result, without the names.
func findings(r *compiler.Result, old, name string) string {
	var b strings.Builder
	for _, d := range r.Diagnostics {
		fmt.Fprintf(&b, "%s %s\n", d.Code, withoutNames(d.Message, old, name))
	}
	return b.String()
}

func withoutNames(text, old, name string) string {
	// Variables of programs are made from names.
	forms := []string{old, strings.ReplaceAll(old, "-", "_"), strings.ToUpper(old), name, strings.ToUpper(name)}
	for i, form := range forms {
		forms[i] = regexp.QuoteMeta(form)
	}
	pattern := regexp.MustCompile(`(^|[^A-Za-z0-9])(` + strings.Join(forms, "|") + `)(?:_[0-9]+)?($|[^A-Za-z0-9])`)
	for range 2 { // neighbours share a character
		text = pattern.ReplaceAllString(text, "${1}§${3}")
	}
	return text
}

// dump prints the program of a result without places and names.
func dump(r *compiler.Result, old, name string) string {
	d := &dumper{seen: map[any]int{}}
	d.value(reflect.ValueOf(r.Workflow.Workflow))
	return withoutNames(d.String(), old, name)
}

type dumper struct {
	strings.Builder
	seen map[any]int
}

func (d *dumper) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			d.WriteString("nil ")
			return
		}
		if _, basic := v.Interface().(*source.File); basic {
			return
		}
		if n, known := d.seen[v.Interface()]; known {
			fmt.Fprintf(d, "@%d ", n)
			return
		}
		d.seen[v.Interface()] = len(d.seen)
		d.value(v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			d.WriteString("nil ")
			return
		}
		if _, ok := v.Interface().(types.Basic); !ok {
			fmt.Fprintf(d, "%s ", v.Elem().Type())
		}
		d.value(v.Elem())
	case reflect.Slice:
		fmt.Fprintf(d, "[%d\n", v.Len())
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Struct:
		switch v.Type() {
		case reflect.TypeFor[source.Span](), reflect.TypeFor[source.Text]():
			return
		}
		for i := range v.NumField() {
			switch f := v.Type().Field(i); f.Name {
			case "Start", "End", "local":
			default:
				fmt.Fprintf(d, "%s:", f.Name)
				if f.IsExported() {
					d.value(v.Field(i))
				}
			}
		}
		d.WriteString("\n")
	default:
		fmt.Fprintf(d, "%v ", v.Interface())
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%q, was %q", y[i], x[i])
		}
	}
	return "its length"
}

// TestRenameInput renames an input that scripts read from their environment.
func TestRenameInput(t *testing.T) {
	const declared = "name: w\ndescription: d\ninputs:\n  top-ic: {default: a}\n  topic: {default: b}\nnodes:\n"
	for _, test := range []struct {
		name, nodes, want string
		refused           string
	}{
		{"bash", "  - {id: a, bash: 'echo \"$INPUTS_TOP_IC\" \"${INPUTS_TOP_IC:-x}\" $INPUTS_TOPIC $INPUTS.top-ic'}\n",
			"  - {id: a, bash: 'echo \"$INPUTS_MY_SUBJECT\" \"${INPUTS_MY_SUBJECT:-x}\" $INPUTS_TOPIC $INPUTS.my-subject'}\n", ""},
		{"a block of JavaScript", "  - id: a\n    runtime: bun\n    script: |\n      console.log(process.env.INPUTS_TOP_IC, process.env[\"INPUTS_TOP_IC\"])\n",
			"  - id: a\n    runtime: bun\n    script: |\n      console.log(process.env.INPUTS_MY_SUBJECT, process.env[\"INPUTS_MY_SUBJECT\"])\n", ""},
		{"the end of a loop", "  - id: a\n    loop: {prompt: Go, until_bash: 'test -f \"$INPUTS_TOP_IC\"', max_iterations: 2}\n",
			"  - id: a\n    loop: {prompt: Go, until_bash: 'test -f \"$INPUTS_MY_SUBJECT\"', max_iterations: 2}\n", ""},
		{"values of the node hide inputs", "  - {id: a, runtime: bun, script: 'console.log(process.env.INPUTS_TOP_IC)', with: {top-ic: 1}}\n  - {id: b, bash: 'echo $INPUTS_TOP_IC'}\n",
			"  - {id: a, runtime: bun, script: 'console.log(process.env.INPUTS_TOP_IC)', with: {top-ic: 1}}\n  - {id: b, bash: 'echo $INPUTS_MY_SUBJECT'}\n", ""},
		{"a longer name", "  - {id: a, bash: 'echo $INPUTS_TOP_ICE $MY_INPUTS_TOP_IC $INPUTS.top-ic'}\n", "  - {id: a, bash: 'echo $INPUTS_TOP_ICE $MY_INPUTS_TOP_IC $INPUTS.my-subject'}\n", ""},
		{"a computed name", "  - {id: a, runtime: bun, script: 'console.log(process.env[\"INPUTS_\" + \"TOP_IC\"])'}\n", "", "w.yaml:7 may read input `top-ic` by a name that the script computes; write `INPUTS_TOP_IC` there first"},
		{"all names", "  - {id: a, bash: 'echo ${!INPUTS_*}'}\n", "", "by a name that the script computes"},
		{"a part of the name", "  - {id: a, bash: 'v=INPUTS_TOP_$1; echo ${!v}'}\n", "", "by a name that the script computes"},
		{"an escape", "  - {id: a, bash: \"echo $INPUTS\\u005fTOP_IC\"}\n", "", "with an escape"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "w.yaml")
			c := connect(t, filepath.Dir(file), nil)
			c.open(file, declared+test.nodes)
			c.diagnostics(file, 1)
			params := protocol.RenameParams{TextDocumentPositionParams: c.at(file, c.after(file, "  top-", 1)), NewName: "my-subject"}
			var edit struct {
				DocumentChanges []protocol.TextDocumentEdit `json:"documentChanges"`
			}
			_, message := c.try("textDocument/rename", params, &edit)
			if test.refused != "" {
				if !strings.Contains(message, test.refused) {
					t.Errorf("refused with %q, want %q", message, test.refused)
				}
				return
			}
			if message != "" {
				t.Fatal(message)
			}
			got := applied(t, c.files[file], edit.DocumentChanges[0].Edits)
			if want := strings.Replace(declared, "top-ic", "my-subject", 1) + test.want; got != want {
				t.Errorf("renamed to\n%s\nwant\n%s", got, want)
			}
		})
	}
}

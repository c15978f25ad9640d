package config_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/graphloop"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/lango"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/xprompt"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/formats"
)

// shapeCodes are the codes of wrong keys and values that a schema can refuse whether it is
// strict or not.
var shapeCodes = []string{"WFC112", "WFC113", "WFC114", "WFC115", "WFC116", "WFC120", "WFC128"}

// keyCodes are the codes of keys that only a strict schema refuses.
var keyCodes = []*diag.Code{codes.UnknownKey, codes.MisplacedKey, codes.WrongKey, codes.UnsupportedKey}

// allFrontends are the front ends of all formats of workflows.
func allFrontends() []dialect.Frontend {
	return []dialect.Frontend{archon.Frontend{}, graphloop.Frontend{}, lango.Frontend{}, xprompt.Frontend{}}
}

// keyFormat is the format of a front end's files, as the compiler describes it.
func keyFormat(f dialect.Frontend) keys.Format {
	return keys.Format{Name: f.Name(), Title: f.Name() + " workflow", Tables: f.Tables(), Typed: f.Typed(), Since: formats.Named(f.Name()).KeySince}
}

// TestFormats checks that the tests here try every format.
func TestFormats(t *testing.T) {
	var names []string
	for _, f := range allFrontends() {
		names = append(names, f.Name())
	}
	if !slices.Equal(names, compiler.Dialects()) {
		t.Errorf("the tests try %v of %v", names, compiler.Dialects())
	}
	for _, f := range allFrontends() {
		if schema, _ := compiler.Schema(f.Name(), true); string(keyFormat(f).Schema(true)) != string(schema) {
			t.Errorf("the tests describe %s otherwise than the compiler does", f.Name())
		}
	}
}

func validators(t testing.TB, name string) (usual, strict *validator) {
	t.Helper()
	text, ok := compiler.Schema(name, false)
	if !ok {
		t.Fatalf("no schema of %s", name)
	}
	more, _ := compiler.Schema(name, true)
	return newValidator(t, text), newValidator(t, more)
}

// schemas are the schemas of a dialect.
type schemas struct{ usual, strict *validator }

func schemasByDialect(t testing.TB) map[string]schemas {
	all := map[string]schemas{}
	for _, f := range allFrontends() {
		usual, strict := validators(t, f.Name())
		all[f.Name()] = schemas{usual, strict}
	}
	return all
}

// codesOf are the codes of findings.
func codesOf(list []*diag.Diagnostic, among []string) []string {
	var codes []string
	for _, d := range list {
		if slices.Contains(among, d.Code.ID) {
			codes = append(codes, d.Code.ID+" "+d.Message)
		}
	}
	return codes
}

type nothing struct{}

func (nothing) Read(string) ([]byte, error) { return nil, fs.ErrNotExist }
func (nothing) List(string) []string        { return nil }

func compileText(name, text string) *compiler.Result {
	return compiler.Compile(source.NewFile("/w/flow.yaml", []byte(text)), compiler.Options{Dialect: name, Files: nothing{}, Root: "/w"})
}

// isReported reports whether a file has an error, or a finding about a key or a value.
func isReported(r *compiler.Result) bool {
	return r.HasErrors() || slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code.ID < "WFC2" })
}

// loose are the findings about keys that a schema cannot know, each with its reason.
var loose = map[string]string{
	"WFC112 missing key `until` in `loop`": "the version of the format decides whether `until_bash` is enough",
	"WFC114 `default_output` must be":      "the outputs of the node decide",
	"WFC113 `while` must be a condition":   "in this format, bools are strings everywhere else",
	"WFC113 `timeout` must be a duration":  "a duration is a string with a form of its own",
	"WFC114 unknown type":                  "a type is a string with a form of its own",
	"WFC128 step `":                        "only a prompt for other workflows has such a step",
	"WFC116 `prompt_part` is empty":        "only a string without characters is empty, and it is a warning",
	"WFC113 the input `":                   "the type of the input decides whether it has choices",
}

// known reports whether all faults of a file are of those that a schema cannot know. The
// template of a node may have the keys that the node lacks.
func known(faults []string, text string) bool {
	return !slices.ContainsFunc(faults, func(fault string) bool {
		if strings.HasPrefix(fault, "WFC112") && strings.Contains(text, `"template":`) {
			return false
		}
		for start := range loose {
			if strings.HasPrefix(fault, start) {
				return false
			}
		}
		return true
	})
}

// unreachable are levels that no key leads to, because their mappings have two forms.
var unreachable = map[string]bool{"under `output:`": true, "in a value of `with:`": true}

// compare returns how a schema and the front end differ about a file, or "".
func compare(dialect string, schema *validator, text string) string {
	r := compileText(dialect, text)
	refused, isYAML := schema.Check(text)
	faults := codesOf(r.Diagnostics, shapeCodes)
	switch {
	case !isYAML:
		return "not YAML: " + text
	case refused != nil && !isReported(r):
		return fmt.Sprintf("the schema refuses what the front end accepts: %v\n%s", refused, text)
	case refused == nil && !known(faults, text):
		return fmt.Sprintf("the schema accepts what the front end refuses: %v\n%s", faults, text)
	}
	return ""
}

// TestSchemaOfKeys tries every key of every dialect with many values: the schema refuses a
// value exactly if the front end reports it.
func TestSchemaOfKeys(t *testing.T) {
	skipShort(t)
	for _, f := range allFrontends() {
		t.Run(f.Name(), func(t *testing.T) {
			usual, _ := validators(t, f.Name())
			tried := map[string]bool{}
			for _, p := range probesOf(keyFormat(f)) {
				tried[p.Where+" "+p.Key] = true
				if fault := compare(f.Name(), usual, p.File); fault != "" {
					t.Errorf("`%s` %s: %s", p.Key, p.Where, fault)
				}
			}
			for _, table := range f.Tables() {
				for _, k := range table.Keys {
					if !tried[table.Level.Where+" "+k.Name] && !unreachable[table.Level.Where] {
						t.Errorf("`%s` %s was not tried", k.Name, table.Level.Where)
					}
				}
			}
		})
	}
}

// TestSchemaOfDrawnFiles compares the schemas with the front ends on drawn files.
func TestSchemaOfDrawnFiles(t *testing.T) {
	skipShort(t)
	for _, f := range allFrontends() {
		t.Run(f.Name(), func(t *testing.T) {
			usual, _ := validators(t, f.Name())
			files := drawFiles(keyFormat(f))
			batch := 10
			if f.Name() == "xprompt" {
				batch = 2 // Python looks at its scripts, which takes time
			}
			rapid.Check(t, func(t *rapid.T) {
				for range batch {
					if fault := compare(f.Name(), usual, files.Draw(t, "file")); fault != "" {
						t.Error(fault)
					}
				}
			})
		})
	}
}

// TestSchemaOfUnknownKeys adds an unknown key to every mapping: only a strict schema
// refuses it, unless it begins with x-.
func TestSchemaOfUnknownKeys(t *testing.T) {
	for _, f := range allFrontends() {
		usual, strict := validators(t, f.Name())
		for where, file := range levelsOf(keyFormat(f)) {
			for _, key := range []string{"unheard_of", "x-unheard-of"} {
				text := file(key + ": [1]")
				if refused, isYAML := usual.Check(text); refused != nil || !isYAML {
					t.Errorf("%s: `%s` %s is refused: %v\n%s", f.Name(), key, where, refused, text)
				}
				isOpen := strings.HasPrefix(key, "x-") || where == "under `sandbox:`"
				if refused, _ := strict.Check(text); (refused == nil) != isOpen {
					t.Errorf("%s: the strict schema says of `%s` %s: %v\n%s", f.Name(), key, where, refused, text)
				}
			}
		}
	}
}

// inexpressible are the codes of the family 1xx with bad examples that no schema can refuse.
var inexpressible = map[*diag.Code]string{
	codes.YAMLSyntax: "it is not YAML", codes.DuplicateKey: "JSON has no duplicate keys",
	codes.YAMLKey: "JSON has no such keys", codes.MergeKey: "merge keys are gone once the file is read",
	codes.YAMLAlias: "aliases are gone once the file is read", codes.YAMLTooLarge: "it is about the size of the file",
	codes.SeveralDocuments: "a schema is about one document",
	codes.NoEffect:         "other keys, anywhere in the file, decide whether a key has an effect",
	codes.DeprecatedKey:    "the version of the format, for which there are many signs, decides",
	codes.UnknownValue:     "comments are gone once the file is read",
}

// inexpressibleParts are parts of other bad examples that no schema can refuse: a form of a
// string, or a key that fits another kind of node.
var inexpressibleParts = []string{"{type: int, default: many}", "timeout: 5 minutes", "{from: the plan}", "prompt_part:", "artifact:", "isolation: worktree"}

// TestSchemaOfBadExamples checks that the schemas refuse the bad examples of the codes
// about shape, if need be the strict ones, and accept the good ones.
func TestSchemaOfBadExamples(t *testing.T) {
	schemas := schemasByDialect(t)
	refusedBy := func(text string, strict bool) bool {
		r := compileText("", text)
		for dialect, schema := range schemas {
			which := schema.usual
			if strict {
				which = schema.strict
			}
			if refused, isYAML := which.Check(text); isYAML && refused == nil && (r.Dialect == "" || r.Dialect == dialect) {
				return false
			}
		}
		return true
	}
	for _, c := range codes.All() {
		if c.ID >= "WFC2" {
			break
		}
		passed := false
		for _, e := range codes.DocumentOf(c).Examples {
			if e.IsConfig {
				continue // package config has the examples of wfc.yaml
			}
			r := compileText("", e.Bad)
			isYAML := !slices.ContainsFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code.ID < "WFC110" })
			if !isYAML || !refusedBy(e.Bad, slices.Contains(keyCodes, c)) {
				passed = true
				isPart := func(part string) bool { return strings.Contains(e.Bad, part) }
				if inexpressible[c] == "" && !slices.ContainsFunc(inexpressibleParts, isPart) {
					t.Errorf("a bad example of %s passes:\n%s", c, e.Bad)
				}
			}
			if refusedBy(e.Good, true) {
				t.Errorf("a good example of %s is refused:\n%s", c, e.Good)
			}
		}
		if inexpressible[c] != "" && !passed {
			t.Errorf("the schema refuses all bad examples of %s: it is not inexpressible", c)
		}
	}
}

// TestSchemaOfFiles compares the schemas with the front ends on whole files.
func TestSchemaOfFiles(t *testing.T) {
	skipShort(t)
	count, schemas := map[string]int{}, schemasByDialect(t)
	eachFile(t, func(where, text string) {
		r := compiler.Compile(source.NewFile(where, []byte(text)), compiler.Options{Path: where})
		schema, known := schemas[r.Dialect]
		if !known {
			return
		}
		refused, isYAML := schema.usual.Check(text)
		switch {
		case !isYAML:
			return
		case refused != nil && !isReported(r):
			t.Errorf("%s: the schema of %s refuses what the front end accepts: %v\n%s", where, r.Dialect, refused, text)
		}
		if refused, _ = schema.strict.Check(text); refused != nil && !isReported(r) {
			t.Errorf("%s: the strict schema of %s refuses what the front end accepts: %v", where, r.Dialect, refused)
		}
		if !r.HasErrors() {
			count[r.Dialect]++
		}
	})
	t.Logf("files without errors: %v", count)
	for dialect := range schemas {
		if count[dialect] == 0 {
			t.Errorf("no file of %s without errors", dialect)
		}
	}
}

// eachFile calls do with every workflow of the examples, the fixtures, the recorded cases
// and the corpus, where that is there.
func eachFile(t *testing.T, do func(where, text string)) {
	for _, dir := range []string{"../../examples", "../../testdata", "../../docs", "../../../shared/corpus", "../../../shared/conformance"} {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		_ = filepath.WalkDir(abs, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // a folder that is not there has no files
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			switch filepath.Ext(path) {
			case ".yaml", ".yml":
				do(path, string(content))
			case ".txtar":
				for _, f := range txtar.Parse(content).Files {
					do(path+"/"+f.Name, string(f.Data))
				}
			case ".json":
				var v any
				if json.Unmarshal(content, &v) == nil {
					eachText(v, func(text string) { do(path+"/flow.yaml", text) })
				}
			}
			return nil
		})
	}
}

// eachText calls do with every string of several lines in a JSON value.
func eachText(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") {
			do(v)
		}
	case []any:
		for _, item := range v {
			eachText(item, do)
		}
	case map[string]any:
		for _, item := range v {
			eachText(item, do)
		}
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

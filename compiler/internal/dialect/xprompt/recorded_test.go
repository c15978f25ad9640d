package xprompt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
)

// recordedRoot holds recordings of the original engine.
const recordedRoot = "../../../../../shared/conformance/xprompt"

// disk reads files of the real disk.
type disk struct{}

func (disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

func (disk) List(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name()+"/")
		} else {
			names = append(names, e.Name())
		}
	}
	return names
}

// sideFiles shows the files beside a case where the engine found them: its
// prompts in the folder `xprompts` of the project, and its home folder.
type sideFiles struct{ stem string }

func (s sideFiles) at(path string) string {
	path = filepath.ToSlash(path)
	if rest, ok := strings.CutPrefix(path, "/repo/xprompts"); ok {
		return s.stem + ".xprompts" + rest
	}
	if rest, ok := strings.CutPrefix(path, "/home"); ok {
		return s.stem + ".home" + rest
	}
	return s.stem + ".none" + path
}

func (s sideFiles) Read(path string) ([]byte, error) { return disk{}.Read(s.at(path)) }
func (s sideFiles) List(dir string) []string         { return disk{}.List(s.at(dir)) }

// rejected are the cases that the engine loads and wfc rejects, with the code and
// the reason.
var rejected = map[string][2]string{
	"edge/forward_reference":                         {"WFC253", "it fails when it runs"},
	"edge/for_undefined_is_one_none":                 {"WFC367", "DESIGN 11: a list that is undefined is an error"},
	"edge/if_cannot_see_loop_var":                    {"WFC367", "DESIGN 2.2: a condition that cannot be decided is no false one"},
	"edge/repeat_broken_condition_never_true":        {"WFC362", "DESIGN 2.2: so does a broken condition"},
	"edge/while_undefined_condition_stops":           {"WFC370", "DESIGN 2.2: so does a division by zero"},
	"edge/xprompt_infinite_recursion":                {"WFC276", "it ends the engine's process"},
	"edge/xprompt_forms":                             {"WFC217", "a reference that would silently stay text is an error"},
	"seed/prompt_unknown_xprompt_left_alone":         {"WFC217", "a reference that would silently stay text is an error"},
	"edge/xprompt_missing_required":                  {"WFC275", "it is rejected before it runs"},
	"edge/xprompt_plain_positional_fails_validation": {"WFC275", "it is rejected before it runs"},
	"edge/xprompt_word_with_space":                   {"WFC275", "it ends the engine's process"},
}

// faults are the codes for files that the engine does not load, each with the text
// at its place.
var faults = map[string][2]string{
	"load_error_bad_join":            {"WFC114", "concat"},
	"load_error_bad_yaml":            {"WFC101", "["},
	"load_error_empty_bash":          {"WFC116", `""`},
	"load_error_for_not_dict":        {"WFC113", "'[1, 2]'"},
	"load_error_max_not_int":         {"WFC113", "many"},
	"load_error_no_type":             {"WFC200", "s"},
	"load_error_parallel_nested_for": {"WFC219", "for"},
	"load_error_parallel_not_list":   {"WFC113", "{a: {bash: a}}"},
	"load_error_parallel_one":        {"WFC219", "parallel"},
	"load_error_top_list":            {"WFC110", "- a"},
	"load_error_while_no_condition":  {"WFC112", "while"},
}

// Every workflow that the engine runs compiles without errors, except the listed
// ones. Every file that it does not load is rejected at the right place.
func TestRecordedWorkflows(t *testing.T) {
	if _, err := os.Stat(recordedRoot); err != nil {
		t.Skip("the recorded cases are not here: ", err)
	}
	files, _ := filepath.Glob(filepath.Join(recordedRoot, "*", "*.yml"))
	if len(files) < 80 {
		t.Fatalf("only %d cases", len(files))
	}
	met := map[string]bool{}
	for _, file := range files {
		stem := strings.TrimSuffix(file, ".yml")
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(stem)
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			env := &dialect.Env{Root: "/repo", Dir: "/repo", Home: "/home", Files: sideFiles{stem}}
			_, list := compile(t, env, string(content))
			want := rejected[name]
			if f, ok := faults[filepath.Base(stem)]; ok {
				met[filepath.Base(stem)] = true
				atFault(t, list, f)
				return
			}
			met[name] = true
			if loadError(t, stem) && !diag.HasErrors(list) {
				t.Error("the engine does not load it, but wfc has nothing to say")
			}
			for _, d := range list {
				if d.Severity == diag.Error && d.Code.ID != want[0] {
					t.Errorf("%s %s: %s", d.Code.ID, d.Span.Text(), d.Message)
				}
			}
			if want[0] != "" && !diag.HasErrors(list) {
				t.Errorf("no error, although %s", want[1])
			}
		})
	}
	for name := range rejected {
		if !met[name] {
			t.Errorf("there is no case %s", name)
		}
	}
	for name := range faults {
		if !met[name] {
			t.Errorf("there is no case %s", name)
		}
	}
}

func atFault(t *testing.T, list []*diag.Diagnostic, want [2]string) {
	t.Helper()
	for _, d := range list {
		text, _, _ := strings.Cut(d.Span.Text(), "\n")
		if d.Severity == diag.Error && d.Code.ID == want[0] && text == want[1] {
			return
		}
	}
	t.Errorf("want %s at %q; got %q", want[0], want[1], findings(list))
}

func loadError(t *testing.T, stem string) bool {
	t.Helper()
	content, err := os.ReadFile(stem + ".spec.expect.json")
	if err != nil {
		t.Fatal(err)
	}
	var expect struct {
		LoadError any `json:"load_error"`
	}
	if err := json.Unmarshal(content, &expect); err != nil {
		t.Fatal(err)
	}
	return expect.LoadError != nil
}

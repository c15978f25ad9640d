//go:build unix

package suites

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	root   = "../../.."
	shared = root + "/../shared"
)

// A workflow is a real workflow file with the files that it uses, by path.
type workflow struct {
	// name is unique among all workflows.
	name string
	// path is the workflow among the files.
	path  string
	files map[string]string
	// dialect is the dialect of the file.
	dialect string
	// good says that wfc must accept the file. Package conformance compares all other verdicts
	// with the recorded ones.
	good bool
}

var unsafe = regexp.MustCompile(`[^a-zA-Z0-9]+`)

func nameOf(parts ...string) string {
	return strings.Trim(unsafe.ReplaceAllString(strings.Join(parts, "-"), "-"), "-")
}

// examples are the workflows of the folders of examples/.
func examples(t *testing.T) (list []workflow) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "examples/*/*.y*ml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path, dir := filepath.Base(name), filepath.Dir(name)
		if path == "wfc.yaml" || strings.HasSuffix(path, ".test.yaml") {
			continue
		}
		files := map[string]string{}
		tree(t, dir, func(name, text string) {
			if !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".test.yaml") {
				files[name] = text
			}
		})
		list = append(list, workflow{name: nameOf("example", filepath.Base(dir)), path: path, files: files, good: true})
	}
	return list
}

// tree calls visit for the files of a folder.
func tree(t *testing.T, dir string, visit func(name, text string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		visit(filepath.ToSlash(rel), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// corpus are the files of the corpus. wfc must accept those that the original engine accepts.
func corpus(t *testing.T) (list []workflow) {
	t.Helper()
	dir := filepath.Join(shared, "corpus/archon")
	files := map[string]string{}
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	tree(t, dir, func(name, text string) { files[name] = text })
	var verdicts map[string]struct{ Accepted bool }
	decode(t, []byte(files["verdicts.json"]), &verdicts)
	for name, verdict := range verdicts {
		list = append(list, workflow{
			name: nameOf("corpus", strings.TrimSuffix(name, ".yaml")), path: ".archon/workflows/" + name, files: files, dialect: "archon", good: verdict.Accepted,
		})
	}
	return list
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// recorded are the recorded cases of a dialect whose input has a workflow under a key.
func recorded(t *testing.T, dialect, key string, files ...string) (list []workflow) {
	t.Helper()
	taken := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the folder beside the repository may be absent
		}
		var cases []struct {
			Group, Name string
			Input       map[string]json.RawMessage
		}
		decode(t, text, &cases)
		for _, c := range cases {
			var yaml string
			if json.Unmarshal(c.Input[key], &yaml) != nil || c.Group != "run" && dialect == "lango" {
				continue
			}
			name := nameOf(dialect, c.Group, c.Name)
			if taken[name]++; taken[name] > 1 {
				name = fmt.Sprint(name, "-", taken[name])
			}
			list = append(list, workflow{name: name, path: "w.yaml", files: map[string]string{"w.yaml": yaml}, dialect: dialect})
		}
	}
	return list
}

// xprompt are the recorded cases of xprompt.
func xprompt(t *testing.T) (list []workflow) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(shared, "conformance/xprompt/*/*.case.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		stem := strings.TrimSuffix(name, ".case.json")
		text, err := os.ReadFile(stem + ".yml")
		if err != nil {
			t.Fatal(err)
		}
		var how struct{ Xprompts string }
		about, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		decode(t, about, &how)
		files := map[string]string{"w.yml": string(text)}
		if how.Xprompts != "" {
			tree(t, filepath.Join(filepath.Dir(stem), how.Xprompts), func(name, text string) { files["xprompts/"+name] = text })
		}
		list = append(list, workflow{name: nameOf("xprompt", filepath.Base(filepath.Dir(stem)), filepath.Base(stem)), path: "w.yml", files: files, dialect: "xprompt"})
	}
	return list
}

// groups are all workflows by group.
func groups(t *testing.T) map[string][]workflow {
	return map[string][]workflow{
		"examples": examples(t),
		"corpus":   corpus(t),
		"xprompt":  xprompt(t),
		"lango":    recorded(t, "lango", "yaml", root+"/testdata/conformance/lango/cases.json", shared+"/conformance/lango/cases.json"),
		"graphloop": append(recorded(t, "graphloop", "workflow_inline", shared+"/conformance/graphloop/cases.json"),
			graphs(t)...),
	}
}

// graphs are the files of graphloop whose findings are recorded; those without errors have
// tests.
func graphs(t *testing.T) (list []workflow) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(shared, "conformance/graphloop/validate/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, workflow{name: nameOf("graphloop", strings.TrimSuffix(filepath.Base(name), ".yaml")), path: "w.yaml", files: map[string]string{"w.yaml": string(text)}, dialect: "graphloop"})
	}
	return list
}

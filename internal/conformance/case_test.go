package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded is one recorded case.
type recorded struct {
	Group, Name, Op string
	Input, Expect   json.RawMessage

	dialect string
}

// id is how deviations.yaml names the case, and the name of its subtest.
func (c *recorded) id() string { return c.dialect + "/" + c.Group + "/" + c.Name }

// decode reads the case's input and expectation.
func (c *recorded) decode(input, expect any) error {
	if err := json.Unmarshal(c.Input, input); err != nil || expect == nil {
		return err
	}
	return json.Unmarshal(c.Expect, expect)
}

const (
	ownCases    = "../../testdata/conformance"
	sharedCases = "../../../shared/conformance"
)

// caseFolders returns the folders with recorded cases, and whether those that
// come with no setting are among them.
func caseFolders(t *testing.T) (folders []string, shared bool) {
	if list, ok := os.LookupEnv("WFC_CONFORMANCE"); ok {
		for _, dir := range filepath.SplitList(list) {
			if _, err := os.Stat(dir); err != nil {
				t.Errorf("WFC_CONFORMANCE: %v", err)
				continue
			}
			folders = append(folders, dir)
		}
		return folders, false
	}
	if _, err := os.Stat(sharedCases); err != nil {
		t.Logf("%s is not here; only the cases of the repository run", sharedCases)
		return []string{ownCases}, false
	}
	return []string{ownCases, sharedCases}, true
}

// A collection is what the folders hold.
type collection struct {
	cases []*recorded
	// foreign counts what belongs to dialects that are not built yet.
	foreign map[string]int
}

func collect(t *testing.T, folders []string) *collection {
	t.Helper()
	all := &collection{foreign: map[string]int{}}
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			switch path := filepath.Join(dir, e.Name()); {
			case !e.IsDir():
			case e.Name() == "archon":
				all.read(t, e.Name(), path)
			default:
				all.foreign[e.Name()] += countCases(path)
			}
		}
	}
	return all
}

// read adds the cases of all JSON files in a dialect's folder.
func (all *collection) read(t *testing.T, dialect, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []*recorded
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			c.dialect = dialect
		}
		all.cases = append(all.cases, cases...)
	}
}

// countCases counts the cases in the folder of a dialect that is not built
// yet: the entries of its lists, and files that are a case each.
func countCases(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir():
		case e.Name() == "cases.json":
			var list []json.RawMessage
			if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &list) == nil {
				n += len(list)
			}
		case strings.HasSuffix(path, ".case.json"):
			n++
		case strings.HasSuffix(path, ".yaml"):
			n++
		}
		return nil
	})
	return n
}

// A difference is one thing in which wfc does otherwise than recorded.
type difference struct{ what, want, got string }

func (d difference) String() string { return d.what + ": recorded " + d.want + ", wfc " + d.got }

// describe says what wfc does, for deviations.yaml.
func describe(diffs []difference) string {
	parts := make([]string, len(diffs))
	for i, d := range diffs {
		parts[i] = d.what + ": " + d.got
	}
	return strings.Join(parts, "; ")
}

// same returns the difference of two texts, if there is any.
func same(what, want, got string) []difference {
	if want == got {
		return nil
	}
	return []difference{{what, want, got}}
}

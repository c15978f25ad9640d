package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A recorded is one recorded case.
type recorded struct {
	Group, Name, Op string
	Input, Expect   json.RawMessage

	dialect string
	// now is the case in its own form if it is one of today's Archon, or nil.
	now *nowCase
	// reasons are those of the steps that failed, by step, and typed the differences
	// that are none when inputs are texts, by what they are of: of cases of steps
	// that were run.
	reasons map[string]string
	typed   map[string]bool
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

// root is the repository's root, seen from this package.
const root = "../.."

var (
	ownCases    = filepath.Join(root, "testdata/conformance")
	sharedCases = filepath.Join(root, "../shared/conformance")
)

// caseFolders returns the folders with recorded cases: those of a setting, of
// which relative ones are seen from the repository's root, else the usual ones.
// complete says that these are all that there is to the usual ones.
func caseFolders(setting string, set bool) (folders []string, complete bool, err error) {
	if !set {
		if _, err := os.Stat(sharedCases); err != nil {
			return []string{ownCases}, false, nil
		}
		return []string{ownCases, sharedCases}, true, nil
	}
	for _, dir := range filepath.SplitList(setting) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, false, fmt.Errorf("WFC_CONFORMANCE names %s, which is no folder", dir)
		}
		folders = append(folders, dir)
	}
	if folders == nil {
		return nil, false, errors.New("WFC_CONFORMANCE is set and names no folder")
	}
	return folders, false, nil
}

// A collection is what the folders hold.
type collection struct {
	cases []*recorded
	// foreign counts what belongs to dialects that are not built yet.
	foreign map[string]int
}

func collect(folders []string) (*collection, error) {
	all := &collection{foreign: map[string]int{}}
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case !e.IsDir():
			case e.Name() == nowFolder:
				if err := all.readNow(path); err != nil {
					return nil, err
				}
			case e.Name() == "archon":
				if err := all.read(e.Name(), path); err != nil {
					return nil, err
				}
			case e.Name() == "graphloop":
				if err := all.readGraphs(path); err != nil {
					return nil, err
				}
			case e.Name() == "lango":
				if err := all.readLango(path); err != nil {
					return nil, err
				}
			case e.Name() == "xprompt":
				if err := all.readXprompt(path); err != nil {
					return nil, err
				}
			default:
				all.foreign[e.Name()] += countCases(path)
			}
		}
	}
	if len(all.cases)+len(all.foreign) == 0 {
		return nil, fmt.Errorf("%s: there are no cases", strings.Join(folders, ", "))
	}
	return all, nil
}

// read adds the cases of all JSON files in a dialect's folder.
func (all *collection) read(dialect, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var cases []*recorded
		if err := json.Unmarshal(text, &cases); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, c := range cases {
			c.dialect = dialect
		}
		all.cases = append(all.cases, cases...)
	}
	return nil
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

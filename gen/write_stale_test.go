package gen_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/gen"
)

// Write removes the packages that only the former code of the package imported, and nothing
// that could be somebody else's.
func TestWriteRemovesCallees(t *testing.T) {
	imports := func(paths ...string) string {
		text := mark + "package p\n"
		for _, p := range paths {
			text += "import \"" + p + "\"\n"
		}
		return text
	}
	for name, test := range map[string]struct {
		// files are in the folder of a Go module example.com/m; the package is in p.
		files map[string]string
		// written are the files of the new code.
		written []string
		removed []string
	}{
		"a package": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a"), "p/a/a.go": mark},
			nil, []string{"a/a.go"}},
		"a package below a package": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a"), "p/a/a.go": imports("example.com/m/p/b"), "p/b/b.go": imports("example.com/m/p/a")},
			nil, []string{"a/a.go", "b/b.go"}},
		"a package of the new code": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a", "example.com/m/p/b"), "p/a/a.go": mark, "p/b/b.go": mark},
			[]string{"a/a.go"}, []string{"b/b.go"}},
		"code with an error": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a") + "func {", "p/a/a.go": mark},
			nil, []string{"a/a.go"}},
		"a package that the code does not import": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/b"), "p/a/a.go": mark},
			nil, nil},
		"a package elsewhere": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/kinds/a", "example.com/m/a", "example.com/m/p/x/a"), "p/a/a.go": mark, "p/x/a/a.go": mark, "a/a.go": mark},
			nil, nil},
		"a person's package": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a"), "p/a/a.go": "package a\n"},
			nil, nil},
		"a person's code": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports(), "p/own.go": "package p\nimport \"example.com/m/p/a\"\n", "p/a/a.go": mark},
			nil, nil},
		"a package with an engine": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a"), "p/a/a.go": mark, "p/a/engine.go": mark},
			nil, nil},
		"a file of another name": {
			map[string]string{"go.mod": "module example.com/m\n", "p/p.go": imports("example.com/m/p/a"), "p/a/other.go": mark},
			nil, nil},
		"no module": {
			map[string]string{"p/p.go": imports("example.com/m/p/a"), "p/a/a.go": mark},
			nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range test.files {
				path := filepath.Join(root, filepath.FromSlash(file))
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(root, "p")
			files := []gen.File{{Name: "p.go", Content: []byte(mark + "package p // new\n")}}
			for _, name := range test.written {
				files = append(files, gen.File{Name: name, Content: []byte(mark)})
			}
			want := append([]string{"p.go"}, test.removed...)
			for _, check := range []bool{true, false} {
				changed, _, err := gen.Write(dir, files, check)
				if err != nil || !slices.Equal(changed, want) {
					t.Errorf("check %v: %q, %v, want %q", check, changed, err, want)
				}
				for file := range test.files {
					name, err := filepath.Rel("p", filepath.FromSlash(file))
					if err != nil {
						t.Fatal(err)
					}
					gone := !check && slices.Contains(test.removed, filepath.ToSlash(name))
					if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); os.IsNotExist(err) != gone {
						t.Errorf("check %v: %s: %v, want it gone: %v", check, file, err, gone)
					}
				}
			}
			for _, name := range test.removed {
				if _, err := os.Stat(filepath.Dir(filepath.Join(dir, name))); !os.IsNotExist(err) {
					t.Errorf("the folder of %s is still there: %v", name, err)
				}
			}
			if changed, _, err := gen.Write(dir, files, true); len(changed) != 0 || err != nil {
				t.Errorf("afterwards: %q, %v", changed, err)
			}
		})
	}
}

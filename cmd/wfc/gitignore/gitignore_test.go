package gitignore

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files, given as path and content, into a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// seen lists the files below a folder that are not ignored.
func seen(t *testing.T, base string) []string {
	t.Helper()
	var list []string
	var visit func(f *Folder)
	visit = func(f *Folder) {
		entries, err := os.ReadDir(f.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			switch {
			case e.Name() == ".git" || f.Ignores(e.Name(), e.IsDir()):
			case e.IsDir():
				visit(f.Enter(e.Name()))
			default:
				rel, _ := filepath.Rel(base, filepath.Join(f.dir, e.Name()))
				list = append(list, filepath.ToSlash(rel))
			}
		}
	}
	visit(Open(base))
	slices.Sort(list)
	return list
}

// files are names that patterns are tried on.
var files = []string{
	"a.yaml", "b.yaml", "build/a.yaml", "build/x/a.yaml", "src/a.yaml", "src/build/a.yaml", "src/deep/er/a.yaml",
	"src/deep/er/b.yaml", "src/#a.yaml", "src/!a.yaml", "src/a b.yaml", "src/end ", "doc/frotz/a.yaml", "foo/a.yaml", "x/foo/bar/a.yaml", "xfoo",
	"[a].yaml", "a1.yaml", "a2.yaml", "ab.yaml",
}

// Every pattern leaves the files that git leaves.
func TestAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, patterns := range []map[string]string{
		{".gitignore": "build\n"},
		{".gitignore": "build/\n"},
		{".gitignore": "/build/\n"},
		{".gitignore": "/a.yaml\n"},
		{".gitignore": "*.yaml\n!b.yaml\n"},
		{".gitignore": "*\n!*/\n!b.yaml\n"},
		{".gitignore": "src\n!src/a.yaml\n"},
		{".gitignore": "src/*\n!src/a.yaml\n"},
		{".gitignore": "src/**\n!src/deep/\n"},
		{".gitignore": "**/er/a.yaml\n"},
		{".gitignore": "src/**/a.yaml\n"},
		{".gitignore": "foo/**\n"},
		{".gitignore": "**/foo\n"},
		{".gitignore": "**/foo/bar\n"},
		{".gitignore": "doc/frotz\n"},
		{".gitignore": "frotz/\n"},
		{".gitignore": "foo/*\n"},
		{".gitignore": "# a.yaml\n\n\\#a.yaml\n\\!a.yaml\n"},
		{".gitignore": "a?.yaml\n"},
		{".gitignore": "a[0-9].yaml\n"},
		{".gitignore": "a[!0-9].yaml\n"},
		{".gitignore": "\\[a\\].yaml\n"},
		{".gitignore": "[\n"},
		{".gitignore": "a.yaml   \nend\\ \n"},
		{".gitignore": "a.yaml\r\nb.yaml\r\n"},
		{".gitignore": "\ufeffa.yaml\n"},
		{".gitignore": "a.yaml\n", "src/.gitignore": "!a.yaml\nb.yaml\n"},
		{"src/.gitignore": "/a.yaml\ndeep/er/a.yaml\n", "src/deep/.gitignore": "!er/a.yaml\nb.yaml\n"},
		{"src/.gitignore": "*\n"},
		{"src/.gitignore": "*\n!.gitignore\n!*.yaml\n"},
		{".git/info/exclude": "a.yaml\n", ".gitignore": "!src/a.yaml\n"},
		{".gitignore": "**\n"},
		{".gitignore": "/\n!\n"},
		{".gitignore": "/**/a.yaml\n"},
		{".gitignore": "x/**/bar/\n"},
	} {
		all := map[string]string{}
		for _, name := range files {
			all[name] = ""
		}
		dir := tree(t, all)
		run := func(args ...string) string {
			cmd := exec.Command(git, args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir+"/.git", "XDG_CONFIG_HOME="+dir+"/.git")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
			return string(out)
		}
		run("init", "-q")
		for name, text := range patterns {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var want []string
		for name := range strings.SplitSeq(run("ls-files", "--others", "--exclude-standard", "-z"), "\x00") {
			if name != "" {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		if got := seen(t, dir); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", patterns, got, want)
		}
	}
}

// In a folder of a repository the patterns above it count, but those that ignore
// the folder itself.
func TestOpenInside(t *testing.T) {
	dir := tree(t, map[string]string{
		".git/HEAD": "", ".gitignore": "out\n*.tmp\n/all/**\n", "out/a": "", "out/b.tmp": "", "out/.gitignore": "c\n", "out/c": "",
		"src/a": "", "src/b.tmp": "", "all/a": "", "all/x/b": "",
	})
	for _, test := range []struct {
		base string
		want []string
	}{
		{"src", []string{"a"}},
		{"out", []string{".gitignore", "a", "b.tmp"}},
		{"all", []string{"a", "x/b"}},
		{"all/x", []string{"b"}},
		{".", []string{".gitignore", "src/a"}},
	} {
		if got := seen(t, filepath.Join(dir, test.base)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.base, got)
		}
	}
}

// Without a repository the patterns of the folder and those below it count.
func TestWithoutRepository(t *testing.T) {
	dir := tree(t, map[string]string{".gitignore": "a\n", "a": "", "b": "", "sub/.gitignore": "b\n", "sub/a": "", "sub/b": "", "sub/c": ""})
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := seen(t, dir); !slices.Equal(got, []string{".gitignore", "b", "sub/.gitignore", "sub/c"}) {
		t.Error(got)
	}
	// A file of patterns that is none has no patterns.
	if err := os.Mkdir(filepath.Join(dir, "x", ".gitignore"), fs.FileMode(0o755)); err != nil {
		t.Fatal(err)
	}
	if Open(filepath.Join(dir, "x")).Ignores("a", false) {
		t.Error("ignored")
	}
}

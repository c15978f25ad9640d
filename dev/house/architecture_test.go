package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	architecture = "docs/architecture.md"
	// longest is the maximum of lines of that page.
	longest = 300
)

var (
	code      = regexp.MustCompile("`([^`\n]+)`")
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```")
	// placeholder is a part of a path that a contributor chooses, as <dialect>.
	placeholder = regexp.MustCompile(`<[a-z]+>`)
)

// TestArchitectureLength checks that the page can be read in fifteen minutes.
func TestArchitectureLength(t *testing.T) {
	if n := strings.Count(page(t, architecture), "\n"); n > longest {
		t.Errorf("%s has %d lines, want at most %d: move essays to docs/internals", architecture, n, longest)
	}
}

// TestWhereAChangeGoes checks that each row of the table names existing files: every code
// span in its second column is the path of a file or a pattern of such paths. <name>
// matches any name.
func TestWhereAChangeGoes(t *testing.T) {
	rows := table(page(t, architecture), "## Where a change goes")
	if len(rows) == 0 {
		t.Fatalf("%s has no table under `Where a change goes`", architecture)
	}
	for _, row := range rows {
		if strings.HasPrefix(strings.TrimSpace(row[0]), "**") {
			continue // the title of a group
		}
		paths := code.FindAllStringSubmatch(row[1], -1)
		if len(paths) == 0 {
			t.Errorf("%q: the second column names no path", row[0])
		}
		for _, m := range paths {
			if !slices.ContainsFunc(matches(t, m[1]), isFile) {
				t.Errorf("%q: there is no file %s", row[0], m[1])
			}
		}
	}
}

// TestRoomTable checks that each package is in one room, and that the table has no others.
func TestRoomTable(t *testing.T) {
	rooms := readRooms(t)
	if len(rooms) == 0 {
		t.Fatalf("%s has no table of rooms", architecture)
	}
	in := map[string]string{}
	for _, r := range rooms {
		for _, path := range r.packages {
			if !exists(t, path) {
				t.Errorf("%s: the table of rooms has %s, which does not exist", architecture, path)
			}
			if in[path] != "" {
				t.Errorf("%s: %s is in the rooms %q and %q", architecture, path, in[path], r.name)
			}
			in[path] = r.name
		}
	}
	for _, path := range append(strings.Fields(string(run(t, "list", "./..."))), strings.Fields(string(run(t, "-C", "dev", "list", "./...")))...) {
		rest := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if rest == "" || strings.HasPrefix(rest, "examples/") || strings.HasPrefix(rest, "testdata/") {
			continue
		}
		if roomOf(rooms, rest) == nil {
			t.Errorf("%s: no row for %s", architecture, rest)
		}
	}
}

// TestPathsInPages checks every code span in the pages for contributors that
// looks like a path from the module's root.
func TestPathsInPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs/internals/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs/internals has no pages (%v)", err)
	}
	for i := range pages {
		pages[i] = strings.TrimPrefix(filepath.ToSlash(pages[i]), root+"/")
	}
	for _, name := range append(pages, architecture) {
		for _, m := range code.FindAllStringSubmatch(codeBlock.ReplaceAllString(page(t, name), ""), -1) {
			if fromRoot(m[1]) && !exists(t, m[1]) {
				t.Errorf("%s: %s does not exist", name, m[1])
			}
		}
	}
}

// TestInternalsIndex checks that the index leads to every page of its folder.
func TestInternalsIndex(t *testing.T) {
	index := page(t, "docs/internals/README.md")
	list, err := os.ReadDir(filepath.Join(root, "docs/internals"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.Name() != "README.md" && !strings.Contains(index, "]("+f.Name()+")") {
			t.Errorf("docs/internals/README.md has no link to %s", f.Name())
		}
	}
}

// fromRoot reports whether a code span is a path below a top-level folder.
func fromRoot(span string) bool {
	first, _, found := strings.Cut(span, "/")
	folders := []string{"cmd", "compiler", "dev", "docs", "examples", "gen", "internal", "runtime", "testdata"}
	return found && slices.Contains(folders, first) && !strings.ContainsAny(span, " ()…")
}

// exists reports whether a path or a pattern of paths matches a file or folder.
func exists(t *testing.T, path string) bool {
	t.Helper()
	return len(matches(t, path)) > 0
}

// matches returns the files and folders of a path or a pattern of paths; none if one of its
// alternatives has none. A trailing /... names the folder.
func matches(t *testing.T, path string) []string {
	t.Helper()
	var found []string
	for _, one := range withoutBraces(path) {
		pattern := placeholder.ReplaceAllString(strings.TrimSuffix(one, "/..."), "*")
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			return nil
		}
		found = append(found, files...)
	}
	return found
}

// withoutBraces returns the paths that a path with alternatives in braces stands for.
func withoutBraces(path string) (paths []string) {
	before, rest, braces := strings.Cut(path, "{")
	if !braces {
		return []string{path}
	}
	inside, after, _ := strings.Cut(rest, "}")
	for _, part := range strings.Split(inside, ",") {
		paths = append(paths, before+part+after)
	}
	return paths
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// table returns the rows of the first table under a heading, without its head.
// Each row has at least two columns.
func table(text, heading string) (rows [][]string) {
	_, text, _ = strings.Cut(text, "\n"+heading+"\n")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") {
			break
		}
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); len(cells) > 1 {
			rows = append(rows, cells)
		}
	}
	return rows[min(2, len(rows)):]
}

// page returns the content of a page.
func page(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Command lines counts the Go code of wfc's module and of the module dev: lines that
// hold code, lines that hold only a comment, and the sizes of files. Tests and generated
// files are left out. It runs in the root of the repository.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/dev/house"
)

// A size is the size of a file or of a folder's files.
type size struct{ code, comments int }

func main() {
	folders, err := count("wfc", "*.go", ":!dev")
	if err == nil {
		_, err = count("dev", "dev/*.go")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, folder := range slices.SortedFunc(maps.Keys(folders), func(a, b string) int { return cmp.Compare(folders[b].code, folders[a].code) }) {
		fmt.Printf("%7d %s\n", folders[folder].code, folder)
	}
}

// count prints the size of a module, whose files match patterns, and returns those of its
// folders.
func count(module string, patterns ...string) (map[string]size, error) {
	listed, err := exec.Command("git", append([]string{"ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	var total size
	var lengths []int
	folders := map[string]size{}
	for _, name := range strings.Fields(string(listed)) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly|parser.ParseComments); err != nil || ast.IsGenerated(file) {
			continue
		}
		var s size
		s.code, s.comments = house.CountLines(content)
		total.add(s)
		lengths = append(lengths, bytes.Count(content, []byte("\n")))
		folder := folders[path.Dir(name)]
		folder.add(s)
		folders[path.Dir(name)] = folder
	}
	slices.Sort(lengths)
	fmt.Printf("%s: %d lines of code, %d of comments, %d files, median %d lines, longest %d\n",
		module, total.code, total.comments, len(lengths), lengths[len(lengths)/2], lengths[len(lengths)-1])
	return folders, nil
}

func (s *size) add(t size) {
	s.code += t.code
	s.comments += t.comments
}

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// leadNames is the start of a comment that says what names are or do: "nodeText returns",
	// "first and last are". Other sentences begin with a capital that no second one follows.
	leadNames = regexp.MustCompile(`^(A |An )?([a-z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*)(?: and ([a-z]\w*))? (?:[a-z]+s|are|have)\b`)
	// calledByTests is a function that the go command calls. Its comment says what holds, also of
	// programs such as npm.
	calledByTests = regexp.MustCompile(`^(Test|Benchmark|Example|Fuzz)`)
)

// TestComments checks that a comment which begins with a name begins with that of its declaration,
// so that a comment is not left behind when something gets another name.
func TestComments(t *testing.T) {
	listed, err := exec.Command("git", "-C", root, "ls-files", "--", "*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range strings.Fields(string(listed)) {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			continue
		}
		var declared []string
		visitComments(file, func(_ *ast.CommentGroup, _ bool, names []string) { declared = append(declared, names...) })
		visitComments(file, func(doc *ast.CommentGroup, isType bool, names []string) {
			seen++
			if wrong := foreignName(doc.Text(), isType, names, declared); wrong != "" {
				t.Errorf("%s: the comment is about %s, and the declaration about %s", files.Position(doc.Pos()), wrong, strings.Join(names, ", "))
			}
		})
	}
	if seen < 10_000 {
		t.Errorf("only %d comments", seen)
	}
}

// visitComments visits the comments of a file's declarations, with the names that are declared.
func visitComments(file *ast.File, visit func(doc *ast.CommentGroup, isType bool, names []string)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			visit(d.Doc, false, []string{d.Name.Name})
		case *ast.GenDecl:
			var all []string
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					visit(s.Doc, true, []string{s.Name.Name})
					all = append(all, s.Name.Name)
				case *ast.ValueSpec:
					var names []string
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
					visit(s.Doc, false, names)
					all = append(all, names...)
				}
			}
			visit(d.Doc, d.Tok == token.TYPE, all)
		}
	}
}

// foreignName returns the name with which a comment begins if it is not on that, or "". The comment
// on the first of two names may be about both, if the file declares the second. An article stands
// before names of types only.
func foreignName(text string, isType bool, names, declared []string) string {
	m := leadNames.FindStringSubmatch(text)
	if m == nil || m[1] != "" && !isType {
		return ""
	}
	if calledByTests.MatchString(names[0]) && !calledByTests.MatchString(m[2]) {
		return ""
	}
	switch {
	case !slices.Contains(names, m[2]):
		return m[2]
	case !slices.Contains(declared, m[3]):
		return m[3]
	}
	return ""
}

func TestForeignName(t *testing.T) {
	for _, tt := range []struct {
		text   string
		isType bool
		names  string
		want   string
	}{
		{"nodeText returns a text.", false, "nodeText", ""},
		{"logs prints the log.", false, "printLog", "logs"},
		{"said is the choice.", false, "namedChoice", "said"},
		{"HasRun reports that.", false, "HasEnded", "HasRun"},
		{"A place is where.", true, "occurrence", "place"},
		{"An occurrence is where.", true, "occurrence", ""},
		{"A run moves on.", false, "moved", ""},
		{"Settings are Go's settings.", false, "settings", ""},
		{"opposites and weaker are operators.", false, "opposites borders", "weaker"},
		{"record and replay are processes.", false, "record", ""},
		{"npm installs the packages.", false, "TestNPM", ""},
		{"TestAll compares.", false, "TestSome", "TestAll"},
	} {
		if got := foreignName(tt.text, tt.isType, strings.Fields(tt.names), strings.Fields(tt.names+" replay")); got != tt.want {
			t.Errorf("%s, on %s: %q", tt.text, tt.names, got)
		}
	}
}

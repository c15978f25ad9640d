package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
)

// maxWords is the maximum number of words of a title. Names and code in backticks do
// not count.
const maxWords = 12

// code matches the parts of a message that quote the user's file or show code.
var code = regexp.MustCompile("`[^`]*`")

// banned are patterns that readers stumble over, with the plain words.
var banned = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b(is|are) no ([^l]|l[^o])`), "is not a"},
	{regexp.MustCompile(`\bthere (is|are) no\b`), "unknown …, missing …"},
	{regexp.MustCompile(`\ba text\b|\btexts\b|\bempty text\b`), "string"},
	{regexp.MustCompile(`\bstands?\b([^-]|$)`), "is, means"},
	{regexp.MustCompile(`\bgo(es)? on\b|\bgoing on\b`), "continue"},
	{regexp.MustCompile(`\bof (its|their|your) own\b`), "separate"},
	{regexp.MustCompile(`\bblanks?\b|\bwhite space\b`), "space, whitespace"},
	{regexp.MustCompile(`(?i)(^|[.,:;] )what\b`), "name the thing"},
	{regexp.MustCompile(`\btake[ns]? \S+( \S+)? for\b`), "treats … as"},
	{regexp.MustCompile(`\blook(s|ed)? (at|for)\b`), "check, search"},
	{regexp.MustCompile(`\bwhole numbers?\b|\btruth values?\b`), "integer, bool"},
	{regexp.MustCompile(`\brounds?\b`), "iteration"},
	{regexp.MustCompile(`\bis none of\b`), "is not one of"},
	{regexp.MustCompile(`\ball the same\b`), "anyway, still"},
	{regexp.MustCompile(`\b(is|are) not there\b`), "does not exist"},
	{regexp.MustCompile(`\b(is|are) not known\b`), "is unknown"},
}

// longTitles are the codes whose titles contain words of others: of bash, Python, the
// operating system or a panic, or list the values of a case.
var longTitles = []*diag.Code{
	codes.YAMLSyntax, codes.InternalError, codes.UnreadableFile, codes.UncoveredOutput, codes.OverlappingEdges,
	codes.ScriptSyntax, codes.ScriptUnreadable, codes.MissingFile,
}

// verbs are the first words of help lines.
var verbs = strings.Fields(`add ask assign avoid break build call calculate change check choose compare complete compute
	continue convert copy correct count create declare define depend describe did end expand encode fill fix follow give ignore import indent
	insert install join keep lead let list look loop make map mark move name only pass pipe place print put raise read remove rename
	repeat replace report restrict reverse run save say schedule search send separate set split start store swap tell test treat try
	turn use wait write`)

// faultsOf returns the faults in the words of a title, a help line or a document.
func faultsOf(text string) []string {
	var faults []string
	plain := code.ReplaceAllString(text, "``")
	for _, b := range banned {
		if found := b.pattern.FindString(plain); found != "" {
			faults = append(faults, strconv.Quote(found)+": write "+b.instead)
		}
	}
	return faults
}

// faultsOfTitle returns the faults of a title; long says that it may be long.
func faultsOfTitle(title string, long bool) []string {
	faults := faultsOf(title)
	words := 0
	for _, w := range strings.Fields(code.ReplaceAllString(title, "")) {
		if strings.ContainsFunc(w, unicode.IsLetter) || strings.ContainsFunc(w, unicode.IsDigit) {
			words++
		}
	}
	if words > maxWords && !long {
		faults = append(faults, strconv.Itoa(words)+" words")
	}
	if strings.HasSuffix(title, ".") {
		faults = append(faults, "it ends with a full stop")
	}
	first, size := utf8.DecodeRuneInString(title)
	second, _ := utf8.DecodeRuneInString(title[size:])
	if unicode.IsUpper(first) && !unicode.IsUpper(second) {
		faults = append(faults, "it starts with a capital letter")
	}
	return faults
}

// faultsOfHelp returns the faults of a help line.
func faultsOfHelp(help string) []string {
	faults := faultsOf(help)
	first, _, _ := strings.Cut(help, " ")
	if !slices.Contains(verbs, strings.TrimRight(first, ":,")) {
		faults = append(faults, "it does not start with a verb")
	}
	return faults
}

// repeats reports whether the title of a fix says only what a line of help says, too.
// Reports print a question and the fix "replace with" its answer as one.
func repeats(title, help string) bool {
	if name, ok := strings.CutPrefix(help, "did you mean "); ok {
		return title != "replace with "+strings.TrimSuffix(name, "?")
	}
	words := strings.Fields(help)
	return !slices.ContainsFunc(strings.Fields(title), func(w string) bool { return !slices.Contains(words, w) })
}

// TestWordsOfFindings checks the words of every bad example's findings.
func TestWordsOfFindings(t *testing.T) {
	for _, c := range codes.All() {
		for _, e := range codes.DocumentOf(c).Examples {
			for _, d := range compileExample(c, e, e.Bad) {
				for _, fault := range faultsOfTitle(d.Message, slices.Contains(longTitles, d.Code)) {
					t.Errorf("the title of %s, %q: %s", d.Code, d.Message, fault)
				}
				for _, help := range d.Help {
					for _, fault := range faultsOfHelp(help) {
						t.Errorf("the help of %s, %q: %s", d.Code, help, fault)
					}
					for _, f := range d.Fixes {
						if repeats(f.Title, help) {
							t.Errorf("%s says twice: %q, %q", d.Code, help, f.Title)
						}
					}
				}
			}
		}
	}
}

// TestWordsOfDocuments checks the documents of the codes.
func TestWordsOfDocuments(t *testing.T) {
	for _, c := range codes.All() {
		text := strings.Join(strings.Fields(codes.DocumentOf(c).Text), " ")
		for _, fault := range faultsOf(text) {
			t.Errorf("the document of %s: %s", c, fault)
		}
	}
}

// TestWordsOfConstructors checks the literals that constructors and front ends pass
// as titles and help lines, also of findings without an example.
func TestWordsOfConstructors(t *testing.T) {
	titles, helps := 0, 0
	for _, dir := range []string{"internal/finding", "compiler", "internal/expr", "internal/types", "internal/yamlsrc"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				var faults []string
				switch name := called(call); {
				case name == "New" && len(call.Args) == 2 && literal(call.Args[1]) != "":
					titles++
					faults = faultsOfTitle(literal(call.Args[1]), false)
				case name == "WithHelp" && len(call.Args) == 1 && literal(call.Args[0]) != "":
					helps++
					faults = faultsOfHelp(literal(call.Args[0]))
				}
				for _, fault := range faults {
					t.Errorf("%s: %s", set.Position(call.Rparen), fault)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if titles < 150 || helps < 250 {
		t.Errorf("found %d titles and %d help lines", titles, helps)
	}
}

// wordsOfOthers are literals that have banned words because others wrote them, by file:
// prompts that recordings contain, and messages of bash, Python and Jinja2.
var wordsOfOthers = map[string][]string{
	"runtime/flow/graph/node.go": {"Which output your answer stands for cannot be told: %v."},
	"runtime/value/py/iter.go":   {"there is no previous item", "there is no next item"},
}

// recordedQuotes are the literals with names in single quotes: the words of the original
// engines, as their recorded cases have them, and commands for a shell. All other messages
// have names in backticks.
var recordedQuotes = map[string]bool{
	"%s '%s'":                              true,
	"Bash node '%s'":                       true,
	"Bash test '%s'":                       true,
	"Script node '%s'":                     true,
	"Node '%s' exceeded cost cap%s.":       true,
	"Node '%s' failed: SDK returned %s":    true,
	"Missing reachable stub for node '%s'": true,
	"Workflow '%s' %s. Use workflow_status to check progress.": true,
	"repeat: go test -run '%s'":                                true,
}

// TestWordsOfMessages checks every string of several words in the code that speaks to
// people: errors, progress, help, and descriptions of tools.
func TestWordsOfMessages(t *testing.T) {
	messages := 0
	for _, dir := range []string{"runtime", "gen/internal", "gen/vet", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, e fs.DirEntry, err error) error {
			if e.IsDir() && (e.Name() == "testdata" || e.Name() == "ent") {
				return fs.SkipDir
			}
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok {
					return true
				}
				text := literal(lit)
				if strings.HasPrefix(text, `json:"`) {
					text = reflect.StructTag(text).Get("jsonschema")
				}
				if !strings.Contains(text, " ") {
					return true
				}
				messages++
				if slices.Contains(wordsOfOthers[name], strings.TrimSpace(text)) {
					return true
				}
				for _, fault := range faultsOf(text) {
					t.Errorf("%s: %s", set.Position(lit.Pos()), fault)
				}
				if strings.Contains(text, "'%s'") && !recordedQuotes[text] && !strings.HasPrefix(name, "runtime/value/py/") {
					t.Errorf("%s: '%%s': write names in backticks", set.Position(lit.Pos()))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if messages < 3000 {
		t.Errorf("found %d messages", messages)
	}
}

// called is the name of the function or method that a call calls.
func called(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literal is the text of a string literal, of the format of a Sprintf, or of a
// concatenation, in which other values become `x`; "" if it starts with another value.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		if left := literal(e.X); left != "" && e.Op == token.ADD {
			if right := literal(e.Y); right != "" {
				return left + right
			}
			return left + "x"
		}
	case *ast.CallExpr:
		if called(e) == "Sprintf" {
			return literal(e.Args[0])
		}
	}
	return ""
}

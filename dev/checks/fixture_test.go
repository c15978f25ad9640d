// Package testkit runs the fixtures under testdata: workflows with their expected
// findings beside the lines.
//
// A fixture is a txtar archive. Its comment may hold a line `flags:` with
// portability, strict, dialect=NAME or unreadable=PATH, a file that cannot be read.
// Files whose name ends in .yaml or .yml are workflows, unless they are in a folder
// `files/` or `xprompts/steps/` or are named wfc.yaml, which configures the others; all
// files can be read by the workflows, from the project's folder. Findings are compared with the
// files' `# want` comments (see Want). Two kinds of files are golden files. They are
// compared if they exist, and rewritten by `go test -update`:
//
//	want.txt     the output of `wfc check`
//	fixed/NAME   the workflow NAME after all sure fixes
package checks

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// root is the project's folder of every fixture.
const root = "/project"

const (
	goldenReport = "want.txt"
	fixedFolder  = "fixed/"
	filesFolder  = "files/"
	stepsFolder  = "xprompts/steps/"
)

// A Fixture is one archive.
type Fixture struct {
	archive *txtar.Archive
	files   testkit.Memory
	// portability, strict and dialect are the flags of the fixture.
	portability, strict bool
	dialect             string
	config              *config.Config
	// findings are those of wfc.yaml.
	findings []*diag.Diagnostic
}

// ParseFixture reads a fixture.
func ParseFixture(content []byte) *Fixture {
	f := &Fixture{archive: txtar.Parse(content), files: testkit.Memory{}, config: &config.Config{}}
	for _, file := range f.archive.Files {
		f.files[path.Join(root, file.Name)] = string(file.Data)
		if file.Name == config.FileName {
			f.config, f.findings = config.Parse(source.NewFile(file.Name, file.Data))
			f.config.Dir = root
		}
	}
	for line := range strings.Lines(string(f.archive.Comment)) {
		flags, ok := strings.CutPrefix(line, "flags:")
		if !ok {
			continue
		}
		for _, flag := range strings.Fields(flags) {
			name, value, _ := strings.Cut(flag, "=")
			switch name {
			case "portability":
				f.portability = true
			case "strict":
				f.strict = true
			case "dialect":
				f.dialect = value
			case "unreadable":
				f.files[path.Join(root, value)] = testkit.Unreadable
			}
		}
	}
	return f
}

// Workflows are the names of the fixture's workflows.
func (f *Fixture) Workflows() []string {
	var names []string
	for _, file := range f.archive.Files {
		ext := path.Ext(file.Name)
		if (ext == ".yaml" || ext == ".yml") && path.Base(file.Name) != config.FileName &&
			!strings.HasPrefix(file.Name, fixedFolder) && !strings.HasPrefix(file.Name, filesFolder) && !strings.Contains(file.Name, stepsFolder) {
			names = append(names, file.Name)
		}
	}
	return names
}

// Compile compiles one of the fixture's workflows; content replaces the
// archive's when it is not nil.
func (f *Fixture) Compile(name string, content []byte) *compiler.Result {
	opt := f.config.Options(path.Join(root, name))
	opt.Files, opt.Root, opt.Ask = f.files, root, oracle.OnPath()
	opt.Portability, opt.Strict, opt.Dialect = f.portability, f.strict, f.dialect
	if content == nil {
		content = []byte(f.files[opt.Path])
	}
	return compiler.Compile(source.NewFile(name, content), opt)
}

// file returns a file of the archive, or nil.
func (f *Fixture) file(name string) *txtar.File {
	for i := range f.archive.Files {
		if f.archive.Files[i].Name == name {
			return &f.archive.Files[i]
		}
	}
	return nil
}

// Fixed returns a workflow after all its sure fixes.
func (f *Fixture) Fixed(t testing.TB, name string) []byte {
	compile := func(content []byte) *compiler.Result { return f.Compile(name, content) }
	fixing := compiler.Fix(compile([]byte(f.files[path.Join(root, name)])), compile)
	for _, r := range fixing.Refused {
		t.Errorf("%s: %s was not fixed because %s", name, r.Finding.Code.ID, r.Why)
	}
	return fixing.Result.File.Content
}

// RunFixtures runs every fixture below a folder as a subtest. With update it rewrites the
// golden files instead of comparing them.
func RunFixtures(t *testing.T, dir string, update bool) {
	ran := 0
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".txtar" {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		ran++
		t.Run(filepath.ToSlash(strings.TrimSuffix(rel, ".txtar")), func(t *testing.T) { runFixture(t, name, update) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if ran == 0 {
		t.Errorf("no fixtures in %s", dir)
	}
}

func runFixture(t *testing.T, name string, update bool) {
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := ParseFixture(content)
	findings := f.findings
	rep := &report.Report{Groups: []report.Group{{Name: config.FileName, Diagnostics: f.findings}}}
	for _, workflow := range f.Workflows() {
		r := f.Compile(workflow, nil)
		if r.Stack != "" {
			t.Errorf("%s: %s", workflow, r.Stack)
		}
		findings = append(findings, r.Diagnostics...)
		rep.Groups = append(rep.Groups, report.Group{Name: workflow, Diagnostics: r.Diagnostics})
		rep.Files++
	}
	var wants []Want
	for _, file := range f.archive.Files {
		if file.Name == goldenReport || strings.HasPrefix(file.Name, fixedFolder) {
			continue
		}
		more, err := Wants(file.Name, string(file.Data))
		if err != nil {
			t.Fatal(err)
		}
		wants = append(wants, more...)
	}
	for _, fault := range Compare(wants, findings) {
		t.Error(fault)
	}
	f.compareGolden(t, name, rep, update)
}

// compareGolden compares the golden files of a fixture, or rewrites them.
func (f *Fixture) compareGolden(t *testing.T, name string, rep *report.Report, update bool) {
	stale := false
	golden := func(file *txtar.File, got []byte) {
		if file == nil || bytes.Equal(file.Data, got) {
			return
		}
		if update {
			file.Data, stale = got, true
			return
		}
		t.Errorf("%s differs; got:\n%s\nwant:\n%s\n(go test -update rewrites it)", file.Name, got, file.Data)
	}
	var text bytes.Buffer
	if err := report.Write(&text, report.Text, rep, report.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	golden(f.file(goldenReport), text.Bytes())
	for _, workflow := range f.Workflows() {
		golden(f.file(fixedFolder+workflow), f.Fixed(t, workflow))
	}
	if stale {
		if err := os.WriteFile(name, txtar.Format(f.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A Want is a finding that a fixture expects, written in it as
//
//	# want WFC203 "regexp"
//
// on the line of the finding. `# want+2 …` and `# want-1 …` speak of the line
// so many below or above, for lines that cannot hold a comment. Several pairs
// may follow one another.
type Want struct {
	File string
	Line int
	Code string
	// Message must match somewhere in the finding's message.
	Message *regexp.Regexp
}

// Wants reads the expectations of a file.
func Wants(name, content string) ([]Want, error) {
	var wants []Want
	line := 0
	for text := range strings.Lines(content) {
		line++
		_, rest, ok := strings.Cut(text, "# want")
		if !ok {
			continue
		}
		at, rest, err := wantLine(line, rest)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
			code, pattern, _ := strings.Cut(rest, " ")
			quoted, err := strconv.QuotedPrefix(strings.TrimSpace(pattern))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: after %s: want a quoted regular expression", name, line, code)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			re, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			wants = append(wants, Want{name, at, code, re})
			rest = strings.TrimSpace(pattern)[len(quoted):]
		}
	}
	return wants, nil
}

func wantLine(line int, rest string) (at int, tail string, err error) {
	offset, tail, _ := strings.Cut(rest, " ")
	if offset == "" {
		return line, tail, nil
	}
	n, err := strconv.Atoi(offset)
	if err != nil {
		return 0, "", fmt.Errorf("want%s: expected a number of lines", offset)
	}
	return line + n, tail, nil
}

// means reports whether a finding is the expected one.
func (w *Want) means(file string, line int, d *diag.Diagnostic) bool {
	return w.File == file && w.Line == line && w.Code == d.Code.ID && w.Message.MatchString(d.Message)
}

// Compare returns the differences between the expectations and the findings, one
// per entry: every finding must be expected and the other way round.
func Compare(wants []Want, findings []*diag.Diagnostic) []string {
	var faults []string
	used := make([]bool, len(wants))
	for _, d := range findings {
		file, line := "", 0
		if d.Span.IsValid() {
			file, line = d.Span.File.Name, d.Span.Position().Line
		}
		i := 0
		for i < len(wants) && (used[i] || !wants[i].means(file, line, d)) {
			i++
		}
		if i == len(wants) {
			faults = append(faults, fmt.Sprintf("%s:%d: unexpected %s[%s]: %s", file, line, d.Severity, d.Code.ID, d.Message))
			continue
		}
		used[i] = true
	}
	for i, w := range wants {
		if !used[i] {
			faults = append(faults, fmt.Sprintf("%s:%d: expected %s %q, which was not reported", w.File, w.Line, w.Code, w.Message))
		}
	}
	return faults
}

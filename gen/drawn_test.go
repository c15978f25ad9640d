package gen_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A workflow without errors is Go that compiles and is formatted. Every key of the four
// formats, and every construct, is in one of the workflows that are accepted.
//
// Other seeds and numbers of workflows are drawn by -rapid.seed and -rapid.checks; `make
// test-drawn` draws 20,000.
func TestDrawnWorkflows(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles many workflows")
	}
	typeErrors := testkit.TypeErrors[gen.File](t)
	for format, draw := range map[string]func(*drawer) string{"archon": drawArchon, "xprompt": drawXPrompt, "graphloop": drawGraphloop, "lango": drawLango} {
		t.Run(format, func(t *testing.T) {
			drawn, accepted, used := 0, 0, map[string]int{}
			refused := map[string]int{}
			workflows := rapid.Custom(func(rt *rapid.T) *drawer {
				d := &drawer{t: rt, format: format, files: testkit.Memory{}, used: map[string]bool{}}
				d.newer, d.directives, d.covers = d.often(50), d.often(50), d.often(20)
				d.text = draw(d)
				return d
			})
			rapid.Check(t, func(rt *rapid.T) {
				for range perCheck {
					d := workflows.Draw(rt, "workflow")
					drawn++
					faults, errs := tryDrawn(d, typeErrors)
					if len(faults) > 0 {
						rt.Fatal(strings.Join(faults, "\n"))
					}
					for _, e := range errs {
						refused[e]++
					}
					if len(errs) > 0 {
						continue
					}
					accepted++
					for construct := range d.used {
						used[construct]++
					}
				}
			})
			if t.Failed() {
				return
			}
			t.Logf("%d of %d workflows were accepted", accepted, drawn)
			t.Logf("errors of the others: %v", refused)
			if accepted*5 < drawn*4 {
				t.Errorf("only %d of %d workflows were accepted", accepted, drawn)
			}
			if drawn < 1000 && flag.Lookup("rapid.seed").Value.String() != testkit.Seed {
				return // a rare construct may be missing
			}
			for _, construct := range slices.Concat(keysOf(t, format), constructs[format]) {
				if used[construct] == 0 && withoutDraw[format+" "+construct] == "" {
					t.Errorf("no accepted workflow has the construct %q", construct)
				}
			}
		})
	}
}

// perCheck is the number of workflows of a format for each check of rapid, of which there
// are 100 without the flag -rapid.checks.
const perCheck = 2

// tryDrawn compiles and generates a workflow. It returns the faults of wfc, and the errors of
// the workflow.
func tryDrawn(d *drawer, typeErrors func(string, ...gen.File) []error) (faults, errs []string) {
	opt := compiler.Options{Path: "/project/drawn.yaml", Root: "/project", Home: "/home", Files: d.files, Dialect: d.format}
	if d.newer {
		opt.Settings = settings.Project{Archon: settings.Archon{Version: "0.9"}}
	}
	r := compiler.Compile(source.NewFile("drawn.yaml", []byte(d.text)), opt)
	for _, x := range r.Diagnostics {
		if x.Code == codes.InternalError {
			faults = append(faults, "the compiler panicked: "+x.Message)
		}
		if x.Severity == diag.Error {
			errs = append(errs, x.Code.ID+" "+x.Code.Slug)
		}
	}
	if len(errs) > 0 || len(faults) > 0 {
		return faults, errs
	}
	defer func() {
		if why := recover(); why != nil {
			faults = append(faults, fmt.Sprintf("the generator panicked: %v", why))
		}
	}()
	files := gen.Generate(r.Workflow, gen.Options{LineDirectives: d.directives, Cover: d.covers, ImportPath: "goldens/drawn"})
	return check(files, d.directives, typeErrors), nil
}

// check returns what is wrong with generated files.
func check(files []gen.File, directives bool, typeErrors func(string, ...gen.File) []error) (faults []string) {
	packages := map[string][]gen.File{}
	var folders []string // those that a workflow runs come behind it
	for _, f := range files {
		folder := path.Dir(f.Name)
		if packages[folder] == nil {
			folders = append(folders, folder)
		}
		packages[folder] = append(packages[folder], f)
		if formatted, err := format.Source(f.Content); !directives && err == nil && !bytes.Equal(formatted, f.Content) {
			faults = append(faults, f.Name+" is not formatted")
		}
	}
	for _, folder := range slices.Backward(folders) {
		for _, err := range typeErrors("goldens/drawn", packages[folder]...) {
			faults = append(faults, excerpt(err.Error(), packages[folder]))
		}
	}
	return faults
}

// excerpt are the lines around a place, which is the start of an error's text.
func excerpt(text string, files []gen.File) string {
	name, rest, _ := strings.Cut(text, ":")
	number, _ := strconv.Atoi(strings.SplitN(rest, ":", 2)[0])
	for _, f := range files {
		if lines := strings.Split(string(f.Content), "\n"); f.Name == name && number > 0 && number <= len(lines) {
			return text + "\n" + strings.Join(lines[max(0, number-6):min(len(lines), number+3)], "\n")
		}
	}
	return text
}

// keysOf are the keys in the reference of a format.
func keysOf(t *testing.T, format string) (keys []string) {
	page, err := os.ReadFile(filepath.Join(repo, "docs/reference", format+".md"))
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	row := regexp.MustCompile("^- `([^`]+)`")
	for line := range strings.Lines(string(page)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.ReplaceAll(strings.TrimSpace(title), "`", "")
		} else if m := row.FindStringSubmatch(line); m != nil {
			keys = append(keys, section+": "+m[1])
		}
	}
	if len(keys) < 10 {
		t.Fatalf("the reference of %s has %d keys", format, len(keys))
	}
	return keys
}

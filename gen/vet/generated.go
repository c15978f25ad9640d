package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/gen/internal/callees"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

var generatedAnalyzer = &analysis.Analyzer{
	Name: "wfcgen",
	Doc: `report generated packages that do not fit their workflow file

The analyzer generates the package again, as the line //go:generate says or as the package
looks, and compares. It reports a workflow that changed after its code was generated, and
generated code that was edited.`,
	URL: documentation + "#wfcgen",
	Run: runGenerated,
}

func runGenerated(pass *analysis.Pass) (any, error) {
	i := slices.IndexFunc(pass.Files, func(file *ast.File) bool { return workflowOf(file) != "" })
	if i < 0 {
		return nil, nil
	}
	first := pass.Files[i]
	dir := filepath.Dir(pass.Fset.File(first.Package).Name())
	root, err := packageRoot(dir)
	if err != nil {
		return nil, err
	}
	g := &generatedCheck{pass: pass, first: first, dir: dir, root: root}
	if err := g.compare(); err != nil {
		g.reportf(first.Package, "%v", err)
	}
	return nil, nil
}

// compare generates the package again and reports where it differs.
func (g *generatedCheck) compare() error {
	w, err := findWorkflow(g.root, g.workflowName())
	if err != nil {
		return err
	}
	files, err := w.generateFiles(g.root)
	if err != nil {
		return err
	}
	return g.reportDifferences(w, files)
}

// A generatedCheck compares a package with its workflow file.
type generatedCheck struct {
	pass *analysis.Pass
	// first is the first generated file, where faults of the whole package are reported.
	first *ast.File
	// dir is the package's folder, and root that of the package whose workflow runs this one:
	// both are generated together. They are equal if no other workflow runs this one.
	dir, root string
}

func (g *generatedCheck) reportf(at token.Pos, format string, args ...any) {
	g.pass.Reportf(at, format, args...)
}

// packageRoot returns the folder of the package that was generated together with the one of
// a folder because its workflow runs the other, itself or through a third one; or the folder
// itself.
func packageRoot(dir string) (string, error) {
	above, name := filepath.Split(dir)
	above = filepath.Clean(above)
	files, err := callees.Files(above)
	if slices.Contains(files, name+"/"+name+".go") {
		return above, nil
	}
	return dir, err
}

// workflowName returns the name of the workflow file that the files of root were generated
// from.
func (g *generatedCheck) workflowName() string {
	if g.root == g.dir {
		return workflowOf(g.first)
	}
	for _, file := range goFiles(g.root) {
		if name := generatedName(file.text); name != "" {
			return name
		}
	}
	return ""
}

// reportDifferences reports where the files on the disk differ from the generated ones.
func (g *generatedCheck) reportDifferences(w *workflowFile, files []gen.File) error {
	changed, diff, err := gen.Diff(g.root, files)
	if err != nil {
		return err
	}
	contents := map[string]string{}
	for _, f := range files {
		contents[f.Name] = string(f.Content)
	}
	parts := firstDifferingLines(diff)
	stale := false
	for _, name := range changed {
		path := filepath.Join(g.root, filepath.FromSlash(name))
		if filepath.Dir(path) != g.dir || stale {
			continue
		}
		content, ok := contents[name]
		if !ok {
			return fmt.Errorf("%s no longer runs the workflow of this package: run `%s`, which removes %s", w.shown, w.regenerateCommand(g.root), filepath.Base(path))
		}
		if workflowFingerprint(content) != workflowFingerprint(readText(path)) {
			stale = true
			g.reportf(g.first.Package, "the generated code is stale: %s has changed; run `%s`", w.shown, w.regenerateCommand(g.root))
			continue
		}
		at, ok := g.linePosition(path, parts[path])
		if !ok {
			g.reportf(g.first.Package, "%s is missing: run `%s`", filepath.Base(path), w.regenerateCommand(g.root))
			continue
		}
		g.reportf(at, "this line is not what wfc generates from %s: somebody edited it, or another version of wfc or another wfc.yaml made it; run `%s`", w.shown, w.regenerateCommand(g.root))
	}
	for _, file := range g.pass.Files {
		path := g.pass.Fset.File(file.Package).Name()
		rel, err := filepath.Rel(g.root, path)
		if _, known := contents[filepath.ToSlash(rel)]; err == nil && !known && workflowOf(file) != "" {
			g.reportf(file.Package, "wfc no longer generates %s from %s: remove the file", filepath.Base(path), w.shown)
		}
	}
	return nil
}

// fingerprints matches the fingerprint of the workflow in generated code.
var fingerprints = lazyregexp.New(`\bFingerprint: +"([0-9a-f]+)"`)

// workflowFingerprint returns the fingerprint of the workflow in generated code; "" if the file
// has none, as engine.go.
func workflowFingerprint(code string) string {
	if m := fingerprints().FindStringSubmatch(code); m != nil {
		return m[1]
	}
	return ""
}

// linePosition returns the position of a line of a file of the package.
func (g *generatedCheck) linePosition(path string, number int) (token.Pos, bool) {
	for _, file := range g.pass.Files {
		if f := g.pass.Fset.File(file.Package); f.Name() == path && number >= 1 {
			return f.LineStart(min(number, f.LineCount())), true
		}
	}
	return token.NoPos, false
}

// hunk matches the line of a unified diff that begins a hunk.
var hunk = lazyregexp.New(`^@@ -(\d+)(?:,\d+)? \+`)

// firstDifferingLines returns the first line that differs of each file in a unified diff.
func firstDifferingLines(diff string) map[string]int {
	first := map[string]int{}
	path, line := "", 0
	for text := range strings.Lines(diff) {
		text = strings.TrimSuffix(text, "\n")
		switch m := hunk().FindStringSubmatch(text); {
		case strings.HasPrefix(text, "--- "):
			path, line = strings.TrimPrefix(text, "--- "), 0
		case strings.HasPrefix(text, "+++ "):
		case m != nil:
			fmt.Sscan(m[1], &line)
		case first[path] == 0 && (strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+")):
			first[path] = max(line, 1)
		default:
			line++
		}
	}
	return first
}

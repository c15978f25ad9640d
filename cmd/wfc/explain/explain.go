// Package explain describes the codes of diagnostics: as a table of titles, and in full with
// their examples. It searches them by words.
package explain

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// families are the titles of the codes' hundreds.
var families = map[byte]string{
	'1': "YAML, shape, configuration",
	'2': "Structure and references",
	'3': "Types and conditions",
	'4': "Flow",
	'5': "Shell and scripts",
	'6': "Security",
	'7': "Agents and limits",
	'8': "Style",
	'9': "Portability",
}

// Family returns the title of the family of a code.
func Family(c *diag.Code) string { return families[c.ID[3]] }

// projectRoot is the project's folder of an example.
const projectRoot = "/project"

// Findings compiles a text of an example of a code, as its document shows it: with the
// configuration and the other workflow of the example.
func Findings(c *diag.Code, e codes.Example, text string, files compiler.Files) (*source.File, []*diag.Diagnostic) {
	file := source.NewFile("flow.yaml", []byte(text))
	if e.IsConfig {
		file = source.NewFile(config.FileName, []byte(text))
		_, findings := config.Parse(file)
		return file, findings
	}
	settings, findings := config.Parse(source.NewFile(config.FileName, []byte(e.Config)))
	settings.Dir = projectRoot
	opt := settings.Options(projectRoot + "/flow.yaml")
	if e.Beside != "" {
		files = withFile{files, e.Beside}
	}
	opt.Root, opt.Files, opt.Ask, opt.Portability = projectRoot, files, oracle.OnPath(), c.Portability
	return file, append(findings, compiler.Compile(file, opt).Diagnostics...)
}

// besideName is the name of the workflow that a document has beside its examples.
const besideName = "beside.yaml"

// withFile are files with another one in the project's folder.
type withFile struct {
	compiler.Files
	text string
}

func (f withFile) Read(path string) ([]byte, error) {
	if filepath.ToSlash(path) == projectRoot+"/"+besideName {
		return []byte(f.text), nil
	}
	return f.Files.Read(path)
}

func (f withFile) List(dir string) []string {
	list := f.Files.List(dir)
	if filepath.ToSlash(dir) == projectRoot {
		list = append(list, besideName)
	}
	return list
}

// Search returns the codes that mention all words, the closest first: words of their
// names count more than words of their titles, and these more than the rest. For a word
// that no code mentions, it searches the nearest word of all names; instead is the words
// that it searched then, or "".
func Search(words []string) (found []*diag.Code, instead string) {
	words = strings.Fields(strings.ToLower(strings.Join(words, " ")))
	if found = codesMentioning(words); found != nil {
		return found, ""
	}
	var names []string
	for _, c := range codes.All() {
		names = append(append(names, c.Slug), strings.Split(c.Slug, "-")...)
	}
	for i, word := range words {
		if codesMentioning(words[i:i+1]) == nil {
			if words[i] = plain.Nearest(word, names); words[i] == "" {
				return nil, ""
			}
		}
	}
	return codesMentioning(words), strings.Join(words, " ")
}

// codesMentioning returns the codes that mention all words, in lower case.
func codesMentioning(words []string) []*diag.Code {
	type hit struct {
		code *diag.Code
		rank int
	}
	var hits []hit
	for _, c := range codes.All() {
		rank := 0
		for _, word := range words {
			of := rankOf(c, word)
			if of < 0 {
				rank = -1
				break
			}
			rank += of
		}
		if rank >= 0 && len(words) > 0 {
			hits = append(hits, hit{c, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.rank - b.rank })
	var found []*diag.Code
	for _, h := range hits {
		found = append(found, h.code)
	}
	return found
}

// documentOf returns the document of a code, with the programs that wfc knows where it is about
// those.
func documentOf(c *diag.Code) codes.Document {
	d := codes.DocumentOf(c)
	if c == codes.ValueAsCode {
		d.Text += "\n\n" + plain.Wrap("In bash, wfc knows its builtins, these programs, also with a version (python3.12), and those under `programs` in wfc.yaml: "+
			strings.Join(compiler.Programs(), ", ")+". Any other program gets its arguments unchecked.", 80)
	}
	return d
}

// rankOf says how prominently a code mentions a word, 0 being the most, or -1.
func rankOf(c *diag.Code, word string) int {
	text := strings.ToLower(strings.Join(strings.Fields(documentOf(c).Text), " "))
	switch {
	case strings.EqualFold(c.ID, word), c.Slug == word, slices.Contains(strings.Split(c.Slug, "-"), word):
		return 0
	case strings.Contains(c.Slug, word):
		return 1
	case strings.Contains(strings.ToLower(codes.DocumentOf(c).Title), word):
		return 2
	case strings.Contains(text, word):
		return 3
	}
	return -1
}

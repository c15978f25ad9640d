package archon

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// command returns the text of a command file without its front matter, or the fault
// at v if there is no such file.
func (l *library) command(v value, name string) (source.Text, *diag.Diagnostic) {
	if !isCommandName(name) {
		return source.Text{}, finding.CommandName(v.Place(), name)
	}
	shelves := l.shelves("commands", l.env.Settings.Commands)
	for _, dir := range shelves {
		for _, file := range commandFiles(name) {
			if l.has(dir, file) {
				return l.commandText(v, name, filepath.Join(dir, file))
			}
		}
	}
	var known []string
	for _, dir := range shelves {
		for _, entry := range l.list(dir) {
			if stem, ok := strings.CutSuffix(entry, ".md"); ok {
				known = append(known, stem)
			}
		}
	}
	x := finding.CommandNotFound(v.Place(), name, l.newFile("commands", name+".md"), finding.Nearest(name, known))
	stem := strings.TrimSuffix(name, ".md")
	if l.packaged != "" {
		return source.Text{}, x.WithHelp("copy a shared command there: a packaged workflow has only the commands in its own folder")
	}
	if near := finding.Nearest(stem, bundledCommands); !slices.Contains(bundledCommands, stem) && near != "" {
		x.WithHelp("did you mean Archon's own command `" + near + "`?")
		stem = near
	}
	if isBundled(stem) {
		x.WithHelp("copy `.archon/commands/defaults/" + stem + ".md` from Archon's repository to `.archon/commands/`: wfc does not include it")
	}
	return source.Text{}, x
}

// commandFiles are the names that the file of a command may have.
func commandFiles(name string) []string {
	if strings.HasSuffix(name, ".md") {
		return []string{name + ".md", name}
	}
	return []string{name + ".md"}
}

// isCommandName reports whether a text can name a command.
func isCommandName(name string) bool {
	return !strings.ContainsAny(name, `/\`) && !strings.Contains(name, "..") && !strings.HasPrefix(name, ".")
}

func (l *library) commandText(v value, name, path string) (source.Text, *diag.Diagnostic) {
	f, fault := l.read(v, path)
	if fault != nil {
		return source.Text{}, fault
	}
	text := source.FileText(f, frontMatterEnd(string(f.Content)), len(f.Content))
	if trim(text.Value) == "" {
		return source.Text{}, finding.BlankCommand(v.Place(), name, f.Name)
	}
	return text, nil
}

// frontMatterEnd returns the offset behind a text's front matter: the lines
// from a first line of three dashes up to the next such line, where they are YAML
// settings. Other lines between dashes are text between two rules and stay. A text
// without front matter has it empty; one whose front matter does not end has none.
// A byte order mark is never part of the text.
func frontMatterEnd(text string) int {
	start := 0
	if strings.HasPrefix(text, "\ufeff") {
		start = len("\ufeff")
	}
	at, first, inner := start, true, start
	for at < len(text) {
		line, end := text[at:], len(text)
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line, end = line[:n], at+n+1
		}
		isFence := strings.TrimRight(line, " \t\r") == "---"
		switch {
		case first && !isFence:
			return start
		case first:
			inner = end
		case isFence && isSettings(text[inner:at]):
			return end
		case isFence:
			return start
		}
		at, first = end, false
	}
	return start
}

// isSettings reports whether a text is a YAML mapping, or nothing but comments.
func isSettings(text string) bool {
	var bag diag.Bag
	doc := yamlsrc.Parse(source.NewFile("", []byte(text)), &bag)
	return doc != nil && !bag.HasErrors() && !doc.More.IsValid() && (doc.Root.IsNull() || doc.Root.Kind == yamlsrc.Mapping)
}

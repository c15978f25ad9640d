package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// WriteText explains codes in text. With colours, the examples have line numbers, and the
// bad one shows what wfc reports; without, they can be copied.
func WriteText(w io.Writer, list []*diag.Code, opt report.Options) error {
	var b strings.Builder
	for i, c := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		doc := documentOf(c)
		head := fmt.Sprintf("%s %s (%s)", c.ID, c.Slug, c.Severity)
		if opt.Color {
			head = report.Heading(c.Severity, head)
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", head, doc.Text)
		for _, e := range doc.Examples {
			if err := writeExample(&b, c, e, opt); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeExample(b *strings.Builder, c *diag.Code, e codes.Example, opt report.Options) error {
	for _, part := range partsOf(e) {
		fmt.Fprintf(b, "\n%s\n\n", strings.ReplaceAll(part.title, "`", ""))
		if !opt.Color {
			b.WriteString(indentText(part.text))
			continue
		}
		file, findings := Findings(c, e, part.text, noFiles{})
		if !part.bad {
			findings = nil
		}
		findings = slices.DeleteFunc(findings, func(d *diag.Diagnostic) bool { return d.Code != c })
		if err := report.WriteSource(b, file, findings, opt); err != nil {
			return err
		}
	}
	return nil
}

// noFiles are the files beside an example.
type noFiles struct{}

// Read implements compiler.Files.
func (noFiles) Read(path string) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// List implements compiler.Files.
func (noFiles) List(string) []string { return nil }

// WriteTable writes a line with the title for each code. If the codes are all that there
// are, each family has a heading.
func WriteTable(w io.Writer, list []*diag.Code, opt report.Options) error {
	rows := make([][]string, len(list))
	for i, c := range list {
		rows[i] = []string{c.ID, c.Severity.String(), c.Slug, codes.DocumentOf(c).Title}
	}
	grouped := len(list) == len(codes.All())
	family := ""
	var b strings.Builder
	for i, line := range plain.Table(opt.Width, rows...) {
		if title := Family(list[i]); grouped && title != family {
			if family != "" {
				b.WriteString("\n")
			}
			family = title
			if opt.Color {
				title = report.Heading(diag.Off, title)
			}
			b.WriteString(title + "\n")
		}
		if opt.Color {
			line = report.Heading(list[i].Severity, line[:len(list[i].ID)]) + line[len(list[i].ID):]
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func indentText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// schemaVersion is the version of the JSON document. It grows when a field changes its
// meaning or goes.
const schemaVersion = 1

type jsonDocument struct {
	SchemaVersion int        `json:"schema_version"`
	Diagnostics   []jsonCode `json:"diagnostics"`
}

type jsonCode struct {
	Code        string `json:"code"`
	Slug        string `json:"slug"`
	Severity    string `json:"severity"`
	Family      string `json:"family"`
	Title       string `json:"title"`
	Text        string `json:"text"`
	Portability bool   `json:"portability,omitempty"`
	// Examples are empty if no file shows the fault.
	Examples []jsonExample `json:"examples,omitempty"`
}

// A jsonExample is a file with the fault, and the same without it. Both are a workflow or, if
// IsConfig, a wfc.yaml.
type jsonExample struct {
	Bad  string `json:"bad"`
	Good string `json:"good"`
	// Config is the wfc.yaml beside the files, and Beside another workflow in their folder.
	Config   string `json:"config,omitempty"`
	Beside   string `json:"beside,omitempty"`
	IsConfig bool   `json:"is_config,omitempty"`
}

// WriteJSON explains codes in a JSON document.
func WriteJSON(w io.Writer, list []*diag.Code) error {
	doc := jsonDocument{SchemaVersion: schemaVersion, Diagnostics: []jsonCode{}}
	for _, c := range list {
		d := documentOf(c)
		var examples []jsonExample
		for _, e := range d.Examples {
			examples = append(examples, jsonExample(e))
		}
		doc.Diagnostics = append(doc.Diagnostics, jsonCode{
			Code: c.ID, Slug: c.Slug, Severity: c.Severity.String(), Family: Family(c), Title: d.Title,
			Text: d.Text, Portability: c.Portability, Examples: examples,
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}

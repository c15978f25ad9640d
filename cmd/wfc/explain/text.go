package explain

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/report"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// WriteText explains codes in text. With colours, the examples have line numbers, and the
// bad one shows what wfc reports; without, they can be copied.
func WriteText(w io.Writer, codes []*diag.Code, opt report.Options) error {
	var b strings.Builder
	for i, c := range codes {
		if i > 0 {
			b.WriteString("\n")
		}
		doc := c.Document()
		head := fmt.Sprintf("%s %s (%s)", c.ID, c.Slug, c.Severity)
		if opt.Color {
			head = report.Heading(c.Severity, head)
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", head, doc.Text)
		for _, e := range []struct {
			title, text string
			isBad       bool
		}{{"With this wfc.yaml:", doc.Config, false}, {"With this workflow beside it:", doc.Beside, false}, {"With the fault:", doc.Bad, true}, {"Without it:", doc.Good, false}} {
			if e.text == "" {
				continue
			}
			fmt.Fprintf(&b, "\n%s\n\n", e.title)
			if !opt.Color {
				b.WriteString(indented(e.text))
				continue
			}
			file := File(c, e.text)
			var reported []*diag.Diagnostic
			if e.isBad {
				for _, d := range Findings(c, file, noFiles{}) {
					if d.Code == c {
						reported = append(reported, d)
					}
				}
			}
			if err := report.WriteSource(&b, file, reported, opt); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
func WriteTable(w io.Writer, codes []*diag.Code, opt report.Options) error {
	rows := make([][]string, len(codes))
	for i, c := range codes {
		rows[i] = []string{c.ID, c.Severity.String(), c.Slug, c.Title()}
	}
	grouped := len(codes) == len(diag.Codes())
	family := ""
	var b strings.Builder
	for i, line := range plain.Table(opt.Width, rows...) {
		if title := Family(codes[i]); grouped && title != family {
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
			line = report.Heading(codes[i].Severity, line[:len(codes[i].ID)]) + line[len(codes[i].ID):]
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func indented(text string) string {
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
	// File is the name of the examples' file if they are not workflows.
	File   string `json:"file,omitempty"`
	Config string `json:"config,omitempty"`
	// Beside is another workflow in the same folder.
	Beside string `json:"beside,omitempty"`
	Bad    string `json:"bad,omitempty"`
	Good   string `json:"good,omitempty"`
}

// WriteJSON explains codes in a JSON document.
func WriteJSON(w io.Writer, codes []*diag.Code) error {
	doc := jsonDocument{SchemaVersion: schemaVersion, Diagnostics: []jsonCode{}}
	for _, c := range codes {
		d := c.Document()
		doc.Diagnostics = append(doc.Diagnostics, jsonCode{
			Code: c.ID, Slug: c.Slug, Severity: c.Severity.String(), Family: Family(c), Title: c.Title(),
			Text: d.Text, Portability: c.Portability, File: d.File, Config: d.Config, Beside: d.Beside, Bad: d.Bad, Good: d.Good,
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(doc)
}

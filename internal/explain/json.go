package explain

import (
	"encoding/json"
	"io"

	"github.com/wfc-lang/wfc/compiler/diag"
)

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

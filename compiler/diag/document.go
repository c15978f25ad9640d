package diag

import (
	"embed"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
)

// documents has one txtar archive per code: the text that explains it, and the
// files of its examples.
//
//go:embed codes
var documents embed.FS

// A Document explains a code.
type Document struct {
	// Text describes the fault, its effect and the remedy: plain text in
	// paragraphs.
	Text string
	// Bad is a whole file that yields the code, and Good the same file without the fault.
	// Both are tests. Bad is empty if only a test can make such a file.
	Bad, Good string
	// Config is the wfc.yaml beside both examples, or "".
	Config string
	// Beside is another workflow in the folder of both examples, or "".
	Beside string
	// File is the name of the examples' file if they are not workflows:
	// "wfc.yaml" for codes about the configuration.
	File string
}

// Document returns the explanation of the code, or the zero Document for a Code that
// Codes does not return.
func (c *Code) Document() Document { return explained()[c.ID] }

// explained holds the documents by the IDs of their codes. Only commands that
// explain codes pay for reading them.
var explained = sync.OnceValue(func() map[string]Document {
	all := make(map[string]Document, len(codes))
	for i := range codes {
		content, err := documents.ReadFile("codes/" + codes[i].ID + ".txtar")
		if err != nil {
			panic(err) // a test compares the folder with the table
		}
		all[codes[i].ID] = parseDocument(content)
	}
	return all
})

func parseDocument(content []byte) Document {
	archive := txtar.Parse(content)
	d := Document{Text: strings.TrimSuffix(string(archive.Comment), "\n")}
	for _, f := range archive.Files {
		kind, file, _ := strings.Cut(f.Name, "/")
		switch strings.TrimSuffix(kind, ".yaml") {
		case "bad":
			d.Bad, d.File = string(f.Data), file
		case "good":
			d.Good, d.File = string(f.Data), file
		case "wfc":
			d.Config = string(f.Data)
		case "beside":
			d.Beside = string(f.Data)
		}
	}
	return d
}

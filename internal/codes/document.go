package codes

import (
	"embed"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/compiler/diag"
	"golang.org/x/tools/txtar"
)

// documents has one txtar archive per code: the text that explains it, and the files of its
// examples. Each file called bad starts an example.
//
//go:embed documents
var documents embed.FS

// A Document explains a code.
type Document struct {
	// Title describes the fault in a few words: the first sentence of the text, up to a colon.
	Title string
	// Text describes the fault, its effect and the remedy: plain text in paragraphs.
	Text string
	// Examples are empty if no file shows the fault.
	Examples []Example
}

// An Example shows a fault, and the same file without it.
type Example struct {
	Bad, Good string
	// Config is the wfc.yaml beside both files, or "".
	Config string
	// Beside is another workflow in the folder of both files, or "".
	Beside string
	// IsConfig says that both files are a wfc.yaml themselves.
	IsConfig bool
}

// DocumentOf returns the document of a code, or the zero Document for a code that All does
// not return.
func DocumentOf(c *diag.Code) Document { return explained()[c] }

// explained holds the documents by code. Only commands that explain codes pay for reading
// them.
var explained = sync.OnceValue(func() map[*diag.Code]Document {
	list := make(map[*diag.Code]Document, len(all))
	for _, c := range all {
		if content, err := documents.ReadFile("documents/" + c.ID + ".txtar"); err == nil {
			list[c] = parseDocument(content)
		}
	}
	return list
})

func parseDocument(content []byte) Document {
	archive := txtar.Parse(content)
	d := Document{Text: strings.TrimSuffix(string(archive.Comment), "\n")}
	d.Title = titleOf(d.Text)
	for _, f := range archive.Files {
		kind, file, _ := strings.Cut(f.Name, "/")
		if kind = strings.TrimSuffix(kind, ".yaml"); kind == "bad" {
			d.Examples = append(d.Examples, Example{Bad: string(f.Data), IsConfig: file != ""})
			continue
		}
		last := &d.Examples[len(d.Examples)-1]
		switch kind {
		case "good":
			last.Good = string(f.Data)
		case "wfc":
			last.Config = string(f.Data)
		case "beside":
			last.Beside = string(f.Data)
		}
	}
	return d
}

func titleOf(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	end := len(text)
	for _, stop := range []string{": ", ". "} {
		if i := strings.Index(text, stop); i >= 0 {
			end = min(end, i)
		}
	}
	return strings.TrimSuffix(text[:end], ".")
}

package diag

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/compiler/source"
	"golang.org/x/tools/txtar"
)

// A Code is a kind of diagnostic. Codes are never renumbered or reused.
type Code struct {
	// ID is the stable number, such as "WFC203". Its hundreds are the family:
	// 1 YAML and shape, 2 structure and references, 3 types and conditions,
	// 4 flow, 5 shell and scripts, 6 security, 7 agents and limits, 8 style,
	// 9 portability.
	ID string
	// Slug is the stable name, such as "unknown-node". Comments that ignore
	// findings and wfc.yaml accept it in place of the ID.
	Slug string
	// Severity is the default severity. The configuration may change it.
	Severity Severity
	// Portability marks codes about differences from the original engine, the program for
	// which the file's dialect was first made. They are reported only with
	// compiler.Options.Portability.
	Portability bool
}

// String returns the ID.
func (c *Code) String() string { return c.ID }

// Title describes the fault in a few words: the first sentence of its document, up to a
// colon.
func (c *Code) Title() string {
	text := strings.Join(strings.Fields(c.Document().Text), " ")
	end := len(text)
	for _, stop := range []string{": ", ". "} {
		if i := strings.Index(text, stop); i >= 0 {
			end = min(end, i)
		}
	}
	return strings.TrimSuffix(text[:end], ".")
}

// New returns a diagnostic of the code at a place, with the default severity.
func (c *Code) New(at source.Span, message string) *Diagnostic {
	return &Diagnostic{Code: c, Severity: c.Severity, Span: at, Message: message, Portability: c.Portability}
}

// Codes returns every code in order of ID.
func Codes() []*Code {
	all := make([]*Code, len(codes))
	for i := range codes {
		all[i] = &codes[i]
	}
	return all
}

// Lookup finds a code by its ID, in any case, or by its slug. It reports false if there is
// none.
func Lookup(name string) (*Code, bool) {
	if i, ok := slices.BinarySearchFunc(codes, strings.ToUpper(name), func(c Code, id string) int { return strings.Compare(c.ID, id) }); ok {
		return &codes[i], true
	}
	c := bySlug()[name]
	return c, c != nil
}

// bySlug holds the codes by slug.
var bySlug = sync.OnceValue(func() map[string]*Code {
	table := make(map[string]*Code, len(codes))
	for i := range codes {
		table[codes[i].Slug] = &codes[i]
	}
	return table
})

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
	// Bad is the content of a file that yields the code, and Good that of the same file
	// without the fault. Bad is "" if the fault cannot be shown in a file.
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

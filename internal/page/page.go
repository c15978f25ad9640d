// Package page writes HTML pages that need no other file and no network: style and script
// are in the page, and its policy forbids everything else. A page follows the light or dark
// theme of the reader.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
)

//go:embed style.css
var style string

//go:embed search.js
var search string

// A Page is the content of a page.
type Page struct {
	Title string
	// Style is CSS for the parts that only this page has.
	Style string
	// Body is HTML: the caller escapes its texts.
	Body string
	// Search adds a field that shows only the sections with all words: the elements
	// <section>, and headings <h2> with a section left.
	Search bool
}

// Write writes a page.
func Write(w io.Writer, p Page) error {
	css := style + p.Style
	policy := "default-src 'none'; style-src '" + hash(css) + "'"
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
	if p.Search {
		policy += "; script-src '" + hash(search) + "'"
	}
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n", policy, html.EscapeString(p.Title), css)
	fmt.Fprintf(&b, "<header>\n<h1>%s</h1>\n", html.EscapeString(p.Title))
	if p.Search {
		b.WriteString("<form role=\"search\" hidden><label>Search <input type=\"search\" autocomplete=\"off\" placeholder=\"words, or a code\"></label> <output></output></form>\n")
	}
	fmt.Fprintf(&b, "</header>\n<main>\n%s</main>\n", p.Body)
	if p.Search {
		fmt.Fprintf(&b, "<script>%s</script>\n", search)
	}
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// hash is the source of a style or a script in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

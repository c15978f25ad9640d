// Package page writes HTML pages that need no other file and no network: style and script
// are in the page, and its policy forbids everything else. A page follows the light or dark
// theme of the reader. A page of a site may also load files beside it, which it names.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"
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
	// Body is HTML: the caller escapes the text in it.
	Body string
	// Search adds a field that shows only the sections with all words: the elements
	// <section>, and headings <h2> with a section left.
	Search bool
	// Header is HTML before the content, in place of the title.
	Header string
	// Script is JavaScript of this page.
	Script string
	// Sources are directives of the policy for files that the page loads, such as
	// "img-src 'self'". Without them it loads nothing.
	Sources []string
}

// Write writes a page.
func Write(w io.Writer, p Page) error {
	css, scripts := style+p.Style, p.Script
	if p.Search {
		scripts = search + scripts
	}
	policy := append([]string{"default-src 'none'", "style-src '" + policyHash(css) + "'"}, p.Sources...)
	if scripts != "" {
		policy = allowScriptSource(policy, "'"+policyHash(scripts)+"'")
	}
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n")
	fmt.Fprintf(&b, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<header>\n", strings.Join(policy, "; "), html.EscapeString(p.Title), css)
	if p.Header == "" {
		fmt.Fprintf(&b, "<h1>%s</h1>\n", html.EscapeString(p.Title))
	}
	b.WriteString(p.Header)
	if p.Search {
		b.WriteString("<form role=\"search\" hidden><label>Search <input type=\"search\" autocomplete=\"off\" placeholder=\"words, or a code\"></label> <output></output></form>\n")
	}
	fmt.Fprintf(&b, "</header>\n<main>\n%s</main>\n", p.Body)
	if scripts != "" {
		fmt.Fprintf(&b, "<script>%s</script>\n", scripts)
	}
	b.WriteString("</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// allowScriptSource adds a source to the directive for scripts.
func allowScriptSource(policy []string, source string) []string {
	const directive = "script-src"
	for i, d := range policy {
		if strings.HasPrefix(d, directive+" ") {
			policy[i] = d + " " + source
			return policy
		}
	}
	return append(policy, directive+" "+source)
}

// policyHash is the source of a style or a script in a policy.
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Prose returns the HTML of a text in paragraphs: with `code`, lists whose items start with
// a dash, tables whose rows start with a bar, and paragraphs with indented lines, which keep
// their layout.
func Prose(text string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		paragraph = strings.Trim(paragraph, "\n")
		switch {
		case paragraph == "":
		case strings.HasPrefix(paragraph, "| "):
			writeTable(&b, paragraph)
		case strings.HasPrefix(paragraph, "- "):
			b.WriteString("<ul>\n")
			for item := range strings.SplitSeq(paragraph[2:], "\n- ") {
				b.WriteString("<li>" + Inline(item) + "</li>\n")
			}
			b.WriteString("</ul>\n")
		case strings.HasPrefix(paragraph, "  ") || strings.Contains(paragraph, "\n  "):
			b.WriteString("<pre>" + html.EscapeString(paragraph) + "</pre>\n")
		default:
			b.WriteString("<p>" + Inline(paragraph) + "</p>\n")
		}
	}
	return b.String()
}

// writeTable writes the rows of a table. The second row, of dashes, ends its head.
func writeTable(b *strings.Builder, rows string) {
	b.WriteString("<table>\n")
	cell := "th"
	for row := range strings.SplitSeq(rows, "\n") {
		row = strings.Trim(row, " |")
		if strings.Trim(row, "-| ") == "" {
			cell = "td"
			continue
		}
		b.WriteString("<tr>")
		for text := range strings.SplitSeq(row, " | ") {
			b.WriteString("<" + cell + ">" + Inline(text) + "</" + cell + ">")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
}

// Inline returns the HTML of a line with `code`. A backtick without a partner stays.
func Inline(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !found || !closed {
			b.WriteString(html.EscapeString(text))
			return b.String()
		}
		b.WriteString(html.EscapeString(before) + "<code>" + html.EscapeString(code) + "</code>")
		text = after
	}
}

// Anchor returns the anchor of a heading, by the rules of GitHub. title is the text of the
// heading without markup. GitHub numbers the anchors of equal headings, which is up to the
// caller.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

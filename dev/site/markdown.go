package site

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/wfc-lang/wfc/cmd/wfc/page"
)

// A document is a page in Markdown.
type document struct {
	path     string // in the repository, with slashes
	title    string
	source   []byte
	root     ast.Node
	headings []heading
	anchors  map[string]bool
	sections []section
}

// A heading is one of levels 1 to 6 with its anchor.
type heading struct {
	level        int
	text, anchor string
}

// markdown reads what GitHub reads, but for bare addresses, task lists and footnotes, which
// the documents do not have.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
)

// parse parses a document and gives its headings the anchors of GitHub.
func parse(name string, source []byte) (*document, error) {
	d := &document{path: name, source: source, anchors: map[string]bool{}}
	d.root = markdown.Parser().Parse(text.NewReader(source))
	seen := map[string]int{}
	err := ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			title := d.text(n)
			anchor := page.Anchor(title)
			if i := seen[anchor]; i > 0 {
				seen[anchor]++
				anchor = fmt.Sprintf("%s-%d", anchor, i)
			} else {
				seen[anchor] = 1
			}
			n.SetAttributeString("id", []byte(anchor))
			d.anchors[anchor] = true
			d.headings = append(d.headings, heading{n.Level, title, anchor})
		case *ast.HTMLBlock:
			if first := n.Lines().At(0); !bytes.HasPrefix(bytes.TrimSpace(first.Value(source)), []byte("<!--")) {
				return ast.WalkStop, fmt.Errorf("%s: HTML: %s", name, bytes.TrimSpace(first.Value(source)))
			}
		case *ast.RawHTML:
			if tag := string(n.Segments.Value(source)); tag != "<code>" && tag != "</code>" {
				return ast.WalkStop, fmt.Errorf("%s: HTML in the text: %s", name, tag)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	if len(d.headings) == 0 || d.headings[0].level != 1 {
		return nil, fmt.Errorf("%s does not start with a heading of level 1", name)
	}
	d.title = d.headings[0].text
	d.sections = d.divide()
	return d, nil
}

// text returns the text of a node without markup.
func (d *document) text(n ast.Node) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(unescape(n, d.source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.Label(d.source))
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(d.source))
			}
		}
		if n.Type() == ast.TypeBlock && !entering {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// unescape returns a text without backslashes before punctuation and with the characters
// that entities mean, but code as it is.
func unescape(n *ast.Text, source []byte) []byte {
	value := n.Segment.Value(source)
	if n.Parent() != nil && n.Parent().Kind() == ast.KindCodeSpan || n.IsRaw() {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

// render returns the HTML of a document, with the links of the site.
func (b *builder) render(d *document) (string, error) {
	err := ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var destination *[]byte
		switch n := n.(type) {
		case *ast.Link:
			destination = &n.Destination
		case *ast.Image:
			destination = &n.Destination
		}
		if destination == nil || !entering {
			return ast.WalkContinue, nil
		}
		link, err := b.link(d, string(*destination))
		if err == nil && n.Kind() == ast.KindImage && strings.HasPrefix(link, "https:") {
			err = fmt.Errorf("%s: the picture %s is on another site", d.path, link)
		}
		if err != nil {
			b.errs = append(b.errs, err)
		}
		*destination = []byte(link)
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, d.source, d.root); err != nil {
		return "", err
	}
	return out.String(), nil
}

// blocks renders the elements that are not those of goldmark.
type blocks struct{}

func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, writeHeading)
	r.Register(ast.KindFencedCodeBlock, writeFence)
	r.Register(ast.KindHTMLBlock, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
		return ast.WalkSkipChildren, nil // a comment
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, err := w.Write(node.(*ast.RawHTML).Segments.Value(source)) // a tag that parse permits
		return ast.WalkSkipChildren, err
	})
	r.Register(extast.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tags := "</table></div>\n"
		if entering {
			tags = "<div class=\"table\"><table>\n"
		}
		_, err := w.WriteString(tags)
		return ast.WalkContinue, err
	})
}

// link returns the link in the site for a link of a document. Links to other sites stay.
func (b *builder) link(d *document, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", fmt.Errorf("%s: the link %s: %w", d.path, link, err)
	}
	if u.Scheme == "https" {
		return link, nil
	}
	if u.Scheme != "" || u.Host != "" || path.IsAbs(u.Path) {
		return "", fmt.Errorf("%s: the link %s is neither relative nor of the scheme https", d.path, link)
	}
	to := d
	name := d.path
	if u.Path != "" {
		name = path.Join(path.Dir(d.path), u.Path)
		if name, err = b.find(name); err != nil {
			return "", fmt.Errorf("%s: the link %s: %w", d.path, link, err)
		}
		to = b.documents[name]
	}
	fragment := ""
	if u.Fragment != "" {
		if to == nil || !to.anchors[u.Fragment] {
			return "", fmt.Errorf("%s: the page of the link %s has no such heading", d.path, link)
		}
		fragment = "#" + u.Fragment
	}
	if u.Path == "" {
		return fragment, nil
	}
	return relative(d.path, target(name)) + fragment, nil
}

// find returns the document that a path means, or the path itself, whose file or folder
// becomes part of the site.
func (b *builder) find(name string) (string, error) {
	if b.documents[name] != nil {
		return name, nil
	}
	if readme := path.Join(name, "README.md"); b.documents[readme] != nil {
		return readme, nil
	}
	if strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("it leaves the repository")
	}
	if _, err := os.Stat(b.source(name)); err != nil {
		return "", fmt.Errorf("%s does not exist", name)
	}
	if !slices.Contains(b.files, name) {
		b.files = append(b.files, name)
	}
	return name, nil
}

package site

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
)

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

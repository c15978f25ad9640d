package page

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"One `a<b`.\nTwo.\n\nThree.":             "<p>One <code>a&lt;b</code>.\nTwo.</p>\n<p>Three.</p>\n",
		"- a\n  more\n- `b`":                     "<ul>\n<li>a\n  more</li>\n<li><code>b</code></li>\n</ul>\n",
		"| a | b |\n|---|---|\n| `x | y` | < |":  "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>`x</td><td>y`</td><td>&lt;</td></tr>\n</table>\n",
		"Words:\n  a   b\n  c   <":               "<pre>Words:\n  a   b\n  c   &lt;</pre>\n",
		"It's one ` alone & <script>x</script>.": "<p>It&#39;s one ` alone &amp; &lt;script&gt;x&lt;/script&gt;.</p>\n",
		"":                                       "",
	} {
		if got := Prose(text); got != want {
			t.Errorf("%q\n%s\nwant\n%s", text, got, want)
		}
	}
}

// TestWrite checks that a page loads nothing, and that its policy permits its own style and
// script.
func TestWrite(t *testing.T) {
	for _, search := range []bool{false, true} {
		var b strings.Builder
		if err := Write(&b, Page{Title: `A "title" <x>`, Style: ".a{color:red}", Body: "<section>x</section>\n", Search: search}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if strings.Contains(got, "<script>") != search || strings.Contains(got, "<form") != search || !strings.Contains(got, "<title>A &#34;title&#34; &lt;x&gt;</title>") {
			t.Errorf("the page is\n%s", got)
		}
		for _, part := range []struct{ element, source string }{{"style", "style-src"}, {"script", "script-src"}} {
			m := regexp.MustCompile(`(?s)<` + part.element + `>(.*?)</` + part.element + `>`).FindStringSubmatch(got)
			if m == nil {
				if search || part.element == "style" {
					t.Errorf("no %s", part.element)
				}
				continue
			}
			if !strings.Contains(got, part.source+" '"+policyHash(m[1])+"'") {
				t.Errorf("the policy refuses the %s", part.element)
			}
		}
		if outside := regexp.MustCompile(`(?i)https?:|url\(|@import|\ssrc=|<link|\sstyle=|\son\w+=`).FindString(got); outside != "" {
			t.Errorf("the page has %q", outside)
		}
		wellFormed(t, got)
	}
}

// TestSite checks a page of a site: its header replaces the title, and its policy permits its
// script and the files that it names.
func TestSite(t *testing.T) {
	var b strings.Builder
	p := Page{Title: "T", Header: "<nav>h</nav>\n", Script: "a()", Body: "<p>x</p>\n", Sources: []string{"img-src 'self'", "script-src 'self'"}}
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"; img-src 'self'; script-src 'self' '" + policyHash("a()") + "'\"", "<header>\n<nav>h</nav>\n</header>", "<script>a()</script>"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the page does not contain %s", part)
		}
	}
	if strings.Contains(b.String(), "<h1>") {
		t.Error("the page has a title beside its header")
	}
	if p.Sources[1] != "script-src 'self'" {
		t.Error("the sources of the caller have changed")
	}
	wellFormed(t, b.String())
}

// wellFormed checks that every element of a page is closed.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(page, "")
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

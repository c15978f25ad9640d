package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// startBrowser starts Chromium once for all tests.
var startBrowser = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(*chromium), chromedp.NoSandbox,
		// Names of other sites lead to this machine.
		chromedp.Flag("host-resolver-rules", "MAP *.example 127.0.0.1"), chromedp.WindowSize(1280, 900))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	stopBrowser = func() { _ = chromedp.Cancel(ctx) }
	return ctx, chromedp.Do(ctx)
})

var stopBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

// A tab is a tab of a browser without history, and notes all that a page of ours must not cause.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	faults   []string
	requests []string
}

// newTab opens a tab whose pages may call only base.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	browser, err := startBrowser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	p := &tab{t: t, ctx: ctx, base: base}
	p.do()
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	call(p, audits.Enable, cdp.Empty{})
	p.reduceMotion("light")
	return p
}

func (p *tab) listen(event any) {
	switch e := event.(type) {
	case *page.EventJavascriptDialogOpening:
		p.note("a dialog: " + e.Message)
		go func() {
			_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity || e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			p.note(fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *audits.EventIssueAdded:
		if e.Issue.Code == audits.InspectorIssueCodeContentSecurityPolicyIssue {
			p.note(fmt.Sprintf("policy: %+v", e.Issue.Details.ContentSecurityPolicyIssueDetails))
		}
	case *runtime.EventExceptionThrown:
		p.note("exception: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			p.note("the console has an error")
		}
	case *network.EventRequestWillBeSent:
		p.mu.Lock()
		p.requests = append(p.requests, e.Request.URL)
		p.mu.Unlock()
		if !strings.HasPrefix(e.Request.URL, p.base+"/") && !strings.HasPrefix(e.Request.URL, "about:") {
			p.note("an external request: " + e.Request.URL)
		}
	}
}

// signIn opens a tab and signs it in.
func (s *server) signIn(t *testing.T) *tab {
	t.Helper()
	p := newTab(t, s.base)
	p.visit(s.entry)
	return p
}

func (p *tab) note(fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fault)
}

// checkFaults fails the test if the pages so far have caused anything that they must not.
func (p *tab) checkFaults(where string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		p.t.Errorf("%s: %s", where, f)
	}
	p.faults = nil
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if len(steps) == 0 {
		ctx = p.ctx // the first step opens the tab, which lives as long as the context
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%v\nthe page:\n%s", err, p.text())
	}
}

// call sends a command of the DevTools protocol, and fails the test if the browser refuses it.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	r, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// try returns the value of an expression of the page, which may be about to go.
func try[T any](p *tab, expression string) (T, error) {
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// eval returns the value of an expression of the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := try[T](p, expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// text is what the page shows.
func (p *tab) text() string {
	text, _ := try[string](p, `location.href + "\n" + document.body.innerText`) // for a message
	return text
}

func (p *tab) visit(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base + path))
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings have a JSON form
	}
	return string(b)
}

// find waits until an element of the page shows a text.
func (p *tab) find(selector, text string) {
	p.t.Helper()
	found := func() bool {
		found, err := try[bool](p, fmt.Sprintf(`[...document.querySelectorAll(%s)].some(e => e.innerText.includes(%s))`, quote(selector), quote(text)))
		return err == nil && found
	}
	for late := time.Now().Add(patience); !found(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			p.t.Fatalf("%s never shows %q:\n%s", selector, text, p.text())
		}
	}
}

// press clicks the first visible element that shows the words.
func (p *tab) press(selector, words string) {
	p.t.Helper()
	p.find(selector, words)
	p.do(eventually(fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll(%s)].find(e => e.innerText.includes(%s) && e.checkVisibility());
		if (!e) return "";
		document.getElementById("pressed")?.removeAttribute("id");
		e.id ||= "pressed";
		return "#" + CSS.escape(e.id);
	})()`, quote(selector), quote(words))))
}

// eventually clicks the element whose selector an expression returns.
func eventually(expression string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		selector, err := chromedp.Evaluate[string](expression)(ctx, t)
		if err != nil {
			return chromedp.Void{}, err
		}
		return chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)(ctx, t)
	}
}

// leave presses a link or a button that leads to another page, and waits for that page.
func (p *tab) leave(selector, words string) {
	p.t.Helper()
	eval[bool](p, `window.before = true`)
	p.press(selector, words)
	await(p.t, "the page behind "+words, func() bool {
		there, err := try[bool](p, `!window.before && document.readyState === "complete"`)
		return err == nil && there
	})
}

func (p *tab) write(selector, text string) {
	p.t.Helper()
	eval[string](p, fmt.Sprintf(`document.querySelector(%s).value = ""`, quote(selector)))
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// reduceMotion sets the colour scheme, and stops what moves.
func (p *tab) reduceMotion(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// resize sets the width and the height of the window.
func (p *tab) resize(width, height int64) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
}

// shoot keeps a picture of the whole page.
func (p *tab) shoot(name string) {
	p.t.Helper()
	if *shots == "" {
		return
	}
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(*shots, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

package serve_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/waiting"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/serve"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// hostile is a text that an agent or a file may fill any field with.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'--></pre></textarea>javascript:alert(1) {{.}} https://evil.example ` + "\u202egnol\u2066"

// fakeDesk has one place with one run, all of whose texts are hostile.
type fakeDesk struct {
	given   []desk.Answer
	changed bool
	acts    []string
	// unreadable are the places that cannot be read.
	unreadable []string
}

var fakeRef = desk.Ref{Place: "here", ID: "flow-abc123"}

func (*fakeDesk) Places() []desk.Place {
	return []desk.Place{{Key: "here", Name: hostile, Project: hostile}, {Key: "there", Name: "there", Project: "other", Problem: hostile}}
}

func (*fakeDesk) Runs(context.Context, desk.Query) (*desk.Page, error) {
	return &desk.Page{
		Rows:     []desk.Row{{Ref: fakeRef, Project: hostile, Workflow: hostile, Status: flow.Failed, Note: hostile, Created: time.Now(), Finished: time.Now()}},
		Next:     &runstore.RunCursor{Created: time.Now(), ID: hostile},
		Problems: []string{hostile},
	}, nil
}

func (*fakeDesk) Waiting(context.Context) (*desk.Waiting, error) {
	item := waiting.Item{Kind: waiting.Gate, RunID: fakeRef.ID, Workflow: hostile, Node: hostile, Message: hostile, Since: time.Now()}
	ended := waiting.Item{Kind: waiting.Failed, Workflow: hostile, Message: hostile}
	w := &desk.Waiting{Items: []desk.Item{{Item: item, Ref: fakeRef, Project: hostile}}, Partial: true}
	for range 3 {
		w.Items = append(w.Items, desk.Item{Item: ended, Ref: fakeRef, Project: hostile})
	}
	return w, nil
}

func (*fakeDesk) Totals(context.Context, desk.Query) (*desk.Totals, error) {
	return &desk.Totals{
		Runs:     []runstore.RunTotal{{Workflow: hostile, Status: flow.Failed, Runs: 1234}},
		Spending: []runstore.SpendingTotal{{Workflow: hostile, Agent: hostile, Model: hostile, Attempts: 2, Micros: 1_500_000, Input: 1000, Output: 2}},
		Failures: []desk.Failure{{Workflow: hostile, Step: hostile, Class: hostile, Reason: hostile, Runs: 2, Example: hostile}}, Sampled: 1,
	}, nil
}

func hostileRecord(key string) flow.Record {
	return flow.Record{
		Key: key, Kind: hostile, Status: flow.Failed, Reason: hostile, Text: hostile, Prompt: hostile, Failure: &flow.Failure{Message: hostile, Reason: hostile},
		Meta: flow.Meta{Model: hostile, By: hostile, From: hostile, Choice: hostile}, Attempt: 2, Started: time.Now().Add(-time.Minute), Finished: time.Now(),
	}
}

func (d *fakeDesk) Run(_ context.Context, ref desk.Ref) (*desk.Run, error) {
	if ref != fakeRef {
		return nil, store.ErrNotFound
	}
	inputs, _ := json.Marshal(map[string]string{hostile: hostile})
	return &desk.Run{
		Ref: ref, Place: d.Places()[0], Holder: hostile, Terms: actions.Terms{Gates: "any"}, Drawn: true, CanCancel: true, CanResume: true, Raise: hostile,
		Run: document.Run{
			ID: ref.ID, Workflow: hostile, Status: flow.Paused, Reason: hostile, Error: hostile, Summary: hostile, Outcome: hostile, Inputs: inputs, Outputs: inputs,
			Created: time.Now().Add(-time.Hour), Origin: document.Origin{Trigger: &document.Trigger{Name: hostile, Event: hostile}}, Undelivered: []string{hostile}, FailedNotices: []string{hostile},
			Parent: &document.Parent{Run: hostile, Step: hostile}, Children: []document.Child{{ID: hostile, Workflow: hostile, Parent: document.Parent{Step: hostile}}},
			Warnings: []document.Warning{{Key: hostile, Message: hostile}},
		},
		Parts: []flow.Record{hostileRecord(hostile), hostileRecord("fix"), hostileRecord("fix#1"), hostileRecord("fix#2"), {Key: "later", Kind: "bash", Status: flow.Pending}},
		Open: []desk.Open{{
			Ref: ref, Node: hostile, Since: time.Now(), Deadline: time.Now(), Hash: "h1", Readable: hostile,
			Question: flow.Question{Key: hostile, Message: hostile, Output: hostile, Choices: []string{"approve", "edit", hostile}},
		}},
		Answered: []string{hostile},
	}, nil
}

func (*fakeDesk) Step(_ context.Context, ref desk.Ref, key string) (flow.Record, error) {
	r := hostileRecord(key)
	if key == "script" {
		r.Kind = "bash"
	}
	if ref != fakeRef {
		r.Prompt, r.Text = "one\n"+r.Prompt, "one\ntwo\n"
	}
	return r, nil
}

func (*fakeDesk) Picture(context.Context, desk.Ref) (string, error) {
	return `<svg xmlns="http://www.w3.org/2000/svg"></svg>`, nil
}

func (*fakeDesk) Log(context.Context, desk.Ref, desk.LogQuery) (*desk.Log, error) {
	return &desk.Log{From: 7, Lines: []desk.LogLine{{Time: time.Now(), Step: hostile, Stream: hostile, Text: hostile}}}, nil
}

func (*fakeDesk) Artifacts(context.Context, desk.Ref) ([]desk.Artifact, error) {
	return []desk.Artifact{{Name: hostile, Size: 5000}}, nil
}

func (*fakeDesk) OpenArtifact(context.Context, desk.Ref, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("<script>alert(1)</script>")), nil
}

func (*fakeDesk) Generation(context.Context, desk.Ref) (int64, error) {
	return time.Now().UnixNano(), nil
}

func (d *fakeDesk) Sources(context.Context) ([]serving.Source, []string) {
	s := memory.New()
	return []serving.Source{{Store: s, Runs: func(context.Context, store.Filter, ...flow.Status) ([]local.RunStatus, error) {
		return []local.RunStatus{{Run: store.Run{RunInfo: flow.RunInfo{Workflow: "flow"}, Status: flow.Failed, Created: time.Now(), Finished: time.Now()}}}, nil
	}}}, d.unreadable
}

func (d *fakeDesk) Answer(_ context.Context, _ desk.Ref, a desk.Answer) (actions.Outcome, error) {
	if d.changed {
		return actions.Outcome{}, &actions.ChangedError{}
	}
	d.given = append(d.given, a)
	return actions.Outcome{Approvals: 1, Needed: 1}, nil
}

func (d *fakeDesk) Cancel(_ context.Context, ref desk.Ref, by actions.Person) error {
	d.acts = append(d.acts, "cancel "+ref.ID+" by "+by.Name)
	return nil
}

func (d *fakeDesk) Resume(_ context.Context, ref desk.Ref, by actions.Person) error {
	d.acts = append(d.acts, "resume "+ref.ID+" by "+by.Name)
	return nil
}

func (d *fakeDesk) Workflows(context.Context) ([]desk.Workflow, error) {
	return []desk.Workflow{{Place: d.Places()[0], Key: "w1", Name: hostile, Source: hostile, Description: hostile, Dir: hostile, Inputs: []flow.InputInfo{
		{Name: hostile, Type: "text", Doc: hostile, Default: `"x"`}, {Name: "n", Type: "int", Default: "3"}, {Name: "c", Type: "word", Choices: []string{"a", hostile}}, {Name: "b", Type: "bool", Default: "true"},
	}}}, nil
}

func (d *fakeDesk) Start(_ context.Context, _, _ string, inputs map[string]string, _ actions.Person) (desk.Ref, error) {
	text, _ := json.Marshal(inputs)
	d.acts = append(d.acts, "start "+string(text))
	return fakeRef, nil
}

// A browser calls a server as browsers do.
type browser struct {
	t    *testing.T
	base string
	http.Client
}

// open serves a desk, and signs a browser in.
func open(t *testing.T, d desk.Desk) *browser {
	t.Helper()
	return openWith(t, d, desk.Options{})
}

func openWith(t *testing.T, d desk.Desk, o desk.Options) *browser {
	t.Helper()
	address := startServer(t, d, o)
	b := newBrowser(t, address)
	if code, _, page := b.get(strings.TrimPrefix(address, b.base)); code != 200 {
		t.Fatalf("signing in: %d\n%s", code, page)
	}
	return b
}

// startServer serves a desk until the test ends, and returns the address that the server prints.
func startServer(t *testing.T, d desk.Desk, o desk.Options) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	listening, served := make(chan string, 1), make(chan error, 1)
	o.Person, o.Listening = "ada", func(a string) { listening <- a }
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	go func() { served <- serve.Pages().(desk.Server).Serve(ctx, d, o) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	select {
	case address := <-listening:
		return address
	case err := <-served:
		t.Fatal(err)
		return ""
	}
}

// newBrowser returns a browser without cookies that calls the server at an address.
func newBrowser(t *testing.T, address string) *browser {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	return &browser{t: t, Client: http.Client{Jar: jar}, base: u.Scheme + "://" + u.Host}
}

func (b *browser) do(r *http.Request) (int, http.Header, string) {
	b.t.Helper()
	reply, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply.StatusCode, reply.Header, string(body)
}

func (b *browser) get(path string) (int, http.Header, string) {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodGet, b.base+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(r)
}

func (b *browser) post(path string, form url.Values, head ...string) (int, http.Header, string) {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodPost, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.base)
	for i := 0; i+1 < len(head); i += 2 {
		r.Header.Set(head[i], head[i+1])
	}
	return b.do(r)
}

var formTokens = regexp.MustCompile(`name="form_token" value="([0-9a-f]+)"`)

// formToken reads the token of the forms on a page.
func (b *browser) formToken(path string) string {
	b.t.Helper()
	_, _, page := b.get(path)
	found := formTokens.FindStringSubmatch(page)
	if found == nil {
		b.t.Fatalf("%s has no form:\n%s", path, page)
	}
	return found[1]
}

var allPages = []string{
	"/", "/?status=failed&search=x", "/totals", "/compare", "/compare?a=here/flow-abc123&b=here/flow-abc123", "/compare/step?a=here/flow-abc123&b=here/flow-other&key=fix", "/start", "/start/here/w1",
	"/runs/here/flow-abc123", "/runs/here/flow-abc123/parts?of=fix", "/runs/here/flow-abc123/step?key=fix", "/runs/here/flow-abc123/step?key=script", "/runs/here/flow-abc123/log", "/nowhere", "/runs/here/none",
}

func TestHostileTextStaysText(t *testing.T) {
	b := open(t, &fakeDesk{})
	for _, path := range allPages {
		_, head, page := b.get(path)
		policy := head.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || head.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has the policy %q", path, policy)
		}
		for _, e := range elementsOf(t, path, page) {
			if strings.ContainsAny(e.text, "\u202e\u2066") && e.name != "textarea" { // what people edit stays as it is
				t.Errorf("%s shows a character that turns the direction of text in <%s>", path, e.name)
			}
		}
		checkMarkup(t, path, page)
	}
}

// An element is an element of a page.
type element struct {
	name       string
	attributes map[string]string
	// inside are the names of the elements around it, and text is its own.
	inside []string
	text   string
}

// elementsOf reads a page, whose elements are all closed.
func elementsOf(t *testing.T, path, page string) []*element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var list, open []*element
	for {
		token, err := d.Token()
		switch k := token.(type) {
		case xml.StartElement:
			e := &element{name: k.Name.Local, attributes: map[string]string{}}
			for _, a := range k.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			for _, around := range open {
				e.inside = append(e.inside, around.name)
			}
			list, open = append(list, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(k)
			}
		}
		if err == io.EOF {
			return list
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// checkMarkup checks that a page has only elements and attributes that the templates write.
func checkMarkup(t *testing.T, path, page string) {
	t.Helper()
	for _, e := range elementsOf(t, path, page) {
		if slices.Contains([]string{"style", "iframe", "base", "object", "embed"}, e.name) {
			t.Errorf("%s has an element %s", path, e.name)
		}
		for name, value := range e.attributes {
			switch {
			case strings.HasPrefix(name, "on"), name == "style", name == "srcdoc":
				t.Errorf("%s: attribute %s=%q", path, name, value)
			case slices.Contains([]string{"href", "src", "action", "data-load", "data-live"}, name):
				if !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "?") && !strings.HasPrefix(value, "#") || strings.HasPrefix(value, "//") {
					t.Errorf("%s: %s=%q leads elsewhere", path, name, value)
				}
				if e.name == "script" && value != "/assets/live.js" || e.name == "img" && !strings.HasSuffix(value, "/graph.svg") {
					t.Errorf("%s loads %s", path, value)
				}
			}
		}
		if e.name == "script" && e.text != "" {
			t.Errorf("%s has a script: %s", path, e.text)
		}
	}
}

func TestPagesForScreenReaders(t *testing.T) {
	b := open(t, &fakeDesk{})
	for _, path := range allPages {
		_, _, page := b.get(path)
		all := elementsOf(t, path, page)
		ids, labelled, found := map[string]int{}, map[string]bool{}, map[string]int{}
		for _, e := range all {
			found[e.name]++
			ids[e.attributes["id"]]++
			if e.name == "label" {
				labelled[e.attributes["for"]] = true
			}
		}
		for _, landmark := range []string{"header", "nav", "main", "title"} {
			if found[landmark] == 0 {
				t.Errorf("%s has no %s", path, landmark)
			}
		}
		for id, n := range ids {
			if id != "" && n > 1 {
				t.Errorf("%s has the id %s %d times", path, id, n)
			}
		}
		for _, e := range all {
			id := e.attributes["id"]
			if slices.Contains([]string{"input", "select", "textarea"}, e.name) && e.attributes["type"] != "hidden" && !slices.Contains(e.inside, "label") && (id == "" || !labelled[id]) {
				t.Errorf("%s: the field %s has no label", path, e.attributes["name"])
			}
			if e.name == "img" && e.attributes["alt"] == "" {
				t.Errorf("%s has a picture without words", path)
			}
			if by := e.attributes["aria-labelledby"]; by != "" && ids[by] == 0 {
				t.Errorf("%s: nothing has the id %s", path, by)
			}
		}
	}
}

// Runs that ended in the same way are one entry, and what waits is counted by its kind.
func TestEndedTogether(t *testing.T) {
	_, _, page := open(t, &fakeDesk{}).get("/")
	for want, n := range map[string]int{`<li class="card`: 2, "2 more ended like this": 1, "failed: 3, gate: 1": 1, `<a href="/runs/here/flow-abc123">flow-abc123</a> <a href="/runs/here/flow-abc123">`: 1} {
		if got := strings.Count(page, want); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", want, got, n, page)
		}
	}
}

// A busyDesk has more than a page shows: gates, and runs that failed for different reasons.
type busyDesk struct{ *fakeDesk }

func (busyDesk) Waiting(context.Context) (*desk.Waiting, error) {
	w := &desk.Waiting{}
	for _, kind := range []string{waiting.Gate, waiting.Failed} {
		for i := range 301 {
			w.Items = append(w.Items, desk.Item{Item: waiting.Item{Kind: kind, Message: fmt.Sprintf("%s-%d.", kind, i), Needs: "needs 2 people"}, Ref: fakeRef})
		}
	}
	return w, nil
}

// The counts are of all that waits, and a page says what it leaves out and where that is.
func TestMoreThanAPageShows(t *testing.T) {
	_, _, page := open(t, busyDesk{&fakeDesk{}}).get("/")
	for _, want := range []string{
		`class="number">602<`, "failed: 301, gate: 301", "gate-0.", "gate-199.", "failed-300.", "needs 2 people",
		"101 more wait and are not shown here", `href="/?status=paused&amp;status=interrupted"`, "201 more ended and are not shown here",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, other := range []string{"gate-200.", "failed-200."} {
		if strings.Contains(page, other) {
			t.Errorf("the page has %q", other)
		}
	}
}

func TestFilesAreInert(t *testing.T) {
	b := open(t, &fakeDesk{})
	for _, path := range []string{"/runs/here/flow-abc123/artifact?name=a.html", "/runs/here/flow-abc123/artifact?name=a.svg", "/runs/here/flow-abc123/text?key=fix&of=output", "/runs/here/flow-abc123/artifact?name=a.png", "/runs/here/flow-abc123/graph.svg"} {
		code, head, _ := b.get(path)
		kind, policy := head.Get("Content-Type"), head.Get("Content-Security-Policy")
		if code != 200 || !strings.Contains(policy, "sandbox") || strings.Contains(kind, "html") || head.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %s, %s", path, code, kind, policy)
		}
		if strings.HasSuffix(path, ".html") || strings.HasSuffix(path, ".svg") && strings.Contains(path, "artifact") {
			if !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") {
				t.Errorf("%s is shown in the browser", path)
			}
		}
	}
}

func TestCompareTexts(t *testing.T) {
	b := open(t, &fakeDesk{})
	_, _, page := b.get("/compare/step?a=here/flow-abc123&b=here/flow-other&key=fix")
	for _, want := range []string{`<span class="added">&#43;one`, `<span class="removed">-`, `<span class="added">&#43;two`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if _, _, page := b.get("/compare/step?a=here/flow-abc123&b=here/flow-abc123&key=fix"); strings.Count(page, "Both are the same.") != 2 {
		t.Errorf("equal texts:\n%s", page)
	}
}

func TestAnswer(t *testing.T) {
	d := &fakeDesk{}
	b := open(t, d)
	token := b.formToken("/runs/here/flow-abc123")
	form := url.Values{"form_token": {token}, "key": {"gate"}, "hash": {"h1"}, "choice": {"approve"}, "text": {"two\r\nlines"}, "gate_token": {"secret"}}
	if code, _, _ := b.post("/runs/here/flow-abc123/answer", form); code != 200 {
		t.Fatalf("answering: %d", code)
	}
	want := desk.Answer{Person: actions.Person{Name: "ada", Roles: actions.AllRoles(), From: "page, 127.0.0.1"}, Key: "gate", Hash: "h1", Choice: "approve", Text: "two\nlines", Token: "secret"}
	if len(d.given) != 1 || !reflect.DeepEqual(d.given[0], want) {
		t.Errorf("the answer is %+v, want %+v", d.given, want)
	}
	form.Set("choice", "edit")
	form.Set("output", "new: 1\r\n")
	b.post("/runs/here/flow-abc123/answer", form)
	if len(d.given) != 2 || d.given[1].Text != "new: 1\n" {
		t.Errorf("the edit is %+v", d.given)
	}
	d.changed = true
	if code, _, page := b.post("/runs/here/flow-abc123/answer", form); code != http.StatusConflict || !strings.Contains(page, "has changed since you saw it") {
		t.Errorf("a changed question: %d\n%s", code, page)
	}
}

func TestActs(t *testing.T) {
	d := &fakeDesk{}
	b := open(t, d)
	form := url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}}
	b.post("/runs/here/flow-abc123/cancel", form)
	b.post("/runs/here/flow-abc123/resume", form)
	form.Set("input.n", "5")
	form.Set("input.c", "a")
	b.post("/start/here/w1", form)
	want := []string{"cancel flow-abc123 by ada", "resume flow-abc123 by ada", `start {"b":"false","c":"a","n":"5"}`}
	if !slices.Equal(d.acts, want) {
		t.Errorf("%q, want %q", d.acts, want)
	}
}

func TestForeignRequestsAreRefused(t *testing.T) {
	d := &fakeDesk{}
	b := open(t, d)
	path, good := "/runs/here/flow-abc123/cancel", url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}}
	for _, c := range []struct {
		name string
		form url.Values
		head []string
	}{
		{"another origin", good, []string{"Origin", "https://evil.example"}},
		{"an opaque origin", good, []string{"Origin", "null"}},
		{"no origin", good, []string{"Origin", ""}},
		{"https in place of http", good, []string{"Origin", strings.Replace(b.base, "http:", "https:", 1)}},
		{"no form token", url.Values{}, nil},
		{"the token of another session", url.Values{"form_token": {strings.Repeat("0", 64)}}, nil},
	} {
		if code, _, _ := b.post(path, c.form, c.head...); code != http.StatusForbidden {
			t.Errorf("%s: %d", c.name, code)
		}
	}
	for _, path := range []string{"/runs/here/flow-abc123/cancel?form_token=" + good.Get("form_token"), "/runs/here/flow-abc123/answer"} {
		if code, _, _ := b.get(path); code != http.StatusMethodNotAllowed && code != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, code)
		}
	}
	// A site that has its name point to this machine gets nothing, even from a browser that is signed in.
	r, _ := http.NewRequest(http.MethodGet, b.base+"/", nil)
	r.Host = "evil.example:" + r.URL.Port()
	if code, _, page := b.do(r); code != http.StatusMisdirectedRequest || strings.Contains(page, "flow-abc123") {
		t.Errorf("a foreign name: %d", code)
	}
	stranger := &browser{t: t, base: b.base}
	for _, path := range append(allPages, "/assets/style.css", "/live", "/?token=wrong") {
		if code, _, page := stranger.get(path); code != http.StatusUnauthorized || strings.Contains(page, "flow-abc123") {
			t.Errorf("a stranger gets %s: %d", path, code)
		}
	}
	if len(d.acts)+len(d.given) > 0 {
		t.Errorf("something happened: %q, %+v", d.acts, d.given)
	}
}

func TestLinkFromAnotherSite(t *testing.T) {
	b := open(t, &fakeDesk{})
	stranger := &browser{t: t, base: b.base}
	r, _ := http.NewRequest(http.MethodGet, b.base+"/runs/here/flow-abc123", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	r.Header.Set("Sec-Fetch-Mode", "navigate")
	code, _, page := stranger.do(r)
	if code != 200 || !strings.Contains(page, `http-equiv="refresh"`) || strings.Contains(page, "Paused") {
		t.Errorf("a link of another site: %d\n%s", code, page)
	}
	checkMarkup(t, "the page between", page)
}

func TestOnlyThisMachine(t *testing.T) {
	err := serve.Pages().(desk.Server).Serve(t.Context(), &fakeDesk{}, desk.Options{Address: "0.0.0.0:0"})
	if err == nil || !strings.Contains(err.Error(), "other machines could reach it") {
		t.Errorf("serving for all: %v", err)
	}
}

func TestLiveUpdates(t *testing.T) {
	b := open(t, &fakeDesk{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"/live?place=here&run=flow-abc123&seen=1", nil)
	reply, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var text strings.Builder
	piece := make([]byte, 1024)
	for !strings.Contains(text.String(), "event: change\n") {
		n, err := reply.Body.Read(piece)
		text.Write(piece[:n])
		if err != nil {
			t.Fatalf("%v after %q", err, text.String())
		}
	}
}

// Figures have an address of their own, without signing in, and the pages don't have them. While a
// place cannot be read, there are none, because sums must not shrink.
func TestMetrics(t *testing.T) {
	d := &fakeDesk{}
	socket := filepath.Join(t.TempDir(), "figures")
	b := openWith(t, d, desk.Options{Metrics: "unix:" + socket})
	scraper := &browser{t: t, base: "http://figures", Client: http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}}
	if code, _, text := scraper.get("/metrics"); code != 200 || !strings.Contains(text, "wfc_runs{workflow=\"flow\",status=\"failed\"} 1\n") {
		t.Errorf("%d %s", code, text)
	}
	if code, _, _ := scraper.get("/"); code != http.StatusNotFound {
		t.Errorf("pages at the address of the figures: %d", code)
	}
	if code, _, _ := b.get("/metrics"); code != http.StatusNotFound {
		t.Errorf("figures among the pages: %d", code)
	}
	d.unreadable = []string{"db: connection refused"}
	if code, _, text := scraper.get("/metrics"); code != http.StatusServiceUnavailable || !strings.Contains(text, "db: connection refused") {
		t.Errorf("with an unreadable place: %d %s", code, text)
	}
}

// A link in a notice names only the run. It shows the page, and changes nothing.
func TestLinkOfNotice(t *testing.T) {
	d := &fakeDesk{}
	b := open(t, d)
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if code, head, _ := b.get("/runs/flow-abc123"); code != http.StatusSeeOther || head.Get("Location") != "/runs/here/flow-abc123" {
		t.Errorf("%d %s", code, head.Get("Location"))
	}
	if code, _, _ := b.get("/runs/none"); code != http.StatusNotFound {
		t.Errorf("a run that is gone: %d", code)
	}
	if len(d.given)+len(d.acts) > 0 {
		t.Errorf("%v %v", d.given, d.acts)
	}
}

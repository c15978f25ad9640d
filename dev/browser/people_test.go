package browser

import (
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// people adds users to the file users.json of the project, and returns the flag of serve for it.
func (w *world) people(roles map[string]string) string {
	w.t.Helper()
	for name, has := range roles {
		cmd := exec.Command(*wfc, "serve", "--users=users.json", "--add-user", name, "--roles", has)
		cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.environment(), strings.NewReader("password of "+name+"\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("adding %s: %v\n%s", name, err, out)
		}
	}
	return "--users=users.json"
}

// signInAs opens a tab in which somebody signs in with a password.
func (s *server) signInAs(t *testing.T, name string) *tab {
	t.Helper()
	p := newTab(t, s.base)
	p.visit("/")
	p.enter(name, "password of "+name)
	p.find(".person", name)
	return p
}

// enter sends the form on which people sign in.
func (p *tab) enter(name, password string) {
	p.t.Helper()
	p.write("[name=name]", name)
	p.write("[name=password]", password)
	p.leave("button", "Sign in")
}

// People sign in with a password, and out again, after which the browser shows nothing any more.
func TestSignIn(t *testing.T) {
	w := newWorld(t, shop)
	id := w.start("ship.yaml")
	s := w.serve(w.people(map[string]string{"ann": "approver"}))
	p := newTab(t, s.base)
	p.visit("/")
	p.shoot("sign-in")
	p.enter("ann", "password of ben")
	p.find("[role=alert]", "name or password is wrong")
	p.enter("ann", "password of ann")
	p.leave("#waiting a", id)
	p.find("#questions", "Publish this release")
	page := eval[string](p, `location.pathname`)
	p.leave("header button", "Sign out")
	p.find("h1", "Sign in")
	try[bool](p, `history.back()`)
	p.find("h1", "Sign in")
	p.visit(page)
	p.find("h1", "Sign in")
	if text := eval[string](p, `document.body.innerText`); strings.Contains(text, id) || strings.Contains(text, "Publish") {
		t.Errorf("after signing out:\n%s", text)
	}
	p.enter("ann", "password of ann")
	p.find("#questions", "Publish this release") // the page that the person asked for
	p.checkFaults("signing in and out")
}

// People sign in with a provider, and the answer says who vouches for them.
func TestProvider(t *testing.T) {
	provider := testkit.StartProvider(t)
	w := newWorld(t, shop)
	w.write("users.json", fmt.Sprintf(`{"oidc": {"issuer": %q, "client_id": %q, "secret_variable": "OIDC_SECRET"}, "roles": {"release": ["approver"]}}`, provider.URL, testkit.OIDCClient))
	t.Setenv("OIDC_SECRET", testkit.OIDCSecret)
	id := w.start("ship.yaml")
	s := w.serve("--users=users.json")
	p := newTab(t, s.base)
	p.visit("/")
	p.leave("a", "Sign in with your organization")
	p.find(".person", "eve@example.com")
	for i, fault := range p.faults { // the one way that leads elsewhere
		if !strings.HasPrefix(fault, "an external request: "+provider.URL+"/authorize?") || i > 0 {
			t.Error(fault)
		}
	}
	p.faults = nil
	p.leave("#waiting a", id)
	p.leave("#questions button", "approve")
	w.file("published")
	p.find("#state .status", "completed")
	p.visit(eval[string](p, `location.pathname`) + "/step?key=gate%231")
	issuer, _ := url.Parse(provider.URL)
	p.find("main", "eve@example.com")
	p.find("main", "known to "+issuer.Host)
	p.visit("/")
	p.leave("header button", "Sign out")
	p.find("a", "Sign in with your organization")
	p.checkFaults("signing in with a provider")
}

// Whoever lacks a role sees no form for what needs it, and what they send all the same, by a form
// or by a script of the page, changes nothing.
func TestRoles(t *testing.T) {
	w := newWorld(t, shop)
	id := w.start("ship.yaml")
	s := w.serve(w.people(map[string]string{"vic": "viewer", "ben": "approver", "oli": "operator", "ann": "operator,approver"}))
	actions := map[string]struct {
		// role is the one that the action needs, form finds what the page has for it, and refused is
		// what the page says to whoever lacks the role.
		role, form, refused string
		// path is where the form leads, below the run's page unless it begins with a slash.
		path string
		// harmless are fields with which the action fails although the person has the role.
		harmless map[string]string
		fails    int
	}{
		"answer": {"approver", `form[action$="/answer"]`, "needs the role approver", "answer", map[string]string{"key": "gate#1", "hash": "other", "choice": "approve"}, 409},
		"cancel": {"operator", `form[action$="/cancel"]`, "needs the role operator", "cancel", nil, 0},
		"resume": {"operator", `nav a[href="/start"]`, "needs the role operator", "resume", nil, 0},
		"start":  {"operator", `nav a[href="/start"]`, "needs the role operator", "/start", map[string]string{"input.nothing": "x"}, 0},
	}
	for _, who := range []struct{ name, roles string }{{"vic", "viewer"}, {"ben", "approver"}, {"oli", "operator"}} {
		p := s.signInAs(t, who.name)
		p.visit("/start")
		start := eval[string](p, `document.querySelector('main a[href^="/start/"]').pathname`)
		p.openRun(id)
		run := eval[string](p, `location.pathname`)
		for name, a := range actions {
			p.visit(run)
			may := a.role == who.roles
			if has := eval[bool](p, fmt.Sprintf(`document.querySelector(%s) !== null`, quote(a.form))); has != may {
				t.Errorf("%s has a form to %s: %v", who.name, name, has)
			}
			if may && a.fails == 0 {
				continue // TestForms does it
			}
			path := run + "/" + a.path
			if strings.HasPrefix(a.path, "/") {
				path = start
			}
			want := 403
			if may {
				want = a.fails
			}
			fields := map[string]string{"form_token": eval[string](p, `document.querySelector('.person [name=form_token]').value`)}
			for field, value := range a.harmless {
				fields[field] = value
				if field == "hash" && !may { // the right one
					fields[field] = eval[string](p, `document.querySelector("[data-hash]").dataset.hash`)
				}
			}
			list := ""
			for field, value := range fields {
				list += fmt.Sprintf("[%s, %s],", quote(field), quote(value))
			}
			code := eval[int](p, fmt.Sprintf(`(async () => (await fetch(%s, {method: "POST", body: new URLSearchParams([%s])})).status)()`, quote(path), list))
			if name == "start" && !may && code == 422 { // the form again, with the reason
				code = want
			}
			if code != want {
				t.Errorf("%s %ss by fetch: %d, want %d", who.name, name, code, want)
			}
			eval[bool](p, fmt.Sprintf(`(() => {
				window.before = true;
				const f = document.createElement("form");
				[f.method, f.action] = ["post", %s];
				for (const [name, value] of [%s]) { const i = document.createElement("input"); [i.name, i.value] = [name, value]; f.append(i); }
				document.body.append(f);
				setTimeout(() => f.submit(), 0);
				return true;
			})()`, quote(path), list))
			await(t, "the reply to "+name, func() bool {
				there, err := try[bool](p, `!window.before && document.readyState === "complete"`)
				return err == nil && there
			})
			if !may {
				p.find("main", a.refused)
				p.find("main", who.name)
			}
			p.shoot("refused-" + who.name + "-" + name)
		}
		p.checkFaults("what " + who.name + " may not do")
	}
	if out := w.run(0, "status", "ship.yaml", id); !strings.Contains(out, "paused") || strings.Contains(out, "resumed") {
		t.Errorf("somebody without the role has changed the run:\n%s", out)
	}
	if out := w.run(0, "list", "ship.yaml"); strings.Count(out, "ship-") != 1 {
		t.Errorf("somebody without the role has started a run:\n%s", out)
	}
}

// The first of two approvals appears on the page of who has to give the second one, who is writing.
func TestTwoApprovals(t *testing.T) {
	w := newWorld(t, shop)
	w.write("wfc.yaml", "gates: {nodes: {gate: {approvals: 2}}}\n")
	id := w.start("ship.yaml")
	s := w.serve(w.people(map[string]string{"ann": "approver", "ben": "approver"}))
	ann, ben := s.signInAs(t, "ann"), s.signInAs(t, "ben")
	ann.openRun(id)
	ben.openRun(id)
	ben.find("#questions", "0 of 2 so far")
	ben.write("#questions textarea[name=text]", "I read the notes")
	ann.leave("#questions button", "approve")
	ann.find("#questions", "1 of 2 so far")
	ben.find("#questions", "1 of 2 so far") // by itself
	ben.find("#news", "ann")
	if text := eval[string](ben, `document.querySelector("#questions textarea").value`); text != "I read the notes" {
		t.Errorf("the field has lost what ben wrote: %q", text)
	}
	ben.shoot("two-approvals")
	ann.leave("#questions button", "approve")
	ann.find("main", "ann has already given this answer")
	ben.leave("#questions button", "approve")
	w.file("published")
	ben.find("#state .status", "completed")
	ann.checkFaults("the page of ann")
	ben.checkFaults("the page of ben")
}

// A browser has few connections to a server. Pages that nobody sees keep none, so many of them can be
// open.
func TestManyTabs(t *testing.T) {
	w := newWorld(t, shop)
	id := w.start("ship.yaml")
	p := w.serve().signIn(t)
	p.openRun(id)
	eval[bool](p, `(() => {
		Object.defineProperty(document, "hidden", {get: () => window.unseen === true});
		const close = EventSource.prototype.close;
		window.ended = 0;
		EventSource.prototype.close = function () { window.ended++; close.call(this); };
		return true;
	})()`)
	eval[bool](p, `(window.unseen = true, document.dispatchEvent(new Event("visibilitychange")))`)
	if closed := eval[int](p, `window.ended`); closed != 1 {
		t.Errorf("a page that nobody sees has closed %d connections", closed)
	}
	w.run(0, "approve", "ship.yaml", id)
	eval[bool](p, `(window.unseen = false, document.dispatchEvent(new Event("visibilitychange")))`)
	p.find("#state .status", "completed") // what it has missed
	p.checkFaults("a page that was hidden")
}

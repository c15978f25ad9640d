package serve_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
)

// A provider knows people for a server.
type provider struct {
	*testkit.Provider
	t *testing.T
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	return &provider{testkit.StartProvider(t), t}
}

// file is the content of a file of users with the provider.
func (p *provider) file() string {
	p.t.Setenv("TEST_OIDC_SECRET", testkit.OIDCSecret)
	return people(p.t, map[string]any{
		"oidc":  map[string]any{"issuer": p.URL, "client_id": testkit.OIDCClient, "secret_variable": "TEST_OIDC_SECRET"},
		"roles": map[string]any{"release": []string{"approver", "release"}},
	})
}

// serveWith serves a desk whose people the provider knows.
func (p *provider) serveWith(d desk.Desk) string {
	return startServer(p.t, d, desk.Options{Users: p.file()})
}

// A session of a provider's person has the roles that the file gives to the person's groups now, and
// ends when that is none, or when the file has another provider.
func TestRolesOfGroupsNow(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		roles    []actions.Role
	}{
		"the same":           {`"release":`, `"release": `, []actions.Role{"viewer", "approver", "release"}},
		"other roles":        {`"release":["approver","release"]`, `"release":["operator"]`, []actions.Role{"viewer", "operator"}},
		"no roles":           {`"release":["approver","release"]`, `"nobody":["approver"]`, nil},
		"another provider":   {`"issuer":"http://127.0.0.1`, `"issuer":"http://localhost`, nil},
		"a user of the name": {`"name":"ben"`, `"name":"eve@example.com"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, d := newProvider(t), &fakeDesk{}
			path := p.file()
			b := newBrowser(t, startServer(t, d, desk.Options{Users: path}))
			if code, _, _ := b.get("/sign-in/provider?next=/totals"); code != 200 {
				t.Fatalf("signing in: %d", code)
			}
			run := "/runs/here/flow-abc123"
			form := url.Values{"form_token": {b.formToken(run)}, "key": {"gate"}, "hash": {"h1"}, "choice": {"approve"}}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), c.old, c.new, 1)
			if changed == string(text) {
				t.Fatalf("%s is not in %s", c.old, text)
			}
			if err := errors.Join(os.WriteFile(path, []byte(changed), 0o600), os.Chtimes(path, time.Now(), time.Now().Add(time.Minute))); err != nil {
				t.Fatal(err)
			}
			code, _, _ := b.post(run+"/answer", form)
			var got []actions.Role
			if len(d.given) == 1 {
				got = d.given[0].Person.Roles
			}
			if !slices.Equal(got, c.roles) || (code == http.StatusOK) != (c.roles != nil) {
				t.Errorf("answering: %d, with the roles %q, want %q", code, got, c.roles)
			}
		})
	}
}

func TestProvider(t *testing.T) {
	p, d := newProvider(t), &fakeDesk{}
	address := p.serveWith(d)
	b := newBrowser(t, address)
	if _, _, page := b.get("/runs/here/flow-abc123"); !strings.Contains(page, "/sign-in/provider?next=%2fruns%2fhere%2fflow-abc123") {
		t.Fatalf("no way to the provider:\n%s", page)
	}
	code, _, page := b.get("/sign-in/provider?next=/runs/here/flow-abc123")
	if code != 200 || !strings.Contains(page, "eve@example.com") || !strings.Contains(page, "Questions") {
		t.Fatalf("signing in: %d\n%s", code, page)
	}
	form := url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}, "key": {"gate"}, "hash": {"h1"}, "choice": {"approve"}}
	if code, _, _ := b.post("/runs/here/flow-abc123/answer", form); code != 200 || len(d.given) != 1 {
		t.Fatalf("answering: %d", code)
	}
	u, _ := url.Parse(p.URL)
	if by := d.given[0].Person; by.Name != "eve@example.com" || by.From != "page, 127.0.0.1, known to "+u.Host || !by.May("release") || by.May("operator") {
		t.Errorf("the person is %+v", by)
	}
}

// TestTokensThatDoNotCount has the provider, or whoever stands between, send wrong tokens.
func TestTokensThatDoNotCount(t *testing.T) {
	p := newProvider(t)
	address := p.serveWith(&fakeDesk{})
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	set := func(key string, value any) func(map[string]any) { return func(c map[string]any) { c[key] = value } }
	mac := func(secret []byte) func(head, claims map[string]any) string {
		return func(head, claims map[string]any) string {
			head = maps.Clone(head)
			head["alg"] = "HS256"
			text := testkit.UnsignedToken(head, claims)
			m := hmac.New(sha256.New, secret)
			m.Write([]byte(text))
			return text + "." + testkit.EncodeToken(m.Sum(nil))
		}
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		sign   func(head, claims map[string]any) string
		code   int
	}{
		{"expired", set("exp", time.Now().Add(-time.Minute).Unix()), nil, 502},
		{"of another issuer", set("iss", "https://evil.example"), nil, 502},
		{"for another client", set("aud", "other"), nil, 502},
		{"of another sign-in", set("nonce", "n"), nil, 502},
		{"without a nonce", func(c map[string]any) { delete(c, "nonce") }, nil, 502},
		{"signed with another key", nil, func(h, c map[string]any) string { return testkit.SignToken(t, other, h, c) }, 502},
		{"without a signature", nil, func(h, c map[string]any) string { return testkit.UnsignedToken(map[string]any{"alg": "none"}, c) + "." }, 502},
		{"signed with the public key", nil, mac(x509.MarshalPKCS1PublicKey(&p.Key.PublicKey)), 502},
		{"signed with the client's secret", nil, mac([]byte(testkit.OIDCSecret)), 502},
		{"empty", nil, func(_, _ map[string]any) string { return "" }, 502},
		{"without a group that counts", set("groups", []string{"others"}), nil, 403},
		{"with groups of a wrong type", set("groups", map[string]any{"release": true}), nil, 403},
		{"with an address that nobody verified", set("email_verified", false), nil, 403},
		{"with the name of a user with a password", set("email", "Ann"), nil, 403},
		{"with a name that hides", set("email", "a\u202en"), nil, 403},
	} {
		p.Change, p.Sign = c.change, c.sign
		b := newBrowser(t, address)
		code, _, page := b.get("/sign-in/provider?next=/totals")
		if code != c.code || strings.Contains(page, "flow-abc123") {
			t.Errorf("a token %s: %d\n%s", c.name, code, page)
		}
		if code, _, page := b.get("/totals"); code != 200 || !strings.Contains(page, `name="password"`) {
			t.Errorf("after a token %s: %d", c.name, code)
		}
	}
}

// TestSignInsCountOnce replays what comes back from the provider, in the same browser and another.
func TestSignInsCountOnce(t *testing.T) {
	p := newProvider(t)
	address := p.serveWith(&fakeDesk{})
	begin := func(b *browser) string {
		t.Helper()
		code, head, _ := b.get("/sign-in/provider?next=//evil.example")
		if code != http.StatusSeeOther {
			t.Fatalf("beginning: %d", code)
		}
		reply, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Get(head.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		return strings.TrimPrefix(reply.Header.Get("Location"), b.base)
	}
	mine, victim := newBrowser(t, address).stay(), newBrowser(t, address).stay()
	back := begin(mine)
	if !strings.HasPrefix(back, "/sign-in/callback?") {
		t.Fatal(back)
	}
	// An attacker's answer in the browser of a victim signs nobody in, even if that began one itself.
	begin(victim)
	if code, _, _ := victim.get(back); code != http.StatusBadRequest || strings.Contains(victim.cookies(), "wfc_"+strings.Split(victim.base, ":")[2]+"=") {
		t.Errorf("in another browser: %d, %s", code, victim.cookies())
	}
	// That used it up.
	if code, _, _ := mine.get(back); code != http.StatusBadRequest {
		t.Errorf("after another browser: %d", code)
	}
	back = begin(mine)
	code, head, _ := mine.get(back)
	if code != http.StatusSeeOther || head.Get("Location") != "/" {
		t.Errorf("the right one: %d to %s", code, head.Get("Location"))
	}
	if code, _, _ := mine.get(back); code != http.StatusBadRequest {
		t.Errorf("a second time: %d", code)
	}
	for _, path := range []string{"/sign-in/callback", "/sign-in/callback?code=c1", "/sign-in/callback?code=c1&state=" + strings.Repeat("a", 64), "/sign-in/callback?error=access_denied&state=x"} {
		if code, _, page := mine.get(path); code != http.StatusBadRequest || strings.Contains(page, "access_denied") {
			t.Errorf("%s: %d", path, code)
		}
	}
}

package serve_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/desk"
)

// A provider is one of OpenID Connect on this machine.
type provider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey
	// asked are the parameters with which the browser came last.
	asked url.Values
	// change changes the claims, sign signs them if it is not nil.
	change func(claims map[string]any)
	sign   func(head, claims map[string]any) string
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{t: t, key: key}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, content any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(content)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k1", "n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		p.asked = r.URL.Query()
		back := url.Values{"code": {"c1"}, "state": {p.asked.Get("state")}}
		http.Redirect(w, r, p.asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		id, secret, _ := r.BasicAuth()
		if r.FormValue("code") != "c1" || encode(sum[:]) != p.asked.Get("code_challenge") || p.asked.Get("code_challenge_method") != "S256" || id != "wfc" || secret != "hush" {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		claims := map[string]any{
			"iss": p.URL, "aud": "wfc", "sub": "u1", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": p.asked.Get("nonce"),
			"email": "eve@example.com", "email_verified": true, "groups": []string{"release", "others"},
		}
		if p.change != nil {
			p.change(claims)
		}
		sign := p.signRSA
		if p.sign != nil {
			sign = p.sign
		}
		reply(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": sign(map[string]any{"alg": "RS256", "kid": "k1"}, claims)})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// unsigned is a token without its signature.
func unsigned(head, claims map[string]any) string {
	h, _ := json.Marshal(head)
	c, _ := json.Marshal(claims)
	return encode(h) + "." + encode(c)
}

func (p *provider) signRSA(head, claims map[string]any) string {
	return signWith(p.t, p.key, head, claims)
}

func signWith(t *testing.T, key *rsa.PrivateKey, head, claims map[string]any) string {
	text := unsigned(head, claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Error(err)
	}
	return text + "." + encode(signature)
}

// serveWith serves a desk whose people the provider knows.
func (p *provider) serveWith(d desk.Desk) string {
	p.t.Setenv("TEST_OIDC_SECRET", "hush")
	return startServer(p.t, d, desk.Options{Users: people(p.t, map[string]any{
		"oidc":  map[string]any{"issuer": p.URL, "client_id": "wfc", "secret_variable": "TEST_OIDC_SECRET"},
		"roles": map[string]any{"release": []string{"approver", "release"}},
	})})
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
			text := unsigned(head, claims)
			m := hmac.New(sha256.New, secret)
			m.Write([]byte(text))
			return text + "." + encode(m.Sum(nil))
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
		{"signed with another key", nil, func(h, c map[string]any) string { return signWith(t, other, h, c) }, 502},
		{"without a signature", nil, func(h, c map[string]any) string { return unsigned(map[string]any{"alg": "none"}, c) + "." }, 502},
		{"signed with the public key", nil, mac(x509.MarshalPKCS1PublicKey(&p.key.PublicKey)), 502},
		{"signed with the client's secret", nil, mac([]byte("hush")), 502},
		{"empty", nil, func(_, _ map[string]any) string { return "" }, 502},
		{"without a group that counts", set("groups", []string{"others"}), nil, 403},
		{"with groups of a wrong type", set("groups", map[string]any{"release": true}), nil, 403},
		{"with an address that nobody verified", set("email_verified", false), nil, 403},
		{"with the name of a user with a password", set("email", "Ann"), nil, 403},
		{"with a name that hides", set("email", "a\u202en"), nil, 403},
	} {
		p.change, p.sign = c.change, c.sign
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

package serve_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/serve"
)

// people is the content of a file of users with the passwords of ann, ben and vic.
func people(t *testing.T, more map[string]any) string {
	t.Helper()
	user := func(name string, roles ...string) map[string]any {
		hash, err := bcrypt.GenerateFromPassword([]byte("password of "+name), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{"name": name, "password": string(hash), "roles": roles}
	}
	file := map[string]any{"users": []any{user("ann", "operator", "approver"), user("ben", "approver"), user("vic", "viewer")}}
	for key, value := range more {
		file[key] = value
		if value == nil {
			delete(file, key)
		}
	}
	return writeJSON(t, file)
}

func writeJSON(t *testing.T, content any) string {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "users.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// signIn signs a browser in with a password, and returns the code and the page.
func (b *browser) signIn(name, password string) (int, http.Header, string) {
	b.t.Helper()
	return b.post("/sign-in", url.Values{"name": {name}, "password": {password}, "next": {"/totals"}})
}

// cookies are the cookies that a browser sends to the server.
func (b *browser) cookies() string {
	u, _ := url.Parse(b.base + "/")
	var list []string
	for _, c := range b.Jar.Cookies(u) {
		list = append(list, c.Name+"="+c.Value)
	}
	return strings.Join(list, "; ")
}

// stay keeps a browser from following redirections.
func (b *browser) stay() *browser {
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

func TestPasswords(t *testing.T) {
	address := startServer(t, &fakeDesk{}, desk.Options{Users: people(t, nil)})
	b := newBrowser(t, address)
	if code, _, page := b.get("/totals"); code != 200 || !strings.Contains(page, `name="password"`) || strings.Contains(page, "flow-abc123") {
		t.Fatalf("without a session: %d\n%s", code, page)
	}
	wrong := ""
	for _, name := range []string{"ann", "nobody", "", "ANN\x00"} {
		code, _, page := b.signIn(name, "password of ben")
		if code != http.StatusUnauthorized || wrong != "" && page != wrong {
			t.Errorf("%q: %d\n%s", name, code, page)
		}
		wrong = page
	}
	if code, _, page := b.signIn("Ann", "password of ann"); code != 200 || !strings.Contains(page, "<h1>Totals") && !strings.Contains(page, "Totals") {
		t.Errorf("the right password: %d\n%s", code, page)
	}
	if _, _, page := b.get("/"); !strings.Contains(page, "ann ") {
		t.Errorf("no name on the page:\n%s", page)
	}
}

func TestSessions(t *testing.T) {
	path := people(t, nil)
	address := startServer(t, &fakeDesk{}, desk.Options{Users: path})
	b := newBrowser(t, address).stay()
	u, _ := url.Parse(b.base)

	// A session that somebody else has put into the browser does not become one that has signed in.
	planted := "wfc_" + u.Port() + "=" + strings.Repeat("a", 64)
	name, value, _ := strings.Cut(planted, "=")
	b.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
	_, head, _ := b.signIn("ann", "password of ann")
	cookie := head.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") || strings.Contains(cookie, value) {
		t.Errorf("the cookie is %s", cookie)
	}
	asks := func(cookies string) int {
		r, _ := http.NewRequest(http.MethodGet, b.base+"/totals", nil)
		r.Header.Set("Cookie", cookies)
		code, _, _ := newBrowser(t, address).stay().do(r)
		return code
	}
	first := b.cookies()
	if asks(planted) != http.StatusSeeOther || asks(first) != 200 {
		t.Errorf("the planted cookie: %d, the own one: %d", asks(planted), asks(first))
	}

	// A second sign-in ends the session before, and its forms count for nothing.
	old := b.formToken("/runs/here/flow-abc123")
	b.signIn("ann", "password of ann")
	if asks(first) != http.StatusSeeOther {
		t.Error("the session before the sign-in is still open")
	}
	if code, _, _ := b.post("/runs/here/flow-abc123/cancel", url.Values{"form_token": {old}}); code != http.StatusForbidden {
		t.Errorf("a form of the session before: %d", code)
	}
	// So do forms of other people.
	ben := newBrowser(t, address).stay()
	ben.signIn("ben", "password of ben")
	if code, _, _ := b.post("/runs/here/flow-abc123/cancel", url.Values{"form_token": {ben.formToken("/runs/here/flow-abc123")}}); code != http.StatusForbidden {
		t.Errorf("a form of somebody else: %d", code)
	}

	// Signing out needs the form token, too, and ends the session for good.
	second := b.cookies()
	if code, _, _ := b.post("/sign-out", url.Values{}); code != http.StatusForbidden || asks(second) != 200 {
		t.Errorf("signing out without a token: %d", code)
	}
	if code, _, _ := b.post("/sign-out", url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}}); code != http.StatusSeeOther {
		t.Errorf("signing out: %d", code)
	}
	if asks(second) != http.StatusSeeOther {
		t.Error("the session is open after signing out")
	}

	// A user who is removed from the file is out at once.
	if asks(ben.cookies()) != 200 {
		t.Fatal("ben is out too early")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	without := strings.Replace(string(text), `"name":"ben"`, `"name":"bob"`, 1)
	if err := os.WriteFile(path, []byte(without), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if asks(ben.cookies()) != http.StatusSeeOther {
		t.Error("ben is still in")
	}
	// With a mistake in it, the file lets nobody in, and then everybody who was. A new password ends
	// the sessions of the old one.
	newPassword := regexp.MustCompile(`("name":"ann","password":")[^"]+`)
	hash, err := bcrypt.GenerateFromPassword([]byte("another password"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	b.signIn("ann", "password of ann")
	for i, change := range []struct {
		content string
		want    int
	}{{without + "}", http.StatusServiceUnavailable}, {without, 200}, {newPassword.ReplaceAllString(without, "${1}"+strings.ReplaceAll(string(hash), "$", "$$")), http.StatusSeeOther}} {
		if err := os.WriteFile(path, []byte(change.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Duration(2+i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
		if code := asks(b.cookies()); code != change.want {
			t.Errorf("change %d: %d, want %d", i, code, change.want)
		}
	}
}

func TestWrongPasswordsAreLimited(t *testing.T) {
	address := startServer(t, &fakeDesk{}, desk.Options{Users: people(t, nil)})
	b := newBrowser(t, address)
	for i := range 10 {
		if code, _, _ := b.signIn("ann", "guess"); code != http.StatusUnauthorized {
			t.Fatalf("attempt %d: %d", i, code)
		}
	}
	if code, head, _ := b.signIn("ann", "password of ann"); code != http.StatusTooManyRequests || head.Get("Retry-After") == "" {
		t.Errorf("after 10 attempts: %d", code)
	}
	if code, _, _ := b.signIn("ben", "password of ben"); code != 200 {
		t.Errorf("somebody else: %d", code)
	}
	for i := range 20 {
		b.signIn("nobody"+string(rune('a'+i)), "guess")
	}
	if code, _, _ := newBrowser(t, address).signIn("vic", "password of vic"); code != http.StatusTooManyRequests {
		t.Errorf("after 30 attempts of one host: %d", code)
	}
}

func TestSignInLeadsNowhereElse(t *testing.T) {
	address := startServer(t, &fakeDesk{}, desk.Options{Users: people(t, nil)})
	for _, next := range []string{"//evil.example", "https://evil.example/", `/\evil.example`, `\\evil.example`, "javascript:alert(1)", "/\t/evil.example", "///evil.example", "//evil.example/..", "/sign-in", "evil", "", "http:evil.example", "/%0d%0aSet-Cookie:x=y\r\n"} {
		b := newBrowser(t, address).stay()
		code, head, _ := b.post("/sign-in", url.Values{"name": {"ann"}, "password": {"password of ann"}, "next": {next}})
		if code != http.StatusSeeOther || head.Get("Location") != "/" {
			t.Errorf("%q leads to %d %q", next, code, head.Get("Location"))
		}
		_, _, page := newBrowser(t, address).get("/sign-in?next=" + url.QueryEscape(next))
		if strings.Contains(page, "evil") || !strings.Contains(page, `name="next" value="/"`) {
			t.Errorf("%q on the page:\n%s", next, page)
		}
	}
}

// TestStrangersGetNothing tries requests of browsers that have not signed in, or that another site
// makes, on a server with users.
func TestStrangersGetNothing(t *testing.T) {
	d := &fakeDesk{}
	address := startServer(t, d, desk.Options{Users: people(t, nil)})
	stranger := newBrowser(t, address).stay()
	paths := append(allPages, "/live", "/sign-in/../totals", "//totals", "/./totals", "/%2e%2e/totals", "/sign-in%2f..%2ftotals", "/sign-in/", "/sign-in/provider", "/SIGN-IN", "/assets/../totals", "/runs/here/flow-abc123/artifact?name=../../etc/passwd")
	for _, path := range paths {
		r, err := http.NewRequest(http.MethodGet, stranger.base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.URL, err = url.Parse(stranger.base + path); err != nil {
			t.Fatal(err)
		}
		code, head, page := stranger.do(r)
		if code == 200 || strings.Contains(page, "flow-abc123") && !strings.Contains(head.Get("Location"), "/sign-in?next=") {
			t.Errorf("%s: %d\n%s", path, code, page)
		}
		if head.Get("X-Frame-Options") != "DENY" || !strings.Contains(head.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s may be framed: %v", path, head)
		}
	}
	b := newBrowser(t, address).stay()
	b.signIn("ann", "password of ann")
	form := url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}}
	cancel := "/runs/here/flow-abc123/cancel"
	for _, head := range [][]string{{"Origin", "null"}, {"Origin", "https://evil.example"}, {"Origin", ""}, {"Origin", b.base + ".evil.example"}, {"Origin", "", "Sec-Fetch-Site", "same-site"}, {"Origin", "", "Sec-Fetch-Site", "cross-site"}} {
		if code, _, _ := b.post(cancel, form, head...); code != http.StatusForbidden {
			t.Errorf("%q: %d", head, code)
		}
		if code, _, _ := b.post("/sign-in", url.Values{"name": {"ann"}, "password": {"password of ann"}}, head...); code != http.StatusForbidden {
			t.Errorf("signing in with %q: %d", head, code)
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "_POST"} {
		r, _ := http.NewRequest(method, b.base+cancel+"?_method=POST&form_token="+form.Get("form_token"), nil)
		r.Header.Set("X-HTTP-Method-Override", "POST")
		r.Header.Set("X-Method-Override", "POST")
		r.Header.Set("Origin", b.base)
		if code, _, _ := b.do(r); code < 400 {
			t.Errorf("%s: %d", method, code)
		}
	}
	for _, host := range []string{"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost", "localhost.", "0.0.0.0:" + strings.Split(b.base, ":")[2]} {
		r, _ := http.NewRequest(http.MethodGet, b.base+"/totals", nil)
		r.Host = host
		r.Header.Set("X-Forwarded-Host", strings.TrimPrefix(b.base, "http://"))
		if code, _, page := b.do(r); code != http.StatusMisdirectedRequest || strings.Contains(page, "flow-abc123") {
			t.Errorf("the host %s: %d", host, code)
		}
	}
	// A proxy's header means nothing without a proxy.
	r, _ := http.NewRequest(http.MethodGet, stranger.base+"/totals", nil)
	for _, name := range []string{"X-Remote-User", "X-Forwarded-User", "Remote-User"} {
		r.Header.Set(name, "ann")
	}
	if code, _, _ := stranger.do(r); code != http.StatusSeeOther {
		t.Errorf("a header with a name: %d", code)
	}
	large := url.Values{"name": {strings.Repeat("x", 1<<20)}, "password": {"x"}}
	if code, _, _ := stranger.post("/sign-in", large); code != http.StatusBadRequest {
		t.Errorf("a large form: %d", code)
	}
	large.Set("form_token", form.Get("form_token"))
	large.Set("text", strings.Repeat("x", 18<<20))
	if code, _, _ := b.post("/runs/here/flow-abc123/answer", large); code != http.StatusBadRequest {
		t.Errorf("a large answer: %d", code)
	}
	if len(d.acts)+len(d.given) > 0 {
		t.Errorf("something happened: %q, %+v", d.acts, d.given)
	}
}

// certificate writes a certificate for this machine, and returns its files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	public, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", public), write("key.pem", "PRIVATE KEY", secret)
}

func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	b := newBrowser(t, startServer(t, &fakeDesk{}, desk.Options{Users: people(t, nil), Cert: cert, Key: key})).stay()
	b.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	if !strings.HasPrefix(b.base, "https://") {
		t.Fatal(b.base)
	}
	code, head, page := b.signIn("ann", "password of ann")
	if cookie := head.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-wfc=") || !strings.Contains(cookie, "Secure") || strings.Contains(cookie, "Domain") || head.Get("Strict-Transport-Security") == "" {
		t.Errorf("%d %v\n%s", code, head, page)
	}
	b.post("/runs/here/flow-abc123/resume", url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}})
	if code, _, _ := b.post("/runs/here/flow-abc123/resume", url.Values{"form_token": {b.formToken("/runs/here/flow-abc123")}}, "Origin", strings.Replace(b.base, "https", "http", 1)); code != http.StatusForbidden {
		t.Errorf("the plain origin: %d", code)
	}
	jar, _ := cookiejar.New(nil)
	plain := &browser{t: t, Client: http.Client{Jar: jar}, base: strings.Replace(b.base, "https", "http", 1)}
	if code, _, page := plain.get("/totals"); code == 200 || strings.Contains(page, "flow-abc123") {
		t.Errorf("without TLS: %d", code)
	}
}

func TestWhereToListen(t *testing.T) {
	cert, key := certificate(t)
	public := "https://runs.example.com"
	proxy := map[string]any{"addresses": []string{"192.0.2.0/24"}, "name_header": "X-User", "groups_header": "X-Groups"}
	roles := map[string]any{"ops": []string{"operator"}}
	open := filepath.Join(t.TempDir(), "open.json")
	if err := os.WriteFile(open, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    desk.Options
		want string
	}{
		{"a token", desk.Options{}, "a token alone must not travel"},
		{"a token with TLS", desk.Options{Cert: cert, Key: key}, "a token alone must not travel"},
		{"users without TLS", desk.Options{Users: people(t, map[string]any{"url": public})}, "must not travel in the clear"},
		{"users without a name", desk.Options{Users: people(t, nil), Cert: cert, Key: key}, "by which browsers call the server"},
		{"nobody", desk.Options{Users: writeJSON(t, map[string]any{"url": public}), Cert: cert, Key: key}, "nobody may use the pages"},
		{"a file for all", desk.Options{Users: open}, "chmod 600"},
		{"users and a proxy that names them", desk.Options{Users: people(t, map[string]any{"proxy": proxy, "roles": roles})}, "either the proxy tells who people are"},
		{"a proxy without groups", desk.Options{Users: writeJSON(t, map[string]any{"proxy": map[string]any{"addresses": []string{"192.0.2.1"}, "name_header": "X-User"}})}, "add groups_header"},
		{"a proxy from anywhere", desk.Options{Users: writeJSON(t, map[string]any{"proxy": map[string]any{"name_header": "X-User"}})}, "add the addresses"},
		{"an unknown key", desk.Options{Users: people(t, map[string]any{"usres": 1})}, "usres"},
		{"a plain password", desk.Options{Users: writeJSON(t, map[string]any{"users": []any{map[string]any{"name": "ann", "password": "secret", "roles": []string{"viewer"}}}})}, "not a hash by bcrypt"},
		{"a provider without TLS", desk.Options{Users: writeJSON(t, map[string]any{"oidc": map[string]any{"issuer": "http://login.example.com", "client_id": "wfc"}, "roles": roles})}, "https:// URL of the provider"},
	} {
		c.o.Address = "0.0.0.0:0"
		c.o.Listening = func(a string) { t.Errorf("%s: it listens at %s", c.name, a) }
		if err := serve.Pages().(desk.Server).Serve(t.Context(), &fakeDesk{}, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestProxy(t *testing.T) {
	d := &fakeDesk{}
	file := func(address string) string {
		return writeJSON(t, map[string]any{
			"proxy": map[string]any{"addresses": []string{address}, "name_header": "X-User", "groups_header": "X-Groups"},
			"roles": map[string]any{"ops": []string{"operator"}, "release": []string{"approver", "release"}},
		})
	}
	run := "/runs/here/flow-abc123"
	// ask is a request with headers, as a proxy makes it.
	ask := func(b *browser, form url.Values, head ...string) (int, string) {
		t.Helper()
		method, path := http.MethodGet, run
		if form != nil {
			method, path = http.MethodPost, run+"/answer"
		}
		r, _ := http.NewRequest(method, b.base+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.base)
		for i := 0; i+1 < len(head); i += 2 {
			r.Header.Add(head[i], head[i+1])
		}
		code, _, page := b.do(r)
		return code, page
	}
	elsewhere := newBrowser(t, startServer(t, d, desk.Options{Users: file("192.0.2.1")})).stay()
	for _, head := range [][]string{{"X-User", "ann", "X-Groups", "ops"}, {"X-User", "ann", "X-Groups", "ops", "X-Forwarded-For", "192.0.2.1", "X-Real-IP", "192.0.2.1", "Forwarded", "for=192.0.2.1"}} {
		if code, page := ask(elsewhere, nil, head...); code != http.StatusForbidden || strings.Contains(page, "flow-abc123") {
			t.Errorf("the header from elsewhere: %d", code)
		}
	}
	b := newBrowser(t, startServer(t, d, desk.Options{Users: file("127.0.0.0/8")})).stay()
	for _, head := range [][]string{{}, {"X-User", "", "X-Groups", "ops"}, {"X-User", "ann", "X-User", "ben", "X-Groups", "ops"}, {"X-User", "ann, ben", "X-Groups", "ops"}} {
		if code, page := ask(b, nil, head...); code != http.StatusUnauthorized || strings.Contains(page, "flow-abc123") {
			t.Errorf("%q: %d", head, code)
		}
	}
	if code, _ := ask(b, nil, "X-User", "ann", "X-Groups", "others"); code != http.StatusForbidden {
		t.Errorf("no role: %d", code)
	}
	head := []string{"X-User", "ann", "X-Groups", "release, others", "X-Forwarded-For", "203.0.113.9, 198.51.100.7"}
	_, page := ask(b, nil, head...)
	found := formTokens.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no form:\n%s", page)
	}
	form := url.Values{"form_token": {found[1]}, "key": {"gate"}, "hash": {"h1"}, "choice": {"approve"}}
	if code, _ := ask(b, form, "X-User", "ben", "X-Groups", "release"); code != http.StatusForbidden {
		t.Errorf("a form of somebody else: %d", code)
	}
	if code, page := ask(b, form, head...); code != http.StatusSeeOther || len(d.given) != 1 {
		t.Fatalf("an answer by the proxy: %d\n%s", code, page)
	}
	p := d.given[0].Person
	if p.Name != "ann" || p.From != "page, 198.51.100.7 by the proxy 127.0.0.1" || !p.May("release") || !p.May("approver") || !p.May("viewer") || p.May("operator") {
		t.Errorf("the person is %+v", p)
	}
}

package access

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

// Users is the access of the people of a file: they sign in with a password or with a provider, or a
// proxy tells who they are.
type Users struct {
	path     string
	sessions *sessions
	limiter  *limiter
	// trying has a place for each password that is checked, which takes a processor a while.
	trying chan struct{}
	signer *signer

	mu   sync.Mutex
	file *File
	// fault is the error of the file as it is now: then nobody gets in, because the last content may
	// admit somebody who was removed.
	fault  error
	loaded time.Time
	// unknown is the hash that stands for unknown users, with the cost of the others.
	unknown []byte
}

// NewUsers returns the access that a file describes, and reads the file again when it changes.
func NewUsers(path string) (*Users, error) {
	u := &Users{
		path: path, trying: make(chan struct{}, 2),
		sessions: &sessions{now: time.Now, open: map[string]*session{}}, limiter: &limiter{now: time.Now, counted: map[string]*failures{}},
	}
	u.signer = newSigner(u)
	f, err := Read(path)
	if err != nil {
		return nil, err
	}
	return u, u.take(f)
}

// take uses the content of the file.
func (u *Users) take(f *File) error {
	cost := hashCost
	for _, one := range f.Users {
		if c, err := bcrypt.Cost([]byte(one.Password)); err == nil {
			cost = c
		}
	}
	if u.unknown == nil || u.file == nil || len(u.file.Users) == 0 {
		hash, err := bcrypt.GenerateFromPassword([]byte(newSecret()), cost)
		if err != nil {
			return err
		}
		u.unknown = hash
	}
	if u.file != nil {
		f.secret = u.file.secret
	}
	if f.OIDC != nil {
		if secret, ok := os.LookupEnv(f.OIDC.SecretVariable); ok {
			f.secret = secret
			os.Unsetenv(f.OIDC.SecretVariable) // nothing makes that fail
		} else if f.OIDC.SecretVariable != "" && f.secret == "" {
			return fmt.Errorf("oidc: set %s to the client's secret", f.OIDC.SecretVariable)
		}
	}
	u.file = f
	if info, err := os.Stat(u.path); err == nil {
		u.loaded = info.ModTime()
	}
	return nil
}

// refresh reads the file again if it has changed.
func (u *Users) refresh() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	info, err := os.Stat(u.path)
	if err == nil && info.ModTime().Equal(u.loaded) {
		return u.fault
	}
	f, err := Read(u.path)
	if err == nil {
		err = u.take(f)
	} else if info != nil {
		u.loaded = info.ModTime()
	}
	if u.fault = err; err != nil {
		log.Printf("--users: %v", err)
	}
	return err
}

// current returns the content of the file.
func (u *Users) current() *File {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.file
}

// URL is the address by which browsers call the server, or "".
func (u *Users) URL() string { return u.current().URL }

// Proxied reports whether only a proxy may call the server.
func (u *Users) Proxied() bool { return u.current().Proxy != nil }

// secure reports whether browsers call the server by HTTPS.
func (u *Users) secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(u.current().URL, "https://")
}

// Identify implements Access.
func (u *Users) Identify(w http.ResponseWriter, r *http.Request) (Visitor, bool) {
	if u.refresh() != nil {
		http.Error(w, "The file that says who may use the pages has an error; the server has printed it.", http.StatusServiceUnavailable)
		return Visitor{}, false
	}
	f := u.current()
	client, ok := f.client(r)
	if !ok {
		http.Error(w, "Only the proxy may call this server.", http.StatusForbidden)
		return Visitor{}, false
	}
	w.Header().Set("Cache-Control", "no-store")
	if f.Proxy != nil && f.Proxy.NameHeader != "" {
		return f.byProxy(w, r, client)
	}
	v, secret, found := u.visitor(r, client)
	switch r.URL.Path {
	case signInPath:
		u.signIn(w, r, f, client, secret)
		return Visitor{}, false
	case providerPath, callbackPath:
		if f.OIDC == nil {
			http.NotFound(w, r)
		} else if r.URL.Path == providerPath {
			u.signer.begin(w, r, f)
		} else {
			u.signer.finish(w, r, f, client, secret)
		}
		return Visitor{}, false
	}
	switch {
	case found:
		return v, true
	case r.Method == http.MethodGet && r.Header.Get("X-Part") == "" && r.URL.Path != "/live":
		http.Redirect(w, r, signInPath+"?"+url.Values{nextField: {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	default:
		http.Error(w, "Your session has ended. Sign in again.", http.StatusUnauthorized)
	}
	return Visitor{}, false
}

// client is the host that a request comes from, as the proxy tells it if there is one. It reports
// false if a request does not come from the proxy.
func (f *File) client(r *http.Request) (string, bool) {
	host := remoteHost(r)
	if f.Proxy == nil {
		return host, true
	}
	address, err := netip.ParseAddr(host)
	if err != nil || !f.Proxy.has(address) {
		return host, false
	}
	// The proxy has added the last one; others come from anywhere.
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if last, err := netip.ParseAddr(strings.TrimSpace(forwarded[len(forwarded)-1])); err == nil {
		return last.String(), true
	}
	return host, true
}

// byProxy is the visitor whom the proxy names.
func (f *File) byProxy(w http.ResponseWriter, r *http.Request, client string) (Visitor, bool) {
	names, groups := r.Header.Values(f.Proxy.NameHeader), strings.Join(r.Header.Values(f.Proxy.GroupsHeader), ",")
	if len(names) != 1 || checkName(names[0]) != nil {
		http.Error(w, "The proxy does not tell who you are.", http.StatusUnauthorized)
		return Visitor{}, false
	}
	roles := f.rolesOf(strings.Split(groups, ","))
	if len(roles) == 0 {
		http.Error(w, "None of your groups has a role here.", http.StatusForbidden)
		return Visitor{}, false
	}
	p := actions.Person{Name: names[0], Roles: roles, From: "page, " + client + " by the proxy " + remoteHost(r)}
	return Visitor{p, "proxy"}, true
}

// visitor is who has signed in, with the secret of the session.
func (u *Users) visitor(r *http.Request, client string) (v Visitor, secret string, ok bool) {
	c, err := r.Cookie(sessionCookie(r.Host, u.secure(r), "").Name)
	if err != nil {
		return v, "", false
	}
	s, ok := u.sessions.find(c.Value, r.URL.Path != "/live" && r.Header.Get("X-Part") == "")
	if !ok {
		return v, c.Value, false
	}
	v = Visitor{s.Person, c.Value}
	v.From = "page, " + client + v.From
	if v.Roles = u.current().rolesNow(s.Name, s.proof); len(v.Roles) == 0 {
		u.sessions.end(c.Value)
		return v, c.Value, false
	}
	return v, c.Value, true
}

// user returns the user of a name, or nil.
func (f *File) user(name string) *User {
	for i := range f.Users {
		if strings.EqualFold(f.Users[i].Name, name) {
			return &f.Users[i]
		}
	}
	return nil
}

// SignOut ends the session of a browser.
func (u *Users) SignOut(w http.ResponseWriter, r *http.Request) {
	if _, secret, _ := u.visitor(r, ""); secret != "" {
		u.sessions.end(secret)
	}
	http.SetCookie(w, sessionCookie(r.Host, u.secure(r), ""))
	http.Redirect(w, r, signInPath, http.StatusSeeOther)
}

// admit begins a session and shows the page that the browser wanted. The session that the browser
// had before ends: nobody knows who began it.
func (u *Users) admit(w http.ResponseWriter, r *http.Request, p actions.Person, why proof, before, next string) {
	if before != "" {
		u.sessions.end(before)
	}
	http.SetCookie(w, sessionCookie(r.Host, u.secure(r), u.sessions.begin(p, why)))
	http.Redirect(w, r, ownPath(next), http.StatusSeeOther)
}

// The pages of signing in, and the field with the page to show next.
const (
	signInPath   = "/sign-in"
	providerPath = "/sign-in/provider"
	callbackPath = "/sign-in/callback"
	nextField    = "next"
)

// ownPath returns a path of this server, or that of the first page.
func ownPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(u.Path, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(u.Path, signInPath) {
		return "/"
	}
	return u.RequestURI()
}

// maxSignIn is the size in bytes of the largest form of the page.
const maxSignIn = 8 << 10

// signIn shows the form, and takes it.
func (u *Users) signIn(w http.ResponseWriter, r *http.Request, f *File, client, before string) {
	page := signIn{Users: len(f.Users) > 0, Provider: f.OIDC != nil, Next: ownPath(r.URL.Query().Get(nextField))}
	if r.Method != http.MethodPost {
		writeSignIn(w, http.StatusOK, page)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form cannot be read, or it is too large.", http.StatusBadRequest)
		return
	}
	page.Next = ownPath(r.PostForm.Get(nextField))
	name := r.PostForm.Get("name")
	one, err := u.check(r.Context(), f, client, name, r.PostForm.Get("password"))
	if err != nil {
		page.Problem = err.Error()
		code := http.StatusUnauthorized
		if one == nil && err == errTooMany {
			w.Header().Set("Retry-After", fmt.Sprint(int(limitWindow.Seconds())))
			code = http.StatusTooManyRequests
		}
		writeSignIn(w, code, page)
		return
	}
	u.admit(w, r, actions.Person{Name: one.Name}, proof{password: one.Password}, before, page.Next)
}

// Errors of signing in. They say nothing about which names there are.
var (
	errWrong   = fmt.Errorf("name or password is wrong")
	errTooMany = fmt.Errorf("too many wrong passwords: try again in a quarter of an hour")
)

// check returns the user with a password. The work for a name that nobody has is the same.
func (u *Users) check(ctx context.Context, f *File, client, name, password string) (*User, error) {
	select {
	case u.trying <- struct{}{}:
		defer func() { <-u.trying }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	byName, byHost := "name "+strings.ToLower(name), "host "+hostNetwork(client)
	if u.limiter.refuses(byName, mostByName) || u.limiter.refuses(byHost, mostByHost) {
		return nil, errTooMany
	}
	one := f.user(name)
	u.mu.Lock()
	hash := u.unknown
	u.mu.Unlock()
	if one != nil {
		hash = []byte(one.Password)
	}
	if len(password) > longestPassword {
		password = "" // bcrypt would ignore the rest
	}
	if err := bcrypt.CompareHashAndPassword(hash, []byte(password)); err != nil || one == nil {
		u.limiter.fail(byName, byHost)
		return nil, errWrong
	}
	return one, nil
}

// hostNetwork is the network of a host that counts as one: whoever has an IPv6 address has 2^64.
func hostNetwork(host string) string {
	a, err := netip.ParseAddr(host)
	if err != nil || a.Is4() || a.Is4In6() {
		return host
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}

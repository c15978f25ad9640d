// Package access decides who may use the pages of the command serve: it identifies people, and
// refuses requests that another site or a foreign name of this machine made.
package access

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

// A Visitor is who makes a request.
type Visitor struct {
	actions.Person
	// Session identifies the session of the person's browser, so that a form of another session
	// counts for nothing.
	Session string
}

// An Access identifies people. It must be safe for concurrent use.
type Access interface {
	// Identify returns who makes a request. If it returns false, it has answered the request
	// itself: it has refused it, or it signs the person in.
	Identify(w http.ResponseWriter, r *http.Request) (Visitor, bool)
	// SignOut ends the session of a browser.
	SignOut(w http.ResponseWriter, r *http.Request)
}

// A Guard passes requests of known people on to a handler.
type Guard struct {
	access Access
	hosts  []string
	url    string
	next   http.Handler
	key    [32]byte
}

// NewGuard returns a guard. hosts are the names with ports under which browsers may call this
// server, and url is its address behind a proxy or by name, or "". Other names are refused, because
// they may belong to a site that has its name point to this machine (DNS rebinding).
func NewGuard(a Access, hosts []string, url string, next http.Handler) *Guard {
	g := &Guard{access: a, hosts: hosts, url: url, next: next}
	if _, host, ok := strings.Cut(url, "://"); ok {
		g.hosts = append(slices.Clip(hosts), host)
	}
	rand.Read(g.key[:]) // never fails
	return g
}

// LocalHosts are the names with ports by which this machine calls a server that listens at an
// address of it.
func LocalHosts(address string) []string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return []string{address}
	}
	list := []string{address}
	if IsLoopback(host) {
		list = append(list, "localhost:"+port, "127.0.0.1:"+port, "[::1]:"+port)
	}
	return list
}

// IsLoopback reports whether only this machine reaches a host.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ServeHTTP implements http.Handler.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	if r.TLS != nil {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	if !slices.Contains(g.hosts, r.Host) {
		http.Error(w, "This server does not answer to this name. Use the address that wfc serve printed.", http.StatusMisdirectedRequest)
		return
	}
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	if changes && !g.fromOwnPage(r) {
		http.Error(w, "Another site sent this request, so it was refused.", http.StatusForbidden)
		return
	}
	who, ok := g.access.Identify(w, r)
	if !ok {
		return
	}
	if who.From == "" {
		who.From = "page, " + remoteHost(r)
	}
	form := g.formToken(who)
	if changes {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "The form cannot be read, or it is larger than 17 MiB.", http.StatusBadRequest)
			return
		}
		if subtle.ConstantTimeCompare([]byte(r.PostForm.Get(FormField)), []byte(form)) != 1 {
			http.Error(w, "The form is of another session. Go back, reload the page, and send the form again.", http.StatusForbidden)
			return
		}
	}
	if changes && r.URL.Path == SignOutPath {
		g.access.SignOut(w, r)
		return
	}
	g.next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, identity{who.Person, form})))
}

// maxForm is the size in bytes of the largest form: an edited output of 16 MiB, and the rest.
const maxForm = 17 << 20

// fromOwnPage reports whether a browser says that a page of this server made a request.
func (g *Guard) fromOwnPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		return origin == schemeOf(r)+r.Host || g.url != "" && origin == g.url && "//"+r.Host == g.url[strings.Index(g.url, "//"):]
	}
	return r.Header.Get("Sec-Fetch-Site") == "same-origin"
}

func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://"
	}
	return "http://"
}

// IsSigning reports whether people sign in or out at a path.
func IsSigning(path string) bool { return strings.HasPrefix(path, "/sign-") }

// SignOutPath is the address of the form that ends a session.
const SignOutPath = "/sign-out"

// FormField is the name of the field that every form has with its token.
const FormField = "form_token"

// formToken returns the token of the forms of a visitor.
func (g *Guard) formToken(v Visitor) string {
	mac := hmac.New(sha256.New, g.key[:])
	mac.Write([]byte(v.Name + "\x00" + v.Session))
	return hex.EncodeToString(mac.Sum(nil))
}

type contextKey struct{}

type identity struct {
	person actions.Person
	form   string
}

// PersonOf returns who makes the request of a context, and the token for forms. The person has no
// role if no guard has let the request pass.
func PersonOf(ctx context.Context) (p actions.Person, formToken string) {
	i, _ := ctx.Value(contextKey{}).(identity)
	return i.person, i.form
}

// remoteHost is the host that sends a request.
func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

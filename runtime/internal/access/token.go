package access

import (
	"crypto/subtle"
	"html/template"
	"net"
	"net/http"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

// A Token is the access of the person who started the server: who has the token, is that person.
// The token is in the address that the server prints. A browser that calls the address gets a
// cookie in exchange, so that the token is in no later address.
type Token struct {
	name, token string
	// session is the value of the cookie. It doesn't tell the token.
	session string
}

// NewToken returns an access with a new token for a person.
func NewToken(name string) *Token { return &Token{name, newSecret(), newSecret()} }

// tokenField is the parameter of an address with the token.
const tokenField = "token"

// Address returns the address with which a browser signs in; base is that of the server.
func (t *Token) Address(base string) string { return base + "/?" + tokenField + "=" + t.token }

// Identify implements Access.
func (t *Token) Identify(w http.ResponseWriter, r *http.Request) (Visitor, bool) {
	cookie := cookieName(r.Host)
	if c, err := r.Cookie(cookie); err == nil && equalSecrets(c.Value, t.session) {
		if r.URL.Query().Has(tokenField) {
			redirectWithoutToken(w, r)
			return Visitor{}, false
		}
		return Visitor{actions.Person{Name: t.name, Roles: actions.AllRoles()}, c.Value}, true
	}
	w.Header().Set("Cache-Control", "no-store")
	problem := ""
	if r.URL.Query().Has(tokenField) {
		problem = "This is not the token of this server. A new start of wfc serve makes a new one."
	}
	switch {
	case r.Method == http.MethodGet && equalSecrets(r.URL.Query().Get(tokenField), t.token):
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: t.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
		redirectWithoutToken(w, r)
	case r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Site") == "cross-site":
		// A browser sends no strict cookie with a link of another site, such as one in a chat. A
		// page of this server that calls the same address gets it.
		writeSignIn(w, http.StatusOK, signIn{Again: true, Path: r.URL.RequestURI()})
	default:
		writeSignIn(w, http.StatusUnauthorized, signIn{Problem: problem})
	}
	return Visitor{}, false
}

// SignOut implements Access. The browser can sign in again with the token.
func (t *Token) SignOut(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: cookieName(r.Host), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil, MaxAge: -1})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func equalSecrets(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// cookieName has the port, because browsers send cookies to all ports of a host.
func cookieName(host string) string {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		port = "default"
	}
	return "wfc_" + port
}

// redirectWithoutToken calls the same page again, at an address that people may copy.
func redirectWithoutToken(w http.ResponseWriter, r *http.Request) {
	u := *r.URL
	q := u.Query()
	q.Del(tokenField)
	u.RawQuery, u.Scheme, u.Host = q.Encode(), "", ""
	if len(u.Path) > 1 && u.Path[1] == '/' {
		u.Path = "/" // it would name another host
	}
	http.Redirect(w, r, u.RequestURI(), http.StatusSeeOther)
}

// signIn is what the page shows on which people sign in.
type signIn struct {
	// Again says that the page calls Path.
	Again bool
	Path  string
	// Problem says what is wrong with the last attempt, or is "".
	Problem string
	// Users asks for a name and a password, and Provider offers to sign in elsewhere; without both,
	// the page asks for the token. Next is the page that follows.
	Users, Provider bool
	Next            string
}

func writeSignIn(w http.ResponseWriter, code int, s signIn) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(code)
	_ = signInPage.Execute(w, s) // the browser has gone
}

var signInPage = template.Must(template.New("sign-in").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
{{if .Again}}<meta http-equiv="refresh" content="0">{{end}}
<title>Sign in · wfc</title>
</head>
<body>
<main>
{{if .Again}}<p><a href="{{.Path}}">Continue to the page</a></p>
{{else}}<h1>Sign in</h1>
{{with .Problem}}<p role="alert">{{.}}</p>{{end}}
{{if .Users}}<form method="post" action="/sign-in"><input type="hidden" name="next" value="{{.Next}}">
<p><label>Name <input name="name" autocomplete="username" required></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password" required></label></p>
<p><button>Sign in</button></p></form>{{end}}
{{if .Provider}}<p><a href="/sign-in/provider?next={{.Next}}">Sign in with your organization</a></p>{{end}}
{{if not (or .Users .Provider)}}<p>Open the address that <code>wfc serve</code> printed, or enter its token.</p>
<form method="get" action="/"><p><label>Token <input name="token" type="password" autocomplete="off" required></label> <button>Sign in</button></p></form>{{end}}
{{end}}</main>
</body>
</html>
`))

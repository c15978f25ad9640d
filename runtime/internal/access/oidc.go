package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

// A signer signs people in with a provider of OpenID Connect: the flow with a code, PKCE, a state and
// a nonce, each for one sign-in of one browser.
type signer struct {
	users  *Users
	client *http.Client

	known atomic.Pointer[provider]

	mu    sync.Mutex
	begun map[string]signing // by state
}

// A provider is the one of an issuer.
type provider struct {
	*oidc.Provider
	issuer string
}

// A signing is a sign-in that has begun.
type signing struct {
	// browser is the secret of the cookie of the browser that began it.
	browser, nonce, verifier, next string
	begun                          time.Time
}

// signingLife is how long a person has at the provider, and mostSignings how many sign-ins there are
// at the same time.
const (
	signingLife  = 10 * time.Minute
	mostSignings = 1000
)

func newSigner(u *Users) *signer {
	return &signer{users: u, client: &http.Client{Timeout: 15 * time.Second}, begun: map[string]signing{}}
}

// discovered returns the provider, whose addresses and keys are at its issuer.
func (s *signer) discovered(ctx context.Context, o *OIDC) (*oidc.Provider, error) {
	if known := s.known.Load(); known != nil && known.issuer == o.Issuer {
		return known.Provider, nil
	}
	// The provider keeps the context for later requests of keys.
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), s.client), o.Issuer)
	if err == nil {
		s.known.Store(&provider{p, o.Issuer})
	}
	return p, err
}

func (s *signer) config(p *oidc.Provider, r *http.Request, f *File) *oauth2.Config {
	base := f.URL
	if base == "" {
		base = schemeOf(r) + r.Host
	}
	c := &oauth2.Config{
		ClientID: f.OIDC.ClientID, ClientSecret: f.secret, Endpoint: p.Endpoint(), RedirectURL: base + callbackPath,
		Scopes: append([]string{oidc.ScopeOpenID}, f.OIDC.Scopes...),
	}
	if len(f.OIDC.Scopes) == 0 {
		c.Scopes = append(c.Scopes, "email", "profile")
	}
	return c
}

// browserCookie binds a sign-in to the browser that began it. It comes back with the provider's
// redirection, which is of another site.
func (s *signer) browserCookie(r *http.Request, value string) *http.Cookie {
	c := sessionCookie(r.Host, s.users.secure(r), value)
	c.Name += "_sign_in"
	return c
}

// begin sends the browser to the provider.
func (s *signer) begin(w http.ResponseWriter, r *http.Request, f *File) {
	p, err := s.discovered(r.Context(), f.OIDC)
	if err != nil || r.Method != http.MethodGet {
		s.fail(w, f, http.StatusBadGateway, "the provider does not answer; try again later")
		return
	}
	one := signing{browser: newSecret(), nonce: newSecret(), verifier: oauth2.GenerateVerifier(), next: ownPath(r.URL.Query().Get(nextField)), begun: time.Now()}
	state := newSecret()
	s.mu.Lock()
	for key, old := range s.begun {
		if time.Since(old.begun) > signingLife || len(s.begun) >= mostSignings {
			delete(s.begun, key)
		}
	}
	s.begun[state] = one
	s.mu.Unlock()
	c := s.browserCookie(r, one.browser)
	c.MaxAge = int(signingLife.Seconds())
	http.SetCookie(w, c)
	http.Redirect(w, r, s.config(p, r, f).AuthCodeURL(state, oidc.Nonce(one.nonce), oauth2.S256ChallengeOption(one.verifier)), http.StatusSeeOther)
}

// finish signs the person in whom the provider has sent back.
func (s *signer) finish(w http.ResponseWriter, r *http.Request, f *File, client, before string) {
	state := r.URL.Query().Get("state")
	s.mu.Lock()
	one, known := s.begun[state]
	delete(s.begun, state) // it counts once
	s.mu.Unlock()
	cookie, err := r.Cookie(s.browserCookie(r, "").Name)
	http.SetCookie(w, s.browserCookie(r, ""))
	if !known || err != nil || time.Since(one.begun) > signingLife || !equalSecrets(cookie.Value, one.browser) || r.Method != http.MethodGet {
		s.fail(w, f, http.StatusBadRequest, "this browser did not begin this sign-in, or it took too long; sign in again")
		return
	}
	p, why, err := s.personOf(r, f, one)
	var refused *actions.RefusedError
	switch {
	case errors.As(err, &refused):
		s.fail(w, f, http.StatusForbidden, refused.Reason)
	case err != nil:
		s.fail(w, f, http.StatusBadGateway, "the provider's answer does not count; sign in again")
	default:
		s.users.admit(w, r, p, why, before, one.next)
	}
}

// personOf exchanges the code of a sign-in for the person's token, and checks that.
func (s *signer) personOf(r *http.Request, f *File, one signing) (p actions.Person, why proof, err error) {
	if r.URL.Query().Get("code") == "" {
		return p, why, &actions.RefusedError{Reason: "the provider did not sign you in"}
	}
	provider, err := s.discovered(r.Context(), f.OIDC)
	if err != nil {
		return p, why, err
	}
	ctx := oidc.ClientContext(r.Context(), s.client)
	tokens, err := s.config(provider, r, f).Exchange(ctx, r.URL.Query().Get("code"), oauth2.VerifierOption(one.verifier))
	if err != nil {
		return p, why, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := provider.Verifier(&oidc.Config{ClientID: f.OIDC.ClientID}).Verify(ctx, raw)
	if err != nil {
		return p, why, err
	}
	if !equalSecrets(token.Nonce, one.nonce) {
		return p, why, errors.New("the token is of another sign-in")
	}
	claims := map[string]any{}
	if err := token.Claims(&claims); err != nil {
		return p, why, err
	}
	name, _ := claims[f.OIDC.NameClaim].(string)
	if verified, told := claims["email_verified"].(bool); f.OIDC.NameClaim == "email" && told && !verified {
		return p, why, &actions.RefusedError{Reason: "your address is not verified at the provider"}
	}
	if name == "" {
		name = token.Subject
	}
	if err := checkName(name); err != nil {
		return p, why, &actions.RefusedError{Reason: "the provider gives you a name that cannot be used here"}
	}
	if f.user(name) != nil {
		return p, why, &actions.RefusedError{Reason: "your name belongs to somebody who has a password here"}
	}
	why = proof{issuer: f.OIDC.Issuer, groups: groupsOf(claims[f.OIDC.GroupsClaim])}
	if len(f.rolesOf(why.groups)) == 0 {
		return p, why, &actions.RefusedError{Reason: fmt.Sprintf("none of your groups has a role here, %s", name)}
	}
	issuer := f.OIDC.Issuer
	if u, err := url.Parse(issuer); err == nil {
		issuer = u.Host
	}
	return actions.Person{Name: name, From: ", known to " + issuer}, why, nil
}

// groupsOf reads a claim with groups: a list of strings, or a string.
func groupsOf(claim any) []string {
	switch v := claim.(type) {
	case string:
		return strings.Fields(strings.ReplaceAll(v, ",", " "))
	case []any:
		var list []string
		for _, one := range v {
			if text, ok := one.(string); ok && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
		return list
	}
	return nil
}

func (s *signer) fail(w http.ResponseWriter, f *File, code int, problem string) {
	writeSignIn(w, code, signIn{Users: len(f.Users) > 0, Provider: true, Next: "/", Problem: problem})
}

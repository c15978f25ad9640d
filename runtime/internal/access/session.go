package access

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

// A session ends this long after its last request, and after its sign-in, whatever happens.
const (
	sessionIdle = 2 * time.Hour
	sessionLife = 12 * time.Hour
)

// mostSessions is how many sessions there are at the same time; the oldest end first.
const mostSessions = 1000

// A session is a browser in which somebody has signed in.
type session struct {
	actions.Person
	proof
	begun, used time.Time
}

// A proof is why a person was let in. What the file says of it now decides on the roles, and whether
// the session goes on.
type proof struct {
	// password is the hash of the person's password, or "" if a provider knows the person: issuer,
	// which has put them into groups.
	password string
	issuer   string
	groups   []string
}

// rolesNow are the roles of a person with a proof. Without any, the person is out.
func (f *File) rolesNow(name string, p proof) []actions.Role {
	if p.password == "" {
		if f.OIDC == nil || f.OIDC.Issuer != p.issuer || f.user(name) != nil {
			return nil
		}
		return f.rolesOf(p.groups)
	}
	if one := f.user(name); one != nil && one.Password == p.password {
		return withViewer(one.Roles)
	}
	return nil
}

// sessions are the sessions by their secrets. They are in memory: a new start of the server ends
// them all.
type sessions struct {
	now func() time.Time

	mu   sync.Mutex
	open map[string]*session
}

// newSecret returns what nobody can guess.
func newSecret() string {
	var random [32]byte
	rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// begin begins a session and returns its secret.
func (s *sessions) begin(p actions.Person, why proof) string {
	secret, now := newSecret(), s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := ""
	for id, one := range s.open {
		if s.over(one) {
			delete(s.open, id)
		} else if oldest == "" || one.begun.Before(s.open[oldest].begun) {
			oldest = id
		}
	}
	if len(s.open) >= mostSessions {
		delete(s.open, oldest)
	}
	s.open[secret] = &session{p, why, now, now}
	return secret
}

func (s *sessions) over(one *session) bool {
	now := s.now()
	return now.Sub(one.used) > sessionIdle || now.Sub(one.begun) > sessionLife
}

// find returns an open session. A request that the browser makes by itself does not keep it open.
func (s *sessions) find(secret string, uses bool) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.open[secret]
	if one == nil || s.over(one) {
		delete(s.open, secret)
		return session{}, false
	}
	if uses {
		one.used = s.now()
	}
	return *one, true
}

func (s *sessions) end(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, secret)
}

// sessionCookie is the cookie of a session. secure says that browsers call the server by HTTPS, so
// that no other host and no plain connection can set it. Strict cookies would not come with links of
// other sites, such as notices in a chat; no GET changes anything.
func sessionCookie(host string, secure bool, value string) *http.Cookie {
	c := &http.Cookie{Name: cookieName(host), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure}
	if secure {
		c.Name = "__Host-wfc"
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

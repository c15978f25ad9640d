package access

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

func usersFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users.json")
	if err := AddUser(path, "ann", []actions.Role{actions.Operator}, "password of ann"); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAddUser(t *testing.T) {
	path := usersFile(t)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if err := AddUser(path, "ANN", []actions.Role{"release"}, "another password"); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil || len(f.Users) != 1 || f.Users[0].Name != "ANN" || strings.Contains(f.Users[0].Password, "password") {
		t.Fatalf("%+v, %v", f, err)
	}
	if bcrypt.CompareHashAndPassword([]byte(f.Users[0].Password), []byte("another password")) != nil {
		t.Error("the hash is of another password")
	}
	for _, c := range []struct{ name, role, password, want string }{
		{"ben", "viewer", "short", "at least 12"},
		{"ben", "viewer", strings.Repeat("x", 73), "at most 72"},
		{"a,b", "viewer", "long enough for it", "no commas"},
		{" ben", "viewer", "long enough for it", "no spaces"},
		{"b\u202een", "viewer", "long enough for it", "a name has"},
		{"ben", "", "long enough for it", "is not a role"},
	} {
		if err := AddUser(path, c.name, []actions.Role{actions.Role(c.role)}, c.password); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.name, err)
		}
	}
}

// The time of a sign-in must not tell which names there are.
func TestUnknownUsersTakeTheSameWork(t *testing.T) {
	u, err := NewUsers(usersFile(t))
	if err != nil {
		t.Fatal(err)
	}
	known, err := bcrypt.Cost([]byte(u.file.Users[0].Password))
	unknown, otherErr := bcrypt.Cost(u.unknown)
	if err != nil || otherErr != nil || known != unknown || known < 12 {
		t.Errorf("costs %d and %d, %v, %v", known, unknown, err, otherErr)
	}
}

func TestSessionsEnd(t *testing.T) {
	now := time.Now()
	s := &sessions{now: func() time.Time { return now }, open: map[string]*session{}}
	id := s.begin(actions.Person{Name: "ann"}, proof{password: "hash"})
	now = now.Add(sessionIdle - time.Second)
	if _, ok := s.find(id, false); !ok {
		t.Error("it ended early")
	}
	now = now.Add(2 * time.Second)
	if _, ok := s.find(id, true); ok {
		t.Error("a request that the page made by itself kept the session open")
	}
	id = s.begin(actions.Person{Name: "ann"}, proof{password: "hash"})
	for range int(sessionLife / time.Hour) {
		if _, ok := s.find(id, true); !ok {
			t.Fatal("a used session ended early")
		}
		now = now.Add(time.Hour)
	}
	now = now.Add(time.Minute)
	if _, ok := s.find(id, true); ok {
		t.Error("a session has no end")
	}
	first := s.begin(actions.Person{Name: "ann"}, proof{password: "hash"})
	for range mostSessions {
		now = now.Add(time.Millisecond)
		s.begin(actions.Person{Name: "ben"}, proof{password: "hash"})
	}
	if _, ok := s.find(first, true); ok || len(s.open) > mostSessions {
		t.Errorf("%d sessions", len(s.open))
	}
}

// A server behind a name answers to it, and takes forms of it.
func TestAddressForBrowsers(t *testing.T) {
	u, err := NewUsers(usersFile(t))
	if err != nil {
		t.Fatal(err)
	}
	reached := 0
	g := NewGuard(u, []string{"127.0.0.1:9000"}, "https://runs.example.com", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"runs.example.com", "https://runs.example.com", http.StatusUnauthorized},
		{"127.0.0.1:9000", "http://127.0.0.1:9000", http.StatusUnauthorized},
		{"runs.example.com", "https://evil.example", http.StatusForbidden},
		{"127.0.0.1:9000", "https://runs.example.com", http.StatusForbidden},
		{"evil.example", "https://runs.example.com", http.StatusMisdirectedRequest},
		{"runs.example.com.evil.example", "https://runs.example.com", http.StatusMisdirectedRequest},
	} {
		r := httptest.NewRequest(http.MethodPost, "/runs/a/b/cancel", nil)
		r.Host = c.host
		r.Header.Set("Origin", c.origin)
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
	if reached > 0 {
		t.Error("a stranger reached the pages")
	}
}

// No process that the server starts gets the secret of the provider.
func TestSecretIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.json")
	f := File{OIDC: &OIDC{Issuer: "https://login.example.com", ClientID: "wfc", SecretVariable: "TEST_OIDC_SECRET"}, Roles: map[string][]actions.Role{"ops": {actions.Operator}}}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewUsers(path); err == nil || !strings.Contains(err.Error(), "TEST_OIDC_SECRET") {
		t.Errorf("without the secret: %v", err)
	}
	t.Setenv("TEST_OIDC_SECRET", "hush")
	u, err := NewUsers(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, left := os.LookupEnv("TEST_OIDC_SECRET"); left || u.current().secret != "hush" {
		t.Error("the environment still has the secret")
	}
	again, err := Read(path)
	if err = errors.Join(err, u.take(&File{}), u.take(again)); err != nil || u.current().secret != "hush" {
		t.Errorf("a file without the provider has lost the secret: %v", err)
	}
}

// A page that updates itself while nobody uses it does not keep the session open.
func TestPagesByThemselvesKeepNoSession(t *testing.T) {
	for _, c := range []struct {
		path, part string
		want       int
	}{{"/totals", "", http.StatusOK}, {"/totals", "1", http.StatusUnauthorized}, {"/live", "", http.StatusUnauthorized}} {
		u, err := NewUsers(usersFile(t))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		u.sessions.now = func() time.Time { return now }
		id := u.sessions.begin(actions.Person{Name: "ann"}, proof{password: u.file.Users[0].Password})
		g := NewGuard(u, []string{"127.0.0.1:9000"}, "", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		code := 0
		for range 3 {
			now = now.Add(sessionIdle - time.Minute)
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.Host = "127.0.0.1:9000"
			if c.part != "" {
				r.Header.Set("X-Part", c.part)
			}
			r.AddCookie(sessionCookie(r.Host, false, id))
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			code = w.Code
		}
		if code != c.want {
			t.Errorf("%s, part %q: %d, want %d", c.path, c.part, code, c.want)
		}
	}
}

// bcrypt compares the first 72 bytes alone, which are not the password of who adds some.
func TestLongPasswords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users.json")
	password := strings.Repeat("x", longestPassword)
	if err := AddUser(path, "ann", []actions.Role{actions.Viewer}, password); err != nil {
		t.Fatal(err)
	}
	u, err := NewUsers(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.check(t.Context(), u.file, "127.0.0.1", "ann", password); err != nil {
		t.Errorf("the password: %v", err)
	}
	if _, err := u.check(t.Context(), u.file, "127.0.0.1", "ann", password+"y"); err == nil {
		t.Error("more than the password signs in")
	}
}

// Nobody can finish a sign-in at a provider that began long ago.
func TestSignInsEnd(t *testing.T) {
	u, err := NewUsers(usersFile(t))
	if err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]string{signingLife - time.Minute: "did not sign you in", signingLife + time.Minute: "took too long"} {
		u.signer.begun["s"] = signing{browser: "secret", begun: time.Now().Add(-age)}
		r := httptest.NewRequest(http.MethodGet, callbackPath+"?state=s", nil)
		r.AddCookie(u.signer.browserCookie(r, "secret"))
		w := httptest.NewRecorder()
		u.signer.finish(w, r, u.file, "127.0.0.1", "")
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("after %s: %d\n%s", age, w.Code, w.Body)
		}
	}
}

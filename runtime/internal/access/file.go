package access

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
)

// A File says who may use the pages. It is the JSON file of `serve --users`.
type File struct {
	// URL is the address by which browsers call the server, such as https://runs.example.com. Only
	// this machine needs none.
	URL string `json:"url,omitempty"`
	// Users sign in with a password.
	Users []User `json:"users,omitempty"`
	// OIDC is a provider with which people sign in, and Proxy one that tells who they are.
	OIDC  *OIDC  `json:"oidc,omitempty"`
	Proxy *Proxy `json:"proxy,omitempty"`
	// Roles are the roles of the groups that OIDC or Proxy tell.
	Roles map[string][]actions.Role `json:"roles,omitempty"`

	// secret is that of the client at the provider. No process that the server starts gets it.
	secret string
}

// A User signs in with a password.
type User struct {
	Name string `json:"name"`
	// Password is the password's hash by bcrypt.
	Password string         `json:"password"`
	Roles    []actions.Role `json:"roles"`
}

// An OIDC is a provider of OpenID Connect.
type OIDC struct {
	Issuer   string `json:"issuer"`
	ClientID string `json:"client_id"`
	// SecretVariable is the environment variable with the client's secret, or "".
	SecretVariable string `json:"secret_variable,omitempty"`
	// NameClaim is the claim with the person's name, "email" if absent, and GroupsClaim the one with
	// the groups, "groups" if absent. Scopes are those to ask for besides openid.
	NameClaim   string   `json:"name_claim,omitempty"`
	GroupsClaim string   `json:"groups_claim,omitempty"`
	Scopes      []string `json:"scopes,omitempty"`
}

// A Proxy is the only one that may call the server.
type Proxy struct {
	// Addresses are the addresses or networks from which the proxy calls.
	Addresses []string `json:"addresses"`
	// NameHeader is the header with the person's name; without one, people sign in here.
	// GroupsHeader has the groups, separated by commas.
	NameHeader   string `json:"name_header,omitempty"`
	GroupsHeader string `json:"groups_header,omitempty"`

	networks []netip.Prefix
}

// has reports whether an address is the proxy's.
func (p *Proxy) has(address netip.Addr) bool {
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(address.Unmap()) })
}

// Read reads a file that says who may use the pages.
func Read(path string) (*File, error) {
	text, err := wholefile.Source.Read(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s: other users may read or write it: call `chmod 600 %[1]s`", path)
	}
	var f File
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		offset := min(d.InputOffset(), int64(len(text)))
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = wrong.Offset
		}
		line := 1 + bytes.Count(text[:offset], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: %w", path, line, plain.JSONError(err, ""))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: remove what follows the JSON object", path)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &f, nil
}

func (f *File) check() error {
	if f.URL != "" {
		u, err := url.Parse(f.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
			return fmt.Errorf("url %q: write the address without a path, such as https://runs.example.com", f.URL)
		}
		f.URL = u.Scheme + "://" + u.Host
	}
	for i := range f.Users {
		u := &f.Users[i]
		if err := checkName(u.Name); err != nil {
			return err
		}
		if f.user(u.Name) != u {
			return fmt.Errorf("duplicate user %s", u.Name)
		}
		if _, err := bcrypt.Cost([]byte(u.Password)); err != nil {
			return fmt.Errorf("the password of %s is not a hash by bcrypt: remove the user, and call `wfc serve --add-user %[1]s`", u.Name)
		}
		if err := checkRoleNames(u.Roles); err != nil {
			return fmt.Errorf("user %s: %w", u.Name, err)
		}
	}
	for group, roles := range f.Roles {
		if err := checkRoleNames(roles); err != nil {
			return fmt.Errorf("group %s: %w", group, err)
		}
	}
	if o := f.OIDC; o != nil {
		u, err := url.Parse(o.Issuer)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && IsLoopback(u.Hostname())):
			return fmt.Errorf("oidc: issuer %q: write the https:// URL of the provider", o.Issuer)
		case o.ClientID == "":
			return errors.New("oidc: add the client_id that the provider knows")
		case len(f.Roles) == 0:
			return errors.New("oidc: add the roles of the provider's groups, such as \"roles\": {\"ops\": [\"operator\"]}")
		}
		o.NameClaim, o.GroupsClaim = cmp.Or(o.NameClaim, "email"), cmp.Or(o.GroupsClaim, "groups")
	}
	if p := f.Proxy; p != nil {
		for _, text := range p.Addresses {
			n, err := netip.ParsePrefix(text)
			if a, addressErr := netip.ParseAddr(text); addressErr == nil {
				n, err = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
			}
			if err != nil {
				return fmt.Errorf("proxy: %q is neither an address nor a network such as 10.0.0.0/24", text)
			}
			p.networks = append(p.networks, n)
		}
		switch {
		case len(p.networks) == 0:
			return errors.New("proxy: add the addresses from which it calls")
		case p.NameHeader != "" && (len(f.Users) > 0 || f.OIDC != nil):
			return errors.New("proxy: remove name_header, or users and oidc: either the proxy tells who people are, or they sign in here")
		case p.GroupsHeader != "" && len(f.Roles) == 0, p.NameHeader != "" && p.GroupsHeader == "":
			return errors.New("proxy: add groups_header and the roles of its groups, such as \"roles\": {\"ops\": [\"operator\"]}")
		}
	}
	if len(f.Users) == 0 && f.OIDC == nil && (f.Proxy == nil || f.Proxy.NameHeader == "") {
		return errors.New("nobody may use the pages: add users, oidc, or a proxy with a name_header; `wfc serve --add-user NAME` adds a user")
	}
	return nil
}

// checkName refuses names that records of answers could not tell apart or show.
func checkName(name string) error {
	if name == "" || len(name) > 100 || name != strings.TrimSpace(name) || plain.Line(name) != name || strings.ContainsAny(name, ",;") {
		return fmt.Errorf("user %q: a name has 1 to 100 characters, no commas, and no spaces at its ends", name)
	}
	return nil
}

// checkRoleNames refuses no roles, and texts that cannot be the names of roles.
func checkRoleNames(roles []actions.Role) error {
	if len(roles) == 0 {
		return errors.New("add roles: viewer, operator, approver, or one that a gate asks for")
	}
	for _, r := range roles {
		if r == "" || strings.ContainsAny(string(r), ", \t\n") {
			return fmt.Errorf("%q is not a role", r)
		}
	}
	return nil
}

// withViewer are the roles of a person: whoever has one may see the runs.
func withViewer(roles []actions.Role) []actions.Role {
	if len(roles) > 0 && !slices.Contains(roles, actions.Viewer) {
		return append([]actions.Role{actions.Viewer}, roles...)
	}
	return roles
}

// rolesOf are the roles of groups.
func (f *File) rolesOf(groups []string) []actions.Role {
	var list []actions.Role
	for _, g := range groups {
		list = append(list, f.Roles[strings.TrimSpace(g)]...)
	}
	slices.Sort(list)
	return withViewer(slices.Compact(list))
}

// hashCost makes each guess at a password cost about a quarter of a second.
const hashCost = 12

// The lengths of passwords; bcrypt takes no more bytes.
const (
	shortestPassword = 12
	longestPassword  = 72
)

// AddUser adds a user to the file at path, or replaces the one with the name. It makes the file if
// there is none.
func AddUser(path, name string, roles []actions.Role, password string) error {
	switch {
	case len(password) < shortestPassword:
		return fmt.Errorf("a password needs at least %d characters", shortestPassword)
	case len(password) > longestPassword:
		return fmt.Errorf("a password has at most %d bytes", longestPassword)
	}
	if err := cmp.Or(checkName(name), checkRoleNames(roles)); err != nil {
		return err
	}
	f, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = &File{}, nil
	}
	if err != nil {
		return err
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), hashCost)
	if err != nil {
		return err
	}
	f.Users = slices.DeleteFunc(f.Users, func(u User) bool { return strings.EqualFold(u.Name, name) })
	f.Users = append(f.Users, User{name, string(hash), roles})
	if err := f.check(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(path, append(text, '\n'), 0o600, true)
}

// Package databaseurl reads the URLs of PostgreSQL databases and shows them
// without passwords.
//
//	u, err := databaseurl.Parse(os.Getenv("WFC_DATABASE_URL"))
//	if err != nil {
//		return err
//	}
//	log.Printf("runs are kept in %s", u)
//
// A URL parser is generous: in postgres://ann:12/34@host/name it finds the host
// ann with port 12, and a database called 34@host/name. A password that its author forgot to
// encode would then be shown wherever the URL is. So this package refuses every URL in which
// a character may belong to an unencoded password, and its errors never quote such a URL.
package databaseurl

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// example is a URL for error messages.
const example = "postgres://user:password@host:5432/name"

// The errors of Parse. None of them quotes the URL.
var (
	errScheme = errors.New("the database's URL must begin with postgres://, as in " + example)
	errRead   = errors.New("the database's URL cannot be read: encode special characters of a password (@ as %40, / as %2F, # as %23, ? as %3F, : as %3A, % as %25) and write it as " + example)
)

// A URL is the URL of a database that may hold passwords. Its String has none.
type URL struct{ *url.URL }

// Parse reads the URL of a database. Its errors quote nothing of the URL, since
// any part of one that is mistyped may be a password.
func Parse(text string) (*URL, error) {
	_, rest, ok := cutScheme(text)
	if !ok {
		return nil, errScheme
	}
	u, err := url.Parse(text)
	if err != nil || strings.Contains(rest, "#") {
		return nil, errRead
	}
	// The part before the first / or ? is who and where. An @ behind it means that
	// it ended within a password, unless it belongs to a value that is never shown.
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		path, query, _ := strings.Cut(rest[end:], "?")
		if strings.Contains(path, "@") {
			return nil, errRead
		}
		for _, setting := range strings.Split(query, "&") {
			if key, value, _ := strings.Cut(setting, "="); strings.Contains(key, "@") || strings.Contains(value, "@") && !isSecret(key) {
				return nil, errRead
			}
		}
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return nil, errRead
	}
	return &URL{u}, nil
}

func cutScheme(text string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(text, "://")
	return scheme, rest, ok && (scheme == "postgres" || scheme == "postgresql")
}

// isSecret reports whether a setting of a URL, as it is written there, is never
// shown. Databases decode names, and some read them in any case.
func isSecret(key string) bool {
	if decoded, err := url.QueryUnescape(key); err == nil {
		key = decoded
	}
	switch strings.ToLower(key) {
	case "password", "sslpassword":
		return true
	}
	return false
}

// Secrets returns the passwords of the URL in every form in which an error may
// repeat them, the longest first.
func (u *URL) Secrets() []string {
	var list []string
	add := func(raw, password string) {
		list = append(list, raw, password, url.QueryEscape(password), url.PathEscape(password), url.UserPassword("", password).String()[1:])
	}
	if password, ok := u.User.Password(); ok {
		_, raw, _ := strings.Cut(u.User.String(), ":")
		add(raw, password)
	}
	for _, setting := range strings.Split(u.RawQuery, "&") {
		if key, raw, _ := strings.Cut(setting, "="); isSecret(key) {
			password, err := url.QueryUnescape(raw)
			if err != nil {
				password = raw
			}
			add(raw, password)
		}
	}
	// If one secret contains another, the longer goes first.
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

// HasPassword reports whether the URL holds a password.
func (u *URL) HasPassword() bool {
	_, password := u.User.Password()
	return password || slices.ContainsFunc(strings.Split(u.RawQuery, "&"), func(setting string) bool {
		key, _, _ := strings.Cut(setting, "=")
		return isSecret(key)
	})
}

// tableSettings are the settings of a URL that say which tables it leads to.
var tableSettings = []string{"host", "port", "dbname", "database", "search_path", "options", "service"}

// Tables returns the URL with only those settings that say which tables it leads to.
func (u *URL) Tables() *URL {
	short := *u.URL
	settings := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(setting string) bool {
		key, _, _ := strings.Cut(setting, "=")
		return !slices.Contains(tableSettings, key)
	})
	short.RawQuery = strings.Join(settings, "&")
	return &URL{&short}
}

// String returns the URL without its passwords.
func (u *URL) String() string {
	shown := *u.URL
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	var settings []string
	for _, setting := range strings.Split(u.RawQuery, "&") {
		if key, _, _ := strings.Cut(setting, "="); setting != "" && !isSecret(key) {
			settings = append(settings, setting)
		}
	}
	shown.RawQuery = strings.Join(settings, "&")
	return shown.String()
}

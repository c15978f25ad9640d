package process

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Only this file decides which values are secrets: it serves the withholding of
// variables, the masking of logs and the hiding of values in plans.

// shortestSecret is the length in bytes of the shortest value that is masked.
// Masking shorter ones would riddle logs and hide nothing.
const shortestSecret = 6

// NamesSecret reports whether a variable's name says that its value is a secret, in
// any case: names such as *_TOKEN, *_KEY, *PASSWORD*, *_PWD, *_CREDENTIALS, *_PAT,
// *_JWT, *_DSN, *_WEBHOOK_URL, *_AUTH, *COOKIE and *_PEM. Names of sizes, switches
// and folders, such as MAX_TOKEN, USE_AUTH and OLD_PWD, are not among them.
func NamesSecret(name string) bool {
	name = strings.ToUpper(name)
	if name == stepKeyVariable {
		return false // a node's id is not a secret, and its log is about it
	}
	first, _, _ := strings.Cut(name, "_")
	has := func(list []string, is func(name, part string) bool) bool {
		return slices.ContainsFunc(list, func(part string) bool { return is(name, part) })
	}
	switch {
	case has(secretParts, strings.Contains), slices.Contains(secretWords, name):
		return true
	case strings.HasSuffix(name, "_PWD") && slices.Contains(folderWords, first),
		strings.HasSuffix(name, "_AUTH") && slices.Contains(switchWords, first),
		strings.HasSuffix(name, "_TOKEN") && slices.Contains(sizeWords, first):
		return false
	case strings.HasPrefix(name, "WFC_") && strings.HasSuffix(name, "_URL"):
		return true // where results are delivered to, and the database
	}
	return has(secretEnds, strings.HasSuffix)
}

// The tables of NamesSecret, in capitals.
var (
	// secretParts make a name a secret's anywhere in it.
	secretParts = []string{"SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "APIKEY"}
	// secretWords are whole names.
	secretWords = []string{
		"PASS", "PAT", "JWT", "DSN", "PEM", "CREDS", "CREDENTIAL", "CREDENTIALS", "WEBHOOK", "WEBHOOK_URL", "BEARER", "DOCKER_AUTH_CONFIG",
	}
	// secretEnds end names of secrets. The URL of a database holds its password,
	// and that of a webhook is one.
	secretEnds = []string{
		"TOKEN", "_KEY", "_PASS", "_PWD", "_PAT", "_JWT", "_DSN", "_PEM", "_AUTH", "_BEARER", "AUTHORIZATION", "COOKIE", "COOKIES",
		"_CREDS", "_CREDENTIAL", "_CREDENTIALS", "API_KEYS", "_TOKENS_JSON", "DATABASE_URL", "_WEBHOOK", "_WEBHOOK_URL", "_WEBHOOK_URI",
		"_CONNECTION_STRING", "_CONNECTIONSTRING",
	}
	// folderWords begin names that end with _PWD and hold a folder, switchWords
	// those that end with _AUTH and switch something on or off, sizeWords those
	// that end with _TOKEN and hold a number.
	folderWords = []string{"OLD", "ORIG", "ORIGINAL", "INIT", "START", "LAST", "PREV"}
	switchWords = []string{"USE", "ENABLE", "DISABLE", "NO", "SKIP", "REQUIRE", "ALLOW", "HAS", "IS", "WITH", "SSH"}
	sizeWords   = []string{"MAX", "MIN", "NUM", "TOTAL"}
)

// Secret reports whether a variable is a secret: by its name, or because its value
// holds a URL with a password.
func Secret(name, value string) bool {
	return NamesSecret(name) || len(urlPasswords(value)) > 0
}

// aliasPrefix begins the names under which Secrets lists variables whose own name shows
// nothing.
const aliasPrefix = "SECRET_"

// Secrets returns the entries of an environment that must not be shown: those
// that are secrets by name or value, and those that are named, because settings
// say that they hold an address, a token or a key. An entry whose name does not look like
// a secret's is listed under one that does, so that code that masks the secrets of an
// environment also masks those of the list.
func Secrets(environ, named []string) []string {
	var list []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case name == "":
		case Secret(name, value) && (NamesSecret(name) || !slices.Contains(named, name)):
			list = append(list, entry)
		case slices.Contains(named, name):
			list = append(list, aliasPrefix+entry)
		}
	}
	return list
}

// plainValues are values that no secret has: masking them would riddle logs.
var plainValues = []string{"enabled", "disabled", "default", "required", "optional", "unknown"}

// valuesOf returns the strings to mask for a variable: none if it is not a secret.
// Besides the value itself these are its parts that may be shown alone.
func valuesOf(name, value string) []string {
	value = strings.TrimSpace(value)
	byName, found := NamesSecret(name), urlPasswords(value)
	if !byName && len(found) == 0 || slices.Contains(plainValues, strings.ToLower(value)) {
		return nil
	}
	list := append([]string{value}, found...)
	if byName {
		list = append(list, linesOf(value)...)
		list = append(list, partsOfURL(value)...)
		list = append(list, leavesOf(value)...)
		list = append(list, settingsOf(name, value)...)
	}
	return list
}

// linesOf returns the lines of a value of several, such as a PEM file's, without
// those that all such values have.
func linesOf(value string) []string {
	const shortest = 16
	if !strings.Contains(value, "\n") {
		return nil
	}
	var list []string
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortest && !strings.HasPrefix(line, "-----") {
			list = append(list, line)
		}
	}
	return list
}

// databaseSchemes are those of URLs of which only the password is a secret.
var databaseSchemes = []string{
	"postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis", "rediss", "amqp", "amqps", "sqlserver", "sqlite", "file",
}

// partsOfURL returns the secret parts of a URL that is a secret as a whole, such as a
// webhook's: its path and query, and the parts of it that look random.
func partsOfURL(value string) []string {
	const shortest = 12 // `services` is none
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || slices.Contains(databaseSchemes, u.Scheme) {
		return nil
	}
	var list []string
	if uri := u.RequestURI(); len(uri) >= shortest {
		list = append(list, uri)
	}
	for _, part := range append(strings.FieldsFunc(u.Path+"&"+u.RawQuery, func(r rune) bool { return strings.ContainsRune("/&=", r) }), u.User.Username()) {
		if len(part) >= shortest && (strings.ContainsAny(part, "0123456789") || strings.ToLower(part) != part) {
			list = append(list, part)
		}
	}
	return list
}

// settingKeys are keys in connection strings that hold secrets, in lower case, beyond the
// names of secret variables.
var settingKeys = []string{"pwd", "accountkey", "sharedaccesskey", "sig", "sas"}

// settingsOf returns the secrets within a value that consists of settings such as
// `host=db password=x` or `Server=db;Pwd=x`, and all long ones of a cookie.
func settingsOf(name, value string) []string {
	const shortest = 8
	cookie := strings.Contains(strings.ToUpper(name), "COOKIE")
	var list []string
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r <= ' ' || r == ';' || r == '&' }) {
		key, v, ok := strings.Cut(part, "=")
		if ok && (NamesSecret(key) || slices.Contains(settingKeys, strings.ToLower(key)) || cookie && len(v) >= shortest) {
			list = append(list, strings.Trim(v, `'"`))
		}
	}
	return list
}

// leavesOf returns the secrets within a value that is a JSON object, such as the
// key of a service account.
func leavesOf(value string) []string {
	var object map[string]any
	if !strings.HasPrefix(value, "{") || json.Unmarshal([]byte(value), &object) != nil {
		return nil
	}
	var list []string
	var walk func(object map[string]any)
	walk = func(object map[string]any) {
		for key, v := range object {
			switch v := v.(type) {
			case map[string]any:
				walk(v)
			case string:
				if NamesSecret(key) || strings.EqualFold(key, "auth") {
					list = append(append(list, strings.TrimSpace(v)), linesOf(v)...)
				}
			}
		}
	}
	walk(object)
	return list
}

// urlPasswords returns the passwords in the URLs of a text, as they are written and
// decoded, and the names and passwords together.
func urlPasswords(text string) []string {
	var list []string
	for at := strings.Index(text, "://"); at >= 0; at = strings.Index(text, "://") {
		before := text[:at]
		scheme := before[1+strings.LastIndexFunc(before, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`"'<>,;=`, r) }):]
		text = text[at+len("://"):]
		rest := text
		if end := strings.IndexAny(rest, " \t\r\n\"'<>"); end >= 0 {
			rest = rest[:end]
		}
		user := userOf(rest, slices.Contains(databaseSchemes, scheme))
		_, password, ok := strings.Cut(user, ":")
		if !ok || password == "" {
			continue
		}
		list = append(list, password, user)
		if plain, err := url.PathUnescape(password); err == nil && plain != password {
			list = append(list, plain)
		}
	}
	return list
}

// userOf returns the part of a URL, without its scheme, before the host. If the authority
// has none, the password may hold characters that should have been encoded: it then ends
// at the last @, unless the part before it looks like a host with a port. It never does
// in the URL of a database, whose path and query hold no @.
func userOf(rest string, database bool) string {
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return authority[:at]
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return ""
	}
	name, password, ok := strings.Cut(rest[:at], ":")
	digits := len(password) - len(strings.TrimLeft(password, "0123456789"))
	port := !database && digits > 0 && (digits == len(password) || strings.ContainsRune("/?#", rune(password[digits])))
	if !ok || port || strings.ContainsAny(name, "/?#") {
		return ""
	}
	return rest[:at]
}

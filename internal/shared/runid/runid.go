// Package runid makes and checks the ids of runs.
package runid

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Latest is the name of the run that was created last, so it is never an id.
const Latest = "latest"

// New makes an id for a run: the workflow's name in a form that is harmless
// everywhere, a hyphen and six random letters or digits.
func New(workflow string) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	var suffix strings.Builder
	for suffix.Len() < 6 {
		var b [8]byte
		rand.Read(b[:]) // never fails; the program ends if the system has no randomness
		for _, c := range b {
			// 252 is a multiple of 36; bytes above it would favour some letters.
			if c < 252 && suffix.Len() < 6 {
				suffix.WriteByte(letters[int(c)%len(letters)])
			}
		}
	}
	return Slug(workflow) + "-" + suffix.String()
}

// Hash returns the first hexadecimal digits of a hash of parts.
func Hash(digits int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:digits]
}

// ChildMark separates the id of a parent from the step of its child.
const ChildMark = "--"

// Head returns the beginning of a parent's id that the ids of its children have if they
// would be too long with all of it.
func Head(id string) string { return id[:min(len(id), 40)] }

// Child returns the id of the run that a step of a run begins.
func Child(parent, step string) string {
	name := Slug(step)
	id := parent + ChildMark + name
	if name != step {
		id += "-" + Hash(6, parent, step)
	}
	if len(id) > maxID {
		id = Head(parent) + ChildMark + Hash(16, parent, step)
	}
	return id
}

// maxID is the longest id of a run.
const maxID = 100

// Valid reports whether a text can be the id of a run, which is also the name
// of its folder.
func Valid(id string) bool {
	alnum := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	for i := range len(id) {
		if !alnum(id[i]) && (i == 0 || !strings.ContainsRune(".-_", rune(id[i]))) {
			return false
		}
	}
	return id != "" && len(id) <= maxID && id != Latest && id[len(id)-1] != '.'
}

// Slug returns the name of a workflow as the beginning of an id.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 40 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-._"); s != "" {
		return s
	}
	return "run"
}

package pack

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// lockVersion is the version of wfc.lock that this wfc reads and writes.
const lockVersion = 1

// A Lock is the content of wfc.lock.
type Lock struct {
	Version int `json:"version"`
	// Packs are in the order of their names.
	Packs []Locked `json:"packs"`
}

// A Locked is a pack of a project.
type Locked struct {
	Name       string `json:"name"`
	Repository string `json:"repository"`
	// Path is the pack's folder in the repository, "" for its top.
	Path string `json:"path,omitempty"`
	// Owner is the owner of a repository on GitHub.
	Owner string `json:"owner,omitempty"`
	// Tag is the tag that named the commit; "" if the user named the commit.
	Tag    string `json:"tag,omitempty"`
	Commit string `json:"commit"`
	// Folder is where the files are, from the folder of wfc.lock.
	Folder  string `json:"folder"`
	Licence string `json:"licence"`
	// Powers are what a person confirmed.
	Powers []string `json:"powers"`
	// Workflows are the files that the pack offers, by the names for other workflows.
	Workflows map[string]string `json:"workflows"`
	// Files are the hashes of the files, by their paths in Folder.
	Files map[string]string `json:"files"`
	// Sum is the hash of all that is above.
	Sum string `json:"sum"`
}

// Source is where the pack came from.
func (l *Locked) Source() Source {
	return Source{Repository: l.Repository, Path: l.Path, Owner: l.Owner, Version: cmp.Or(l.Tag, l.Commit)}
}

// hashOf is a hash as wfc.lock has it.
func hashOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// seal sets the sum.
func (l *Locked) seal() {
	l.Sum = ""
	l.Sum = hashOf(encode(l))
}

// encode writes JSON for people.
func encode(v any) []byte {
	text, err := plain.FormatJSON(v)
	if err != nil {
		panic(err) // strings and numbers encode
	}
	return text
}

// Find returns the pack with a name.
func (l *Lock) Find(name string) (Locked, bool) {
	i := slices.IndexFunc(l.Packs, func(p Locked) bool { return p.Name == name })
	if i < 0 {
		return Locked{}, false
	}
	return l.Packs[i], true
}

// Names are the names of the packs.
func (l *Lock) Names() []string {
	return plain.Texts(l.Packs, func(p Locked) string { return p.Name })
}

// with returns the lock with a pack in place of the one of its name.
func (l *Lock) with(p Locked) *Lock {
	fresh := l.without(p.Name)
	fresh.Packs = append(fresh.Packs, p)
	slices.SortFunc(fresh.Packs, func(a, b Locked) int { return cmp.Compare(a.Name, b.Name) })
	return fresh
}

func (l *Lock) without(name string) *Lock {
	return &Lock{lockVersion, slices.DeleteFunc(slices.Clone(l.Packs), func(p Locked) bool { return p.Name == name })}
}

// RefuseClash returns an error if another pack offers a workflow of a pack, too.
func (l *Lock) RefuseClash(p Locked) error {
	for _, other := range l.Packs {
		for name := range other.Workflows {
			if _, both := p.Workflows[name]; both && other.Name != p.Name {
				return fmt.Errorf("pack `%s` offers the workflow `%s`, too; remove it first", other.Name, plain.Line(name))
			}
		}
	}
	return nil
}

// lockFolder matches the folders that packs can have.
var lockFolder = regexp.MustCompile(`^(` + workspace.PacksFolder + `|\.archon/workflows)/([^/]+)$`)

// parseLock reads wfc.lock. It accepts only what encode writes: a lock that a person or a merge
// changed is one that nobody confirmed.
func parseLock(content []byte) (*Lock, error) {
	fault := func(format string, args ...any) (*Lock, error) {
		return nil, fmt.Errorf("%s: %s; restore the file from a commit", workspace.LockName, fmt.Sprintf(format, args...))
	}
	var about struct{ Version int }
	if err := json.Unmarshal(content, &about); err != nil {
		if bytes.Contains(content, []byte("<<<<<<<")) {
			return nil, fmt.Errorf("%s has a conflict of a merge; keep the packs of both sides, each as it is, in the order of their names", workspace.LockName)
		}
		return fault("%v", plain.JSONError(err, string(content)))
	}
	if about.Version != lockVersion {
		return nil, fmt.Errorf("%s has version %d, and this wfc reads %d; see `wfc upgrade`", workspace.LockName, about.Version, lockVersion)
	}
	l := &Lock{}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return fault("%v", plain.JSONError(err, string(content)))
	}
	folders := map[string]bool{}
	for _, p := range l.Packs {
		place := lockFolder.FindStringSubmatch(p.Folder)
		switch name := plain.Line(p.Name); {
		case ValidateName(p.Name) != nil || place == nil || place[2] != p.Name:
			return fault("the folder `%s` of pack `%s` is not one for packs", plain.Line(p.Folder), name)
		case folders[p.Name]:
			return fault("pack `%s` is there twice", name)
		case p.Files == nil || p.Powers == nil || p.Workflows == nil || !commitID.MatchString(p.Commit):
			return fault("pack `%s` is incomplete", name)
		}
		folders[p.Name] = true
		for file := range p.Files {
			if unsafeReason(file) != "" || unportableReason(file) != "" {
				return fault("pack `%s` has a file `%s`, which no pack can have", plain.Line(p.Name), plain.Line(file))
			}
		}
		sealed := p
		if sealed.seal(); sealed.Sum != p.Sum {
			return fault("pack `%s` does not have its sum `%s`: somebody changed what it says", plain.Line(p.Name), strings.TrimPrefix(p.Sum, "sha256:"))
		}
	}
	if !bytes.Equal(encode(l), content) {
		return fault("it is not written as wfc writes it")
	}
	return l, nil
}

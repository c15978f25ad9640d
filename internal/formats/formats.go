// Package formats says which versions of each format wfc reads, and which keys and rules
// each version changed. Checks, `wfc version`, the setting `archon.version` and the pages
// of the formats all read these tables.
package formats

import (
	"slices"
	"strconv"
	"strings"
)

// A Format is one dialect.
type Format struct {
	// Name is the dialect's name as users write it.
	Name string
	// Versions are those that wfc follows, the oldest first.
	Versions []Version
	// Keys are the keys that versions after the first one introduced.
	Keys []Keys
	// Changes are the rules that versions after the first one changed.
	Changes []Change
}

// A Version is a version of a format.
type Version struct {
	// Name is how settings and the other tables call it: a number such as "0.9", or the
	// program's name.
	Name string
	// Title is its name in the original, or when it was current.
	Title string
	// Repository, Commit and Date name what wfc was compared with; Text names a text of the
	// original of which wfc knows no commit.
	Repository, Commit, Text, Date string
	// Recorded says that recorded cases hold wfc to the behaviour of this version.
	Recorded bool
}

// Keys are keys that one version introduced at one place.
type Keys struct {
	Since string
	// Where is the place as messages name it, as in "on a node".
	Where string
	Names []string
}

// A Rule names a rule that checks ask for.
type Rule string

// A Change is a rule that a version changed.
type Change struct {
	// Rule is empty if wfc treats all versions alike, and Topic says so.
	Rule  Rule
	Since string
	// Topic, Before and After describe it, with code in backticks.
	Topic, Before, After string
	// Source says where the new rule comes from: a commit, or a text of the original. It is
	// empty for the commit of the version.
	Source string
	// Named says that the rule holds only in projects that name a version. For others it
	// would refuse files that wfc accepts.
	Named bool
}

// All are the formats, by name.
var All = []*Format{&Archon, &Graphloop, &Lango, &Xprompt}

// Named returns the format of a name, or nil.
func Named(name string) *Format {
	if i := slices.IndexFunc(All, func(f *Format) bool { return f.Name == name }); i >= 0 {
		return All[i]
	}
	return nil
}

// KeySince returns the version that introduced a key, or "" for a key of the first version.
func (f *Format) KeySince(where, key string) string {
	for _, k := range f.Keys {
		if k.Where == where && slices.Contains(k.Names, key) {
			return k.Since
		}
	}
	return ""
}

// SourceOf says where a change comes from.
func (f *Format) SourceOf(c Change) string {
	if c.Source != "" {
		return c.Source
	}
	return f.Versions[f.position(c.Since)].Origin()
}

// Origin says what wfc was compared with, as in "commit 3d9af974b".
func (v Version) Origin() string {
	if v.Commit == "" {
		return v.Text
	}
	return "commit " + v.Commit
}

func (f *Format) position(version string) int {
	return slices.IndexFunc(f.Versions, func(v Version) bool { return v.Name == version })
}

// A Ruleset has the rules that hold for a file.
type Ruleset struct {
	// Version is the version of the format whose rules they are.
	Version Version
	held    map[Rule]bool
}

// Holds reports whether a rule holds.
func (s *Ruleset) Holds(r Rule) bool { return s.held[r] }

// Oldest returns the rules of the first version, and Newest those of the last one for a file
// whose project names no version.
func (f *Format) Oldest() *Ruleset { return f.rulesAt(0, false) }

// Newest returns the rules of the last version for a file whose project names no version.
func (f *Format) Newest() *Ruleset { return f.rulesAt(len(f.Versions)-1, false) }

// RulesOf returns the rules of a version that a project names: those of the last version
// that is not later. Versions are numbers with points between them.
func (f *Format) RulesOf(version string) *Ruleset {
	last := 0
	for i, v := range f.Versions {
		if slices.Compare(numbers(v.Name), numbers(version)) <= 0 {
			last = i
		}
	}
	return f.rulesAt(last, true)
}

func (f *Format) rulesAt(position int, named bool) *Ruleset {
	s := &Ruleset{Version: f.Versions[position], held: map[Rule]bool{}}
	for _, c := range f.Changes {
		if c.Rule != "" && f.position(c.Since) <= position && (named || !c.Named) {
			s.held[c.Rule] = true
		}
	}
	return s
}

// numbers returns the first two numbers of a version: fixes change no rules.
func numbers(version string) []int {
	var list []int
	for _, part := range strings.SplitN(version, ".", 3)[:min(2, 1+strings.Count(version, "."))] {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}

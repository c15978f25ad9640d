package grants

import (
	"errors"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Names returns the names that settings can grant, in order: those of the table, and those of
// the project's own sets.
func Names(sets map[string]settings.Grant) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(table)), maps.Keys(sets))
	slices.Sort(names)
	return slices.Compact(names)
}

// A Place is where paths of grants start.
type Place struct {
	// Home is the home folder, and Project the folder of relative paths.
	Home, Project string
	// Getenv returns the value of an environment variable, or "".
	Getenv func(name string) string
}

// A Reach is what some grants give, with absolute paths.
type Reach struct {
	settings.Grant
	// Sessions are files and folders of conversations, in whose place steps see those of their workflow.
	// Those in Made are folders that are made if they are missing.
	Sessions, Made []string
}

// With returns both of two.
func (r Reach) With(other Reach) Reach {
	return Reach{
		settings.Grant{
			Hosts: slices.Concat(r.Hosts, other.Hosts), Read: slices.Concat(r.Read, other.Read),
			Write: slices.Concat(r.Write, other.Write), Private: slices.Concat(r.Private, other.Private),
		},
		slices.Concat(r.Sessions, other.Sessions), slices.Concat(r.Made, other.Made),
	}
}

// Resolve returns what the names grant. An unknown name is an error that suggests another one.
func (p Place) Resolve(names []string, sets map[string]settings.Grant) (Reach, error) {
	var all Reach
	for _, name := range names {
		g, ok := table[name]
		if own, isOwn := sets[name]; isOwn && !ok {
			g, ok = own, true
		}
		if !ok {
			return Reach{}, errors.New(plain.UnknownName("grant", name, Names(sets)))
		}
		p.addGrant(&all, g)
		p.addSessions(&all, sessions[name])
	}
	return all, nil
}

// Agent returns what an agent program needs itself, such as its login and the hosts of its
// model. It grants nothing to a program that the table does not know.
func (p Place) Agent(program string) (all Reach) {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if other := programs[name]; other != "" {
		name = other
	}
	p.addGrant(&all, agents[name])
	p.addSessions(&all, sessions[name])
	return all
}

// Sessions returns the files and folders of conversations of all agents.
func (p Place) Sessions() []string {
	var all Reach
	for _, name := range slices.Sorted(maps.Keys(sessions)) {
		p.addSessions(&all, sessions[name])
	}
	return all.Sessions
}

// addSessions adds files and folders of conversations.
func (p Place) addSessions(all *Reach, paths []string) {
	for _, path := range paths {
		at := p.absolutePath(path)
		all.Sessions = plain.AddNew(all.Sessions, at)
		if strings.HasSuffix(path, "/") {
			all.Made = plain.AddNew(all.Made, at)
		}
	}
}

// ToolFolders returns the files and folders below the home folder that every step can read.
func (p Place) ToolFolders() []string { return p.appendPaths(nil, toolFolders) }

// Caches returns the folders of which every step sees a private copy.
func (p Place) Caches() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(caches)) {
		all = p.appendPaths(all, caches[name])
	}
	return all
}

// addGrant adds a grant.
func (p Place) addGrant(all *Reach, g settings.Grant) {
	for _, host := range g.Hosts {
		if name, isVariable := strings.CutPrefix(host, "$"); isVariable {
			host = hostOf(p.Getenv(name))
		}
		all.Hosts = plain.AddNew(all.Hosts, host)
	}
	all.Read, all.Write, all.Private = p.appendPaths(all.Read, g.Read), p.appendPaths(all.Write, g.Write), p.appendPaths(all.Private, g.Private)
}

// appendPaths adds absolute paths to a list.
func (p Place) appendPaths(all, paths []string) []string {
	for _, path := range paths {
		all = plain.AddNew(all, p.absolutePath(path))
	}
	return all
}

// absolutePath returns the absolute path of one in a grant, or "" if a part of it is not known.
func (p Place) absolutePath(path string) string {
	first, rest, _ := strings.Cut(path, "/")
	base := p.Project
	switch {
	case first == "~":
		base = p.Home
	case strings.HasPrefix(first, "$"):
		base = p.Getenv(first[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	default:
		rest = path
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, filepath.FromSlash(rest))
}

// hostOf returns the host of a service's URL as a grant names it, or "". It does without package
// net/url, which the playground need not have.
func hostOf(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:])
	if !ok || rest == "" || strings.ContainsAny(rest, " \t\n") {
		return ""
	}
	host, at := rest, strings.LastIndexByte(rest, ':')
	switch {
	case at > strings.LastIndexByte(rest, ']'):
		host = rest[:at]
	case scheme == "http":
		rest += ":80"
	default:
		rest += ":443"
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if host == "localhost" || err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()) {
		return "local:" + rest
	}
	return rest
}

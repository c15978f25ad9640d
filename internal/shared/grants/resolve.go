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

// Resolve returns what the names grant, with absolute paths. An unknown name is an error that
// suggests another one.
func (p Place) Resolve(names []string, sets map[string]settings.Grant) (settings.Grant, error) {
	var all settings.Grant
	for _, name := range names {
		g, ok := table[name]
		if own, isOwn := sets[name]; isOwn && !ok {
			g, ok = own, true
		}
		if !ok {
			return settings.Grant{}, errors.New(plain.UnknownName("grant", name, Names(sets)))
		}
		p.addGrant(&all, g)
	}
	return all, nil
}

// Agent returns what an agent program needs itself, such as its login and the hosts of its
// model, with absolute paths, and those of its folders that it makes if they are missing. It
// grants nothing to a program that the table does not know.
func (p Place) Agent(program string) (all settings.Grant, made []string) {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if other := programs[name]; other != "" {
		name = other
	}
	p.addGrant(&all, agents[name])
	for _, path := range agents[name].Write {
		if strings.HasSuffix(path, "/") {
			made = plain.AddNew(made, p.absolutePath(path))
		}
	}
	return all, made
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
func (p Place) addGrant(all *settings.Grant, g settings.Grant) {
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

package grants

import (
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// WithHost returns the name of the first built-in grant that has a host, or "".
func WithHost(host string) string {
	for _, grant := range builtIn() {
		if hasHost(table[grant].Hosts, host) {
			return grant
		}
	}
	return ""
}

// hasHost reports whether one of some patterns is that of a host.
func hasHost(patterns []string, host string) bool {
	name := strings.TrimSuffix(host, ":443")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		suffix, wild := strings.CutPrefix(pattern, "*")
		return pattern == name || pattern == host || wild && strings.HasSuffix(name, suffix)
	})
}

// Covering returns the names of built-in grants that give a part of what is needed, and the
// rest. A grant to write something gives much, so it counts only if that is needed.
func (p Place) Covering(need settings.Grant) (names []string, rest settings.Grant) {
	for _, name := range builtIn() {
		g, err := p.Resolve([]string{name}, nil)
		if err != nil {
			continue
		}
		in := func(folders ...string) func(path string) bool {
			return func(path string) bool {
				return slices.ContainsFunc(folders, func(f string) bool { return path == f || strings.HasPrefix(path, f+"/") })
			}
		}
		has := func(host string) bool { return hasHost(g.Hosts, host) }
		used := slices.ContainsFunc(slices.Concat(need.Read, need.Write), in(slices.Concat(g.Write, g.Sessions)...))
		if len(table[name].Write) == 0 {
			used = slices.ContainsFunc(need.Read, in(g.Read...)) || slices.ContainsFunc(need.Hosts, has)
		}
		if used {
			names = append(names, name)
			need.Hosts = slices.DeleteFunc(slices.Clone(need.Hosts), has)
			need.Read = slices.DeleteFunc(slices.Clone(need.Read), in(slices.Concat(g.Read, g.Write, g.Private, g.Sessions)...))
			need.Write = slices.DeleteFunc(slices.Clone(need.Write), in(slices.Concat(g.Write, g.Private, g.Sessions)...))
		}
	}
	return names, need
}

// WithPath returns the name of the first built-in grant by which a path can be read or written, or "".
func WithPath(path, way string, p Place) string {
	for _, grant := range builtIn() {
		g, err := p.Resolve([]string{grant}, nil)
		if err != nil {
			continue
		}
		paths := slices.Concat(g.Write, g.Private, g.Sessions)
		if way == "read" {
			paths = append(paths, g.Read...)
		}
		for _, one := range paths {
			if path == one || strings.HasPrefix(path, one+"/") {
				return grant
			}
		}
	}
	return ""
}

// builtIn returns the names of the table: those of agent programs last, because they give more.
func builtIn() []string {
	var last []string
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(table)), func(name string) bool {
		_, agent := agents[name]
		if agent {
			last = append(last, name)
		}
		return agent
	})
	return append(names, last...)
}

package grants

import (
	"maps"
	"slices"
	"strings"
)

// WithHost returns the name of the first built-in grant that has a host, or "".
func WithHost(host string) string {
	name := strings.TrimSuffix(host, ":443")
	for _, grant := range builtIn() {
		for _, pattern := range table[grant].Hosts {
			suffix, wild := strings.CutPrefix(pattern, "*")
			if pattern == name || pattern == host || wild && strings.HasSuffix(name, suffix) {
				return grant
			}
		}
	}
	return ""
}

// WithPath returns the name of the first built-in grant that shows a path, or "".
func WithPath(path string, p Place) string {
	for _, grant := range builtIn() {
		g, err := p.Resolve([]string{grant}, nil)
		if err != nil {
			continue
		}
		for _, one := range slices.Concat(g.Read, g.Write) {
			if path == one || strings.HasPrefix(path, one+"/") {
				return grant
			}
		}
	}
	return ""
}

// builtIn returns the names of the table: those of agent programs last, because they give more.
func builtIn() []string {
	names := slices.Sorted(maps.Keys(table))
	slices.SortStableFunc(names, func(a, b string) int {
		_, first := agents[a]
		_, second := agents[b]
		switch {
		case first == second:
			return 0
		case first:
			return 1
		}
		return -1
	})
	return names
}

package grants

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// ValidHost reports whether a string has the form of a host in a grant.
func ValidHost(text string) bool {
	text, local := strings.CutPrefix(text, "local:")
	if at, err := netip.ParseAddrPort(text); err == nil {
		inner := at.Addr().IsLoopback() || at.Addr().IsPrivate() || at.Addr().IsLinkLocalUnicast()
		return at.Port() > 0 && at.Addr().Zone() == "" && !at.Addr().IsUnspecified() && local == inner
	}
	name, port, hasPort := strings.Cut(text, ":")
	if n, err := strconv.ParseUint(port, 10, 16); hasPort && (err != nil || n == 0) || local && !hasPort {
		return false
	}
	name, all := strings.CutPrefix(name, "*.")
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	switch {
	case local && all, len(name) > 253, strings.Trim(last, "0123456789") == "":
		return false
	case !local && (name == "localhost" || strings.HasSuffix(name, ".localhost")):
		return false
	}
	return !slices.ContainsFunc(labels, func(label string) bool {
		return label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != ""
	})
}

package proxy

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// specialNetworks are the networks in which no public host is, from IANA's registries of
// special-purpose addresses. IPv6 has no public host outside 2000::/3, except by NAT64.
const specialNetworks = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
	192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3
	2001::/23 2001:db8::/32 3fff::/20`

// A target is a name or an IP address, and a port.
type target struct {
	name string // lower case, without the final dot; "" for an address
	addr netip.Addr
	port uint16 // 0 if not given
}

func (t target) String() string {
	host := t.name
	if host == "" {
		host = t.addr.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(t.port)))
}

// grant returns the pattern that allows the target, as far as that is known without its addresses.
func (t target) grant() string {
	if t.name == "localhost" || strings.HasSuffix(t.name, ".localhost") || t.addr.IsLoopback() || t.addr.IsPrivate() || t.addr.IsLinkLocalUnicast() {
		return "local:" + t.String()
	}
	return t.String()
}

// parseTarget reads "host" or "host:port". An IPv6 address stands in brackets.
func parseTarget(s string) (target, bool) {
	host, port, given := strings.Cut(s, ":")
	inside, bracketed := strings.CutPrefix(s, "[")
	if bracketed {
		var rest string
		if host, rest, bracketed = strings.Cut(inside, "]"); !bracketed {
			return target{}, false
		}
		if port, given = strings.CutPrefix(rest, ":"); rest != "" && !given {
			return target{}, false
		}
	}
	t, ok := parseHost(host)
	if given {
		n, err := strconv.ParseUint(port, 10, 16)
		t.port, ok = uint16(n), ok && err == nil && n > 0
	}
	return t, ok && bracketed == t.addr.Is6()
}

// parseHost reads a name in ASCII or an IP address. It refuses what only some programs
// read as an address, such as 127.1 or 0x7f000001: a name doesn't end with a number.
func parseHost(s string) (target, bool) {
	if addr, err := netip.ParseAddr(s); err == nil {
		return target{addr: addr}, addr.Zone() == ""
	}
	name := strings.ToLower(strings.TrimSuffix(s, "."))
	if len(name) > 253 {
		return target{}, false
	}
	var last string
	for last = range strings.SplitSeq(name, ".") {
		if last == "" || len(last) > 63 || strings.Trim(last, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return target{}, false
		}
	}
	hex, isHex := strings.CutPrefix(last, "0x")
	if strings.Trim(last, "0123456789") == "" || isHex && strings.Trim(hex, "0123456789abcdef") == "" {
		return target{}, false
	}
	return target{name: name}, true
}

// A pattern allows its target; without a port, ports 443 and 80 of it.
type pattern struct {
	target
	wild  bool // allows the names below the name instead of it
	local bool // allows addresses that aren't public
}

func parsePattern(s string) (pattern, error) {
	rest, local := strings.CutPrefix(s, "local:")
	rest, wild := strings.CutPrefix(rest, "*.")
	t, ok := parseTarget(rest)
	if !ok || wild && t.name == "" || local && (wild || t.port == 0) {
		return pattern{}, fmt.Errorf("invalid host pattern %q: write a host name, *.domain or an IP address, with :port unless it is 443 or 80; local: needs a host and a port", s)
	}
	return pattern{t, wild, local || t.name == ""}, nil
}

// matchPatterns reports whether a pattern allows a target, and whether one that does also allows
// addresses that aren't public.
func (p *Proxy) matchPatterns(t target) (allowed, local bool) {
	for _, q := range p.allow {
		host := q.name == t.name && q.addr == t.addr
		if q.wild {
			host = strings.HasSuffix(t.name, "."+q.name)
		}
		if host && (q.port == t.port && t.port != 0 || q.port == 0 && (t.port == 443 || t.port == 80)) {
			allowed, local = true, local || q.local
		}
	}
	return allowed, local
}

// isPublicAddr reports whether an address is one of a public host, or a form of IPv6 that leads
// to one of IPv4.
func (p *Proxy) isPublicAddr(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	b := a.As16()
	switch {
	case bytes.HasPrefix(b[:], []byte{0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}): // NAT64
		a = netip.AddrFrom4([4]byte(b[12:]))
	case bytes.HasPrefix(b[:], []byte{0x20, 0x02}): // 6to4
		a = netip.AddrFrom4([4]byte(b[2:]))
	case !a.IsValid() || a.Is6() && b[0]>>5 != 1:
		return false
	}
	return !slices.ContainsFunc(p.special, func(n netip.Prefix) bool { return n.Contains(a) })
}

package cli

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/databaseurl"
)

// warnOfNetwork warns if the connection to a database may be without TLS on a network.
func (c *call) warnOfNetwork(database string) {
	if u, err := databaseurl.Parse(database); err == nil && mayLackTLS(u.URL) {
		fmt.Fprintf(c.streams.Err, "%s: the connection to %s may be unencrypted: add sslmode=verify-full to the URL, or sslmode=require if the server's certificate cannot be verified\n", c.name, u)
	}
}

// mayLackTLS reports whether a connection to a database may be without TLS on a network: a
// host is another machine, and sslmode, of the URL or in PGSSLMODE, is disable, allow or
// prefer, the default. What a service file says is unknown.
func mayLackTLS(u *url.URL) bool {
	settings := u.Query()
	hosts := strings.Split(strings.Join(append(settings["host"], u.Host), ","), ",")
	switch cmp.Or(settings.Get("sslmode"), os.Getenv("PGSSLMODE"), "prefer") {
	case "disable", "allow", "prefer":
		return !settings.Has("service") && slices.ContainsFunc(hosts, isRemote)
	}
	return false
}

// isRemote reports whether a host, with or without a port, is another machine.
func isRemote(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if host == "" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || host == "localhost" {
		return false // a socket of this machine
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.IsLoopback()
}

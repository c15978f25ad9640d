package confine

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox/proxy"
)

// A network is that of the steps with the same granted hosts: a loopback device, with a door for each
// step that works at the same time.
type network struct {
	inside sandbox.Network
	open   func(l net.Listener) (*door, error)

	mu    sync.Mutex
	doors []*door
}

// A door is the way out of a step: a proxy on a port.
type door struct {
	*network
	proxy *proxy.Proxy
	port  int

	step    *step // or nil
	refused []refusal
}

// ensureNetwork returns the network for the hosts.
func (r *Run) ensureNetwork(box *sandbox.Box, hosts []string) (*network, error) {
	hosts = slices.Compact(slices.Sorted(slices.Values(hosts)))
	key := strings.Join(hosts, "\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return nil, fmt.Errorf("the run has ended")
	}
	if n := r.nets[key]; n != nil {
		return n, nil
	}
	n := &network{}
	n.open = func(l net.Listener) (d *door, err error) {
		d = &door{network: n, port: l.Addr().(*net.TCPAddr).Port}
		d.proxy, err = proxy.New(proxy.Options{Allow: hosts, Refused: func(host string) { d.recordRefusal(host, nil) }, Failed: d.recordRefusal, Hint: r.hostHint})
		if err != nil {
			l.Close()
			return nil, err
		}
		n.doors = append(n.doors, d)
		go d.proxy.Serve(l)
		return d, nil
	}
	// A service of this machine is at the same address there. The proxy is on the first port.
	ports, services := []int{0}, []string{""}
	for _, host := range hosts {
		at, err := netip.ParseAddrPort(strings.TrimPrefix(host, "local:"))
		if name, port, ok := strings.Cut(strings.TrimPrefix(host, "local:"), ":"); err != nil && ok && name == "localhost" {
			at, err = netip.ParseAddrPort("127.0.0.1:" + port)
		}
		if err == nil && at.Addr() == netip.AddrFrom4([4]byte{127, 0, 0, 1}) && !slices.Contains(ports, int(at.Port())) {
			ports, services = append(ports, int(at.Port())), append(services, at.String())
		}
	}
	inside, listeners, err := box.Network(ports...)
	if err != nil {
		return nil, err
	}
	n.inside = inside
	first, err := n.open(listeners[0])
	for i, l := range listeners[1:] {
		if err == nil {
			go first.proxy.Forward(l, services[i+1])
		} else {
			l.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	r.nets[key] = n
	return n, nil
}

// proxyEnviron returns an environment in which programs use the proxy, and no sockets and folders
// of the world outside.
func (d *door) proxyEnviron(environ []string) []string {
	at := "127.0.0.1:" + strconv.Itoa(d.port)
	list := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		switch strings.ToLower(name) {
		case "http_proxy", "https_proxy", "all_proxy", "no_proxy", "tmpdir", "xdg_runtime_dir", "dbus_session_bus_address", "display", "wayland_display":
			return true
		}
		return false
	})
	for _, name := range []string{"http_proxy", "https_proxy"} {
		list = append(list, name+"=http://"+at, strings.ToUpper(name)+"=http://"+at)
	}
	// NODE_USE_ENV_PROXY is Node's own way to use the others.
	return append(list, "all_proxy=socks5h://"+at, "ALL_PROXY=socks5h://"+at, "no_proxy=127.0.0.1,localhost,::1", "NO_PROXY=127.0.0.1,localhost,::1",
		"NODE_USE_ENV_PROXY=1", "TMPDIR=/tmp", "GIT_SSH_COMMAND="+cmp.Or(process.Variable(environ, "GIT_SSH_COMMAND"), sshThrough(d.port)))
}

// sshThrough returns a command like ssh that connects through the proxy. Of programs that can do
// that for ssh, bash and cat are the only ones that every system has.
func sshThrough(port int) string {
	const script = `exec 3<>/dev/tcp/127.0.0.1/%d; printf \"CONNECT %%%%s:%%%%s HTTP/1.1\r\nHost: %%%%s\r\n\r\n\" %%h %%p %%h >&3; ` +
		`read -r v code rest <&3; while read -r line <&3 && [ \"\${#line}\" -gt 1 ]; do :; done; ` +
		`[ \"\$code\" = 200 ] || { echo \"\$code \$rest\" >&2; exit 1; }; cat <&3 & exec cat >&3`
	return fmt.Sprintf(`ssh -o ProxyCommand="bash -c '`+script+`'"`, port)
}

// doorOf returns the door of a step, which nobody else has until it leaves.
func (n *network) doorOf(s *step, box *sandbox.Box) (*door, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	of := func(s *step) int { return slices.IndexFunc(n.doors, func(d *door) bool { return d.step == s }) }
	i := of(s)
	if i < 0 {
		i = of(nil)
	}
	if i < 0 {
		l, err := box.Listen(n.inside)
		if err == nil {
			_, err = n.open(l)
		}
		if err != nil {
			return nil, err
		}
		i = len(n.doors) - 1
	}
	n.doors[i].step = s
	return n.doors[i], nil
}

// A refusal is that of a host, or a granted host that could not be reached.
type refusal struct {
	host   string
	failed error // why a granted host was not reached
}

// leave returns what was refused to the step, which does not need the door any longer.
func (d *door) leave() []refusal {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.refused
	d.step, d.refused = nil, nil
	return list
}

// recordRefusal notes that a host was refused, or not reached.
func (d *door) recordRefusal(host string, failed error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := slices.ContainsFunc(d.refused, func(r refusal) bool { return r.host == host })
	if d.step != nil && !known && len(d.refused) < 20 {
		d.refused = append(d.refused, refusal{host, failed})
	}
}

// close closes all doors.
func (n *network) close() {
	n.mu.Lock()
	doors := n.doors
	n.mu.Unlock()
	for _, d := range doors {
		d.proxy.Close()
	}
}

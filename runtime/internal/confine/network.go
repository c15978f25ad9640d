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

// A network is that of the steps with the same granted hosts: a loopback device with a proxy.
type network struct {
	inside sandbox.Network
	proxy  *proxy.Proxy
	port   int

	mu    sync.Mutex
	steps map[*step][]refusal // the steps in it, with what was refused meanwhile
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
	n := &network{steps: map[*step][]refusal{}}
	var err error
	n.proxy, err = proxy.New(proxy.Options{Allow: hosts, Refused: func(host string) { n.recordRefusal(host, nil) }, Failed: n.recordRefusal, Hint: hostHint})
	if err != nil {
		return nil, err
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
	n.inside, n.port = inside, listeners[0].Addr().(*net.TCPAddr).Port
	go n.proxy.Serve(listeners[0])
	for i, l := range listeners[1:] {
		go n.proxy.Forward(l, services[i+1])
	}
	r.nets[key] = n
	return n, nil
}

// proxyEnviron returns an environment in which programs use the proxy, and no sockets and folders
// of the world outside.
func (n *network) proxyEnviron(environ []string) []string {
	at := "127.0.0.1:" + strconv.Itoa(n.port)
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
		"NODE_USE_ENV_PROXY=1", "TMPDIR=/tmp", "GIT_SSH_COMMAND="+cmp.Or(process.Variable(environ, "GIT_SSH_COMMAND"), sshThrough(n.port)))
}

// sshThrough returns a command like ssh that connects through the proxy. Of programs that can do
// that for ssh, bash and cat are the only ones that every system has.
func sshThrough(port int) string {
	const script = `exec 3<>/dev/tcp/127.0.0.1/%d; printf \"CONNECT %%%%s:%%%%s HTTP/1.1\r\nHost: %%%%s\r\n\r\n\" %%h %%p %%h >&3; ` +
		`read -r v code rest <&3; while read -r line <&3 && [ \"\${#line}\" -gt 1 ]; do :; done; ` +
		`[ \"\$code\" = 200 ] || { echo \"\$code \$rest\" >&2; exit 1; }; cat <&3 & exec cat >&3`
	return fmt.Sprintf(`ssh -o ProxyCommand="bash -c '`+script+`'"`, port)
}

func (n *network) addStep(s *step) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.steps[s] = nil
}

// A refusal is that of a host, or a granted host that could not be reached. It is shared if the
// step was not alone in its network.
type refusal struct {
	host   string
	failed error // why a granted host was not reached
	shared bool
}

// removeStep returns what was refused while the step was in the network.
func (n *network) removeStep(s *step) []refusal {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.steps[s]
	delete(n.steps, s)
	return list
}

// recordRefusal notes that a host was refused, or not reached. The proxy does not know to which of the
// steps.
func (n *network) recordRefusal(host string, failed error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s, list := range n.steps {
		known := slices.ContainsFunc(list, func(r refusal) bool { return r.host == host })
		if !known && len(list) < 20 {
			n.steps[s] = append(list, refusal{host, failed, len(n.steps) > 1})
		}
	}
}

package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/sandbox/proxy"
)

const publicAddress = "93.184.215.14"

// A world is the network outside: names with their addresses, and one server, to which
// every address leads.
type world struct {
	*proxy.Proxy
	address string // of the proxy
	server  string // of the only server
	names   map[string][]string

	mu                         sync.Mutex
	resolved, dialled, refused []string
}

// start serves a proxy to a world in which every granted test name is public.
func start(t testing.TB, server string, allow ...string) *world {
	t.Helper()
	return startWith(t, server, proxy.Options{Allow: allow})
}

// startWith starts a proxy with options, of which it sets the functions.
func startWith(t testing.TB, server string, o proxy.Options) *world {
	t.Helper()
	w := &world{server: server, names: map[string][]string{
		"granted.test": {publicAddress}, "other.test": {publicAddress}, "example.com": {publicAddress},
		"deep.sub.test": {publicAddress}, "sub.test": {publicAddress},
	}}
	o.Refused = func(pattern string) { w.record(&w.refused, pattern) }
	o.Hint = func(pattern string) string { return "grants: [" + pattern + "]" }
	o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
		w.record(&w.resolved, host)
		var addrs []netip.Addr
		for _, a := range w.names[host] {
			addrs = append(addrs, netip.MustParseAddr(a))
		}
		if addrs == nil {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return addrs, nil
	}
	o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		w.record(&w.dialled, address)
		return new(net.Dialer).DialContext(ctx, network, w.server)
	}
	p, err := proxy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Proxy, w.address = p, serve(t, p.Serve)
	t.Cleanup(p.Close)
	return w
}

// serve serves a listener and checks that serving ends without an error.
func serve(t testing.TB, run func(net.Listener) error) string {
	t.Helper()
	l := listen(t)
	done := make(chan error, 1)
	go func() { done <- run(l) }()
	t.Cleanup(func() {
		_ = l.Close()
		if err := <-done; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return l.Addr().String()
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (w *world) record(list *[]string, s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, s)
}

// take returns and forgets what was recorded.
func (w *world) take(list *[]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := strings.Join(*list, " ")
	*list = nil
	return s
}

// client returns an HTTP client that uses the proxy.
func (w *world) client(t testing.TB, scheme string) *http.Client {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, scheme+"://"+w.address, nil)
	transport := &http.Transport{Proxy: http.ProxyURL(request.URL)}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func dial(t testing.TB, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*net.TCPConn)
}

// send sends bytes to the proxy, ends the input, and returns the whole answer.
func (w *world) send(t testing.TB, s string) string {
	t.Helper()
	c := dial(t, w.address)
	if _, err := io.WriteString(c, s); err != nil {
		t.Fatal(err)
	}
	_ = c.CloseWrite()
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return string(answer)
}

// A sink is a server that records what each connection sends until its end, and answers
// then.
func sink(t testing.TB, answer string) (address string, got chan string) {
	t.Helper()
	got = make(chan string, 1000)
	l := listen(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				b, _ := io.ReadAll(c)
				_, _ = io.WriteString(c, answer)
				got <- string(b)
			}()
		}
	}()
	return l.Addr().String(), got
}

// echo is a server that sends each byte back, and "end" after the last one.
func echo(t testing.TB) string {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := io.Copy(c, c); err == nil {
					_, _ = io.WriteString(c, "end")
				}
			}()
		}
	}()
	return l.Addr().String()
}

// connect opens a tunnel with CONNECT.
func (w *world) connect(t testing.TB, target string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	c := dial(t, w.address)
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	r := bufio.NewReader(c)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
	return c, r
}

// socks returns the bytes of a SOCKS5 request without authentication for a name.
func socks(name string, port uint16) string {
	return "\x05\x01\x00\x05\x01\x00\x03" + string(rune(len(name))) + name + string([]byte{byte(port >> 8), byte(port)})
}

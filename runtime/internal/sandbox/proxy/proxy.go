// Package proxy connects programs that have no network to the hosts that they were
// granted. It speaks HTTP (CONNECT, and requests with a whole URL) and SOCKS5 on one
// listener, decides by the name that the program asks for before it resolves the name, and
// dials the very addresses that it checked.
//
// It doesn't look inside a tunnel: a granted host that serves other names, such as a
// content delivery network, serves them to the program, too.
package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Limits of a proxy.
const (
	maxConnections = 256              // at once, of all its listeners
	headTimeout    = 10 * time.Second // from the connection to the end of its request's head
	dialTimeout    = 30 * time.Second // to resolve a name and to connect to one of its addresses
	closeTimeout   = 10 * time.Second // for a client to close a connection whose last byte it got
	acceptPause    = 50 * time.Millisecond
)

// Options configure a proxy. The functions are called from several goroutines at once, and
// must not call the proxy's Close.
type Options struct {
	// Allow lists the patterns of the targets that programs may reach: "host", "*.domain"
	// (not the domain itself) or an IP address, each with ":port"; without one they mean
	// ports 443 and 80. A name whose addresses belong to private networks needs the pattern
	// "local:host:port".
	Allow []string
	// Refused, unless nil, is called at each refusal with the pattern that would have
	// allows it: "host:port", or "local:host:port" for addresses of this machine and of private networks.
	Refused func(pattern string)
	// Admit connects programs to all targets. Refused is called where they would be refused,
	// unless the host's name has no address.
	Admit bool
	// Failed, unless nil, is called when a target cannot be reached that is allowed.
	Failed func(target string, err error)
	// Hint, unless nil, returns the sentence for the program that says how to allow a pattern.
	Hint func(pattern string) string
	// Dial and Resolve are those of package net if nil.
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// A Proxy serves any number of listeners. Its methods may be called at the same time.
type Proxy struct {
	options Options
	allow   []pattern
	special []netip.Prefix // addresses of no public host

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	slots  chan struct{} // one element per served connection

	mu   sync.Mutex
	held map[io.Closer]struct{} // listeners and connections; nil after Close
	wg   sync.WaitGroup         // counts held
}

// New returns a proxy. An invalid pattern is an error that names it.
func New(o Options) (*Proxy, error) {
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	if o.Resolve == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	p := &Proxy{options: o, slots: make(chan struct{}, maxConnections), held: map[io.Closer]struct{}{}}
	for _, s := range o.Allow {
		q, err := parsePattern(s)
		if err != nil {
			return nil, err
		}
		p.allow = append(p.allow, q)
	}
	for _, s := range strings.Fields(specialNetworks) {
		p.special = append(p.special, netip.MustParsePrefix(s))
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Allows reports whether a program may ask for a target of the form "host:port". It doesn't
// resolve the host, whose addresses may still be refused.
func (p *Proxy) Allows(target string) bool {
	t, ok := parseTarget(target)
	if !ok {
		return false
	}
	allowed, _ := p.matchPatterns(t)
	return allowed
}

// Serve serves the connections of l until l or the proxy is closed; then it returns nil. It
// closes l.
func (p *Proxy) Serve(l net.Listener) error {
	return p.serveListener(l, func(c net.Conn) {
		_ = c.SetReadDeadline(time.Now().Add(headTimeout))
		r := bufio.NewReaderSize(c, maxHead)
		if first, err := r.Peek(1); err != nil {
			return
		} else if first[0] == socksVersion {
			p.serveSOCKS(c, r)
		} else {
			p.serveHTTP(c, r)
		}
	})
}

// Forward connects each connection of l to an address of the form "host:port", which it
// doesn't check. It ends like Serve.
func (p *Proxy) Forward(l net.Listener, address string) error {
	return p.serveListener(l, func(c net.Conn) {
		ctx, cancel := context.WithTimeout(p.ctx, dialTimeout)
		defer cancel()
		server, err := p.dialHeld(ctx, address)
		if err != nil {
			return
		}
		defer p.releaseCloser(server)
		tunnelConns(c, c, server)
	})
}

// Close closes the listeners and connections, and waits until all that the proxy started
// has ended.
func (p *Proxy) Close() {
	p.cancel()
	p.mu.Lock()
	held := p.held
	p.held = nil
	p.mu.Unlock()
	for c := range held {
		_ = c.Close()
	}
	p.wg.Wait()
}

// holdCloser lets Close close c, and wait for its release. After Close it closes c and reports
// false.
func (p *Proxy) holdCloser(c io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		_ = c.Close()
		return false
	}
	p.held[c] = struct{}{}
	p.wg.Add(1)
	return true
}

// releaseCloser closes what hold held.
func (p *Proxy) releaseCloser(c io.Closer) {
	_ = c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, c)
	p.wg.Done()
}

func (p *Proxy) serveListener(l net.Listener, handle func(net.Conn)) error {
	if !p.holdCloser(l) {
		return nil
	}
	defer p.releaseCloser(l)
	for {
		c, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed) || err != nil && p.ctx.Err() != nil:
			return nil
		case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
			time.Sleep(acceptPause) // connections that end give file descriptors back
			continue
		case err != nil:
			return err
		case !p.holdCloser(c):
			return nil
		}
		p.slots <- struct{}{} // meanwhile, more connections wait in the listener's queue
		go func() {
			defer p.releaseCloser(c)
			handle(c)
			_ = c.Close()
			<-p.slots
		}()
	}
}

// A refusal is the error of a target that isn't allowed.
type refusal struct {
	reason string // a sentence without a full stop
	hint   string
}

func (r *refusal) Error() string { return r.reason }

func (p *Proxy) reportRefusal(pattern, reason string) error {
	r := &refusal{reason: reason}
	if p.options.Refused != nil {
		p.options.Refused(pattern)
	}
	if p.options.Hint != nil {
		r.hint = p.options.Hint(pattern)
	}
	return r
}

// noteRefusable notes that a target with some addresses would be refused.
func (p *Proxy) noteRefusable(t target, addrs []netip.Addr) {
	pattern := t.grant()
	if t.name != "" && !slices.ContainsFunc(addrs, p.isPublicAddr) {
		pattern = "local:" + t.String()
	}
	_ = p.reportRefusal(pattern, "")
}

// connectTarget dials a target if it is allowed. The error is a refusal if it isn't. The caller
// releases the connection.
func (p *Proxy) connectTarget(t target) (net.Conn, error) {
	c, err := p.resolveAndDial(t)
	var refused *refusal
	if err != nil && !errors.As(err, &refused) && p.options.Failed != nil {
		p.options.Failed(t.String(), err)
	}
	return c, err
}

func (p *Proxy) resolveAndDial(t target) (net.Conn, error) {
	allowed, local := p.matchPatterns(t)
	if p.options.Admit {
		if t.name == "" && !allowed {
			p.noteRefusable(t, []netip.Addr{t.addr})
		}
	} else if !allowed {
		return nil, p.reportRefusal(t.grant(), fmt.Sprintf("the host %s is not granted to this step", t))
	}
	ctx, cancel := context.WithTimeout(p.ctx, dialTimeout)
	defer cancel()
	addrs := []netip.Addr{t.addr}
	if t.name != "" {
		found, err := p.options.Resolve(ctx, t.name)
		if err != nil {
			return nil, err
		}
		addrs = slices.DeleteFunc(slices.Clone(found), func(a netip.Addr) bool { return !local && !p.isPublicAddr(a) })
		if p.options.Admit && len(found) > 0 {
			if !allowed || len(addrs) == 0 {
				p.noteRefusable(t, found)
			}
			addrs = found
		} else if len(addrs) == 0 {
			return nil, p.reportRefusal("local:"+t.String(), fmt.Sprintf("the host %s is granted to this step, but none of its addresses %s is public", t, found[:min(len(found), 3)]))
		}
	}
	var failed error
	for i, addr := range addrs {
		// An address that doesn't answer leaves time for those after it.
		deadline, _ := ctx.Deadline()
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(addrs)-i))
		c, err := p.dialHeld(share, netip.AddrPortFrom(addr.Unmap(), t.port).String())
		cancel()
		if err == nil {
			return c, nil
		}
		if failed == nil {
			failed = err
		}
	}
	return nil, failed
}

// dialHeld returns a connection that the caller releases.
func (p *Proxy) dialHeld(ctx context.Context, address string) (net.Conn, error) {
	c, err := p.options.Dial(ctx, "tcp", address)
	if err == nil && !p.holdCloser(c) {
		err = net.ErrClosed
	}
	return c, err
}

// tunnelConns copies between a client and a server until both directions ended. What was read
// from the client already comes from fromClient.
func tunnelConns(client net.Conn, fromClient io.Reader, server net.Conn) {
	exchangeData(client, server,
		func() error { _, err := io.Copy(server, fromClient); return err },
		func() error { _, err := io.Copy(client, server); return err })
}

// exchangeData runs up and down, which send to the server and to the client. If one returns
// nil, the receiver sees the end of its input; an error closes both connections.
func exchangeData(client, server net.Conn, up, down func() error) {
	send := func(to net.Conn, run func() error) {
		if run() != nil || closeWrite(to) != nil {
			_ = client.Close()
			_ = server.Close()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { send(server, up) })
	send(client, down)
	wg.Wait()
}

// closeWrite ends what c receives from here, and nothing else if c can do that.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

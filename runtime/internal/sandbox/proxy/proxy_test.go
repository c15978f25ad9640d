package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/sandbox/proxy"
)

// TestHalfClose ends each direction of a tunnel first, by each way through the proxy.
func TestHalfClose(t *testing.T) {
	l := listen(t)
	defer l.Close()
	w := start(t, l.Addr().String(), "granted.test")
	forward := serve(t, func(from net.Listener) error { return w.Forward(from, "model:1") })
	for name, open := range map[string]func() *net.TCPConn{
		"CONNECT": func() *net.TCPConn { c, _ := w.connect(t, "granted.test:443"); return c },
		"SOCKS5": func() *net.TCPConn {
			c := dial(t, w.address)
			_, _ = io.WriteString(c, socks("granted.test", 443))
			_, _ = io.ReadFull(c, make([]byte, 12))
			return c
		},
		"Forward": func() *net.TCPConn { return dial(t, forward) },
	} {
		for _, clientFirst := range []bool{true, false} {
			client := open()
			accepted, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			first, second := client, accepted.(*net.TCPConn)
			if !clientFirst {
				first, second = second, first
			}
			for _, c := range []*net.TCPConn{first, second} {
				to := second
				if c == second {
					to = first
				}
				_, _ = io.WriteString(c, "some bytes")
				_ = c.CloseWrite()
				if b, err := io.ReadAll(to); string(b) != "some bytes" || err != nil {
					t.Errorf("%s, client first %v: %q, %v", name, clientFirst, b, err)
				}
			}
			_ = accepted.Close()
		}
	}
	if got := w.take(&w.dialled); !strings.Contains(got, "model:1") {
		t.Errorf("dialled %s", got)
	}
}

// TestReset checks that a connection that ends with an error takes the other one with it.
func TestReset(t *testing.T) {
	l := listen(t)
	defer l.Close()
	w := start(t, l.Addr().String(), "granted.test")
	for _, byClient := range []bool{true, false} {
		client, _ := w.connect(t, "granted.test:443")
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		from, to := client, accepted.(*net.TCPConn)
		if !byClient {
			from, to = to, from
		}
		_ = from.SetLinger(0)
		_ = from.Close()
		_, _ = io.Copy(io.Discard, to)
		_ = to.Close()
	}
}

// TestClose closes a proxy while connections are in every state.
func TestClose(t *testing.T) {
	l := listen(t) // accepts and never answers
	defer l.Close()
	busy := make(chan struct{}, 2)
	p, err := proxy.New(proxy.Options{
		Allow: []string{"granted.test", "resolve.test", "dial.test"},
		Resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
			if host == "resolve.test" {
				busy <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			if host == "dial.test" {
				return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr(publicAddress)}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == "1.1.1.1:443" {
				busy <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Proxy: p, address: serve(t, p.Serve)}
	forward := serve(t, func(l net.Listener) error { return p.Forward(l, "model:1") })
	tunnel, _ := w.connect(t, "granted.test:443")
	half, _ := w.connect(t, "granted.test:443")
	_ = half.CloseWrite()
	clients := []*net.TCPConn{tunnel, half, dial(t, forward)}
	for _, sent := range []string{
		"", "GET http://gra", "\x05\x01", "GET http://granted.test/ HTTP/1.1\r\n\r\n", "POST http://granted.test/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
		"GET http://other.test/ HTTP/1.1\r\n\r\n", "CONNECT resolve.test:443 HTTP/1.1\r\n\r\n", socks("dial.test", 443),
	} {
		c := dial(t, w.address)
		_, _ = io.WriteString(c, sent)
		clients = append(clients, c)
	}
	for range 5 { // those that reach the server
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients = append(clients, c.(*net.TCPConn))
	}
	<-busy
	<-busy
	p.Close()
	for _, c := range clients {
		_, _ = io.Copy(io.Discard, c) // ends
	}
	p.Close()
	after := listen(t)
	if err := p.Serve(after); err != nil {
		t.Error(err)
	}
	if c, err := after.Accept(); err == nil {
		_ = c.Close()
		t.Error("a closed proxy left its listener open")
	}
}

func TestServeEndsWithItsListener(t *testing.T) {
	w := start(t, echo(t), "granted.test")
	l := listen(t)
	done := make(chan error)
	go func() { done <- w.Serve(l) }()
	other := &world{address: l.Addr().String()}
	c, r := other.connect(t, "granted.test:443")
	_ = l.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_, _ = io.WriteString(c, "still here")
	_ = c.CloseWrite()
	if b, err := io.ReadAll(r); string(b) != "still hereend" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// TestMostConnections opens one connection more than the proxy serves at once.
func TestMostConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := pipes(t, nil)
		var served atomic.Int32
		open := make([]net.Conn, 257)
		for i := range open {
			open[i] = l.dial()
			go func() {
				if _, err := open[i].Write([]byte("GET")); err == nil {
					served.Add(1)
				}
			}()
		}
		synctest.Wait() // until everybody waits for somebody
		if served.Load() != 256 {
			t.Errorf("%d connections are served", served.Load())
		}
		_ = open[7].Close()
		synctest.Wait()
		if served.Load() != 257 {
			t.Error("the last connection is not served after another one ended")
		}
		p.Close()
	})
}

// TestAcceptErrors has a listener that fails when the process has no file descriptor left,
// and then for good.
func TestAcceptErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := pipes(t, nil)
		broken := &pipeListener{errs: make(chan error), closed: l.closed, close: func() {}}
		served := make(chan error, 1)
		go func() { served <- p.Serve(broken) }()
		for _, err := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EMFILE} {
			broken.errs <- &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
		}
		broken.errs <- io.ErrNoProgress
		if err := <-served; !errors.Is(err, io.ErrNoProgress) {
			t.Error(err)
		}
		p.Close()
	})
}

func TestForwardUnreachable(t *testing.T) {
	l := listen(t)
	_ = l.Close()
	w := start(t, l.Addr().String())
	forward := serve(t, func(l net.Listener) error { return w.Forward(l, "model:1") })
	if b, err := io.ReadAll(dial(t, forward)); len(b) > 0 || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// TestTimeouts runs on a virtual clock.
func TestTimeouts(t *testing.T) {
	for name, test := range map[string]struct {
		slow    string // sent with a second between bytes
		answer  string // its start
		seconds int
	}{
		"nothing":    {"", "", 10},
		"slow head":  {"GET http://granted.test/ HTTP/1.1\r\n", "", 10},
		"slow SOCKS": {"\x05\x01\x00\x05\x01\x00\x03\x0cgranted.test", "\x05\x00", 10},
		"refused":    {"\x05\x01\x02\x02", "\x05\x02", 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, l := pipes(t, nil)
				c := l.dial()
				begin := time.Now()
				var writer sync.WaitGroup
				writer.Go(func() {
					for i := range len(test.slow) {
						if _, err := io.WriteString(c, test.slow[i:i+1]); err != nil {
							return
						}
						<-time.After(time.Second)
					}
				})
				answer, _ := io.ReadAll(c)
				if took := time.Since(begin); took != time.Duration(test.seconds)*time.Second || string(answer) != test.answer {
					t.Errorf("%q after %v", answer, took)
				}
				writer.Wait()
				p.Close()
			})
		})
	}
}

// TestDialTimeout has a name with three addresses that never answer.
func TestDialTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dialled []time.Duration
		begin := time.Now()
		p, l := pipes(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
			dialled = append(dialled, time.Since(begin))
			<-ctx.Done()
			return nil, ctx.Err()
		})
		c := l.dial()
		_, _ = io.WriteString(c, "CONNECT granted.test:443 HTTP/1.1\r\n\r\n")
		answer, _ := io.ReadAll(c)
		if time.Since(begin) != 30*time.Second || !strings.HasPrefix(string(answer), "HTTP/1.1 502 ") || len(dialled) != 3 || dialled[2] != 20*time.Second {
			t.Errorf("%q after %v, dials after %v", answer, time.Since(begin), dialled)
		}
		p.Close()
	})
}

// TestNoTimeouts has tunnels that are silent for a day.
func TestNoTimeouts(t *testing.T) {
	for _, request := range []string{"CONNECT granted.test:443 HTTP/1.1\r\n\r\n", socks("granted.test", 443)} {
		synctest.Test(t, func(t *testing.T) {
			ours, server := net.Pipe()
			p, l := pipes(t, func(context.Context, string, string) (net.Conn, error) { return ours, nil })
			c := l.dial()
			go func() { _, _ = io.WriteString(c, request) }()
			go func() { _, _ = io.Copy(io.Discard, c) }()
			<-time.After(24 * time.Hour)
			go func() { _, _ = io.WriteString(c, "good morning") }()
			if _, err := io.ReadFull(server, make([]byte, len("good morning"))); err != nil {
				t.Errorf("%q: %v", request, err)
			}
			p.Close()
		})
	}
}

// TestCloseTimeout has clients that don't close a connection after its last byte.
func TestCloseTimeout(t *testing.T) {
	for _, host := range []string{"granted.test", "other.test"} {
		synctest.Test(t, func(t *testing.T) {
			p, l := pipes(t, func(context.Context, string, string) (net.Conn, error) {
				ours, server := net.Pipe()
				go func() {
					_, _ = server.Read(make([]byte, 1000))
					_, _ = io.WriteString(server, "HTTP/1.1 200 OK\r\n\r\n")
					_ = server.Close()
				}()
				return halfOpen{ours}, nil
			})
			c, served := net.Pipe()
			l.conns <- halfOpen{served}
			begin := time.Now()
			_, _ = io.WriteString(c, "GET http://"+host+"/ HTTP/1.1\r\n\r\n")
			answer, err := io.ReadAll(c)
			if !strings.HasPrefix(string(answer), "HTTP/1.1 ") || err != nil || time.Since(begin) != 10*time.Second {
				t.Errorf("%s: %q, %v after %v", host, answer, err, time.Since(begin))
			}
			p.Close()
		})
	}
}

// A halfOpen connection ends its output without telling the other side.
type halfOpen struct{ net.Conn }

func (halfOpen) CloseWrite() error { return nil }

// TestCloseWaits closes a proxy whose dial takes a while to end.
func TestCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		p, l := pipes(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			<-time.After(time.Minute)
			ended.Store(true)
			return nil, ctx.Err()
		})
		_, _ = io.WriteString(l.dial(), "CONNECT granted.test:443 HTTP/1.1\r\n\r\n")
		synctest.Wait()
		p.Close()
		if !ended.Load() {
			t.Error("Close did not wait")
		}
	})
}

// TestLateDial closes a proxy whose dial succeeds all the same.
func TestLateDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, server := net.Pipe()
		p, l := pipes(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return ours, nil
		})
		_, _ = io.WriteString(l.dial(), "CONNECT granted.test:443 HTTP/1.1\r\n\r\n")
		synctest.Wait()
		p.Close()
		if _, err := server.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// A pipeListener accepts connections inside the process.
type pipeListener struct {
	conns  chan net.Conn
	errs   chan error
	closed context.Context
	close  context.CancelFunc
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case err := <-l.errs:
		return nil, err
	case <-l.closed.Done():
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.close(); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{} }

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// pipes serves a proxy that allows granted.test, which has three addresses.
func pipes(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) (*proxy.Proxy, *pipeListener) {
	t.Helper()
	p, err := proxy.New(proxy.Options{Allow: []string{"granted.test"}, Dial: dial, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("1.1.1.2"), netip.MustParseAddr("1.1.1.3")}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	l := &pipeListener{conns: make(chan net.Conn)}
	l.closed, l.close = context.WithCancel(context.Background())
	go func() { _ = p.Serve(l) }()
	return p, l
}

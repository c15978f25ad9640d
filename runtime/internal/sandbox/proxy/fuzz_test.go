package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/sandbox/proxy"
)

// FuzzConversation sends bytes to a proxy. It may resolve one name and dial one address;
// the server gets at most one request for that host, as net/http reads it, or what follows
// the head of a tunnel.
func FuzzConversation(f *testing.F) {
	for _, s := range []string{
		"GET http://granted.test/a HTTP/1.1\r\nX: y\r\n\r\nGET http://other.test/ HTTP/1.1\r\n\r\n",
		"POST http://granted.test/ HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd",
		"POST http://granted.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: v\r\n\r\nGET / HTTP/1.1\r\n\r\n",
		"POST http://granted.test/ HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET http://other.test@granted.test:80/ HTTP/1.1\r\nConnection: host, close\r\n\r\n",
		"CONNECT granted.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\nbytes",
		socks("granted.test", 443) + "bytes", socks("other.test", 80), socks("127.1", 80),
		"\x05\x02\x01\x02\x01\x01a\x01b\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50", "\x05\x01\x00\x05\x01\x00\x04",
	} {
		f.Add([]byte(s))
	}
	var dialled atomic.Int32
	folder := f.TempDir()
	outside := listenUnix(f, filepath.Join(folder, "server"))
	received := make(chan []byte)
	go func() {
		for {
			c, err := outside.Accept()
			if err != nil {
				return
			}
			b, _ := io.ReadAll(c)
			_ = c.Close()
			received <- b
		}
	}()
	p, err := proxy.New(proxy.Options{
		Allow: []string{"granted.test"},
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host != "granted.test" {
				panic("resolved " + host)
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr(publicAddress)}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != publicAddress+":443" && address != publicAddress+":80" {
				panic("dialled " + address)
			}
			dialled.Add(1)
			return new(net.Dialer).DialContext(ctx, "unix", outside.Addr().String())
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	defer p.Close()
	inside := listenUnix(f, filepath.Join(folder, "proxy"))
	go func() { _ = p.Serve(inside) }()
	f.Fuzz(func(t *testing.T, sent []byte) {
		dialled.Store(0)
		c, err := net.Dial("unix", inside.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			_, _ = c.Write(sent)
			_ = c.(*net.UnixConn).CloseWrite()
		}()
		answer, _ := io.ReadAll(c)
		if dialled.Load() == 0 {
			return
		}
		got := <-received
		if dialled.Load() != 1 {
			t.Fatalf("dialled %d times", dialled.Load())
		}
		if isTunnel := sent[0] == 5 || bytes.HasPrefix(answer, []byte("HTTP/1.1 200 Connection established")); isTunnel {
			if !bytes.HasSuffix(sent, got) {
				t.Errorf("the server got %q", got)
			}
			return
		}
		// The proxy doesn't look at paths, in which net/http accepts only some escapes.
		r := bufio.NewReader(bytes.NewReader(bytes.ReplaceAll(got, []byte("%"), []byte("x"))))
		request, err := http.ReadRequest(r)
		if err != nil {
			t.Fatalf("the server got no request: %v", err)
		}
		if host := request.Host; host != "granted.test" && host != "granted.test:443" || !request.Close || len(request.Header["Host"]) > 0 {
			t.Errorf("the server got %v", request)
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return // the client sent a part of the body
		}
		if _, err := r.Peek(1); !errors.Is(err, io.EOF) {
			t.Error("the server got more than one request")
		}
	})
}

func listenUnix(t testing.TB, path string) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

package proxy_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestClient requests hosts in turn by a client of net/http, over each protocol.
func TestClient(t *testing.T) {
	var got *http.Request
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r
		fmt.Fprintf(w, "%s %s %s", r.Host, r.URL, body)
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	for _, test := range []struct{ proxy, scheme, user string }{
		{"http", "http", ""}, {"http", "https", "user:password@"}, {"socks5", "http", ""}, {"socks5h", "https", "user:password@"},
	} {
		t.Run(test.proxy+" "+test.scheme, func(t *testing.T) {
			server := plain
			if test.scheme == "https" {
				server = secure
			}
			w := start(t, server.Listener.Addr().String(), "example.com", "granted.test:8080")
			w.address = test.user + w.address
			client := w.client(t, test.proxy)
			client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com"}
			for _, host := range []string{"example.com", "granted.test:8080", "EXAMPLE.com"} {
				for _, body := range []io.Reader{nil, strings.NewReader("known"), io.MultiReader(strings.NewReader("chun"), strings.NewReader("ked"))} {
					request, err := http.NewRequest(http.MethodPost, test.scheme+"://"+host+"/a%20b?c=d", body)
					if err != nil {
						t.Fatal(err)
					}
					request.Header.Set("Proxy-Private", "secret")
					response, err := client.Do(request)
					if err != nil {
						t.Fatal(err)
					}
					text, _ := io.ReadAll(response.Body)
					_ = response.Body.Close()
					if !strings.HasPrefix(strings.ToLower(string(text)), strings.ToLower(host)+" /a%20b?c=d ") || body != nil && !strings.HasSuffix(string(text), "known") && !strings.HasSuffix(string(text), "chunked") {
						t.Errorf("%s: %s", host, text)
					}
					if test.scheme == "http" && test.proxy == "http" && (got.Header.Get("Proxy-Private") != "" || !got.Close) {
						t.Errorf("the server got %v", got.Header)
					}
				}
			}
			if _, err := client.Get(test.scheme + "://other.test/"); err != nil == (test.proxy == "http" && test.scheme == "http") {
				t.Errorf("a refused host: %v", err)
			} else if err != nil && test.proxy == "http" && !strings.Contains(err.Error(), "other.test:443 is not granted to this step") {
				t.Errorf("the error %v does not say why", err)
			}
			if got := w.take(&w.refused); !strings.HasPrefix(got, "other.test:") {
				t.Errorf("refused %s", got)
			}
		})
	}
}

// TestRequests compares the bytes that a server gets with the bytes of a request.
func TestRequests(t *testing.T) {
	server, got := sink(t, "HTTP/1.1 200 OK\r\n\r\n")
	w := start(t, server, "granted.test", "[2606:4700::1111]:80")
	const next = "GET http://granted.test/next HTTP/1.1\r\n\r\n"
	for _, test := range []struct{ request, want string }{
		{"GET http://granted.test HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: granted.test\r\nConnection: close\r\n\r\n"},
		{"GET HTTP://GRANTED.test.:80?a=http://other.test/ HTTP/1.0\r\n\r\n", "GET /?a=http://other.test/ HTTP/1.0\r\nHost: granted.test\r\nConnection: close\r\n\r\n"},
		{"GET http://granted.test:443/a@b:1 HTTP/1.1\r\nHost: other.test\r\nhost: other.test\r\n\r\n", "GET /a@b:1 HTTP/1.1\r\nHost: granted.test:443\r\nConnection: close\r\n\r\n"},
		{"GET http://[2606:4700:0::1111]/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: [2606:4700::1111]\r\nConnection: close\r\n\r\n"},
		{"GET http://granted.test/ HTTP/1.1\r\nProxy-Authorization: x\r\nproxy-connection: keep-alive\r\nConnection: keep-alive, X-Hop\r\nKeep-Alive: 5\r\nX-Hop: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nX-End:  to\tend \r\n\r\n",
			"GET / HTTP/1.1\r\nHost: granted.test\r\nX-End:  to\tend \r\nConnection: close\r\n\r\n"},
		{"POST http://granted.test/ HTTP/1.1\r\nConnection: Content-Length, Host\r\nContent-Length: 3\r\n\r\nabc" + next,
			"POST / HTTP/1.1\r\nHost: granted.test\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"},
		{"POST http://granted.test/ HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0A;x=y\r\n\r\n12345678\r\n0\r\nT: v\r\n\r\n" + next,
			"POST / HTTP/1.1\r\nHost: granted.test\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0A;x=y\r\n\r\n12345678\r\n0\r\nT: v\r\n\r\n"},
		{"GET http://granted.test/ HTTP/1.1\r\n\r\nGET http://other.test/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: granted.test\r\nConnection: close\r\n\r\n"},
		{"GET http://granted.test/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + next, "GET / HTTP/1.1\r\nHost: granted.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"},
	} {
		if answer := w.send(t, test.request); answer != "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" {
			t.Errorf("%q: %q", test.request, answer)
		}
		if sent := <-got; sent != test.want {
			t.Errorf("%q: the server got %q", test.request, sent)
		}
	}
}

// TestMalformedRequests checks that requests which two programs could read differently
// reach no server.
func TestMalformedRequests(t *testing.T) {
	server, _ := sink(t, "")
	w := start(t, server, "granted.test", "*.granted.test")
	const get, post = "GET http://granted.test/ HTTP/1.1\r\n", "POST http://granted.test/ HTTP/1.1\r\n"
	big := strings.Repeat("x", 40<<10)
	for _, request := range []string{
		"\x00", "\r\n" + get + "\r\n", "\x16\x03\x01\x02\x00\x01", "\x04\x01\x00\x50\x7f\x00\x00\x01\x00", "\xff\xfe", " GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: granted.test\r\n\r\n", "GET granted.test HTTP/1.1\r\n\r\n", "GET * HTTP/1.1\r\n\r\n", "GET //granted.test/ HTTP/1.1\r\n\r\n",
		"GET https://granted.test/ HTTP/1.1\r\n\r\n", "GET ftp://granted.test/ HTTP/1.1\r\n\r\n", "GET http:/granted.test/ HTTP/1.1\r\n\r\n", "GET http:///path HTTP/1.1\r\n\r\n",
		"GET http://granted.test/ HTTP/2.0\r\n\r\n", "GET http://granted.test/ HTTP/1.1 x\r\n\r\n", "GET  http://granted.test/ HTTP/1.1\r\n\r\n", "GET http://granted.test/ \r\n\r\n", "GET http://granted.test/\r\n\r\n",
		"GET http://granted.test/a b HTTP/1.1\r\n\r\n", "GET http://granted.test/\t HTTP/1.1\r\n\r\n", "GET http://granted.test/#x HTTP/1.1\r\n\r\n", "GET http://granted.test#@other.test/ HTTP/1.1\r\n\r\n",
		"GET http://granted.test:/ HTTP/1.1\r\n\r\n", "GET http://granted.test:x/ HTTP/1.1\r\n\r\n", "GET http://granted.test\r\nX: y/ HTTP/1.1\r\n\r\n", "G(T http://granted.test/ HTTP/1.1\r\n\r\n",
		"CONNECT granted.test HTTP/1.1\r\n\r\n", "CONNECT http://granted.test:443 HTTP/1.1\r\n\r\n", "CONNECT granted.test:443/ HTTP/1.1\r\n\r\n", "CONNECT granted.test:0 HTTP/1.1\r\n\r\n", "CONNECT :443 HTTP/1.1\r\n\r\n",
		"CONNECT granted.test:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", "CONNECT granted.test:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		get + "X: a\nY: b\r\n\r\n", get + "X: a\rY: b\r\n\r\n", get + "X: a\x00\r\n\r\n", get + "X: a\x7f\r\n\r\n", get + "X: a\r\n folded\r\n\r\n", get + "X : a\r\n\r\n", get + "no colon\r\n\r\n", get + ": a\r\n\r\n", get + "\n", get + "X: a\n\n",
		"GET http://granted.test/ HTTP/1.1\n\n", get + "\x00: b\r\n\r\n",
		post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", post + "Transfer-Encoding: chunked\r\ncontent-length: 1\r\n\r\n0\r\n\r\n", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
		post + "Content-Length: 1, 1\r\n\r\nx", post + "Content-Length: +1\r\n\r\nx", post + "Content-Length: -1\r\n\r\nx", post + "Content-Length: 0x1\r\n\r\nx", post + "Content-Length:\r\n\r\nx", post + "Content-Length: 9223372036854775808\r\n\r\nx",
		post + "Transfer-Encoding: gzip, chunked\r\n\r\n", post + "Transfer-Encoding: chunked, identity\r\n\r\n", post + "Transfer-Encoding: 5\r\n\r\nhello", post + "Transfer-Encoding:\r\n\r\n", post + "Content-Length: chunked\r\n\r\n0\r\n\r\n", post + "Transfer-Encoding: identity\r\n\r\n", post + "Transfer-Encoding: xchunked\r\n\r\n", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST http://granted.test/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		get + "X: " + big + "\r\n\r\n", get + strings.Repeat("X: y\r\n", 8<<10), "GET http://granted.test/" + big, "G" + big,
	} {
		answer := w.send(t, request)
		if !strings.HasPrefix(answer, "HTTP/1.1 400 Bad Request\r\n") {
			t.Errorf("%.200q: %q", request, answer)
		}
	}
	if got := w.take(&w.resolved) + w.take(&w.dialled) + w.take(&w.refused); got != "" {
		t.Errorf("resolved, dialled or refused %s", got)
	}
}

// TestMalformedBodies checks that the server sees no end of a body that has none.
func TestMalformedBodies(t *testing.T) {
	server, got := sink(t, "")
	w := start(t, server, "granted.test")
	const head = "POST http://granted.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, body := range []string{
		"x\r\n", "\r\n", "-1\r\n", "0x1\r\na\r\n0\r\n\r\n", "1 \r\na\r\n0\r\n\r\n", "1\na\n0\n\n", "3\r\nabcd\r\n0\r\n\r\n", "1;a\nb\r\n", "1\r\na", "1\r\na\r\n", "1\r\na\r\n0\r\n", "5\r\na", "8000000000000000\r\n", strings.Repeat("0", 5<<10), "0\r\n" + strings.Repeat("X: y\r\n", 8<<10),
	} {
		c := dial(t, w.address)
		_, _ = io.WriteString(c, head+body)
		_ = c.CloseWrite()
		_, _ = io.ReadAll(c)
		_, sent, _ := strings.Cut(<-got, "\r\n\r\n")
		if strings.HasSuffix(sent, "0\r\n\r\n") || strings.Contains(sent, "abcd") && len(body) > 20 {
			t.Errorf("%.200q: the server got %q", body, sent)
		}
	}
}

// TestResponses checks what a client gets of a server that ignores Connection: close.
func TestResponses(t *testing.T) {
	long := strings.Repeat("y", 40<<10)
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok":                            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 100 Continue\r\nConnection: x\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.0 404 N\nX: a\n\nConnection: b\r\n": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.0 404 N\nConnection: close\r\nX: a\n\nConnection: b\r\n",
		"SSH-2.0\r\nConnection: x\r\n":                 "SSH-2.0\r\nConnection: x\r\n",
		"HTTP/1.1 200 OK\r\nX: " + long + "\r\n\r\nok": "HTTP/1.1 200 OK\r\nConnection: close\r\nX: " + long + "\r\n\r\nok",
		"HTTP/1.1 100 " + long + "\r\n\r\n":            "HTTP/1.1 100 " + long + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: y":                      "HTTP/1.1 200 OK\r\nConnection: close\r\nX: y",
		"":                                             "",
	} {
		server, _ := sink(t, answer)
		w := start(t, server, "granted.test")
		if got := w.send(t, "GET http://granted.test/ HTTP/1.1\r\n\r\n"); strings.Replace(got, "\r\nConnection: close\r\n", "\nConnection: close\r\n", 1) != strings.Replace(want, "\r\nConnection: close\r\n", "\nConnection: close\r\n", 1) {
			t.Errorf("%.100q became %.100q", answer, got)
		}
	}
}

// TestKeepAliveServer requests twice from a server that never closes a connection.
func TestKeepAliveServer(t *testing.T) {
	l := listen(t)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for r := bufio.NewReader(c); ; {
					if _, err := http.ReadRequest(r); err != nil {
						return
					}
					_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok")
				}
			}()
		}
	}()
	w := start(t, l.Addr().String(), "granted.test", "other.test")
	client := w.client(t, "http")
	for _, host := range []string{"granted.test", "granted.test", "other.test"} {
		response, err := client.Get("http://" + host)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(response.Body); string(body) != "ok" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		_ = response.Body.Close()
	}
}

// TestEarlyAnswer checks that a client reads the answer of a server that doesn't read the
// whole body, and of a refusal.
func TestEarlyAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	}))
	defer server.Close()
	w := start(t, server.Listener.Addr().String(), "granted.test")
	for host, want := range map[string]string{"granted.test": "HTTP/1.1 413 ", "other.test": "HTTP/1.1 403 "} {
		c := dial(t, w.address)
		fmt.Fprintf(c, "POST http://%s/ HTTP/1.1\r\nContent-Length: %d\r\n\r\n", host, 1<<20)
		sent := make(chan error)
		go func() {
			_, err := io.WriteString(c, strings.Repeat("x", 1<<20))
			sent <- err
		}()
		status, err := bufio.NewReader(c).ReadString('\n')
		if !strings.HasPrefix(status, want) {
			t.Errorf("%s: %q, %v", host, status, err)
		}
		if err := <-sent; err != nil {
			t.Errorf("%s: the body was not read: %v", host, err)
		}
		_ = c.Close()
	}
}

func TestUnreachable(t *testing.T) {
	l := listen(t)
	_ = l.Close()
	w := start(t, l.Addr().String(), "granted.test", "unknown.test")
	for name, code := range map[string]string{"granted.test": "\x05", "unknown.test": "\x04"} {
		if answer := w.send(t, "CONNECT "+name+":443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 502 ") {
			t.Error(answer)
		}
		if answer := w.send(t, socks(name, 443)); answer != "\x05\x00\x05"+code+"\x00\x01\x00\x00\x00\x00\x00\x00" {
			t.Errorf("%s: %q", name, answer)
		}
	}
	if got := w.take(&w.refused); got != "" {
		t.Errorf("refused %s", got)
	}
}

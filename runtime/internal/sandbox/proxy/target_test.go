package proxy_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox/proxy"
)

func TestAllows(t *testing.T) {
	for _, test := range []struct{ allow, yes, no string }{
		{"example.com", "example.com:443 example.com:80 EXAMPLE.com:443 example.com.:443",
			"example.com example.com:0 example.com:8443 a.example.com:443 example.com..:443 xexample.com:443 example.com.evil.test:443 example.co:443 :443 example.com:https example.com:+443 example.com:443:443"},
		{"Example.com.:8443", "example.com:8443", "example.com:443"},
		{"*.example.com", "a.example.com:443 a.b.example.com:80 A.EXAMPLE.COM.:80", "example.com:443 xexample.com:443 .example.com:443 a..example.com:80 a.example.com:22"},
		{"*.example.com:22", "a.example.com:22", "a.example.com:443"},
		{"xn--bcher-kva.test", "xn--bcher-kva.test:443", "bücher.test:443"},
		{"[::1]:8080", "[::1]:8080 [0:0::1]:8080", "::1:8080 [::1]:80 [::ffff:127.0.0.1]:8080 [::1%lo]:8080 localhost:8080 [::1]8080 [::1 [localhost]:8080"},
		{"127.0.0.1:8080", "127.0.0.1:8080", "[::ffff:127.0.0.1]:8080 [127.0.0.1]:8080 2130706433:8080 0x7f000001:8080 0x7f.1:8080 127.1:8080 0177.0.0.1:8080 127.0.0.1.:8080 127.000.000.001:8080 localhost:8080"},
		{"93.184.215.14", "93.184.215.14:443 93.184.215.14:80", "93.184.215.14:22 93.184.215.15:443 [::ffff:93.184.215.14]:443"},
		{"local:registry.corp:5000", "registry.corp:5000", "registry.corp:443 local:registry.corp:5000"},
		{"*.1x", "127.1x:80", "127.1:80"},
		{"", "", "example.com:443 127.0.0.1:80"},
	} {
		p, err := proxy.New(proxy.Options{Allow: strings.Fields(test.allow)})
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range strings.Fields(test.yes) {
			if !p.Allows(target) {
				t.Errorf("%q does not allow %s", test.allow, target)
			}
		}
		for _, target := range strings.Fields(test.no) {
			if p.Allows(target) {
				t.Errorf("%q allows %s", test.allow, target)
			}
		}
		p.Close()
	}
}

func TestInvalidPatterns(t *testing.T) {
	for _, pattern := range []string{
		"", "*", "*.", ".", "a b", "*.*.test", "a.*.test", "*a.test", "**.a.test", "http://a.test", "a.test/path", "a.test:", "a.test:0", "a.test:65536", "a.test:-1", "a.test:x",
		"a..test", ".a.test", "user@a.test", "bücher.test", "::1", "[::1", "[::1]x", "[a.test]:80", "[127.0.0.1]", "fe80::1%eth0", "[fe80::1%eth0]", "127.1", "2130706433", "0x7f.1", "a.0x", "a.7",
		"*.127.0.0.1", "*.[::1]", "local:a.test", "local:*.a.test:443", "local:", "local:local:a.test:1", "a.test\r\n", "a\x00.test", strings.Repeat("a", 64) + ".test", strings.Repeat("a.", 127) + "aa",
	} {
		_, err := proxy.New(proxy.Options{Allow: []string{"good.test", pattern}})
		if err == nil {
			t.Errorf("%q is accepted", pattern)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", pattern)) {
			t.Errorf("%q: the error %q does not name it", pattern, err)
		}
	}
}

// TestAddresses resolves a granted name to one address.
func TestAddresses(t *testing.T) {
	server, _ := sink(t, "")
	w := start(t, server, "*.sub.test", "deep.sub.test:443", "local:local.sub.test:443")
	for _, test := range []struct{ public, addresses string }{
		{"yes", publicAddress + " 1.1.1.1 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 223.255.255.255 2606:4700::1111 2a00:1450:4001::1 " +
			"64:ff9b::101:101 2002:101:101::1 ::ffff:1.1.1.1"},
		{"no", "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.168.1.1 198.18.0.1 " +
			"224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::127.0.0.1 ::ffff:0:7f00:1 fe80::1 fe80::1%lo fec0::1 fc00::1 fd00:ec2::254 ff02::1 " +
			"64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::a00:1 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:c0a8:101::1 2001::1 2001:db8::1 3fff::1 100::1 5f00::1 2606:4700::1111%eth0x"},
	} {
		for _, address := range strings.Fields(test.addresses) {
			plain, zone := strings.CutSuffix(address, "%eth0x")
			w.names["deep.sub.test"], w.names["local.sub.test"] = []string{plain}, []string{plain}
			answer := w.send(t, "CONNECT deep.sub.test:443 HTTP/1.1\r\n\r\n")
			dialled, refused := w.take(&w.dialled), w.take(&w.refused)
			if test.public == "yes" || zone {
				if !strings.HasPrefix(answer, "HTTP/1.1 200 ") || refused != "" {
					t.Errorf("%s is refused: %q", address, answer)
				}
				continue
			}
			if !strings.HasPrefix(answer, "HTTP/1.1 403 ") || dialled != "" || refused != "local:deep.sub.test:443" || !strings.Contains(answer, "grants: [local:deep.sub.test:443]") {
				t.Errorf("%s is not refused: dialled %q, refused %q, answer %q", address, dialled, refused, answer)
			}
			if answer := w.send(t, "CONNECT local.sub.test:443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
				t.Errorf("%s is refused for a local host: %q", address, answer)
			}
			w.take(&w.dialled)
		}
	}
}

// TestRebinding has a name whose addresses change from one resolution to the next.
func TestRebinding(t *testing.T) {
	server, _ := sink(t, "")
	w := start(t, server, "granted.test")
	w.names["granted.test"] = []string{"127.0.0.1", publicAddress, "::ffff:10.0.0.1", "::ffff:1.1.1.1"}
	w.server = "127.0.0.1:1" // nothing answers, so that all addresses are tried
	if answer := w.send(t, "CONNECT granted.test:443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 502 ") {
		t.Error(answer)
	}
	if got := w.take(&w.dialled); got != publicAddress+":443 1.1.1.1:443" {
		t.Errorf("dialled %s", got)
	}
	if got := w.take(&w.resolved); got != "granted.test" {
		t.Errorf("resolved %s", got)
	}
}

// TestNoAddress has resolvers that find nothing.
func TestNoAddress(t *testing.T) {
	p, err := proxy.New(proxy.Options{Allow: []string{"granted.test"}, Resolve: func(context.Context, string) ([]netip.Addr, error) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	w := &world{Proxy: p, address: serve(t, p.Serve)}
	if answer := w.send(t, "CONNECT granted.test:443 HTTP/1.1\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
		t.Error(answer)
	}
}

// TestAdmit has a proxy that refuses nothing, and says what it would have refused.
func TestAdmit(t *testing.T) {
	server, _ := sink(t, "")
	w := startWith(t, server, proxy.Options{Allow: []string{"granted.test", "sub.test:8443", "1.1.1.1:443"}, Admit: true})
	w.names["sub.test"] = []string{"10.0.0.1"}
	w.names["inner.test"] = []string{"10.0.0.2"}
	for _, test := range []struct{ target, refused, dialled string }{
		{"granted.test:443", "", publicAddress + ":443"},
		{"granted.test:22", "granted.test:22", publicAddress + ":22"},
		{"other.test:443", "other.test:443", publicAddress + ":443"},
		{"sub.test:8443", "local:sub.test:8443", "10.0.0.1:8443"},
		{"inner.test:80", "local:inner.test:80", "10.0.0.2:80"},
		{"1.1.1.1:443", "", "1.1.1.1:443"},
		{"1.0.0.1:443", "1.0.0.1:443", "1.0.0.1:443"},
		{"127.0.0.1:1", "local:127.0.0.1:1", "127.0.0.1:1"},
		{"none.test:443", "", ""},
	} {
		answer := w.send(t, "CONNECT "+test.target+" HTTP/1.1\r\n\r\n")
		refused, dialled := w.take(&w.refused), w.take(&w.dialled)
		if refused != test.refused || dialled != test.dialled || strings.HasPrefix(answer, "HTTP/1.1 200 ") != (test.dialled != "") {
			t.Errorf("%s: refused %q, dialled %q, answer %q", test.target, refused, dialled, answer)
		}
	}
}

// What a refusal suggests is a host of a grant, and allows the target. A name's addresses show only
// when it is granted, so that may take two suggestions.
func TestSuggestionsAllow(t *testing.T) {
	server, _ := sink(t, "")
	for _, target := range []string{"other.test:443", "other.test:22", "private.test:80", "carrier.test:80", "localhost:8080", "a.localhost:80", "127.0.0.1:1", "127.1.2.3:80", "10.0.0.1:22",
		"100.64.0.1:80", "169.254.169.254:80", "1.1.1.1:443", "[::1]:80", "[fd00::1]:443", "[fe80::1]:80", "[2606:4700::1111]:443", "[::ffff:127.0.0.1]:80", "[::ffff:1.1.1.1]:80"} {
		var allow []string
		answer := ""
		for range 3 {
			w := start(t, server, allow...)
			w.names["private.test"], w.names["carrier.test"] = []string{"10.0.0.1"}, []string{"100.64.0.1"}
			w.names["localhost"], w.names["a.localhost"] = []string{"127.0.0.1"}, []string{"::1"}
			answer = w.send(t, "CONNECT "+target+" HTTP/1.1\r\n\r\n")
			suggested := w.take(&w.refused)
			if suggested == "" {
				break
			}
			if !grants.ValidHost(suggested) {
				t.Errorf("%s: %s is no host of a grant", target, suggested)
			}
			allow = append(allow, suggested)
		}
		if !strings.HasPrefix(answer, "HTTP/1.1 200 ") || len(allow) == 0 {
			t.Errorf("%s: after %q: %s", target, allow, answer)
		}
	}
}

// TestNamesBeforeResolving checks that a refused target is neither resolved nor dialled.
func TestNamesBeforeResolving(t *testing.T) {
	server, _ := sink(t, "")
	w := start(t, server, "granted.test", "local:localhost:8080", "127.0.0.1:8080", "*.test:1")
	for _, test := range []struct {
		host string
		port uint16
		name bool // whether a pattern could allow it
	}{
		{"other.test", 443, true}, {"granted.test", 22, true}, {"localhost", 80, true}, {"10.0.0.1", 80, true}, {"[::1]", 8080, true}, {"[::ffff:127.0.0.1]", 8080, true},
		{"2130706433", 8080, false}, {"0x7f.1", 8080, false}, {"127.1", 8080, false}, {"0177.0.0.1", 8080, false}, {"127.0.0.1.", 8080, false}, {"[::1%25lo]", 8080, false},
		{"user@granted.test", 80, false}, {"granted.test@other.test", 80, false}, {"granted%2etest", 80, false}, {"ｇranted.test", 80, false}, {"granted.test\\other.test", 80, false},
	} {
		pattern := fmt.Sprintf("%s:%d", test.host, test.port)
		status := "HTTP/1.1 400 "
		if test.name {
			status = "HTTP/1.1 403 wfc: the host " + pattern
		}
		grant := pattern
		if !strings.HasSuffix(test.host, ".test") {
			grant = "local:" + pattern
		}
		requests := []string{
			fmt.Sprintf("CONNECT %s HTTP/1.1\r\nHost: granted.test:443\r\n\r\n", pattern),
			fmt.Sprintf("GET http://%s/ HTTP/1.1\r\nHost: granted.test\r\n\r\n", pattern),
		}
		for _, request := range requests {
			if answer := w.send(t, request); !strings.HasPrefix(answer, status) || test.name && !strings.Contains(answer, "\ngrants: ["+grant+"]\n") {
				t.Errorf("%q: %q", request, answer)
			}
		}
		want := ""
		if test.name {
			want = grant + " " + grant
		}
		if got := w.take(&w.refused); got != want {
			t.Errorf("%s: refused %q", pattern, got)
		}
		if answer := w.send(t, socks(strings.Trim(test.host, "[]"), test.port)); answer != "\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00" {
			t.Errorf("%s: %q", test.host, answer)
		}
		w.take(&w.refused)
	}
	if got := w.take(&w.resolved) + w.take(&w.dialled); got != "" {
		t.Errorf("resolved or dialled %s", got)
	}
}

package temporal_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An authority signs certificates.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	// file has the authority's own certificate.
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert, a.key, a.file, _ = a.sign(t, "authority", template)
	return a
}

// issue returns the files of a certificate for a name, and of its key.
func (a *authority) issue(t *testing.T, name string) (cert, key string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	_, _, cert, key = a.sign(t, name, template)
	return cert, key
}

func (a *authority) sign(t *testing.T, name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, string, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	name += rand.Text() // tests sign at the same time
	certFile, keyFile := filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, certFile, keyFile
}

// secure returns the configuration of a server with a certificate for a name. If clients is
// not nil, clients need a certificate of that authority.
func (a *authority) secure(t *testing.T, name string, clients *authority) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(a.issue(t, name))
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if clients != nil {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		c.ClientCAs.AddCert(clients.cert)
	}
	return c
}

func TestConnection(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	cert, key := a.issue(t, "client")
	foreignCert, foreignKey := other.issue(t, "client")
	plain := func(t *testing.T) *fakeServer { return serve(t, nil) }
	encrypted := func(t *testing.T) *fakeServer { return serve(t, a.secure(t, "127.0.0.1", nil)) }
	named := func(t *testing.T) *fakeServer { return serve(t, a.secure(t, "temporal.example", nil)) }
	mutual := func(t *testing.T) *fakeServer { return serve(t, a.secure(t, "127.0.0.1", a)) }
	for _, tt := range []struct {
		name   string
		server func(*testing.T) *fakeServer
		args   []string
		want   string // of the error
	}{
		{"no encryption", plain, nil, ""},
		{"encryption that the server lacks", plain, []string{"--tls"}, "connect to Temporal"},
		{"encryption", encrypted, []string{"--tls-ca", a.file}, ""},
		{"encryption that the client lacks", encrypted, nil, "connect to Temporal"},
		{"an authority that the system does not know", encrypted, []string{"--tls"}, "certificate signed by unknown authority"},
		{"another authority", encrypted, []string{"--tls-ca", other.file}, "certificate signed by unknown authority"},
		{"another name", named, []string{"--tls-ca", a.file}, "cannot validate certificate for 127.0.0.1"},
		{"the name of the server", named, []string{"--tls-ca", a.file, "--tls-server-name", "temporal.example"}, ""},
		{"client certificate", mutual, []string{"--tls-ca", a.file, "--tls-cert", cert, "--tls-key", key}, ""},
		{"no client certificate", mutual, []string{"--tls-ca", a.file}, "connect to Temporal"},
		{"client certificate of another authority", mutual, []string{"--tls-ca", a.file, "--tls-cert", foreignCert, "--tls-key", foreignKey}, "connect to Temporal"},
		{"certificate without key", mutual, []string{"--tls-ca", a.file, "--tls-cert", cert}, "a client certificate needs both"},
		{"key of another certificate", mutual, []string{"--tls-ca", a.file, "--tls-cert", cert, "--tls-key", foreignKey}, "private key does not match"},
		{"key instead of an authority", encrypted, []string{"--tls-ca", key}, "has no certificate in PEM form"},
		{"missing file", encrypted, []string{"--tls-ca", filepath.Join(a.dir, "missing")}, "missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := call(t, tt.server(t), program(), append([]string{"list"}, tt.args...)...)
			if (code == 0) != (tt.want == "") || !strings.Contains(errs, tt.want) {
				t.Errorf("exit code %d, want an error with %q\n%s%s", code, tt.want, out, errs)
			}
		})
	}
}

// An API key goes with each request, over an encrypted connection only.
func TestAPIKey(t *testing.T) {
	a := newAuthority(t)
	const secret = "key-of-the-cluster"
	t.Setenv("TEMPORAL_API_KEY", secret)
	t.Setenv("TEMPORAL_NAMESPACE", "team.acct")
	server := serve(t, a.secure(t, "127.0.0.1", nil))
	if code, out, errs := call(t, server, program(), "list", "--tls-ca", a.file); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if got := server.header("ListWorkflowExecutions", "authorization"); got != "Bearer "+secret {
		t.Errorf("the request has the header %q", got)
	}
	if got := server.header("ListWorkflowExecutions", "temporal-namespace"); got != "team.acct" {
		t.Errorf("the request names the namespace %q", got)
	}
	plain := serve(t, nil)
	code, out, errs := call(t, plain, program(), "list")
	if code == 0 || strings.Contains(out+errs, secret) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if got := plain.header("GetSystemInfo", "authorization"); got != "" {
		t.Errorf("the key was sent in the clear: %q", got)
	}
}

// The flags override the environment.
func TestAddress(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
	t.Setenv("TEMPORAL_NAMESPACE", "other")
	server := serve(t, nil)
	code, out, errs := call(t, server, program(), "list", "--namespace", "team")
	if got := server.header("ListWorkflowExecutions", "temporal-namespace"); code != 0 || got != "team" {
		t.Errorf("exit code %d, namespace %q\n%s%s", code, got, out, errs)
	}
}

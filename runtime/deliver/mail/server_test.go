package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/cli"
)

// certificate is that of the servers of the tests, which their clients trust.
var certificate tls.Certificate

func TestMain(m *testing.M) {
	if os.Getenv("WFC_TEST_AS_PROGRAM") != "" {
		os.Exit(cli.Main(program()))
	}
	dir, err := os.MkdirTemp("", "wfc-mail-")
	if err == nil {
		err = makeCertificate(filepath.Join(dir, "roots.pem"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// makeCertificate makes the certificate, and lets this process and its children trust it.
func makeCertificate(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loopback"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		return err
	}
	return os.Setenv("SSL_CERT_FILE", path)
}

// mailServer is a mail server on the loopback device.
type mailServer struct {
	net.Listener
	// startTLS means that connections begin without encryption and may change to it.
	startTLS bool
	// plain means that they cannot.
	plain bool
	// refuse is the answer to a receiver, unless it is "".
	refuse string
	// arrived, unless it is nil, is called before the server takes a letter.
	arrived func()

	mu      sync.Mutex
	letters []string
	users   []string
}

// serve starts the server and returns its address.
func (s *mailServer) serve(t *testing.T) string {
	t.Helper()
	var err error
	if s.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	go func() {
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			go s.talk(conn)
		}
	}()
	scheme := "smtps"
	if s.startTLS || s.plain {
		scheme = "smtp"
	}
	return scheme + "://ann:secret-of-ann@" + s.Addr().String() + "?from=wfc@example.com"
}

// talk serves one connection.
func (s *mailServer) talk(conn net.Conn) {
	encrypted := !s.startTLS && !s.plain
	if encrypted {
		conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}})
	}
	defer func() { conn.Close() }()
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 loopback")
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(verb) {
		case "EHLO":
			if s.startTLS && !encrypted {
				say("250-loopback\r\n250 STARTTLS")
			} else {
				say("250-loopback\r\n250 AUTH PLAIN")
			}
		case "STARTTLS":
			say("220 go")
			conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}})
			lines, encrypted = bufio.NewReader(conn), true
		case "AUTH":
			s.mu.Lock()
			s.users = append(s.users, fmt.Sprintf("%s, encrypted %t", rest, encrypted))
			s.mu.Unlock()
			say("235 welcome")
		case "RCPT":
			if s.refuse != "" {
				say(s.refuse)
				continue
			}
			say("250 ok")
		case "DATA":
			say("354 go on")
			var letter strings.Builder
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				letter.WriteString(line)
			}
			s.mu.Lock()
			s.letters = append(s.letters, letter.String())
			s.mu.Unlock()
			if s.arrived != nil {
				s.arrived()
			}
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// got are the letters so far.
func (s *mailServer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.letters...)
}

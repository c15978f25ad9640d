package webserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"
)

// Open listens at an address: host:port, or unix: and the path of a socket. With cert, the listener
// speaks TLS with the certificate and the key in these files (PEM).
func Open(ctx context.Context, address, cert, key string) (net.Listener, error) {
	network := "tcp"
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
		// A process that was killed leaves its socket, at which nobody answers.
		if conn, err := new(net.Dialer).DialContext(ctx, network, path); err == nil {
			conn.Close()
		} else if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
			_ = os.Remove(path) // if it stays, listening says why
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, network, address)
	if err != nil || cert == "" {
		return listener, err
	}
	p := &pair{cert: cert, key: key}
	if _, err := p.load(nil); err != nil {
		listener.Close()
		return nil, fmt.Errorf("the certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: p.load}), nil
}

// A pair is a certificate and its key.
type pair struct {
	cert, key string

	mu     sync.Mutex
	loaded *tls.Certificate
	at     time.Time
}

// load returns the certificate as the files have it, or as they had it last.
func (p *pair) load(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.cert)
	if err == nil && p.loaded != nil && info.ModTime().Equal(p.at) {
		return p.loaded, nil
	}
	loaded, loadErr := tls.LoadX509KeyPair(p.cert, p.key)
	switch {
	case loadErr != nil && p.loaded != nil:
		return p.loaded, nil // the files are being replaced
	case loadErr != nil:
		return nil, loadErr
	case err == nil:
		p.at = info.ModTime()
	}
	p.loaded = &loaded
	return p.loaded, nil
}

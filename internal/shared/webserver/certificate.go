package webserver

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// Listen returns a listener that speaks TLS on another one, with the certificate in the files
// cert and key (PEM). It closes that one and returns an error if they cannot be used.
func Listen(inner net.Listener, cert, key string) (net.Listener, error) {
	p := &pair{cert: cert, key: key}
	if _, err := p.load(nil); err != nil {
		inner.Close()
		return nil, fmt.Errorf("the certificate: %w", err)
	}
	return tls.NewListener(inner, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: p.load}), nil
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

package webserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
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
	load := loader(cert, key)
	if _, err := load(nil); err != nil {
		listener.Close()
		return nil, fmt.Errorf("the certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: load}), nil
}

// loader returns a function that reads a certificate and its key from their files for each
// connection. While they are being replaced, it returns what it read before.
func loader(cert, key string) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	var last atomic.Pointer[tls.Certificate]
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		loaded, err := tls.LoadX509KeyPair(cert, key)
		if err == nil {
			last.Store(&loaded)
		} else if last.Load() == nil {
			return nil, err
		}
		return last.Load(), nil
	}
}

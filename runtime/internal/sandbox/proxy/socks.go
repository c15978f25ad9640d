package proxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Bytes of SOCKS5, from RFC 1928 and RFC 1929.
const (
	socksVersion, userVersion                           = 5, 1
	methodNone, methodUser, methodRefused, userAccepted = 0, 2, 0xff, 0
	commandConnect                                      = 1
	addressIPv4, addressName, addressIPv6               = 1, 3, 4

	replyDone, replyRefused, replyNetwork, replyHost, replyPort, replyCommand, replyAddress = 0, 2, 3, 4, 5, 7, 8
)

func (p *Proxy) serveSOCKS(c net.Conn, r *bufio.Reader) {
	t, reply, err := readSOCKS(c, r)
	if err != nil {
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	var server net.Conn
	if reply == replyDone {
		if server, err = p.connectTarget(t); err == nil {
			defer p.releaseCloser(server)
		} else {
			reply = replyOf(err)
		}
	}
	_, err = c.Write([]byte{socksVersion, reply, 0, addressIPv4, 0, 0, 0, 0, 0, 0})
	if err == nil && server != nil {
		tunnelConns(c, r, server)
	}
}

func replyOf(err error) byte {
	switch {
	case errors.As(err, new(*refusal)):
		return replyRefused
	case errors.Is(err, syscall.ECONNREFUSED):
		return replyPort
	case errors.Is(err, syscall.ENETUNREACH):
		return replyNetwork
	}
	return replyHost
}

// readSOCKS agrees on a method and reads the request. The reply isn't replyDone if the
// proxy doesn't take the request.
func readSOCKS(w io.Writer, r io.Reader) (t target, reply byte, err error) {
	read := func(n byte) []byte {
		b := make([]byte, n)
		if err == nil {
			_, err = io.ReadFull(r, b)
		}
		return b
	}
	write := func(b ...byte) {
		if err == nil {
			_, err = w.Write(b)
		}
	}
	methods := read(read(2)[1])
	switch {
	case bytes.IndexByte(methods, methodNone) >= 0:
		write(socksVersion, methodNone)
	case bytes.IndexByte(methods, methodUser) >= 0:
		write(socksVersion, methodUser)
		read(read(2)[1]) // any user
		read(read(1)[0]) // and password
		write(userVersion, userAccepted)
	default:
		write(socksVersion, methodRefused)
		return t, 0, errors.New("no common method")
	}
	head, ok := read(4), true
	switch head[3] {
	case addressIPv4:
		t.addr = netip.AddrFrom4([4]byte(read(4)))
	case addressIPv6:
		t.addr = netip.AddrFrom16([16]byte(read(16)))
	case addressName:
		t, ok = parseHost(string(read(read(1)[0])))
	default:
		return t, replyAddress, err
	}
	t.port = binary.BigEndian.Uint16(read(2))
	switch {
	case err == nil && head[0] != socksVersion:
		err = errors.New("not a request of SOCKS5")
	case head[1] != commandConnect:
		reply = replyCommand
	case !ok || t.port == 0:
		reply = replyRefused
	}
	return t, reply, err
}

package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxHead is the most bytes of a request's head, and of those around a chunk of its body.
const maxHead = 32 << 10

// A fault is the error of a malformed request, or of one that the proxy doesn't take.
type fault string

func (f fault) Error() string { return string(f) }

// A request is the head of a request to the proxy.
type request struct {
	target
	connect bool
	head    []byte // for the server
	length  int64  // of the body; -1 if it is chunked
}

func (p *Proxy) serveHTTP(c net.Conn, r *bufio.Reader) {
	req, err := readHead(r)
	if err != nil {
		if errors.As(err, new(fault)) {
			answerError(c, err)
		}
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	server, err := p.connectTarget(req.target)
	if err != nil {
		answerError(c, err)
		return
	}
	defer p.releaseCloser(server)
	if req.connect {
		if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err == nil {
			tunnelConns(c, r, server)
		}
		return
	}
	exchangeData(c, server, func() error {
		_, err := server.Write(req.head)
		if err == nil {
			_ = copyBody(server, r, req.length)
		}
		// The server gets one request, or a part of it if it has answered already.
		_, err = io.Copy(io.Discard, r)
		return err
	}, func() error {
		err := copyResponse(c, server)
		_ = c.SetReadDeadline(time.Now().Add(closeTimeout))
		return err
	})
}

// answerError sends an error. It waits for the client to close the connection, because closing
// it with unread bytes could discard the answer.
func answerError(c net.Conn, err error) {
	status, text := "502 Bad Gateway", err.Error()
	if errors.As(err, new(fault)) {
		status = "400 Bad Request"
	}
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		status = "403 wfc: " + text // many programs show only this line
		text += ".\n" + refused.hint
	}
	text = "wfc: " + strings.TrimSpace(text) + "\n"
	_, err = fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, len(text), text)
	if err == nil && closeWrite(c) == nil {
		_ = c.SetReadDeadline(time.Now().Add(closeTimeout))
		_, _ = io.Copy(io.Discard, c)
	}
}

// readLine reads a line that ends with CRLF and has no other control characters but tabs.
// It subtracts its length from left.
func readLine(r *bufio.Reader, left *int) (string, error) {
	line, err := r.ReadSlice('\n')
	if *left -= len(line); *left < 0 || errors.Is(err, bufio.ErrBufferFull) {
		return "", fault("the head of the request is too large")
	} else if err != nil {
		return "", err
	}
	s, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok || strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return "", fault("a line of the request has a control character, or doesn't end with CRLF")
	}
	return s, nil
}

// isToken reports whether s may be a method or the name of a field.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}

// readHead reads the head of a request: CONNECT, or one with a URL of the scheme http.
func readHead(r *bufio.Reader) (request, error) {
	if first, err := r.Peek(1); err == nil && !isToken(string(first)) {
		return request{}, fault("the proxy understands HTTP/1.1 and SOCKS5 only")
	}
	left := maxHead
	line, err := readLine(r, &left)
	if err != nil {
		return request{}, err
	}
	method, rest, _ := strings.Cut(line, " ")
	uri, version, _ := strings.Cut(rest, " ")
	if !isToken(method) || version != "HTTP/1.1" && version != "HTTP/1.0" {
		return request{}, fault("the request line is not one of HTTP/1.1")
	}
	req := request{connect: method == "CONNECT"}
	authority, path := uri, ""
	if !req.connect {
		const scheme = "http://"
		if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
			return request{}, fault("the proxy takes http:// URLs, and CONNECT for other schemes")
		}
		authority = uri[len(scheme):]
		if i := strings.IndexAny(authority, "/?#"); i >= 0 {
			authority, path = authority[:i], authority[i:]
		}
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
	}
	var ok bool
	req.target, ok = parseTarget(authority)
	if req.port == 0 && !req.connect {
		req.port = 80
	}
	if !ok || req.port == 0 || strings.ContainsAny(path, "#\t") {
		return request{}, fault(fmt.Sprintf("invalid target %q: write a host name or an IP address in its usual form, and a port", uri))
	}
	fields, err := req.readFields(r, &left, version)
	host := strings.TrimSuffix(req.target.String(), ":80")
	req.head = fmt.Appendf(nil, "%s %s %s\r\nHost: %s\r\n%sConnection: close\r\n\r\n", method, path, version, host, fields)
	return req, err
}

// readFields reads the header fields, and the empty line after them. It sets the length of
// the body, which they must give once, so that no server reads another length. It returns
// the lines for the server, without the fields that are for the proxy.
func (req *request) readFields(r *bufio.Reader, left *int, version string) (kept []byte, err error) {
	var names, lines []string
	dropped := []string{"host", "connection", "keep-alive", "te", "upgrade"}
	framing := ""
	for {
		line, err := readLine(r, left)
		if err != nil {
			return nil, err
		} else if line == "" {
			break
		}
		name, value, ok := strings.Cut(strings.ToLower(line), ":")
		if !ok || !isToken(name) {
			return nil, fault("a line of the request is not a header field")
		}
		value = strings.Trim(value, " \t")
		switch name {
		case "content-length", "transfer-encoding":
			n, err := strconv.ParseUint(value, 10, 63)
			req.length, ok = int64(n), err == nil
			if name == "transfer-encoding" {
				req.length, ok = -1, value == "chunked" && version == "HTTP/1.1"
			}
			if !ok || framing != "" || req.connect {
				return nil, fault("the length of the request's body is ambiguous: send one Content-Length, or one Transfer-Encoding: chunked")
			}
			framing = name
		case "connection":
			for option := range strings.SplitSeq(value, ",") {
				dropped = append(dropped, strings.Trim(option, " \t"))
			}
		}
		names, lines = append(names, name), append(lines, line)
	}
	for i, name := range names {
		if name == framing || !slices.Contains(dropped, name) && !strings.HasPrefix(name, "proxy-") {
			kept = append(kept, lines[i]+"\r\n"...)
		}
	}
	return kept, nil
}

// copyBody copies the body of a request, and no byte after it.
func copyBody(w io.Writer, r *bufio.Reader, length int64) error {
	if length >= 0 {
		_, err := io.CopyN(w, r, length)
		return err
	}
	for {
		left := maxHead
		copyLine := func() (string, error) {
			line, err := readLine(r, &left)
			if err == nil {
				_, err = io.WriteString(w, line+"\r\n")
			}
			return line, err
		}
		line, err := copyLine()
		if err != nil {
			return err
		}
		digits, _, _ := strings.Cut(line, ";")
		size, err := strconv.ParseUint(digits, 16, 63)
		if err != nil {
			return fault("a chunk of the request's body has no size")
		}
		if _, err := io.CopyN(w, r, int64(size)); err != nil {
			return err
		}
		for line != "" {
			if line, err = copyLine(); err != nil {
				return err
			} else if size > 0 && line != "" {
				return fault("a chunk of the request's body is longer than its size")
			}
		}
		if size == 0 {
			return nil
		}
	}
}

// copyResponse copies all that a server answers to one request, and tells the client that
// the connection takes no other. A head with a line longer than maxHead stays as it is from
// there on.
func copyResponse(w io.Writer, server io.Reader) error {
	r, out := bufio.NewReaderSize(server, maxHead), bufio.NewWriter(w)
	for interim := true; interim; {
		line, err := r.ReadSlice('\n')
		_, _ = out.Write(line)
		isHTTP := bytes.HasPrefix(line, []byte("HTTP/1."))
		interim = bytes.HasPrefix(line, []byte("HTTP/1.1 1"))
		if isHTTP && !interim && err == nil {
			_, _ = out.WriteString("Connection: close\r\n")
		}
		for isHTTP && err == nil && len(bytes.TrimRight(line, "\r\n")) > 0 {
			line, err = r.ReadSlice('\n')
			name, _, _ := strings.Cut(strings.ToLower(string(line)), ":")
			if name != "connection" && name != "keep-alive" {
				_, _ = out.Write(line)
			}
		}
		interim = interim && err == nil
		if err := out.Flush(); err != nil {
			return err
		}
	}
	_, err := io.Copy(w, r)
	return err
}

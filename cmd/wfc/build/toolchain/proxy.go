package toolchain

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/mod/module"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// stall is how long a server may be silent.
const stall = time.Minute

// A statusError is an answer of a server other than a file.
type statusError struct {
	code int
	url  string
}

// Error says which file could not be fetched; the user and the password of the address are
// left out.
func (e *statusError) Error() string {
	return fmt.Sprintf("%s: %d %s", e.url, e.code, http.StatusText(e.code))
}

// newHTTPClient is the HTTP client. It follows the settings HTTPS_PROXY and NO_PROXY.
func newHTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   30 * time.Second,
		ResponseHeaderTimeout: stall,
		ForceAttemptHTTP2:     true,
	}}
}

// fetchFile reads a file of the proxy. size is 0 or less if it is unknown.
func (p proxy) fetchFile(ctx context.Context, name string, read func(r io.Reader, size int64) error) error {
	if p.url.Scheme == "file" {
		return fetchFile(filepath.Join(filepath.FromSlash(p.url.Path), filepath.FromSlash(name)), read)
	}
	address := *p.url
	address.Path = path.Join("/", address.Path, name)
	address.RawPath = ""
	return fetchURL(ctx, &address, read)
}

func fetchFile(path string, read func(r io.Reader, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return read(f, info.Size())
}

func fetchURL(ctx context.Context, address *url.URL, read func(r io.Reader, size int64) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	shown := (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path}).String()
	c := newHTTPClient()
	defer c.CloseIdleConnections()
	response, err := c.Do(request)
	if err != nil {
		return fmt.Errorf("%s: %w", shown, errorWithoutAddress(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &statusError{response.StatusCode, shown}
	}
	watched := &watched{r: response.Body, timer: time.AfterFunc(stall, func() {
		cancel(fmt.Errorf("%s: the server sent nothing for %v", shown, stall))
	})}
	defer watched.timer.Stop()
	err = read(watched, response.ContentLength)
	if stalled := context.Cause(ctx); err != nil && stalled != nil {
		return stalled
	}
	return err
}

// errorWithoutAddress returns the error of a request without its address, which may have a password. A
// machine with nothing but a shell has no certificates of authorities either.
func errorWithoutAddress(err error) error {
	if wrapped, ok := err.(*url.Error); ok {
		err = wrapped.Err
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return fmt.Errorf("%w (install your system's package ca-certificates, or name a file with certificates in SSL_CERT_FILE)", err)
	}
	return err
}

// A watched reader starts its timer anew with each part that it reads.
type watched struct {
	r     io.Reader
	timer *time.Timer
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.timer.Reset(stall)
	}
	return n, err
}

// fetchText reads a small file of the proxy.
func (p proxy) fetchText(ctx context.Context, name string) ([]byte, error) {
	var content []byte
	err := p.fetchFile(ctx, name, func(r io.Reader, _ int64) (err error) {
		content, err = io.ReadAll(io.LimitReader(r, 4<<20))
		return err
	})
	return content, err
}

// Settings are Go's settings: those of the environment, then those that `go env -w` wrote.
type settings map[string]string

// readSettings reads the settings that matter here.
func readSettings(environ []string) settings {
	s := settings{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			s[name] = value
		}
	}
	file := s["GOENV"]
	if file == "off" {
		return s
	}
	if file == "" {
		file = filepath.Join(configDir(s), "go", "env")
	}
	content, err := wholefile.Source.Read(file)
	if err != nil {
		return s // as for the go command
	}
	for line := range strings.Lines(string(content)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && s[name] == "" && !strings.HasPrefix(name, "#") {
			s[name] = value
		}
	}
	return s
}

// configDir returns the folder of the user's configuration in an environment.
func configDir(s settings) string {
	switch runtime.GOOS {
	case "windows":
		return s["AppData"]
	case "darwin":
		return filepath.Join(s["HOME"], "Library", "Application Support")
	}
	if dir := s["XDG_CONFIG_HOME"]; dir != "" {
		return dir
	}
	return filepath.Join(s["HOME"], ".config")
}

// The go command's values for settings that are not set.
const (
	defaultProxy = "https://proxy.golang.org,direct"
	defaultSums  = "sum.golang.org"
)

// A proxy is a Go module proxy.
type proxy struct {
	url *url.URL
	// anyError says that the next proxy is asked after each error, not only if this one does
	// not have a file.
	anyError bool
}

// parseGOPROXY returns the proxies of GOPROXY. The error is an *OffError if there is none. A
// toolchain cannot come directly from a repository.
func (s settings) parseGOPROXY() ([]proxy, error) {
	list := cmp.Or(s["GOPROXY"], defaultProxy)
	var all []proxy
	for rest := list; rest != ""; {
		var p proxy
		name, after, separator := rest, "", byte(0)
		if i := strings.IndexAny(rest, ",|"); i >= 0 {
			name, after, separator = rest[:i], rest[i+1:], rest[i]
		}
		rest, p.anyError = after, separator == '|'
		switch name = strings.TrimSpace(name); name {
		case "", "direct":
			continue
		case "off":
			rest = ""
			continue
		}
		if !strings.Contains(name, "://") {
			name = "https://" + name
		}
		var err error
		if p.url, err = url.Parse(name); err != nil {
			return nil, errors.New("GOPROXY has an address that is not a URL") // whose text may have a password
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, &OffError{"GOPROXY=" + list}
	}
	return all, nil
}

// usesChecksumDatabase reports whether the checksum database vouches for a module.
func (s settings) usesChecksumDatabase(m module.Version) bool {
	private := s["GONOSUMDB"]
	if private == "" {
		private = s["GOPRIVATE"]
	}
	return s["GOSUMDB"] != "off" && !module.MatchPrefixPatterns(private, m.Path)
}

package toolchain

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/module"
)

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
	content, err := os.ReadFile(file)
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

// proxies returns the proxies of GOPROXY. The error is an *OffError if there is none. A
// toolchain cannot come directly from a repository.
func (s settings) proxies() ([]proxy, error) {
	list := s["GOPROXY"]
	if list == "" {
		list = defaultProxy
	}
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
			return nil, &OffError{"a faulty GOPROXY"} // whose text may have a password
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, &OffError{"GOPROXY=" + list}
	}
	return all, nil
}

// checked reports whether the checksum database vouches for a module.
func (s settings) checked(m module.Version) bool {
	private := s["GONOSUMDB"]
	if private == "" {
		private = s["GOPRIVATE"]
	}
	return s["GOSUMDB"] != "off" && !module.MatchPrefixPatterns(private, m.Path)
}

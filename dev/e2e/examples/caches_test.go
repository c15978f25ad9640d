//go:build unix

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// caches returns the variables that name the caches of Go and wfc and the sources
// of modules, which are the same in every session: its home folder is empty, so Go
// does not find them there.
var caches = sync.OnceValue(func() map[string]string {
	values := map[string]string{}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err == nil {
		for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			values[names[i]] = line
		}
	}
	if cache := os.Getenv("WFC_CACHE"); cache != "" {
		values["WFC_CACHE"] = cache
	} else if dir, err := os.UserCacheDir(); err == nil {
		values["WFC_CACHE"] = filepath.Join(dir, "wfc")
	}
	return values
})

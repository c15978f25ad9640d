package state

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// UnfinishedBuild begins the names of copies that are being made.
const UnfinishedBuild = "new-"

// A Space is how much some copies of binaries take.
type Space struct {
	Builds int   `json:"builds"`
	Bytes  int64 `json:"bytes"`
}

// Print prints a space for people, after what takes it, unless it is empty.
func (s Space) Print(w io.Writer, what string) {
	if s.Builds > 0 {
		fmt.Fprintf(w, "%s: %d (%.1f MB)\n", what, s.Builds, float64(s.Bytes)/1e6)
	}
}

func (s *Space) addFile(info os.FileInfo) { s.Builds, s.Bytes = s.Builds+1, s.Bytes+info.Size() }

// SweepBuilds removes the copies of binaries in a folder on which no run depends any more, except but. If dry is
// true, it only counts. kept are those on which a run depends.
func SweepBuilds(dir, but string, dry bool) (kept, removed Space) {
	entries, _ := os.ReadDir(dir) // the rest is removed another time
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		info, err := entry.Info()
		if err != nil {
			continue
		}
		unfinished := strings.HasPrefix(entry.Name(), UnfinishedBuild)
		switch {
		case path == but, unfinished && time.Since(info.ModTime()) <= time.Hour, !unfinished && !hasSingleLink(info):
			kept.addFile(info)
		case dry || os.Remove(path) == nil:
			removed.addFile(info)
		default:
			kept.addFile(info)
		}
	}
	return kept, removed
}

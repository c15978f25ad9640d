package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// indexHead begins an index of a module in the build cache. An index is of a folder's path,
// so it is of no use elsewhere.
const indexHead = "go index v"

// compiledEntries returns the entries of a build cache that another cache can take over. The
// go command names an entry by a hash of all that it depends on: the file HASH-a has the
// hash, size and time of the output, which is in the file OUTPUT-d. With -trimpath, no folder
// is part of the hash.
func compiledEntries(cache string, at time.Time) ([]entry, error) {
	var list []entry
	useless := map[string]bool{} // outputs
	outputs, err := folder("", cache, func(name string) bool { return isCacheFile(name, "-d") })
	if err != nil {
		return nil, err
	}
	for _, e := range outputs {
		index, err := startsWith(e, indexHead)
		if err != nil {
			return nil, err
		}
		if index {
			useless[strings.TrimSuffix(path.Base(e.name), "-d")] = true
			continue
		}
		list = append(list, e)
	}
	actions, err := folder("", cache, func(name string) bool { return isCacheFile(name, "-a") })
	if err != nil {
		return nil, err
	}
	for _, e := range actions {
		text, err := e.bytesOf()
		if err != nil {
			return nil, err
		}
		output, fixed, err := withTime(text, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		if !useless[output] {
			list = append(list, content(e.name, fixed))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no compiled packages", cache)
	}
	return list, nil
}

// isCacheFile reports whether a file of a build cache is an entry's: XX/XX...-a or -d.
func isCacheFile(name, end string) bool {
	dir, base := path.Split(name)
	base, ok := strings.CutSuffix(base, end)
	_, err := hex.DecodeString(base)
	return ok && err == nil && len(dir) == 3 && strings.HasPrefix(base, dir[:2])
}

func startsWith(e entry, head string) (bool, error) {
	r, err := e.open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	got := make([]byte, len(head))
	n, err := io.ReadFull(r, got)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	return string(got[:n]) == head, nil
}

// withTime returns the output that an action's entry names, and the entry with another time.
// Its form is `v1 ACTION OUTPUT SIZE TIME`, the last two of them 20 characters wide.
func withTime(text []byte, at time.Time) (output string, fixed []byte, err error) {
	words := strings.Fields(string(text))
	if len(words) != 5 || words[0] != "v1" || len(text) != 2+1+64+1+64+1+20+1+20+1 {
		return "", nil, fmt.Errorf("an entry of a build cache has an unknown form: %q", bytes.TrimSpace(text))
	}
	keep := len(text) - 21
	return words[2], fmt.Appendf(text[:keep:keep], "%20d\n", at.UnixNano()), nil
}

// moduleEntries returns the files of a module cache that builds read: the unpacked modules,
// and the go.mod files and hashes of all.
func moduleEntries(cache string) ([]entry, error) {
	return folder("", cache, func(name string) bool {
		inner, download := strings.CutPrefix(name, "cache/")
		if !download {
			return true
		}
		return strings.HasPrefix(inner, "download/") && (path.Ext(inner) == ".mod" || path.Ext(inner) == ".ziphash") && !strings.HasPrefix(inner, "download/sumdb/")
	})
}

// runtimeFolder returns the folder with the runtime's sources in a cache of wfc. Its name is
// the hash of the runtime.
func runtimeFolder(cache string) (string, error) {
	found, err := filepath.Glob(filepath.Join(cache, "module", "*", "go.mod"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s has %d versions of the runtime instead of one; remove it", cache, len(found))
	}
	return filepath.Dir(found[0]), nil
}

// removeCache removes a folder of caches, whose files the go command protects.
func removeCache(dir string) error {
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

package process

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// longestName is the longest file name made of a key; most systems allow 255
// bytes and callers add endings.
const longestName = 120

// devices are names that some systems give to devices in every folder.
var devices = []string{"con", "prn", "aux", "nul",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// FileName returns a file name for a step's key: the key itself when that is a
// safe name everywhere, else a readable part of it with a hash, so that no two
// keys share a name even where names ignore case.
func FileName(key string) string {
	safe := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-', r == '#', r == '@':
			return r
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		}
		return '-'
	}
	name := strings.Map(safe, key)
	if name == key && len(name) <= longestName && key != "" && !slices.Contains(devices, key) {
		return name
	}
	if len(name) > longestName {
		name = name[:longestName]
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	return fmt.Sprintf("%s~%016x", name, h.Sum64())
}

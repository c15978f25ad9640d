package process

import (
	"errors"
	"io/fs"
	"strings"
)

// gone reports whether the process of an identity has ended. One whose parent
// has not taken note of that has ended all the same.
func gone(pid int, id string) bool {
	if !strings.HasPrefix(id, place()+" ") {
		return false
	}
	s, err := readStat(pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return s.state == 'Z' || s.state == 'X' || id != place()+" "+s.start
}

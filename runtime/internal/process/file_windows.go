package process

import (
	"errors"
	"os"
)

// appendFile appends a line to a file, which it makes when it is not there.
func appendFile(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

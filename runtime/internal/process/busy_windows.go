package process

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

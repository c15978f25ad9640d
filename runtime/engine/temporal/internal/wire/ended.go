package wire

import (
	"errors"

	"go.temporal.io/sdk/temporal"
)

// Ended reads the end of a run from the error of its workflow. It returns nil if the error has
// one, or else why there is none.
func Ended(err error, final *Final) error {
	var app *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &app) && app.HasDetails():
		return app.Details(final)
	case errors.As(err, &cancelled) && cancelled.HasDetails():
		return cancelled.Details(final)
	}
	return err
}

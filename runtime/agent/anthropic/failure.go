package anthropic

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
)

// statuses are those that the service answers with for its kinds of errors. An
// error within a stream comes after the status has been sent, and has only its
// kind.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

// failure returns what an error of the SDK means; name is the service's.
func failure(name string, err error) error {
	var refused *sdk.Error
	if errors.As(err, &refused) {
		return refusal(name, refused)
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) || errors.Is(err, bufio.ErrTooLong) {
		return api.Garbled(name, err)
	}
	return api.Broken(name, err)
}

// refusal returns what an answer means that is an error.
func refusal(name string, e *sdk.Error) error {
	var said struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	status := e.StatusCode
	if err := json.Unmarshal([]byte(e.RawJSON()), &said); err != nil && status < 300 {
		return api.Garbled(name, errors.New("an error that is no JSON"))
	}
	if status < 300 {
		status = statuses[said.Error.Type]
	}
	message := said.Error.Message
	switch {
	case message == "":
		message = e.RawJSON() // of a server between
	case said.Error.Type != "":
		message = said.Error.Type + ": " + message
	}
	id := e.RequestID
	if id == "" {
		id = said.RequestID
	}
	if id != "" {
		message += " (request " + id + ")"
	}
	return api.Failure(name, status, message)
}

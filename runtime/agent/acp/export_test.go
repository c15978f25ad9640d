package acp

// Names for the tests from outside.
type (
	Client = client
	Timer  = timer
)

// New returns the agent of a choice.
var New = newClient

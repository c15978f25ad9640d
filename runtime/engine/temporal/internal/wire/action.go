package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An Action is a flow.Action with its payload as JSON.
type Action struct {
	Key          string          `json:"key"`
	Kind         string          `json:"kind"`
	Payload      json.RawMessage `json:"payload"`
	Timeout      time.Duration   `json:"timeout,omitempty"`
	ReadOnly     bool            `json:"read_only,omitempty"`
	ArtifactRefs bool            `json:"artifact_refs,omitempty"`
}

// EncodeAction returns the message for an action. It leaves out fields that only the kernel
// needs, such as the retries.
func EncodeAction(a flow.Action) (Action, error) {
	payload, err := kernel.Encode(escaped(a.Payload))
	if err != nil {
		return Action{}, fmt.Errorf("step `%s`: %w", a.Key, err)
	}
	return Action{
		Key: a.Key, Kind: a.Payload.Kind(), Payload: payload,
		Timeout: a.Timeout, ReadOnly: a.ReadOnly, ArtifactRefs: a.ArtifactRefs,
	}, nil
}

// Decode returns the action of a message.
func (a Action) Decode() (flow.Action, error) {
	payload, err := decodePayload(a.Kind, a.Payload)
	if err != nil {
		return flow.Action{}, fmt.Errorf("step `%s`: %w", a.Key, err)
	}
	return flow.Action{
		Key: a.Key, Payload: payload, Timeout: a.Timeout, ReadOnly: a.ReadOnly, ArtifactRefs: a.ArtifactRefs,
	}, nil
}

func decodePayload(kind string, text json.RawMessage) (flow.Payload, error) {
	switch kind {
	case flow.Bash{}.Kind():
		return payloadOf[flow.Bash](text)
	case flow.Script{}.Kind():
		return payloadOf[flow.Script](text)
	case flow.Prompt{}.Kind():
		return payloadOf[flow.Prompt](text)
	case flow.Delivery{}.Kind():
		return payloadOf[flow.Delivery](text)
	case flow.Evidence{}.Kind():
		return payloadOf[flow.Evidence](text)
	case graph.State{}.Kind():
		return payloadOf[graph.State](text)
	}
	return nil, fmt.Errorf("there is no action of kind `%s`", kind)
}

func payloadOf[P flow.Payload](text json.RawMessage) (flow.Payload, error) {
	var p P
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("decode the payload: %w", err)
	}
	return raw(p), nil
}

package recording

import (
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// masker hides the secrets of an environment.
type masker struct{ environ []string }

func newMasker(environ []string) *masker { return &masker{process.Secrets(environ, nil)} }

func (m *masker) text(text string) string { return process.Mask(m.environ, text) }

func (m *masker) json(value json.RawMessage) json.RawMessage {
	return process.MaskJSON(m.environ, value)
}

// Package claim keeps values beyond 16 KiB out of Temporal's histories: a payload codec
// writes them to a store of blobs and leaves a reference ("claim check") in their place.
package claim

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"
)

// A Cipher encrypts payloads with keys of the user, for one place: elsewhere they do not
// decrypt. It is safe for concurrent use.
type Cipher interface {
	Seal(plain, place []byte) ([]byte, error)
	Open(sealed, place []byte) ([]byte, error)
}

// Limit is the size in bytes up to which a payload stays in the history.
const Limit = 16 << 10

const (
	encodingKey = "encoding"
	reference   = "wfc/claim"
	encrypted   = "wfc/sealed"
	// unbound is the encoding of earlier versions, whose values decrypt anywhere.
	unbound = "wfc/encrypted"
)

// Converter returns the data converter of clients and workers: that of Encoding. The codec does
// I/O in workflow code. The deadlock detector of the SDK does not count that time.
func Converter(store Store, cipher Cipher) converter.DataConverter {
	return workflow.DataConverterWithoutDeadlockDetection(Encoding(store, cipher))
}

// Encoding returns a data converter to JSON, encrypted if there is a cipher, with large values
// in the store. Without a store they stay in the history.
func Encoding(store Store, cipher Cipher) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), &codec{store: store, cipher: cipher})
}

type codec struct {
	store  Store
	cipher Cipher
	// place is what values belong to: a workflow, or one of its activities of a type. It is
	// nil for the few that Temporal's SDK encodes without saying to what they belong.
	place converter.SerializationContext
}

var _ converter.PayloadCodecWithSerializationContext = (*codec)(nil)

// WithSerializationContext implements converter.PayloadCodecWithSerializationContext.
func (c *codec) WithSerializationContext(place converter.SerializationContext) converter.PayloadCodec {
	bound := *c
	bound.place = place
	return &bound
}

// validPlaces returns the name of the place of values, and those of other places whose values are
// valid there. A schedule gives one input to all its runs: Temporal adds the time to their ids.
func (c *codec) validPlaces() [][]byte {
	words := func(list ...string) []byte {
		text, _ := json.Marshal(list) // strings always encode
		return text
	}
	switch p := c.place.(type) {
	case converter.WorkflowSerializationContext:
		list := [][]byte{words("workflow", p.Namespace, p.WorkflowID)}
		const added = "-2006-01-02T15:04:05Z"
		if base := max(0, len(p.WorkflowID)-len(added)); base > 0 {
			if _, err := time.Parse(added, p.WorkflowID[base:]); err == nil {
				list = append(list, words("workflow", p.Namespace, p.WorkflowID[:base]))
			}
		}
		return list
	case converter.ActivitySerializationContext:
		return [][]byte{words("activity", p.Namespace, p.WorkflowID, p.ActivityType)}
	}
	return [][]byte{words("nothing")}
}

// Encode implements converter.PayloadCodec.
func (c *codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return convertPayloads(payloads, func(p *commonpb.Payload) (*commonpb.Payload, error) {
		if c.cipher != nil && !hasEncoding(p, encrypted) && !hasEncoding(p, reference) {
			var err error
			if p, err = c.encryptPayload(p); err != nil {
				return nil, err
			}
		}
		if len(p.GetData()) <= Limit || c.store == nil || hasEncoding(p, reference) {
			return p, nil
		}
		blob, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(blob)
		name := hex.EncodeToString(sum[:])
		if err := c.store.Put(name, blob); err != nil {
			return nil, fmt.Errorf("keep a value of %d bytes in the store of large values: %w", len(blob), err)
		}
		return &commonpb.Payload{Metadata: map[string][]byte{encodingKey: []byte(reference)}, Data: []byte(name)}, nil
	})
}

// Decode implements converter.PayloadCodec.
func (c *codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return convertPayloads(payloads, func(p *commonpb.Payload) (*commonpb.Payload, error) {
		if hasEncoding(p, reference) {
			var err error
			if p, err = c.fetchBlob(string(p.GetData())); err != nil {
				return nil, err
			}
		}
		switch {
		case hasEncoding(p, encrypted):
			return c.decryptPayload(p)
		case hasEncoding(p, unbound):
			return nil, errors.New("a value was encrypted by an earlier version of wfc: the build that began the run can read it")
		case c.cipher != nil:
			return nil, fmt.Errorf("a value is not encrypted, although %s is set: it is from a process without keys, or somebody replaced it", KeyVariable)
		}
		return p, nil
	})
}

func (c *codec) fetchBlob(name string) (*commonpb.Payload, error) {
	if c.store == nil {
		return nil, fmt.Errorf("the value %s is in the store of large values; give its place with --blobs", name)
	}
	blob, err := c.store.Get(name)
	if err != nil {
		return nil, fmt.Errorf("read the value %s from the store of large values: %w", name, err)
	}
	if sum := sha256.Sum256(blob); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("the value %s in the store of large values is damaged", name)
	}
	p := &commonpb.Payload{}
	return p, proto.Unmarshal(blob, p)
}

func (c *codec) encryptPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	plain, err := proto.Marshal(p)
	if err != nil {
		return nil, err
	}
	data, err := c.cipher.Seal(plain, c.validPlaces()[0])
	if err != nil {
		return nil, fmt.Errorf("encrypt a value: %w", err)
	}
	return &commonpb.Payload{Metadata: map[string][]byte{encodingKey: []byte(encrypted)}, Data: data}, nil
}

func (c *codec) decryptPayload(p *commonpb.Payload) (*commonpb.Payload, error) {
	if c.cipher == nil {
		return nil, fmt.Errorf("a value is encrypted: set %s to its key", KeyVariable)
	}
	var plain []byte
	var err error
	for _, place := range c.validPlaces() {
		if plain, err = c.cipher.Open(p.GetData(), place); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decrypt a value: %w", err)
	}
	out := &commonpb.Payload{}
	return out, proto.Unmarshal(plain, out)
}

// Reference returns the name of the blob that a payload refers to, or "".
func Reference(p *commonpb.Payload) string {
	if !hasEncoding(p, reference) {
		return ""
	}
	return string(p.GetData())
}

func hasEncoding(p *commonpb.Payload, encoding string) bool {
	return string(p.GetMetadata()[encodingKey]) == encoding
}

func convertPayloads(payloads []*commonpb.Payload, f func(*commonpb.Payload) (*commonpb.Payload, error)) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		var err error
		if out[i], err = f(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// KeyVariable is the environment variable with the keys by which values are encrypted:
// base64 of 32 bytes each, separated by commas. The first encrypts; all decrypt.
const KeyVariable = "WFC_TEMPORAL_KEYS"

// Keys returns the cipher for the value of KeyVariable; nil for "".
func Keys(text string) (Cipher, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var all keys
	for i, word := range strings.Split(text, ",") {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(word))
		if err != nil || len(raw) != 32 {
			return nil, fmt.Errorf("key %d in %s is not the base64 form of 32 bytes; make one with `openssl rand -base64 32`", i+1, KeyVariable)
		}
		block, err := aes.NewCipher(raw)
		if err != nil {
			return nil, err
		}
		sealer, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		all = append(all, sealer)
	}
	return all, nil
}

// keys encrypt with AES-256-GCM, each value with its own random nonce.
type keys []cipher.AEAD

// Seal implements Cipher.
func (k keys) Seal(plain, place []byte) ([]byte, error) {
	return k[0].Seal(nil, nil, plain, place), nil
}

// Open implements Cipher.
func (k keys) Open(sealed, place []byte) ([]byte, error) {
	for _, key := range k {
		if plain, err := key.Open(nil, nil, sealed, place); err == nil {
			return plain, nil
		}
	}
	return nil, fmt.Errorf("none of the keys in %s fits: it was encrypted with another one or for another run, or is damaged", KeyVariable)
}

package claim

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"strings"
)

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
func (k keys) Seal(plain []byte) ([]byte, error) { return k[0].Seal(nil, nil, plain, nil), nil }

// Open implements Cipher.
func (k keys) Open(sealed []byte) ([]byte, error) {
	for _, key := range k {
		if plain, err := key.Open(nil, nil, sealed, nil); err == nil {
			return plain, nil
		}
	}
	return nil, fmt.Errorf("none of the keys in %s fits: it was encrypted with another one, or is damaged", KeyVariable)
}

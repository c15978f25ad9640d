package claim_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/claim"
)

// key returns a new key in the form of KeyVariable.
func key() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return base64.StdEncoding.EncodeToString(raw)
}

func keys(t *testing.T, text ...string) claim.Cipher {
	t.Helper()
	c, err := claim.Keys(strings.Join(text, ","))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(t *testing.T, c converter.DataConverter, v any) *commonpb.Payload {
	t.Helper()
	p, err := c.ToPayload(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text returns a string whose JSON has a length in bytes.
func text(length int) string { return strings.Repeat("x", length-2) }

// A payload of exactly the limit stays in the history. One byte more goes to the store. The
// same holds for encrypted payloads, whose size is that of the encrypted form.
func TestLimit(t *testing.T) {
	secret := keys(t, key())
	overhead := len(encode(t, claim.Converter(nil, secret), text(1000)).GetData()) - 1000
	for _, tt := range []struct {
		name   string
		cipher claim.Cipher
		size   int
		stored bool
	}{
		{"small", nil, 10, false},
		{"at the limit", nil, claim.Limit, false},
		{"one byte more", nil, claim.Limit + 1, true},
		{"encrypted, below the limit", secret, claim.Limit - overhead - 8, false},
		{"encrypted, above the limit", secret, claim.Limit - overhead + 8, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			c := claim.Converter(claim.Folder(dir), tt.cipher)
			value := text(tt.size)
			p := encode(t, c, value)
			if len(p.GetData()) > claim.Limit {
				t.Errorf("%d bytes stay in the history", len(p.GetData()))
			}
			if stored := claim.Reference(p) != ""; stored != tt.stored || len(blobs(t, dir)) > 0 != tt.stored {
				t.Errorf("stored: %t; want %t", stored, tt.stored)
			}
			var back string
			if err := c.FromPayload(p, &back); err != nil || back != value {
				t.Errorf("%d bytes came back: %v", len(back), err)
			}
		})
	}
}

// Without a store, large values stay in the history.
func TestNoStore(t *testing.T) {
	c := claim.Converter(nil, nil)
	p := encode(t, c, text(1<<20))
	if len(p.GetData()) != 1<<20 {
		t.Errorf("the payload has %d bytes", len(p.GetData()))
	}
}

// Keys encrypt small and large values, and whoever has none of them reads nothing. The
// first key encrypts; all of them decrypt, so that keys can be replaced.
func TestKeys(t *testing.T) {
	first, second, other := key(), key(), key()
	const plain = "launch code 4711 "
	for _, size := range []int{1, 4 << 10} { // times plain: in the history, and in the store
		value := strings.Repeat(plain, size)
		dir := t.TempDir()
		store := claim.Folder(dir)
		old := encode(t, claim.Converter(store, keys(t, first)), value)
		for _, file := range append(blobs(t, dir), nil...) {
			content, err := os.ReadFile(file)
			if err != nil || bytes.Contains(content, []byte(plain)) {
				t.Errorf("a stored value is readable: %v", err)
			}
		}
		if bytes.Contains(old.GetData(), []byte("launch")) {
			t.Error("the payload is readable")
		}
		rotated := claim.Converter(store, keys(t, second, first))
		fresh := encode(t, rotated, value)
		for _, tt := range []struct {
			name    string
			reads   claim.Cipher
			payload *commonpb.Payload
			want    string // of the error
		}{
			{"its key", keys(t, first), old, ""},
			{"rotated", keys(t, second, first), old, ""},
			{"several keys", keys(t, other, second, first), old, ""},
			{"new value, new key", keys(t, second), fresh, ""},
			{"new value, old key", keys(t, first), fresh, "none of the keys in WFC_TEMPORAL_KEYS fits"},
			{"another key", keys(t, other), old, "none of the keys in WFC_TEMPORAL_KEYS fits"},
			{"no key", nil, old, "set WFC_TEMPORAL_KEYS"},
		} {
			var back string
			err := claim.Converter(store, tt.reads).FromPayload(tt.payload, &back)
			switch {
			case tt.want == "" && (err != nil || back != value):
				t.Errorf("%s: %v", tt.name, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || back != ""):
				t.Errorf("%s: %q, %v; want an error with %q", tt.name, back, err, tt.want)
			}
		}
	}
}

// Whoever encrypts the same value twice gets two different payloads.
func TestNonces(t *testing.T) {
	c := claim.Converter(nil, keys(t, key()))
	if bytes.Equal(encode(t, c, "same").GetData(), encode(t, c, "same").GetData()) {
		t.Error("both payloads are equal")
	}
}

// With keys, a value that is not encrypted is refused, wherever it is stored.
func TestUnsealedValues(t *testing.T) {
	store := claim.Folder(t.TempDir())
	for _, value := range []string{"small", text(claim.Limit * 2)} {
		old := encode(t, claim.Converter(store, nil), value)
		var back string
		if err := claim.Converter(store, keys(t, key())).FromPayload(old, &back); err == nil || back != "" || !strings.Contains(err.Error(), "is not encrypted") {
			t.Errorf("%d bytes came back: %v", len(back), err)
		}
	}
}

// An encrypted value can be read where it belongs, and nowhere else: in no other namespace,
// run or kind of activity. The input of a schedule is valid in its runs.
func TestPlaces(t *testing.T) {
	places := []converter.SerializationContext{
		nil,
		converter.WorkflowSerializationContext{Namespace: "a", WorkflowID: "run-1"},
		converter.WorkflowSerializationContext{Namespace: "b", WorkflowID: "run-1"},
		converter.WorkflowSerializationContext{Namespace: "a", WorkflowID: "run-2"},
		converter.WorkflowSerializationContext{Namespace: "a", WorkflowID: "run-1-2026-11-23T17:00:00Z"},
		converter.WorkflowSerializationContext{Namespace: "a", WorkflowID: "run-1-2026-11-24T17:00:00Z"},
		converter.WorkflowSerializationContext{Namespace: "a", WorkflowID: "-2026-11-24T17:00:00Z"},
		converter.ActivitySerializationContext{Namespace: "a", WorkflowID: "run-1", ActivityType: "perform"},
		converter.ActivitySerializationContext{Namespace: "a", WorkflowID: "run-1", ActivityType: "prepare"},
		converter.ActivitySerializationContext{Namespace: "a", WorkflowID: "run-2", ActivityType: "perform"},
	}
	at := func(c converter.DataConverter, place converter.SerializationContext) converter.DataConverter {
		if place == nil {
			return c
		}
		return converter.WithDataConverterSerializationContext(c, place)
	}
	const schedule, first, second = 1, 4, 5
	for _, size := range []int{10, claim.Limit * 2} {
		c := claim.Converter(claim.Folder(t.TempDir()), keys(t, key()))
		for i, written := range places {
			p := encode(t, at(c, written), text(size))
			for j, read := range places {
				var back string
				err := at(c, read).FromPayload(p, &back)
				allowed := i == j || i == schedule && (j == first || j == second)
				if allowed != (err == nil) || (back != "") != allowed {
					t.Errorf("%d bytes written at %+v and read at %+v: %v", size, written, read, err)
				}
			}
		}
	}
}

func TestWrongKeys(t *testing.T) {
	good := key()
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" ", ""},
		{good, ""},
		{" " + good + " , " + key(), ""},
		{"secret", "key 1 in WFC_TEMPORAL_KEYS"},
		{good + ",", "key 2 in WFC_TEMPORAL_KEYS"},
		{good + "," + good[:40], "key 2 in WFC_TEMPORAL_KEYS"},
		{base64.StdEncoding.EncodeToString(make([]byte, 16)), "is not the base64 form of 32 bytes"},
	} {
		_, err := claim.Keys(tt.text)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%d characters: %v; want %q", len(tt.text), err, tt.want)
		}
		if err != nil && tt.text != "" && strings.Contains(err.Error(), good) {
			t.Errorf("the error shows a key: %v", err)
		}
	}
}

// A stored value that somebody changed, cut or removed gives an error that names it, and
// never another value.
func TestDamagedBlobs(t *testing.T) {
	for name, damage := range map[string]func(path string, content []byte) error{
		"tampered":  func(path string, b []byte) error { b[len(b)/2] ^= 1; return os.WriteFile(path, b, 0o600) },
		"truncated": func(path string, b []byte) error { return os.WriteFile(path, b[:len(b)/2], 0o600) },
		"empty":     func(path string, _ []byte) error { return os.WriteFile(path, nil, 0o600) },
		"longer":    func(path string, b []byte) error { return os.WriteFile(path, append(b, b...), 0o600) },
		"missing":   func(path string, _ []byte) error { return os.Remove(path) },
	} {
		for cipher, c := range map[string]claim.Cipher{"plain": nil, "encrypted": keys(t, key())} {
			t.Run(name+" "+cipher, func(t *testing.T) {
				dir := t.TempDir()
				converter := claim.Converter(claim.Folder(dir), c)
				p := encode(t, converter, text(claim.Limit*2))
				file := blobs(t, dir)[0]
				content, err := os.ReadFile(file)
				if err == nil {
					err = damage(file, content)
				}
				if err != nil {
					t.Fatal(err)
				}
				var back string
				err = converter.FromPayload(p, &back)
				if err == nil || back != "" || !strings.Contains(err.Error(), claim.Reference(p)) {
					t.Errorf("%d bytes came back: %v", len(back), err)
				}
				if missing := errors.Is(err, fs.ErrNotExist); missing != (name == "missing") {
					t.Errorf("missing: %t, %v", missing, err)
				}
			})
		}
	}
}

// A small encrypted payload that somebody changed or cut is refused.
func TestDamagedPayload(t *testing.T) {
	c := claim.Converter(nil, keys(t, key()))
	for name, damage := range map[string]func([]byte) []byte{
		"tampered":  func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"truncated": func(b []byte) []byte { return b[:len(b)-1] },
		"empty":     func([]byte) []byte { return nil },
	} {
		p := encode(t, c, "value")
		p.Data = damage(p.Data)
		var back string
		if err := c.FromPayload(p, &back); err == nil || !strings.Contains(err.Error(), "decrypt a value") {
			t.Errorf("%s: %q, %v", name, back, err)
		}
	}
}

// A reader without a store names the option that is missing.
func TestReferenceWithoutStore(t *testing.T) {
	p := encode(t, claim.Converter(claim.Folder(t.TempDir()), nil), text(claim.Limit*2))
	var back string
	if err := claim.Converter(nil, nil).FromPayload(p, &back); err == nil || !strings.Contains(err.Error(), "--blobs") {
		t.Errorf("%v", err)
	}
}

// blobs returns the files of the blobs in a folder.
func blobs(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "values", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

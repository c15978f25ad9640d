package webhooks

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// A signer knows how a service signs its requests, and where it puts the id of the delivery and
// the name of the event.
type signer interface {
	// verify returns an error unless the request is authentic and fresh. It compares in constant
	// time, and its error tells a sender no more than what is missing.
	verify(header http.Header, body []byte, now time.Time) error
	identify(header http.Header, body []byte, payload json.RawMessage) (id, event string)
}

var (
	errUnsigned = errors.New("the request has no signature")
	errForged   = errors.New("the signature is wrong")
	errStale    = errors.New("the time in the request is more than 5 minutes from that of this machine")
)

// newSigner returns the signer of a source.
func newSigner(on *settings.TriggerSource, secret string) signer {
	switch on.Webhook {
	case settings.WebhookGitHub:
		return &githubSigner{[]byte(secret)}
	case settings.WebhookGitLab:
		return newGitLabSigner(secret)
	case settings.WebhookSlack:
		return &slackSigner{[]byte(secret)}
	default:
		return &hmacSigner{on.Signature, []byte(secret)}
	}
}

// sign returns the HMAC of the parts in a row.
func sign(key []byte, algorithm func() hash.Hash, parts ...[]byte) []byte {
	mac := hmac.New(algorithm, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// verifyHex compares a signature in hexadecimal, behind a prefix.
func verifyHex(given, prefix string, want []byte) error {
	if given == "" {
		return errUnsigned
	}
	digits, ok := strings.CutPrefix(given, prefix)
	got, err := hex.DecodeString(digits)
	if !ok || err != nil || !hmac.Equal(got, want) {
		return errForged
	}
	return nil
}

// verifyTime refuses a time in seconds since 1970 that is outside of the window.
func verifyTime(seconds string, now time.Time) error {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return errUnsigned
	}
	if age := now.Sub(time.Unix(n, 0)); age > window || age < -window {
		return errStale
	}
	return nil
}

// contentID is the id of a delivery whose service gives it none: equal content is one delivery.
func contentID(parts ...[]byte) string {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(part)
		sum.Write([]byte{0})
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil))
}

// githubSigner: X-Hub-Signature-256 has the HMAC of the body.
type githubSigner struct{ key []byte }

func (s *githubSigner) verify(header http.Header, body []byte, _ time.Time) error {
	return verifyHex(header.Get("X-Hub-Signature-256"), "sha256=", sign(s.key, sha256.New, body))
}

func (*githubSigner) identify(header http.Header, body []byte, _ json.RawMessage) (id, event string) {
	return cmp.Or(header.Get("X-GitHub-Delivery"), contentID(body)), header.Get("X-GitHub-Event")
}

// gitlabSigner: GitLab sends the secret token itself, or signs by a signing token as the
// specification Standard Webhooks says: webhook-signature has the HMAC of id, time and body with
// points between them.
type gitlabSigner struct {
	token []byte
	// key is the key of a signing token; onlySigned says that the secret is one.
	key        []byte
	onlySigned bool
}

// signingPrefix is the beginning of a signing token, whose rest is its key in base64.
const signingPrefix = "whsec_"

func newGitLabSigner(secret string) *gitlabSigner {
	s := &gitlabSigner{token: []byte(secret), key: []byte(secret)}
	if rest, ok := strings.CutPrefix(secret, signingPrefix); ok {
		s.onlySigned = true
		if key, err := base64.StdEncoding.DecodeString(rest); err == nil {
			s.key = key
		}
	}
	return s
}

func (s *gitlabSigner) verify(header http.Header, body []byte, now time.Time) error {
	signatures := header.Get("webhook-signature")
	if token := header.Get("X-Gitlab-Token"); !s.onlySigned && (token != "" || signatures == "") {
		if token == "" {
			return errUnsigned
		}
		// Their hashes have the same length, so that the comparison does not tell that of the
		// secret.
		got, want := sha256.Sum256([]byte(token)), sha256.Sum256(s.token)
		if !hmac.Equal(got[:], want[:]) {
			return errForged
		}
		return nil
	}
	id, seconds := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if signatures == "" || id == "" || seconds == "" {
		return errUnsigned
	}
	want := sign(s.key, sha256.New, []byte(id+"."+seconds+"."), body)
	if !slices.ContainsFunc(strings.Fields(signatures), func(entry string) bool {
		encoded, ok := strings.CutPrefix(entry, "v1,")
		got, err := base64.StdEncoding.DecodeString(encoded)
		return ok && err == nil && hmac.Equal(got, want)
	}) {
		return errForged
	}
	return verifyTime(seconds, now)
}

func (s *gitlabSigner) identify(header http.Header, body []byte, _ json.RawMessage) (id, event string) {
	id = cmp.Or(header.Get("webhook-id"), header.Get("Idempotency-Key"), header.Get("X-Gitlab-Event-UUID"), contentID(body))
	return id, header.Get("X-Gitlab-Event")
}

// slackSigner: X-Slack-Signature has the HMAC of the version, the time and the body with colons
// between them.
type slackSigner struct{ key []byte }

func (s *slackSigner) verify(header http.Header, body []byte, now time.Time) error {
	seconds := header.Get("X-Slack-Request-Timestamp")
	if seconds == "" {
		return errUnsigned
	}
	if err := verifyHex(header.Get("X-Slack-Signature"), "v0=", sign(s.key, sha256.New, []byte("v0:"+seconds+":"), body)); err != nil {
		return err
	}
	return verifyTime(seconds, now)
}

// identify names the event of an Events API request, "command" for a slash command, or the type
// of another request.
func (*slackSigner) identify(header http.Header, body []byte, payload json.RawMessage) (id, event string) {
	event = cmp.Or(text(payload, "/event/type"), text(payload, "/type"))
	if event == "" && text(payload, "/command") != "" {
		event = "command"
	}
	// Without an id, the time is a part of the content: the same words may be said twice.
	id = cmp.Or(text(payload, "/event_id"), text(payload, "/trigger_id"), contentID([]byte(header.Get("X-Slack-Request-Timestamp")), body))
	return id, event
}

// hmacSigner is for every service whose requests settings describe.
type hmacSigner struct {
	settings.Signature
	key []byte
}

func (s *hmacSigner) verify(header http.Header, body []byte, now time.Time) error {
	given, seconds := header.Get(s.Header), ""
	if given == "" {
		return errUnsigned
	}
	algorithm := sha256.New
	if s.Algorithm == "sha512" {
		algorithm = sha512.New
	}
	parts := [][]byte{body}
	if s.TimestampHeader != "" {
		if seconds = header.Get(s.TimestampHeader); seconds == "" {
			return errUnsigned
		}
		parts = [][]byte{[]byte(seconds + "."), body}
	}
	want := sign(s.key, algorithm, parts...)
	if s.Encoding != "base64" {
		if err := verifyHex(given, s.Prefix, want); err != nil {
			return err
		}
	} else {
		encoded, ok := strings.CutPrefix(given, s.Prefix)
		got, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil || !hmac.Equal(got, want) {
			return errForged
		}
	}
	if seconds == "" {
		return nil
	}
	return verifyTime(seconds, now)
}

func (s *hmacSigner) identify(header http.Header, body []byte, _ json.RawMessage) (id, event string) {
	seconds := ""
	if s.TimestampHeader != "" {
		seconds = header.Get(s.TimestampHeader)
	}
	if s.IDHeader != "" {
		id = header.Get(s.IDHeader)
	}
	if s.EventHeader != "" {
		event = header.Get(s.EventHeader)
	}
	return cmp.Or(id, contentID([]byte(seconds), body)), event
}

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
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// A signer verifies the requests of a service, and finds in them the id of the delivery and the name
// of the event.
type signer struct {
	settings.Signature
	key []byte
	// token is the secret that a service may send in place of a signature, or nil.
	token []byte
	// before is what is signed before the body, with %[1]s for the time and %[2]s for the id; the
	// request then needs both.
	before string
	// ids are the headers that may have the id of the delivery.
	ids []string
	// described says that the payload names the delivery and the event.
	described bool
}

var (
	errUnsigned = errors.New("the request has no signature")
	errForged   = errors.New("the signature is wrong")
	errStale    = errors.New("the time in the request is more than 5 minutes from that of this machine")
)

// newSigner returns the signer of a source.
func newSigner(on *settings.TriggerSource, secret string) *signer {
	s := &signer{Signature: on.Signature, key: []byte(secret), ids: []string{on.Signature.IDHeader}}
	switch on.Webhook {
	case settings.WebhookGitHub:
		s.Signature = settings.Signature{Header: "X-Hub-Signature-256", Prefix: "sha256=", EventHeader: "X-GitHub-Event"}
		s.ids = []string{"X-GitHub-Delivery"}
	case settings.WebhookSlack:
		s.Signature = settings.Signature{Header: "X-Slack-Signature", Prefix: "v0=", TimestampHeader: "X-Slack-Request-Timestamp"}
		s.before, s.described = "v0:%[1]s:", true
	case settings.WebhookGitLab:
		// GitLab sends the secret token itself, or signs by a signing token as the specification
		// Standard Webhooks says.
		s.Signature = settings.Signature{
			Header: "webhook-signature", Prefix: "v1,", Encoding: "base64", TimestampHeader: "webhook-timestamp", EventHeader: "X-Gitlab-Event",
		}
		s.before, s.ids = "%[2]s.%[1]s.", []string{"webhook-id", "Idempotency-Key", "X-Gitlab-Event-UUID"}
		rest, isSigning := strings.CutPrefix(secret, signingPrefix)
		if !isSigning {
			s.token = s.key
		} else if key, err := base64.StdEncoding.DecodeString(rest); err == nil {
			s.key = key
		}
	default:
		if s.TimestampHeader != "" {
			s.before = "%[1]s."
		}
	}
	return s
}

// signingPrefix is the beginning of a signing token, whose rest is its key in base64.
const signingPrefix = "whsec_"

// tokenHeader is the header in which GitLab sends a secret token.
const tokenHeader = "X-Gitlab-Token"

// verify returns an error unless the request is authentic and fresh. It compares in constant time,
// and its error tells a sender no more than what is missing.
func (s *signer) verify(header http.Header, body []byte, now time.Time) error {
	given, seconds := header.Get(s.Header), header.Get(s.TimestampHeader)
	if token := header.Get(tokenHeader); s.token != nil && (token != "" || given == "") {
		return s.verifyToken(token)
	}
	id := ""
	if strings.Contains(s.before, "%[2]s") {
		if id = header.Get(s.ids[0]); id == "" {
			return errUnsigned
		}
	}
	if given == "" || seconds == "" && s.TimestampHeader != "" {
		return errUnsigned
	}
	algorithm := sha256.New
	if s.Algorithm == "sha512" {
		algorithm = sha512.New
	}
	mac := hmac.New(algorithm, s.key)
	if s.before != "" {
		fmt.Fprintf(mac, s.before, seconds, id)
	}
	mac.Write(body)
	entries := []string{given}
	if id != "" {
		entries = strings.Fields(given) // a key that is being replaced signs, too
	}
	if !slices.ContainsFunc(entries, func(entry string) bool { return s.matches(entry, mac.Sum(nil)) }) {
		return errForged
	}
	if seconds == "" {
		return nil
	}
	return verifyTime(seconds, now)
}

// verifyToken compares tokens by their hashes, which have the same length, so that the comparison
// does not tell that of the secret.
func (s *signer) verifyToken(token string) error {
	if token == "" {
		return errUnsigned
	}
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256(s.token)
	if !hmac.Equal(got[:], want[:]) {
		return errForged
	}
	return nil
}

// matches reports whether an entry of the header is a signature.
func (s *signer) matches(entry string, want []byte) bool {
	encoded, ok := strings.CutPrefix(entry, s.Prefix)
	decode := hex.DecodeString
	if s.Encoding == "base64" {
		decode = base64.StdEncoding.DecodeString
	}
	got, err := decode(encoded)
	return ok && err == nil && hmac.Equal(got, want)
}

// verifyTime refuses a time in seconds since 1970 that is outside of the window.
func verifyTime(seconds string, now time.Time) error {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return errUnsigned
	}
	if now.Sub(time.Unix(n, 0)).Abs() > window {
		return errStale
	}
	return nil
}

// identify returns the id of the delivery, and the name of its event. A delivery without an id has
// that of its content: equal content at the same time is one delivery.
func (s *signer) identify(header http.Header, body []byte, payload json.RawMessage) (id, event string) {
	for _, name := range s.ids {
		id = cmp.Or(id, header.Get(name))
	}
	event = header.Get(s.EventHeader)
	if s.described {
		// The event of Slack's Events API, "command" for a slash command, or the type of another
		// request.
		if event = cmp.Or(text(payload, "/event/type"), text(payload, "/type")); event == "" && text(payload, "/command") != "" {
			event = "command"
		}
		id = cmp.Or(text(payload, "/event_id"), text(payload, "/trigger_id"))
	}
	if id == "" {
		id = fmt.Sprintf("sha256:%x", sha256.Sum256(slices.Concat([]byte(header.Get(s.TimestampHeader)), []byte{0}, body)))
	}
	return id, event
}

package testkit

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// The client that a Provider knows, and its secret.
const (
	OIDCClient = "wfc"
	OIDCSecret = "hush"
)

// A Provider is a provider of OpenID Connect on this machine. It signs everybody in as eve@example.com of the groups release and others.
type Provider struct {
	*httptest.Server
	Key *rsa.PrivateKey
	// Change changes the claims, and Sign signs them, if they are not nil.
	Change func(claims map[string]any)
	Sign   func(head, claims map[string]any) string

	t *testing.T
	// asked are the parameters with which the browser came last.
	asked url.Values
}

// StartProvider starts a provider, which ends with the test.
func StartProvider(t *testing.T) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{Key: key, t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		replyJSON(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		replyJSON(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "k1", "n": EncodeToken(key.N.Bytes()), "e": EncodeToken(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		p.asked = r.URL.Query()
		back := url.Values{"code": {"c1"}, "state": {p.asked.Get("state")}}
		http.Redirect(w, r, p.asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", p.exchange)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// exchange gives the token for a code to the client that proves that it began the sign-in.
func (p *Provider) exchange(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if r.FormValue("code") != "c1" || EncodeToken(sum[:]) != p.asked.Get("code_challenge") || p.asked.Get("code_challenge_method") != "S256" || id != OIDCClient || secret != OIDCSecret {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": OIDCClient, "sub": "u1", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": p.asked.Get("nonce"),
		"email": "eve@example.com", "email_verified": true, "groups": []string{"release", "others"},
	}
	if p.Change != nil {
		p.Change(claims)
	}
	sign := func(head, claims map[string]any) string { return SignToken(p.t, p.Key, head, claims) }
	if p.Sign != nil {
		sign = p.Sign
	}
	replyJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": sign(map[string]any{"alg": "RS256", "kid": "k1"}, claims)})
}

func replyJSON(w http.ResponseWriter, content any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(content) // the client has gone
}

// EncodeToken encodes a part of a token.
func EncodeToken(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// UnsignedToken is a token without its signature.
func UnsignedToken(head, claims map[string]any) string {
	h, _ := json.Marshal(head)
	c, _ := json.Marshal(claims)
	return EncodeToken(h) + "." + EncodeToken(c)
}

// SignToken is a token that a key has signed.
func SignToken(t *testing.T, key *rsa.PrivateKey, head, claims map[string]any) string {
	text := UnsignedToken(head, claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Error(err)
	}
	return text + "." + EncodeToken(signature)
}

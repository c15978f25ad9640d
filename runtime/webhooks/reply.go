package webhooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// replyTimeout is how long a service has to take a reply.
const replyTimeout = 10 * time.Second

// Reply implements inbox.Receiver, for the response_url of Slack: the message is for the user alone,
// unless it replaces the one with the buttons.
func (receiver) Reply(ctx context.Context, address, text string, settled bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && !(u.Scheme == "http" && net.ParseIP(u.Hostname()).IsLoopback()) {
		return fmt.Errorf("the address for the reply is not one of https")
	}
	document := map[string]any{"text": text, "response_type": "ephemeral", "replace_original": false}
	if settled {
		document = map[string]any{"text": text, "replace_original": true}
	}
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, replyTimeout)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return err.(*url.Error).Err // the address is a secret
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // only the status counts
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the service answers %s", answer.Status)
	}
	return nil
}

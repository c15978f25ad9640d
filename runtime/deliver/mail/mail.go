// Package mail sends the e-mails of deliveries and notices. A program links it only if one
// of its targets is an e-mail address:
//
//	p := deliver.WithMail(mail.Sender(), settings.Channel{Name: "mail", URLVariable: "SMTP_URL"})
//
// Each connection is encrypted: by TLS from its start, or by STARTTLS, without which the
// sender gives up.
package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
)

type sender struct{}

var _ outbox.Mailer = sender{}

// Sender returns what sends e-mails, for deliver.WithMail.
func Sender() engine.Extension { return sender{} }

// Name implements engine.Extension.
func (sender) Name() string { return "e-mail" }

// Send implements outbox.Mailer.
func (sender) Send(ctx context.Context, server *url.URL, l *outbox.Letter) error {
	host, user := server.Hostname(), server.User.Username()
	from := server.Query().Get("from")
	if from == "" && strings.Contains(user, "@") {
		from = user
	}
	m, err := newMessage(cmp.Or(from, "wfc@"+host), l)
	if err != nil {
		return refusedForGood(err)
	}
	options := []gomail.Option{
		gomail.WithTLSPortPolicy(gomail.TLSMandatory), gomail.WithTLSConfig(&tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}),
	}
	if server.Scheme == "smtps" {
		options = append(options, gomail.WithSSL(), gomail.WithPort(gomail.DefaultPortSSL))
	}
	if text := server.Port(); text != "" {
		port, _ := strconv.Atoi(text) // the library refuses 0
		options = append(options, gomail.WithPort(port))
	}
	if user != "" {
		password, _ := server.User.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user), gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(host, options...)
	if err != nil {
		return refusedForGood(err)
	}
	err = client.DialAndSendWithContext(ctx, m)
	if refused, ok := errors.AsType[*gomail.SendError](err); ok && !refused.IsTemp() && refused.ErrorCode() >= 500 {
		return refusedForGood(err)
	}
	return err
}

func refusedForGood(err error) error { return &outbox.RefusedError{Problem: err.Error(), Final: true} }

func newMessage(from string, l *outbox.Letter) (*gomail.Msg, error) {
	m := gomail.NewMsg()
	if err := m.From(from); err != nil {
		return nil, fmt.Errorf("the sender: %w", err)
	}
	if err := m.To(l.To); err != nil {
		return nil, fmt.Errorf("the receiver: %w", err)
	}
	_, host, _ := strings.Cut(from, "@")
	m.SetMessageIDWithValue(l.ID + "@" + strings.Trim(host, "<> "))
	m.Subject(l.Subject)
	m.SetDate()
	// Programs that answer each e-mail do not answer this one.
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	return m, nil
}

package outbox

import (
	"context"
	"errors"
	"net/url"
	"strings"
)

// A MailServer is where e-mails are sent to.
type MailServer struct {
	Host, Port string
	// TLS means that the connection is encrypted from its start. Otherwise it must change to
	// encryption (STARTTLS) before anything else.
	TLS bool
	// User and Password sign in, unless User is "".
	User, Password string
	// From is the sender.
	From string
}

// ReadMailServer reads the address of a server, such as
// smtps://user:password@mail.example.com?from=wfc@example.com. Its errors don't show the
// address.
func ReadMailServer(u *url.URL) (*MailServer, error) {
	s := &MailServer{Host: u.Hostname(), Port: u.Port(), TLS: u.Scheme == "smtps", From: u.Query().Get("from")}
	if u.Scheme != "smtp" && u.Scheme != "smtps" || s.Host == "" {
		return nil, errors.New("not the address of a mail server")
	}
	if s.Port == "" {
		s.Port = "587"
		if s.TLS {
			s.Port = "465"
		}
	}
	if u.User != nil {
		s.User = u.User.Username()
		s.Password, _ = u.User.Password()
	}
	if s.From == "" && strings.Contains(s.User, "@") {
		s.From = s.User
	}
	if s.From == "" {
		s.From = "wfc@" + s.Host
	}
	return s, nil
}

// A Letter is an e-mail.
type Letter struct {
	To, Subject, Text string
	// ID is the part of the Message-ID before the @. It is the same whenever the letter is
	// sent again.
	ID string
}

// A Mailer sends e-mails: the sender of package runtime/deliver/mail.
type Mailer interface {
	// Send sends one e-mail. The error is a *RefusedError if the server refused it for good.
	Send(ctx context.Context, s *MailServer, l *Letter) error
}

package outbox

import (
	"context"
	"net/url"
)

// A Letter is an e-mail.
type Letter struct {
	To, Subject, Text string
	// ID is the part of the Message-ID before the @. It is the same whenever the letter is
	// sent again.
	ID string
}

// A Mailer sends e-mails: the sender of package runtime/deliver/mail.
type Mailer interface {
	// Send sends one e-mail by a server, such as
	// smtps://user:password@mail.example.com?from=wfc@example.com. With the scheme smtp, the
	// connection must change to encryption before anything else. The error is a *RefusedError
	// if the server refused the e-mail for good.
	Send(ctx context.Context, server *url.URL, l *Letter) error
}

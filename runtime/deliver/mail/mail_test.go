package mail_test

import (
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/deliver/mail"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
)

// deliverTo delivers a text to a target with the server at an address.
func deliverTo(t *testing.T, target, address string) flow.Result {
	t.Helper()
	p := deliver.WithMail(mail.Sender())
	environ := []string{"WFC_MAIL_URL=" + address}
	if problems := p.Unready([]string{target}, environ); len(problems) > 0 {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: problems[0].Error()}}
	}
	return p.Perform(t.Context(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-1", Workflow: "w"}, Environ: environ, Log: slog.New(slog.DiscardHandler),
		Action: flow.Action{Key: "/deliver", Payload: flow.Delivery{Targets: []string{target}, Workflow: "w", Text: "Grüße\n.\nline"}},
	})
}

// E-mails go out by TLS from the start or by STARTTLS, and not otherwise.
func TestEncryption(t *testing.T) {
	for name, s := range map[string]*mailServer{"tls": {}, "starttls": {startTLS: true}, "none": {plain: true}} {
		t.Run(name, func(t *testing.T) {
			address := s.serve(t)
			if s.plain {
				u, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				err = mail.Sender().(outbox.Mailer).Send(t.Context(), u, &outbox.Letter{To: "bob@example.com", Text: "x", ID: "1"})
				if err == nil || !strings.Contains(err.Error(), "STARTTLS") || len(s.got()) > 0 || len(s.users) > 0 {
					t.Errorf("without encryption: %v, %q, signed in %q", err, s.got(), s.users)
				}
				return
			}
			r := deliverTo(t, "mailto:bob@example.com", address)
			if r.Status != flow.Completed || len(s.got()) != 1 || len(s.users) != 1 || !strings.HasSuffix(s.users[0], "encrypted true") {
				t.Fatalf("%+v %v, %q, signed in %q", r, r.Failure, s.got(), s.users)
			}
			letter := s.got()[0]
			for _, want := range []string{"From: <wfc@example.com>\r\n", "To: <bob@example.com>\r\n", "Subject: Result of w\r\n", "@example.com>\r\n", "Auto-Submitted: auto-generated\r\n", "Gr=C3=BC=C3=9Fe\r\n"} {
				if !strings.Contains(letter, want) {
					t.Errorf("no %q in\n%s", want, letter)
				}
			}
		})
	}
}

func TestProblems(t *testing.T) {
	for _, tt := range []struct{ target, address, refuse, want string }{
		{"mailto:bob@example.com", "", "", "missing address: set WFC_MAIL_URL"},
		{"mailto:bob@example.com", "https://example.com/secret-secret", "", "the value of WFC_MAIL_URL is not the address of a mail channel"},
		{"mail", "smtps://example.com", "", "missing receiver: an e-mail needs one"},
		{"mailto:bob@example.com", "serve", "550 no such user", `550 "no such user"`},
	} {
		s := &mailServer{refuse: tt.refuse}
		address := tt.address
		if address == "serve" {
			address = s.serve(t)
		}
		r := deliverTo(t, tt.target, address)
		if r.Status != flow.Failed || !strings.Contains(r.Failure.Message, tt.want) || strings.Contains(r.Failure.Message, "secret") {
			t.Errorf("%s by %s: %+v", tt.target, tt.address, r.Failure)
		}
		if tt.refuse != "" && strings.Contains(r.Failure.Message, "tried") {
			t.Errorf("a refusal for good is tried again: %s", r.Failure.Message)
		}
	}
}

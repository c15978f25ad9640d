package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// letter is one request that a service was sent.
type letter struct {
	path   string
	header http.Header
	body   map[string]any
}

// service is a loopback server that answers as a test says and keeps what it was
// sent.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	letters []letter
	answers []answer
}

// answer is how a service answers; hang is not at all.
type answer struct {
	status int
	body   string
	header string // Name: value
	hang   bool
}

// serve starts a service whose answers come in order; the last one goes on.
func serve(t *testing.T, answers ...answer) *service {
	t.Helper()
	s := &service{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		l := letter{path: r.URL.Path, header: r.Header}
		if err := json.Unmarshal(text, &l.body); err != nil {
			t.Errorf("no JSON object: %s", text)
		}
		s.mu.Lock()
		s.letters = append(s.letters, l)
		a := s.answers[min(len(s.letters), len(s.answers))-1]
		s.mu.Unlock()
		if a.hang {
			<-r.Context().Done()
			return
		}
		if name, value, ok := strings.Cut(a.header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// got are the letters so far.
func (s *service) got() []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.letters
}

// sender delivers without waiting, and keeps how long it would have waited, and
// the run's log.
type sender struct {
	*deliver.Performer
	mu     sync.Mutex
	waits  []time.Duration
	log    strings.Builder
	values []string
}

func newSender(channels ...settings.Channel) *sender {
	s := &sender{Performer: deliver.NewPerformer(channels...)}
	s.Quick(5*time.Second, func(d time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = append(s.waits, d)
	})
	return s
}

// set sets an environment variable.
func (s *sender) set(name, value string) *sender {
	s.values = append(s.values, name+"="+value)
	return s
}

func (s *sender) send(ctx context.Context, d flow.Delivery) flow.Result {
	if d.Workflow == "" {
		d.Workflow = "digest"
	}
	return s.Perform(ctx, &engine.Attempt{
		Info: &flow.RunInfo{ID: "digest-abc123", Workflow: d.Workflow}, Action: flow.Action{Key: d.Step + "/deliver", Payload: d},
		Number: 1, Environ: s.values, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
	})
}

func to(text string, targets ...string) flow.Delivery {
	return flow.Delivery{Targets: targets, Text: text}
}

func completed(t *testing.T, r flow.Result, text string) {
	t.Helper()
	if r.Status != flow.Completed || r.Text != text {
		t.Errorf("%s %q %v", r.Status, r.Text, r.Failure)
	}
}

// failure returns the message of a failed result.
func failure(t *testing.T, r flow.Result) string {
	t.Helper()
	if r.Status != flow.Failed || r.Failure == nil {
		t.Fatalf("%s %q %v", r.Status, r.Text, r.Failure)
	}
	return r.Failure.Message
}

func texts(letters []letter, field string) []string {
	var list []string
	for _, l := range letters {
		list = append(list, fmt.Sprint(l.body[field]))
	}
	return list
}

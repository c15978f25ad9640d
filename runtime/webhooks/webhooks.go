// Package webhooks receives signed requests for the command listen of a program, by HTTP.
//
// Only programs whose workflow has webhooks contain this package. Their main passes [Server] to
// the command:
//
//	cli.Main(cli.Program{Definition: &triage.Workflow, Triggers: …, Webhooks: webhooks.Server()})
//
// A request counts only if its signature is right. Nothing of its content is believed before,
// and afterwards it is still hostile: it becomes values of inputs.
package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/webserver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/metrics"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// Server is the value for the field Webhooks of a cli.Program.
func Server() engine.Extension { return receiver{usualLimits} }

// receiver is an inbox.Receiver.
type receiver struct{ limits limits }

// limits bound what a sender, authentic or not, can make the server do.
type limits struct {
	header, request, idle, drain time.Duration
	// body is the largest body in bytes, and handlers is how many requests are read at once.
	body     int64
	handlers int
	// now is the clock.
	now func() time.Time
}

var usualLimits = limits{
	header: 10 * time.Second, request: 30 * time.Second, idle: time.Minute, drain: 10 * time.Second,
	body: 2 << 20, handlers: 64, now: time.Now,
}

// window is how far the time in a request may be from that of this machine.
const window = 5 * time.Minute

// healthPath is the path at which the server says that it works.
const healthPath = "/healthz"

// Name implements engine.Extension.
func (receiver) Name() string { return "webhooks" }

// Serve implements inbox.Receiver.
func (r receiver) Serve(ctx context.Context, site inbox.Site) error {
	h := &handler{site: site, limits: r.limits, routes: map[string][]*route{}, slots: make(chan struct{}, r.limits.handlers)}
	for i := range site.Triggers {
		t := &site.Triggers[i]
		if t.On.Webhook == "" {
			continue
		}
		secret := site.Secret(t.On.SecretVariable)
		if secret == "" {
			return fmt.Errorf("the webhook %s needs its secret: set the environment variable %s", t.On.Path, t.On.SecretVariable)
		}
		h.routes[t.On.Path] = append(h.routes[t.On.Path], &route{trigger: t, signer: newSigner(&t.On, secret), limiter: newLimiter(t.On.PerMinute)})
	}
	listener, err := webserver.Open(ctx, site.Address, site.Cert, site.Key)
	if err != nil {
		return err
	}
	figures := metrics.New(func(context.Context) ([]serving.Source, []string) { return []serving.Source{site.Source}, nil })
	stopMetrics, err := figures.Serve(ctx, site.Metrics)
	if err != nil {
		listener.Close()
		return err
	}
	defer stopMetrics()
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: r.limits.header, ReadTimeout: r.limits.request, WriteTimeout: 2 * r.limits.request,
		IdleTimeout: r.limits.idle, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(site.Log.Handler(), slog.LevelDebug),
	}
	site.Ready(listener.Addr().String())
	if err := webserver.Serve(ctx, server, listener, r.limits.drain); err != nil {
		return fmt.Errorf("receive webhooks: %w", err)
	}
	return nil
}

// A handler answers requests.
type handler struct {
	site   inbox.Site
	limits limits
	// routes are the webhooks of each path: those of one path have the same secret.
	routes map[string][]*route
	slots  chan struct{}
}

// A route is the webhook of a path.
type route struct {
	trigger *trigger.Trigger
	signer  *signer
	limiter *rate.Limiter
}

// A refusal is an answer that is not 2xx.
type refusal struct {
	code   int
	reason string
	// after is the number of seconds after which the sender may try again, or 0.
	after int
}

func (r *refusal) Error() string { return r.reason }

func refuse(code int, reason string) error { return &refusal{code: code, reason: reason} }

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == healthPath && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		fmt.Fprintln(w, "ok")
		return
	}
	document, err := h.receive(w, r)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	var no *refusal
	switch {
	case errors.As(err, &no):
		if no.after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(no.after))
		}
		h.site.Log.Warn("refused", "path", plain.Clip(r.URL.Path, 80), "from", r.RemoteAddr, "code", no.code, "reason", no.reason)
		http.Error(w, no.reason, no.code)
	case err != nil:
		h.site.Log.Error("not queued", "path", r.URL.Path, "error", err)
		w.Header().Set("Retry-After", "30")
		http.Error(w, "the delivery could not be queued; send it again", http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "application/json")
		if document["status"] == string(inbox.Queued) {
			w.WriteHeader(http.StatusAccepted)
		}
		_ = json.NewEncoder(w).Encode(document) // a sender that is gone asks again
	}
}

// receive handles a request to a webhook, and returns the document of the answer.
func (h *handler) receive(w http.ResponseWriter, r *http.Request) (map[string]string, error) {
	routes := h.routes[r.URL.Path]
	if len(routes) == 0 {
		return nil, refuse(http.StatusNotFound, "no webhook has this path")
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, refuse(http.StatusMethodNotAllowed, "a webhook is a POST request")
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form := kind == "application/x-www-form-urlencoded"
	if err != nil || !form && kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, refuse(http.StatusUnsupportedMediaType, "the content must be application/json or application/x-www-form-urlencoded")
	}
	body, err := h.read(w, r)
	if err != nil {
		return nil, err
	}
	if err := routes[0].signer.verify(r.Header, body, h.limits.now()); err != nil {
		return nil, refuse(http.StatusUnauthorized, err.Error())
	}
	// Only authentic requests count: nobody else can use up the rate of a sender.
	if wait := waitFor(routes[0].limiter, h.limits.now()); wait > 0 {
		return nil, &refusal{http.StatusTooManyRequests, "too many requests for this webhook", max(1, int(wait/time.Second))}
	}
	payload, err := payloadOf(body, form)
	if err != nil {
		return nil, err
	}
	return h.accept(r, routes, body, payload)
}

// read reads the body of a request, if it is not too large and not too many are being read.
func (h *handler) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		return nil, &refusal{http.StatusServiceUnavailable, "too many requests at once", 5}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.limits.body))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", h.limits.body))
	case err != nil:
		return nil, refuse(http.StatusRequestTimeout, "the body did not arrive")
	}
	return body, nil
}

// payloadOf returns the JSON document in a body. A form has it in the field payload, or else is
// an object of its fields.
func payloadOf(body []byte, form bool) (json.RawMessage, error) {
	if form {
		fields, err := url.ParseQuery(string(body))
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "the form cannot be read")
		}
		if !fields.Has("payload") {
			object := map[string]string{}
			for name := range fields {
				object[name] = fields.Get(name)
			}
			return json.Marshal(object)
		}
		body = []byte(fields.Get("payload"))
	}
	if !json.Valid(body) {
		return nil, refuse(http.StatusBadRequest, "the body is not JSON")
	}
	return body, nil
}

// accept passes an authentic request on.
func (h *handler) accept(r *http.Request, routes []*route, body []byte, payload json.RawMessage) (map[string]string, error) {
	on := &routes[0].trigger.On
	if challenge := text(payload, "/challenge"); on.Webhook == settings.WebhookSlack && text(payload, "/type") == "url_verification" {
		return map[string]string{"challenge": challenge}, nil
	}
	id, event := routes[0].signer.identify(r.Header, body, payload)
	if on.Webhook == settings.WebhookGitHub && event == "ping" {
		return map[string]string{"status": "pong"}, nil
	}
	i := slices.IndexFunc(routes, func(r *route) bool {
		return len(r.trigger.On.Events) == 0 || slices.Contains(r.trigger.On.Events, event)
	})
	if i < 0 {
		return map[string]string{"status": string(inbox.Ignored)}, nil
	}
	route := routes[i]
	receipt, err := h.site.Accept(r.Context(), inbox.Delivery{Trigger: route.trigger, ID: id, Event: event, Payload: payload})
	var unfit *trigger.MappingError
	switch {
	case errors.As(err, &unfit):
		return nil, refuse(http.StatusUnprocessableEntity, plain.Line(unfit.Error()))
	case err != nil:
		return nil, err
	case receipt.Outcome == inbox.Foreign:
		return nil, refuse(http.StatusNotFound, "another workflow has this run")
	}
	document := map[string]string{"status": string(receipt.Outcome)}
	if receipt.Run != "" {
		document["run"] = receipt.Run
	}
	if receipt.Outcome == inbox.Queued {
		h.site.Log.Info("queued", "trigger", route.trigger.Name(), "event", event, "delivery", plain.Clip(plain.Line(id), 80), "run", receipt.Run)
	}
	return document, nil
}

// text returns the string at a place of a payload, or "".
func text(payload json.RawMessage, pointer string) string {
	value, _ := trigger.Lookup(payload, pointer)
	var s string
	_ = json.Unmarshal(value, &s) // anything else leaves it empty
	return s
}

// newLimiter returns a limiter that takes a minute's requests at once after a quiet minute.
func newLimiter(perMinute int) *rate.Limiter {
	if perMinute <= 0 {
		perMinute = settings.DefaultPerMinute
	}
	return rate.NewLimiter(rate.Limit(perMinute)/60, perMinute)
}

// waitFor counts a request, or returns how long its sender has to wait.
func waitFor(l *rate.Limiter, now time.Time) time.Duration {
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

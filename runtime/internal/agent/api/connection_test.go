package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestConnection(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "of-the-process")
	t.Setenv("ANTHROPIC_BASE_URL", "https://process.invalid")
	for _, test := range []struct {
		name    string
		choice  settings.Agent
		environ []string
		key     string
		from    string
		url     string
	}{
		{"first", settings.Agent{}, []string{"ANTHROPIC_AUTH_TOKEN=two", "ANTHROPIC_API_KEY=one\n"}, "one", "ANTHROPIC_API_KEY", ""},
		{"second", settings.Agent{}, []string{"ANTHROPIC_API_KEY= ", "ANTHROPIC_AUTH_TOKEN=two"}, "two", "ANTHROPIC_AUTH_TOKEN", ""},
		{"named", settings.Agent{KeyVariable: "MINE"}, []string{"ANTHROPIC_API_KEY=one", "MINE=three"}, "three", "MINE", ""},
		{"address of the environment", settings.Agent{}, []string{"ANTHROPIC_API_KEY=one", "ANTHROPIC_BASE_URL=http://a.test/v1"}, "one", "ANTHROPIC_API_KEY", "http://a.test/v1"},
		{"address of the choice", settings.Agent{BaseURL: "http://b.test"}, []string{"ANTHROPIC_API_KEY=one", "ANTHROPIC_BASE_URL=http://a.test"}, "one", "ANTHROPIC_API_KEY", "http://b.test"},
	} {
		s := &service{answer: says("a")}
		r := request(t)
		r.Environ = test.environ
		if _, err := open(t, s, true, test.choice).Turn(t.Context(), r); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if c := s.calls[0].Connection; c.Key != test.key || c.KeyVariable != test.from || c.BaseURL != test.url || len(c.Environ) != len(test.environ) {
			t.Errorf("%s: %+v", test.name, c)
		}
	}
	for _, test := range []struct {
		choice  settings.Agent
		environ []string
		want    string
	}{
		{settings.Agent{}, nil, "missing key for the Anthropic API: set one of the environment variables `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`"},
		{settings.Agent{KeyVariable: "MINE"}, []string{"ANTHROPIC_API_KEY=one"}, "set the environment variable `MINE`"},
		{settings.Agent{}, []string{"ANTHROPIC_API_KEY=a\nb"}, "`ANTHROPIC_API_KEY` has characters that keys do not have"},
		{settings.Agent{}, []string{"ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=a.test"}, "`ANTHROPIC_BASE_URL`: the base URL must begin"},
	} {
		s := &service{answer: says("a")}
		r := request(t)
		r.Environ = test.environ
		_, err := open(t, s, true, test.choice).Turn(t.Context(), r)
		failed(t, err, flow.ClassFatal, "agent `bot`: ", test.want)
		if len(s.calls) > 0 {
			t.Error("the model was asked without a key")
		}
	}
}

func TestInspect(t *testing.T) {
	key := []string{"ANTHROPIC_AUTH_TOKEN=" + secret}
	for _, test := range []struct {
		name     string
		environ  []string
		thorough bool
		verify   error
		want     engine.AgentState
	}{
		{name: "no key", want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.No, Usable: engine.No, Problem: "missing key for the Anthropic API",
			Hint: "set one of the environment variables `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`"}},
		{name: "a key", environ: key, want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.Unknown}},
		{name: "a good key", environ: key, thorough: true, want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.Yes, Usable: engine.Yes}},
		{name: "a bad key", environ: key, thorough: true, verify: api.Failure("the API", 401, "bad key "+secret, 0),
			want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.No, Usable: engine.No, Problem: "the API refused the request [401]: bad key ***",
				Hint: "check the key in the environment variable `ANTHROPIC_AUTH_TOKEN`"}},
		{name: "no such question", environ: key, thorough: true, verify: api.Failure("the API", 404, "what?", 0), want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.Unknown}},
		{name: "no connection", environ: key, thorough: true, verify: api.Broken("the API", errors.New("cut")),
			want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.No, Problem: "the connection to the API failed: cut"}},
		{name: "bad address", environ: append([]string{"ANTHROPIC_BASE_URL=x"}, key...), want: engine.AgentState{Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.No,
			Problem: "the environment variable `ANTHROPIC_BASE_URL`: the base URL must begin with http:// or https:// and name a server"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &service{verify: func(ctx context.Context, c *api.Connection) error {
				if _, limited := ctx.Deadline(); !limited || c.Key != secret {
					t.Errorf("verified %+v, limited %t", c, limited)
				}
				return test.verify
			}}
			var got engine.AgentState
			open(t, s, true, settings.Agent{}).(agent.Inspector).Inspect(t.Context(), &engine.Inspection{Environ: test.environ, Thorough: test.thorough}, &got)
			credentials := got.Credentials
			got.Credentials = nil
			if a, b := encode(got), encode(test.want); a != b {
				t.Errorf("got  %s\nwant %s", a, b)
			}
			if len(credentials) != 2 || credentials[0].Set != (len(test.environ) > 0) || credentials[1].Set || test.environ != nil && credentials[0].Name != "ANTHROPIC_AUTH_TOKEN" {
				t.Errorf("credentials %+v", credentials)
			}
		})
	}
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestFailureClasses(t *testing.T) {
	for _, test := range []struct {
		status  int
		message string
		class   flow.Class
		reason  string
	}{
		{400, "bad", flow.ClassFatal, failures.ReasonAgent},
		{401, "bad", flow.ClassFatal, failures.ReasonAgent},
		{402, "", flow.ClassFatal, failures.ReasonCredit},
		{403, "rate limit", flow.ClassFatal, failures.ReasonAgent},
		{404, "model", flow.ClassFatal, failures.ReasonAgent},
		{408, "", flow.ClassTransient, failures.ReasonAgent},
		{409, "", flow.ClassTransient, failures.ReasonAgent},
		{413, "", flow.ClassFatal, failures.ReasonAgent},
		{429, "401 requests", flow.ClassTransient, failures.ReasonQuota},
		{429, "insufficient_quota: pay", flow.ClassFatal, failures.ReasonCredit},
		{400, "Your credit balance is too low", flow.ClassFatal, failures.ReasonCredit},
		{500, "", flow.ClassTransient, failures.ReasonAgent},
		{501, "", flow.ClassFatal, failures.ReasonAgent},
		{529, "", flow.ClassTransient, failures.ReasonAgent},
		{0, "overloaded", flow.ClassTransient, failures.ReasonAgent},
		{0, "odd", flow.ClassUnknown, failures.ReasonAgent},
	} {
		err := api.Failure("the API", test.status, test.message, 0)
		var f *flow.Failure
		if !errors.As(err, &f) || f.Class != test.class || f.Reason != test.reason || f.ExitCode != -1 || !strings.HasPrefix(f.Message, "the API refused the request") {
			t.Errorf("%d %q: %+v", test.status, test.message, f)
		}
	}
	long := api.Failure("the API", 502, "<html>\n\n"+strings.Repeat("é", 5000), 0).Error()
	if len(long) > 2200 || strings.Contains(long, "\n") || !strings.HasSuffix(long, " …") {
		t.Errorf("%d bytes", len(long))
	}
}

func TestBrokenConnections(t *testing.T) {
	for _, test := range []struct {
		err   error
		class flow.Class
	}{
		{io.ErrUnexpectedEOF, flow.ClassTransient},
		{&url.Error{Op: "Post", URL: "http://x", Err: io.EOF}, flow.ClassTransient},
		{&net.DNSError{Err: "no such host", Name: "x"}, flow.ClassTransient},
		{errors.New("odd"), flow.ClassUnknown},
	} {
		if got := failures.Classify(api.Broken("the API", test.err)); got != test.class {
			t.Errorf("%v: %q, want %q", test.err, got, test.class)
		}
	}
	if err := api.Broken("the API", &url.Error{Err: context.Canceled}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call became %v", err)
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	_, err := api.Client().Get(secure.URL)
	if got := failures.Classify(api.Broken("the API", err)); err == nil || got != flow.ClassFatal {
		t.Errorf("a server nobody knows: %v, %q", err, got)
	}
}

// TestSecretsAreHidden looks for the key in all that a turn says.
func TestSecretsAreHidden(t *testing.T) {
	const password = "hunter22"
	base := "http://user:" + password + "@127.0.0.1:1"
	s := &service{}
	s.answer = func(_ context.Context, c *api.Call) (*api.Completion, error) {
		if c.Model == "m-1" {
			return nil, api.Failure("the API", 404, "no", 0)
		}
		quoted, _ := json.Marshal(c.Key)
		return nil, fmt.Errorf("POST %s?key=%s with %s, %s and %s: %w", c.BaseURL, url.QueryEscape(c.Key), c.Key, quoted, url.PathEscape(c.Key),
			api.Failure("the API", 401, c.Key, 0))
	}
	r := request(t)
	r.Options = []flow.Option{option(options.FallbackModel, secret)}
	var said strings.Builder
	r.Notes = func(piece []byte) { said.Write(piece) }
	r.Output = func(piece []byte) { said.Write(piece) }
	_, err := open(t, s, true, settings.Agent{BaseURL: base}).Turn(t.Context(), r)
	failed(t, err, flow.ClassFatal, "***", "check the key in the environment variable `ANTHROPIC_API_KEY`")
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), said.String()} {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), password} {
			if strings.Contains(text, form) {
				t.Errorf("%q holds %q", text, form)
			}
		}
	}
	if said.Len() == 0 {
		t.Error("nothing was noted")
	}
}

// TestClientKeepsKeysAtHome follows no redirect.
func TestClientKeepsKeysAtHome(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	home := httptest.NewServer(http.RedirectHandler(other.URL+"/v1?secret=1", http.StatusTemporaryRedirect))
	defer home.Close()
	r, err := api.Client().Post(home.URL, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusMisdirectedRequest || r.Header.Get("Location") != "" || !strings.Contains(string(text), "another server (to "+other.URL+")") {
		t.Errorf("%d %q, %v", r.StatusCode, text, err)
	}
	failed(t, api.Failure("the API", r.StatusCode, string(text), 0), flow.ClassFatal, "set the base URL")
	if reached {
		t.Error("the redirect was followed")
	}
}

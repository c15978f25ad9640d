package acp

import (
	"context"
	"errors"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// authMethod is a way of signing in that a program offers.
type authMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Type is "env_var", "terminal", or "" for what the program does by itself,
	// which may be to open a browser.
	Type string `json:"type"`
	Vars []struct {
		Name     string `json:"name"`
		Optional bool   `json:"optional"`
	} `json:"vars"`
}

// signIn signs in by the ways that need no person. The error says that there is
// none, or the last one's refusal.
func (t *turn) signIn(ctx context.Context, why *rpcError) error {
	for _, m := range t.start.AuthMethods {
		if !m.unattended(t.request.Environ) {
			continue
		}
		t.tell.note("signing in: %s", m.title())
		_, err := ask[struct{}](ctx, t, sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: m.ID})
		if err == nil {
			return nil
		}
		var refused *rpcError
		if !errors.As(err, &refused) {
			return err
		}
		why = refused
	}
	return t.signedOut(why)
}

// unattended reports whether a way of signing in needs nobody: its variables are
// set, or it says of itself that it is by a key and there is one.
func (m *authMethod) unattended(environ []string) bool {
	set := func(name string) bool { return process.Variable(environ, name) != "" }
	switch m.Type {
	case "env_var":
		return !slices.ContainsFunc(m.Vars, func(v struct {
			Name     string `json:"name"`
			Optional bool   `json:"optional"`
		}) bool {
			return !v.Optional && !set(v.Name)
		})
	case "":
		if id := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(m.ID)); !strings.Contains(id, "apikey") {
			return false
		}
		return slices.ContainsFunc(environ, func(entry string) bool {
			name, value, _ := strings.Cut(entry, "=")
			return value != "" && strings.HasSuffix(strings.ToUpper(name), "API_KEY")
		})
	}
	return false
}

func (m *authMethod) title() string {
	if m.Name != "" {
		return shorten(m.Name, 60)
	}
	return shorten(m.ID, 60)
}

// signedOut says that somebody has to sign in, and how the program says that
// this is done.
func (t *turn) signedOut(why *rpcError) error {
	text := "the agent program `" + t.name + "` is not signed in: " + why.text()
	if list := t.methods(); list != "" {
		text += "; it offers: " + list
	}
	return &signedOutError{fatal(agent.ReasonAgent, "%s. %s", process.Mask(t.request.Environ, text), waysToSignIn)}
}

const waysToSignIn = "Sign in with the program itself, or set the variable that holds its key; a variable that wfc holds back is let through under `environment` of the agent in wfc.yaml"

// keyRefused says that the service refuses the program's key, and what to do.
func (t *turn) keyRefused(why *rpcError) error {
	text := "the agent program `" + t.name + "` failed, as its key was refused: " + why.text()
	return &signedOutError{fatal(agent.ReasonAgent, "%s. %s", process.Mask(t.request.Environ, text), waysToSignIn)}
}

// signedOutError is a failure that is mended by signing in.
type signedOutError struct{ *flow.Failure }

// Unwrap returns the failure.
func (e *signedOutError) Unwrap() error { return e.Failure }

// methods names the ways of signing in.
func (t *turn) methods() string {
	var list []string
	for _, m := range t.start.AuthMethods {
		text := m.title()
		if m.Description != "" && m.Description != m.Name {
			text += " (" + shorten(m.Description, 120) + ")"
		}
		for _, v := range m.Vars {
			text += " $" + shorten(v.Name, 60)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

package acp_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

func TestModels(t *testing.T) {
	for _, way := range []string{"options", "groups", "list"} {
		for wanted, got := range map[string]string{"": "small", "small": "small", "vendor/big": "vendor/big", "big": "vendor/big", "Huge": "vendor/huge"} {
			w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--models="+way)
			w.request.Model = wanted
			reply, err := w.turn()
			if err != nil || reply.Meta.Model != got {
				t.Errorf("%s, %q: %+v %v", way, wanted, reply, err)
				continue
			}
			// A model that the program has anyway is not asked for again.
			if asked := fakeagent.Turns(t, w.program)[0].Model; asked != got && (asked != "" || got != "small") {
				t.Errorf("%s, %q: the program uses %q", way, wanted, asked)
			}
		}
		w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--models="+way)
		w.request.Model = "tiny"
		_, err := w.turn()
		fails(t, err, flow.ClassFatal, "agent", "unknown model `tiny`")
		if len(fakeagent.Turns(t, w.program)) != 0 {
			t.Error("another model was asked")
		}
	}
}

func TestModelsThatCannotBeChosen(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	w.request.Model = "big"
	_, err := w.turn()
	fails(t, err, flow.ClassFatal, "agent", "cannot use the model `big`: it offers no choice of models", "--model={model}")

	w = newWorld(t, fakeagent.Behaviour{Text: "x"}, "--models=stubborn")
	w.request.Model = "big"
	_, err = w.turn()
	fails(t, err, flow.ClassFatal, "agent", "was asked for the model `vendor/big` but uses `small`")
}

func TestModelsAsArguments(t *testing.T) {
	for _, test := range []struct{ model, args, want string }{
		{"m 1", "--a|--model={model}|--b", "--a|--model=m 1|--b"},
		{"", "--a|--model={model}|--b", "--a|--b"},
		{"m", "--model|{model}|x", "--model|m|x"},
		{"", "--model|{model}|x", "x"},
		{"", "run|{model}", "run"},
	} {
		w := newWorld(t, fakeagent.Behaviour{Text: "x"}, strings.Split(test.args, "|")...)
		w.request.Model = test.model
		reply, err := w.turn()
		if err != nil || reply.Meta.Model != test.model {
			t.Errorf("%q: %+v %v", test.args, reply, err)
			continue
		}
		if args := strings.Join(fakeagent.Turns(t, w.program)[0].Args, "|"); args != test.want {
			t.Errorf("%q with %q: the program got %q", test.args, test.model, args)
		}
	}
	w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--model", "{model}")
	w.request.Model = "--yolo"
	_, err := w.turn()
	fails(t, err, flow.ClassFatal, "agent", "the program would treat it as a flag")
}

func TestSigningInWithoutAPerson(t *testing.T) {
	for _, test := range []struct {
		auth, environ string
		ok            bool
	}{
		{"key", "", false},
		{"key", "SOME_API_KEY=", false},
		{"key", "SOME_API_KEY=k", true},
		{"var", "", false},
		{"var", "SOME_API_KEY=k", false},
		{"var", "FAKE_KEY=k", true},
		{"browser", "SOME_API_KEY=k", false},
	} {
		w := newWorld(t, fakeagent.Behaviour{Text: "in"}, "--auth="+test.auth)
		w.request.Environ = append(w.request.Environ, test.environ)
		reply, err := w.turn()
		if test.ok {
			if err != nil || reply.Text != "in" {
				t.Errorf("%+v: %+v %v", test, reply, err)
			}
			continue
		}
		fails(t, err, flow.ClassFatal, "agent", "is not signed in")
		if strings.Contains(w.notes.String(), "signing in") {
			t.Errorf("%+v: it was tried: %q", test, w.notes.String())
		}
	}
}

func TestGreetingsAreNoReply(t *testing.T) {
	// The answer to the choice of the model comes after the greeting.
	w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--greet", "--models=list")
	w.request.Model = "big"
	if text := w.ask("hello"); text != "x" || !strings.Contains(w.notes.String(), "Welcome!") {
		t.Errorf("the reply is %q, with the notes %q", text, w.notes.String())
	}
}

func TestInspect(t *testing.T) {
	for _, test := range []struct {
		name, args string
		b          fakeagent.Behaviour
		want       engine.AgentState
	}{
		{"works", "--close", fakeagent.Behaviour{}, engine.AgentState{Version: "fake-acp 1.2.3", Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.Yes}},
		{"signed out", "--auth=browser", fakeagent.Behaviour{}, engine.AgentState{Version: "fake-acp 1.2.3", Installed: engine.Yes, SignedIn: engine.No, Usable: engine.No,
			Problem: "is not signed in", Hint: "sign in with "}},
		{"other protocol", "--protocol=9", fakeagent.Behaviour{Version: "9.0.0"}, engine.AgentState{Version: "fake-acp 9.0.0", Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.No, Problem: "speaks version 9"}},
		{"no protocol", "--other", fakeagent.Behaviour{}, engine.AgentState{Version: "fake-acp 1.2.3", Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.No, Problem: "before it said that it speaks"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, test.b, test.args, "--model={model}")
			q := &engine.Inspection{Environ: w.request.Environ, WorkDir: w.request.WorkDir, Thorough: true}
			s := engine.AgentState{Name: "tester", Kind: "acp"}
			w.agent().Inspect(t.Context(), q, &s)
			if s.Program != w.program || s.Version != test.want.Version || s.Installed != test.want.Installed || s.SignedIn != test.want.SignedIn || s.Usable != test.want.Usable ||
				!strings.Contains(s.Problem, test.want.Problem) || !strings.Contains(s.Hint, test.want.Hint) || test.want.Problem == "" && s.Problem != "" {
				t.Errorf("got %+v", s)
			}
			q.Thorough, s = false, engine.AgentState{}
			w.agent().Inspect(t.Context(), q, &s)
			if s.Installed != engine.Yes || s.Usable != engine.Unknown || s.Version != test.want.Version {
				t.Errorf("at a glance: %+v", s)
			}
			if turns := fakeagent.Turns(t, w.program); len(turns) != 0 {
				t.Errorf("a model was asked: %+v", turns)
			}
		})
	}
	w := newWorld(t, fakeagent.Behaviour{})
	w.choice = engineChoice("pi", "")
	var s engine.AgentState
	w.agent().Inspect(t.Context(), &engine.Inspection{Environ: []string{"PATH=" + t.TempDir()}, WorkDir: w.request.WorkDir, Thorough: true}, &s)
	if s.Installed != engine.No || s.Usable != engine.No || !strings.Contains(s.Problem, "`pi-acp` is not on PATH") || !strings.Contains(s.Hint, "npm install -g pi-acp") {
		t.Errorf("got %+v", s)
	}
}

package embedding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// draft asks an agent for a draft, and a person whether to publish it. A program has the
// Workflow of a generated package here.
var draft = flow.Definition{
	Name: "draft", Agents: []string{"writer"}, ExclusiveCheckout: true, PromptsOnly: true,
	Inputs: []flow.InputInfo{{Name: "topic", Type: "text"}},
	Nodes:  []flow.NodeInfo{{Key: "write", Kind: "prompt", Agent: "writer"}, {Key: "publish", Kind: "approval", After: []string{"write"}}},
	Flow: func(c *flow.Context) (any, error) {
		var in struct {
			Topic string `json:"topic"`
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		write := flow.Spawn(c, flow.Node[string]{Key: "write", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Prompt{Agent: "writer", Text: "Write about " + in.Topic}))
		}})
		publish := flow.Spawn(c, flow.Node[string]{Key: "publish", Kind: "approval", After: []flow.AnyTask{write}, Run: func(c *flow.Context) (string, error) {
			r, err := c.Ask("", flow.Question{Message: "Publish it?", Choices: []string{"yes", "no"}})
			return r.Meta.Choice, err
		}})
		err := flow.Settle(c)
		return map[string]string{"text": write.Final().Text, "published": publish.Final().Text}, err
	},
}

// A service is an HTTP server around an engine.
type service struct{ engine *local.Engine }

// start opens the engine and continues what an earlier process left.
func start(ctx context.Context, options ...embedding.Options) (*service, error) {
	e, err := embedding.Open(ctx, options...)
	if err != nil {
		return nil, err
	}
	err = e.ResumeAll(ctx, func(id string, err error) { fmt.Println("resumed", id, err) })
	return &service{e}, err
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /runs", func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     string          `json:"run_id"`
			Inputs json.RawMessage `json:"inputs"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		id, err := s.engine.RunAsync(r.Context(), &draft, request.Inputs, local.Options{ID: request.ID})
		respond(w, map[string]string{"run_id": id}, err)
	})
	mux.HandleFunc("GET /runs", func(w http.ResponseWriter, r *http.Request) {
		list, err := s.engine.ListRuns(r.Context(), store.Filter{Workflow: draft.Name})
		respond(w, list, err)
	})
	mux.HandleFunc("GET /runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		status, err := s.engine.Wait(r.Context(), r.PathValue("id"))
		respond(w, status, err)
	})
	mux.HandleFunc("POST /runs/{id}/answer", func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID, Choice, Text, By string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := store.Answer{Key: request.ID, Choice: request.Choice, Text: request.Text, By: request.By}
		respond(w, struct{}{}, s.engine.Answer(r.Context(), r.PathValue("id"), answer))
	})
	mux.HandleFunc("POST /runs/{id}/resume", func(w http.ResponseWriter, r *http.Request) {
		respond(w, struct{}{}, s.engine.ResumeAsync(r.Context(), &draft, r.PathValue("id"), local.Options{}))
	})
	mux.HandleFunc("DELETE /runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, struct{}{}, s.engine.Cancel(r.Context(), r.PathValue("id"), "the client"))
	})
	return mux
}

// respond writes the response of a handler, as JSON or with the status of an error.
func respond(w http.ResponseWriter, v any, err error) {
	_, busy := errors.AsType[*local.BusyError](err)
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	case errors.Is(err, store.ErrNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case busy, errors.Is(err, store.ErrAnswered):
		http.Error(w, err.Error(), http.StatusConflict)
	case errors.Is(err, local.ErrShutdown):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// A service starts runs for requests, shows them, and answers their questions. After a restart
// it continues them.
func Example_service() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "wfc-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	runs := memory.New() // a service has a store that outlives it
	asked, write := make(chan string, 2), make(chan struct{})
	options := embedding.Options{
		Workflows: []*flow.Definition{&draft},
		OpenStore: func(context.Context, string) (store.Store, error) { return runs, nil },
		AgentFuncs: map[string]embedding.AgentFunc{"writer": func(ctx context.Context, r *agent.Request) (string, error) {
			asked <- r.RunID
			select {
			case <-write:
				return strings.ToLower(r.Text), nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}},
		Defaults: settings.Project{State: folder},
	}
	s, err := start(ctx, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	request := func(method, path, body string) string {
		w := httptest.NewRecorder()
		s.handler().ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		return fmt.Sprintln(w.Code, strings.TrimSpace(w.Body.String()))
	}

	// Two requests at once, in one folder.
	fmt.Print(request("POST", "/runs", `{"run_id": "draft-1", "inputs": {"topic": "Owls"}}`))
	fmt.Print(request("POST", "/runs", `{"run_id": "draft-2", "inputs": {"topic": "Bats"}}`))
	fmt.Print(request("POST", "/runs", `{"inputs": {"topics": "Owls"}}`))
	<-asked
	<-asked
	fmt.Print(request("POST", "/runs/draft-1/resume", ""))

	// The service is restarted while both agents work.
	if err := s.engine.Shutdown(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(request("POST", "/runs", `{"inputs": {"topic": "Newts"}}`))
	close(write)
	if s, err = start(ctx, options); err != nil {
		fmt.Println(err)
		return
	}
	defer s.engine.Shutdown(ctx)

	// Both runs wait for an answer; the second one is cancelled.
	var status struct {
		Status    string
		Questions []struct{ ID, Message string }
		Outputs   json.RawMessage
	}
	show := func(path string) {
		_, body, _ := strings.Cut(request("GET", path, ""), " ")
		if err := json.Unmarshal([]byte(body), &status); err != nil {
			fmt.Println(err, body)
			return
		}
		fmt.Println(status.Status, string(status.Outputs), status.Questions)
		status.Questions, status.Outputs = nil, nil
	}
	show("/runs/draft-1")
	show("/runs/draft-2")
	fmt.Print(request("POST", "/runs/draft-1/answer", `{"id": "publish", "choice": "maybe", "by": "ann"}`))
	fmt.Print(request("POST", "/runs/draft-1/answer", `{"id": "publish", "choice": "yes", "by": "ann"}`))
	fmt.Print(request("DELETE", "/runs/draft-2", ""))
	show("/runs/draft-1")
	show("/runs/draft-2")
	late := request("POST", "/runs/draft-1/answer", `{"id": "publish", "choice": "no", "by": "bob"}`)
	fmt.Println(late[:3], strings.Contains(late, "was answered already: ann"))
	// Output:
	// 200 {"run_id":"draft-1"}
	// 200 {"run_id":"draft-2"}
	// 400 the inputs of workflow draft: unknown input `topics`; missing input `topic`
	// 409 this process works on run draft-1
	// 503 the engine was shut down
	// resumed draft-1 <nil>
	// resumed draft-2 <nil>
	// paused  [{publish Publish it?}]
	// paused  [{publish Publish it?}]
	// 400 unknown answer `maybe` to `publish` of run draft-1: use one of `yes`, `no`
	// 200 {}
	// 200 {}
	// completed {"published":"yes","text":"write about owls"} []
	// cancelled  []
	// 409 true
}

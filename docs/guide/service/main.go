package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/embedding"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"

	"example.com/service/triage"
)

// ask answers the prompts.
func ask(ctx context.Context, r *agent.Request) (string, error) {
	return `{"kind": "bug"}`, nil // call your model with r.Text here
}

type service struct{ engine *local.Engine }

func (s service) handler() http.Handler {
	mux := http.NewServeMux()
	// With inputs as JSON, such as {"arguments": "It crashes"}.
	mux.HandleFunc("POST /runs", func(w http.ResponseWriter, r *http.Request) {
		inputs, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		s.start(w, r, inputs, err)
	})
	// With typed inputs.
	mux.HandleFunc("POST /issues", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("issue") == "" { // RunAsync would accept it
			http.Error(w, "no issue", http.StatusBadRequest)
			return
		}
		inputs, err := json.Marshal(triage.Inputs{Arguments: r.FormValue("issue")})
		s.start(w, r, inputs, err)
	})
	mux.HandleFunc("GET /runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		status, err := s.engine.Status(r.Context(), r.PathValue("id"))
		respond(w, status, err)
	})
	mux.HandleFunc("GET /waiting", func(w http.ResponseWriter, r *http.Request) {
		runs, err := s.engine.ListRuns(r.Context(), store.Filter{Workflow: triage.Workflow.Name}, flow.Paused)
		waiting := []*local.RunStatus{}
		for _, run := range runs {
			// ListRuns leaves out the questions.
			if status, err := s.engine.Status(r.Context(), run.ID); err == nil && len(status.Questions) > 0 {
				waiting = append(waiting, status)
			}
		}
		respond(w, waiting, err)
	})
	mux.HandleFunc("POST /runs/{id}/answer", func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if !mayAnswer(user, password) {
			http.Error(w, "you may not answer", http.StatusForbidden)
			return
		}
		err := s.engine.Answer(r.Context(), r.PathValue("id"), store.Answer{
			Key: r.FormValue("question"), Choice: r.FormValue("choice"), Text: r.FormValue("words"), By: user,
		})
		respond(w, "recorded", err)
	})
	return mux
}

// mayAnswer is the service's own decision.
func mayAnswer(user, password string) bool {
	return user == "ann" && password != "" && password == os.Getenv("ANN_PASSWORD")
}

func (s service) start(w http.ResponseWriter, r *http.Request, inputs []byte, err error) {
	id := ""
	if err == nil {
		id, err = s.engine.RunAsync(r.Context(), &triage.Workflow, inputs, local.Options{})
	}
	respond(w, map[string]string{"run_id": id}, err)
}

func respond(w http.ResponseWriter, v any, err error) {
	switch {
	case err == nil:
		_ = json.NewEncoder(w).Encode(v)
	case errors.Is(err, store.ErrNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, store.ErrAnswered):
		http.Error(w, err.Error(), http.StatusConflict)
	case errors.Is(err, local.ErrNotContinued):
		http.Error(w, err.Error(), http.StatusAccepted) // the answer counts
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// resume continues runs at the start, and then every minute.
func (s service) resume(ctx context.Context) {
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	for ctx.Err() == nil {
		err := s.engine.ResumeAll(ctx, func(id string, err error) {
			if err != nil {
				log.Printf("run %s does not continue: %v", id, err)
			}
		})
		if err != nil {
			log.Print(err)
		}
		select {
		case <-ctx.Done():
		case <-minute.C:
		}
	}
}

func serve(ctx context.Context, options ...embedding.Options) error {
	e, err := triage.Open(ctx, options...)
	if err != nil {
		return err
	}
	s := service{e}
	go s.resume(ctx)
	server := &http.Server{Addr: "localhost:8090", Handler: s.handler()}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = server.Shutdown(context.Background()) // waits for the requests
	}
	return errors.Join(err, e.Shutdown(context.Background())) // stops the runs
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := serve(ctx, embedding.Options{AgentFuncs: map[string]embedding.AgentFunc{"": ask}})
	if err != nil {
		log.Fatal(err)
	}
}

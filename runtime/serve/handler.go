package serve

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"

	"github.com/wfc-lang/wfc/runtime/internal/access"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/store"
)

//go:embed assets pages
var files embed.FS

// A handler answers the requests of people whom an access.Guard has identified. It keeps nothing
// between two requests.
type handler struct {
	desk  desk.Desk
	pages map[string]*template.Template
	live  chan struct{} // places for live updates
}

// mostLive is how many pages may update themselves at the same time.
const mostLive = 200

// policy lets a page load its own style, script and pictures, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// inertPolicy is for content that others have made.
const inertPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

// newHandler returns the handler of all pages.
func newHandler(d desk.Desk) *http.ServeMux {
	h := &handler{desk: d, pages: readPages(), live: make(chan struct{}, mostLive)}
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(*request) error{
		"GET /{$}":                          h.overview,
		"GET /totals":                       h.totals,
		"GET /compare":                      h.compare,
		"GET /compare/step":                 h.compareTexts,
		"GET /start":                        h.chooseWorkflow,
		"GET /start/{place}/{workflow}":     h.startForm,
		"GET /runs/{run}":                   h.findRun,
		"GET /runs/{place}/{run}":           h.run,
		"GET /runs/{place}/{run}/parts":     h.parts,
		"GET /runs/{place}/{run}/step":      h.step,
		"GET /runs/{place}/{run}/log":       h.log,
		"GET /runs/{place}/{run}/graph.svg": h.picture,
		"GET /runs/{place}/{run}/text":      h.text,
		"GET /runs/{place}/{run}/artifact":  h.artifact,
		"GET /live":                         h.changes,
		"POST /runs/{place}/{run}/answer":   h.answer,
		"POST /runs/{place}/{run}/cancel":   h.act(d.Cancel),
		"POST /runs/{place}/{run}/resume":   h.act(d.Resume),
		"POST /start/{place}/{workflow}":    h.start,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.perform(w, r, do) })
	}
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err) // the folder is in the program
	}
	mux.Handle("GET /assets/", http.StripPrefix("/assets/", http.FileServerFS(assets)))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.perform(w, r, func(*request) error { return store.ErrNotFound })
	})
	return mux
}

// A request is a request of a person.
type request struct {
	*http.Request
	w      http.ResponseWriter
	person actions.Person
	// formToken is the token of the person's forms.
	formToken string
	// live is the address of the page's live updates, or "".
	live string
}

// ref is the run of the address.
func (r *request) ref() desk.Ref {
	return desk.Ref{Place: r.PathValue("place"), ID: r.PathValue("run")}
}

// perform answers a request, also if do fails or panics.
func (h *handler) perform(w http.ResponseWriter, r *http.Request, do func(*request) error) {
	head := w.Header()
	head.Set("Content-Security-Policy", policy)
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	person, token := access.PersonOf(r.Context())
	q := &request{r, w, person, token, ""}
	defer func() {
		if fault := recover(); fault != nil {
			h.fail(q, fmt.Errorf("internal error: %v", fault))
		}
	}()
	err := person.Needs(actions.Viewer)
	if err == nil {
		err = do(q)
	}
	if err != nil && r.Context().Err() == nil {
		h.fail(q, err)
	}
}

// fail shows an error.
func (h *handler) fail(r *request, err error) {
	code, title := http.StatusInternalServerError, "That did not work"
	var refused *actions.RefusedError
	var changed *actions.ChangedError
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		code, title = http.StatusNotFound, "Not found"
	case errors.As(err, &refused):
		code, title = http.StatusForbidden, "Not allowed"
	case errors.As(err, &changed):
		code, title = http.StatusConflict, "The question has changed"
	case r.Method == http.MethodPost:
		code = http.StatusUnprocessableEntity
	}
	back := "/"
	if ref := r.ref(); ref.ID != "" && code != http.StatusNotFound {
		back = runAddress(ref)
	}
	if h.render(r, code, "error", title, struct{ Message, Back string }{err.Error(), back}) != nil {
		http.Error(r.w, err.Error(), http.StatusInternalServerError)
	}
}

// A view is what every page shows.
type view struct {
	Title, Page string
	Person      actions.Person
	FormField   string
	FormToken   string
	// Live is the address of live updates, or "".
	Live string
	// Inside says that the content becomes a part of another page.
	Inside bool
	Data   any
}

// render writes a page.
func (h *handler) render(r *request, code int, page, title string, data any) error {
	v := view{Title: title, Page: page, Person: r.person, Live: r.live, FormField: access.FormField, FormToken: r.formToken, Data: data}
	var b bytes.Buffer
	name := "layout"
	if r.Header.Get("X-Part") != "" {
		name, v.Inside = "content", true
	}
	if err := h.pages[page].ExecuteTemplate(&b, name, v); err != nil {
		return fmt.Errorf("page %s: %w", page, err)
	}
	r.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.w.WriteHeader(code)
	_, _ = b.WriteTo(r.w) // the browser may have gone
	return nil
}

// readPages parses the templates: each page with those that all pages share.
func readPages() map[string]*template.Template {
	entries, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		panic(err) // the pattern is right
	}
	shared := template.Must(template.New("").Funcs(functions).ParseFS(files, "pages/shared/*.html"))
	all := map[string]*template.Template{}
	for _, name := range entries {
		base := path.Base(name)
		all[base[:len(base)-len(".html")]] = template.Must(template.Must(shared.Clone()).ParseFS(files, name))
	}
	return all
}

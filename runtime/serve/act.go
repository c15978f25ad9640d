package serve

import (
	"context"
	"net/http"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/store"
)

// redirect shows a page after a form. Browsers then repeat no form when people reload.
func (r *request) redirect(address string) error {
	http.Redirect(r.w, r.Request, address, http.StatusSeeOther)
	return nil
}

func (h *handler) answer(r *request) error {
	form := r.PostForm
	a := desk.Answer{Person: r.person, Key: form.Get("key"), Hash: form.Get("hash"), Choice: form.Get("choice"), Token: strings.TrimSpace(form.Get("gate_token"))}
	// Browsers send all line ends of a text as \r\n.
	a.Text = strings.ReplaceAll(form.Get("text"), "\r\n", "\n")
	if a.Choice == kernel.ChoiceEdit {
		a.Text = strings.ReplaceAll(form.Get("output"), "\r\n", "\n")
	}
	if _, err := h.desk.Answer(r.Context(), r.ref(), a); err != nil {
		return err
	}
	return r.redirect(runAddress(r.ref()) + "#questions")
}

// act returns the handler of a form that only names an action on a run.
func (h *handler) act(do func(ctx context.Context, ref desk.Ref, by actions.Person) error) func(r *request) error {
	return func(r *request) error {
		if err := do(r.Context(), r.ref(), r.person); err != nil {
			return err
		}
		return r.redirect(runAddress(r.ref()))
	}
}

func (h *handler) chooseWorkflow(r *request) error {
	list, err := h.desk.Workflows(r.Context())
	if err != nil {
		return err
	}
	return h.render(r, http.StatusOK, "workflows", "Start a run", list)
}

// workflow returns the workflow of the address.
func (h *handler) workflow(r *request) (desk.Workflow, error) {
	list, err := h.desk.Workflows(r.Context())
	if err != nil {
		return desk.Workflow{}, err
	}
	for _, w := range list {
		if w.Place.Key == r.PathValue("place") && w.Key == r.PathValue("workflow") {
			return w, nil
		}
	}
	return desk.Workflow{}, store.ErrNotFound
}

// A startView is the form that starts a run, with what the person has entered.
type startView struct {
	desk.Workflow
	Fields  []inputField
	Problem string
}

// An inputField is an input with the value that the form shows.
type inputField struct {
	flow.InputInfo
	Value string
	// Required says that the run needs it, and Long that it may have several lines.
	Required, Long bool
}

func newStartView(w desk.Workflow, given map[string]string) *startView {
	v := &startView{Workflow: w}
	for _, in := range w.Inputs {
		f := inputField{InputInfo: in, Required: in.Default == "" && in.Type != "bool", Long: in.Type == "text" || in.Type == "json" || in.Type == "list" || in.Replaces != ""}
		if given != nil {
			f.Value = given[in.Name]
		} else if in.Default != "null" {
			f.Value = in.Default
			if fields := readFields([]byte(`{"v":` + in.Default + `}`)); len(fields) == 1 {
				f.Value = fields[0].Value
			}
		}
		v.Fields = append(v.Fields, f)
	}
	return v
}

func (h *handler) startForm(r *request) error {
	w, err := h.workflow(r)
	if err != nil {
		return err
	}
	return h.render(r, http.StatusOK, "start", "Start "+w.Name, newStartView(w, nil))
}

func (h *handler) start(r *request) error {
	w, err := h.workflow(r)
	if err != nil {
		return err
	}
	given, shown := map[string]string{}, map[string]string{}
	for _, in := range w.Inputs {
		text := strings.ReplaceAll(r.PostForm.Get("input."+in.Name), "\r\n", "\n")
		shown[in.Name] = text
		if in.Type == "bool" && text == "" {
			text = "false"
		}
		if text != "" || in.Default == "" {
			given[in.Name] = text
		}
	}
	ref, err := h.desk.Start(r.Context(), w.Place.Key, w.Key, given, r.person)
	if err != nil {
		v := newStartView(w, shown)
		v.Problem = err.Error()
		return h.render(r, http.StatusUnprocessableEntity, "start", "Start "+w.Name, v)
	}
	return r.redirect(runAddress(ref))
}

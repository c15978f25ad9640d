package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// Programs offer models in two ways: as an option of the session, and, older, as a list
// with a separate request. If a program has both, they set the same model. A program with
// neither can get the model through an argument that contains {model}.

// models are the models of a session in the older form.
type models struct {
	Current   string `json:"currentModelId"`
	Available []struct {
		ID   string `json:"modelId"`
		Name string `json:"name"`
	} `json:"availableModels"`
}

// option is an option of a session.
type option struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Current  json.RawMessage `json:"currentValue"`
	Choices  []choice        `json:"options"`
}

// choice is a value that an option may have, or a group of them.
type choice struct {
	Value   string   `json:"value"`
	Name    string   `json:"name"`
	Choices []choice `json:"options"`
}

// offered is a model that can be chosen.
type offered struct{ id, name string }

// selectModel has the session use the model that was asked for.
func (t *turn) selectModel(ctx context.Context) error {
	wanted := t.request.Model
	o := modelOption(t.session.Options)
	t.noteModel(currentModel(o, t.session.Models))
	if wanted == "" {
		return nil
	}
	t.stage = "when its model was chosen"
	list := t.availableModels(o)
	found, several := findModel(list, wanted)
	switch {
	case several:
		return failures.Fatal("the agent program `%s` has several models that match `%s`: %s", t.name, wanted, joinModelNames(list))
	case found == "" && t.modelInArgs:
		// The program got it as an argument, and would not have started had it
		// been wrong.
		t.noteModel(wanted)
		return nil
	case found == "" && len(list) == 0:
		return failures.Fatal("the agent program `%s` cannot use the model `%s`: it offers no choice of models. If it takes the model as an argument, set `args` of the agent in wfc.yaml, such as --model={model}", t.name, wanted)
	case found == "":
		return failures.Fatal("unknown model `%s` of the agent program `%s`: use one of %s", wanted, t.name, joinModelNames(list))
	case found == currentModel(o, t.session.Models):
		return nil
	}
	if err := t.setModel(ctx, o, found); err != nil {
		return err
	}
	t.noteModel(found)
	return nil
}

// noteModel keeps the model that answers.
func (t *turn) noteModel(model string) {
	if model == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard.meta.Model = model
}

func (t *turn) setModel(ctx context.Context, o *option, model string) error {
	id := sdk.SessionId(t.session.ID)
	var err error
	var now session
	if o != nil && hasModel(o.offeredModels(), model) {
		now, err = callInTime[session](ctx, t, sdk.AgentMethodSessionSetConfigOption, sdk.SetSessionConfigOptionRequest{
			ValueId: &sdk.SetSessionConfigOptionValueId{ConfigId: sdk.SessionConfigId(o.ID), SessionId: id, Value: sdk.SessionConfigValueId(model)},
		})
	} else {
		_, err = callInTime[struct{}](ctx, t, sdk.AgentMethodSessionSetModel, sdk.UnstableSetSessionModelRequest{SessionId: id, ModelId: sdk.UnstableModelId(model)})
	}
	if refused, ok := errors.AsType[*rpcError](err); ok {
		return failures.New(failures.ClassifyText(refused.fullMessage()), failures.ReasonAgent, "the agent program `%s` refused the model `%s`: %s", t.name, model, refused.fullMessage())
	}
	if err != nil {
		return err
	}
	if is := modelOption(now.Options).currentValue(); is != "" && is != model {
		return failures.New(flow.ClassFatal, failures.ReasonAgent, "the agent program `%s` was asked for the model `%s` but uses `%s`", t.name, model, shortenLine(is, 60))
	}
	return nil
}

// modelOption returns the option that chooses the model, or nil. Options of a
// form that is not known are passed over.
func modelOption(options []json.RawMessage) *option {
	var byName *option
	for _, text := range options {
		var o option
		if json.Unmarshal(text, &o) != nil {
			continue
		}
		if o.Category == string(sdk.SessionConfigOptionCategoryModel) {
			return &o
		}
		if o.ID == "model" && byName == nil {
			byName = &o
		}
	}
	return byName
}

// currentValue returns the value of the option, or "".
func (o *option) currentValue() string {
	var value string
	if o != nil && json.Unmarshal(o.Current, &value) == nil {
		return value
	}
	return ""
}

func (o *option) offeredModels() []offered {
	if o == nil {
		return nil
	}
	var list []offered
	for _, c := range o.Choices {
		for _, inner := range append([]choice{c}, c.Choices...) {
			if inner.Value != "" {
				list = append(list, offered{inner.Value, inner.Name})
			}
		}
	}
	return list
}

func currentModel(o *option, m *models) string {
	if is := o.currentValue(); is != "" || m == nil {
		return is
	}
	return m.Current
}

// availableModels returns the models that the session can be asked for.
func (t *turn) availableModels(o *option) []offered {
	list := o.offeredModels()
	if t.session.Models == nil {
		return list
	}
	for _, m := range t.session.Models.Available {
		if m.ID != "" && !hasModel(list, m.ID) {
			list = append(list, offered{m.ID, m.Name})
		}
	}
	return list
}

func hasModel(list []offered, id string) bool {
	return slices.ContainsFunc(list, func(m offered) bool { return m.id == id })
}

// findModel returns the model of a name: the one that is called so exactly, else the
// only one whose name it is, or whose provider it leaves out. several says that
// there are more.
func findModel(list []offered, wanted string) (id string, several bool) {
	if hasModel(list, wanted) {
		return wanted, false
	}
	for _, m := range list {
		if !strings.EqualFold(m.id, wanted) && !strings.EqualFold(m.name, wanted) && !strings.HasSuffix(m.id, "/"+wanted) {
			continue
		}
		if id != "" {
			return "", true
		}
		id = m.id
	}
	return id, false
}

// mostNames is how many models a message names.
const mostNames = 20

func joinModelNames(list []offered) string {
	var text []string
	for i, m := range list {
		if i == mostNames {
			text = append(text, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		text = append(text, "`"+shortenLine(m.id, 60)+"`")
	}
	return strings.Join(text, ", ")
}

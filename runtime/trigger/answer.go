package trigger

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An Answer is what a user of a service answers to a question of a run.
type Answer struct {
	// Users are the names by which the service knows the user, and Place is where the user
	// answers, such as "Slack, U012ABCDEF in C0123456".
	Users []string `json:"users"`
	Place string   `json:"place"`
	Run   string   `json:"run"`
	// Code is the hash of the question as the user saw it, or its beginning.
	Code string `json:"code"`
	// Verb is approve, reject or answer, and Words is the rest. With Exact, Words is the choice.
	Verb  string `json:"verb,omitempty"`
	Words string `json:"words,omitempty"`
	Exact bool   `json:"exact,omitempty"`
	// ReplyURL is where the service takes an answer for the user, or "".
	ReplyURL string `json:"reply_url,omitempty"`
}

// Comment is the comment on GitHub that answers a question.
func Comment(verb, run, code string) string { return "/" + verb + " " + run + " " + code }

// Find returns the user of a list who gives the answer.
func (a *Answer) Find(users []settings.ChatUser) (u settings.ChatUser, ok bool) {
	for _, u := range users {
		for _, name := range a.Users {
			if name != "" && strings.EqualFold(u.User, name) {
				return u, true
			}
		}
	}
	return u, false
}

// A chatPayload is what answers have of the payloads of Slack and GitHub: a click on a button, a new
// comment on an issue or a pull request, and a click on the button of a check run.
type chatPayload struct {
	Type    string   `json:"type"`
	User    chatUser `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Actions []struct {
		ID    string `json:"action_id"`
		Value string `json:"value"`
	} `json:"actions"`
	ReplyURL string `json:"response_url"`

	Action  string `json:"action"`
	Comment *struct {
		Body string   `json:"body"`
		User chatUser `json:"user"`
	} `json:"comment"`
	Issue struct {
		Number int64 `json:"number"`
	} `json:"issue"`
	Check *struct {
		External string `json:"external_id"`
	} `json:"check_run"`
	Requested struct {
		ID string `json:"identifier"`
	} `json:"requested_action"`
	Repository struct {
		Name string `json:"full_name"`
	} `json:"repository"`
	Sender chatUser `json:"sender"`
}

// A chatUser is a user: Slack's id is a string, GitHub's a number beside the name.
type chatUser struct {
	ID    any    `json:"id"`
	Login string `json:"login"`
}

func (u chatUser) names() []string {
	id, _ := u.ID.(string)
	if n, ok := u.ID.(json.Number); ok {
		id = n.String()
	}
	return []string{id, u.Login}
}

// readAnswer returns the answer in a payload, or nil if it's something else.
func readAnswer(payload json.RawMessage) *Request {
	var p chatPayload
	d := json.NewDecoder(strings.NewReader(string(payload)))
	d.UseNumber()
	if d.Decode(&p) != nil {
		return nil
	}
	a := &Answer{}
	command := ""
	switch {
	case p.Type == "block_actions" && len(p.Actions) == 1 && strings.HasPrefix(p.Actions[0].ID, outbox.ButtonAction):
		command, a.Exact, a.Users, a.ReplyURL = "answer "+p.Actions[0].Value, true, p.User.names(), p.ReplyURL
		a.Place = fmt.Sprintf("Slack, %s in %s", a.Users[0], p.Channel.ID)
	case p.Action == "requested_action" && p.Check != nil:
		command, a.Users = p.Requested.ID+" "+p.Check.External, p.Sender.names()
		a.Place = fmt.Sprintf("GitHub, %s by a check of %s", p.Sender.Login, p.Repository.Name)
	case p.Action == "created" && p.Comment != nil && strings.HasPrefix(p.Comment.Body, "/"):
		command, a.Users = p.Comment.Body[1:], p.Comment.User.names()
		a.Place = fmt.Sprintf("GitHub, %s at %s#%d", p.Comment.User.Login, p.Repository.Name, p.Issue.Number)
	}
	for _, part := range []*string{&a.Verb, &a.Run, &a.Code} {
		command = strings.TrimLeft(command, " \t")
		end := strings.IndexAny(command, " \t\r\n")
		if end < 0 {
			end = len(command)
		}
		*part, command = command[:end], command[end:]
	}
	if a.Verb != "approve" && a.Verb != "reject" && a.Verb != "answer" || a.Run == "" || len(a.Code) < shortestCode {
		return nil
	}
	a.Words, a.Place = strings.TrimSpace(strings.ReplaceAll(command, "\r\n", "\n")), plain.Clip(plain.Line(a.Place), 200)
	return &Request{Answer: a}
}

// shortestCode is the length of the shortest part of a hash that identifies a question.
const shortestCode = 12

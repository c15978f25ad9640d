// Package actions has the actions of people on runs that the commands, the pages of serve, chats and
// the MCP server share, and the rules that say who may take them.
package actions

import (
	"fmt"
	"slices"
)

// A Role is what a person may do. A gate can ask for a role of any other name.
type Role string

// The roles that wfc knows. Each is separate: an approver who should also start runs has two.
const (
	// Viewer may see runs.
	Viewer Role = "viewer"
	// Operator may start, cancel and resume runs.
	Operator Role = "operator"
	// Approver may answer questions.
	Approver Role = "approver"
)

// AllRoles are those of the account that wfc runs as.
func AllRoles() []Role { return []Role{Viewer, Operator, Approver} }

// A Person acts on runs. From is the place, such as "page, 192.0.2.7", and who vouches for the name
// if it isn't this machine.
type Person struct {
	Name  string
	Roles []Role
	From  string
}

// May reports whether the person has a role.
func (p Person) May(r Role) bool { return slices.Contains(p.Roles, r) }

// Needs returns a *RefusedError unless the person has a role.
func (p Person) Needs(r Role) error {
	if p.May(r) {
		return nil
	}
	return &RefusedError{fmt.Sprintf("this needs the role %s, which %s doesn't have", r, p.Name)}
}

// AsOperator returns what a run keeps of a person who starts, resumes or cancels it. Who has not the
// role gets a *RefusedError.
func (p Person) AsOperator() (Actor, error) { return Actor{p.Name, p.From}, p.Needs(Operator) }

// An Actor is who started, resumed or cancelled a run. Name is "" if nobody did, but a schedule or
// a webhook, which From then names.
type Actor struct {
	Name string `json:"name,omitempty"`
	From string `json:"from,omitempty"`
}

// String describes the actor to people, such as "ann from page, 192.0.2.7".
func (a Actor) String() string {
	if a.Name == "" || a.From == "" {
		return a.Name + a.From
	}
	return a.Name + " from " + a.From
}

// A RefusedError says why a person may not do something.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// A ChangedError says that a question is not the one that the person saw.
type ChangedError struct{}

func (*ChangedError) Error() string {
	return "the question has changed since you saw it, so your answer was not recorded; read it again"
}

// An Outcome says what became of an answer.
type Outcome struct {
	// Approvals counts the people who have given the answer, and Needed those that the gate
	// asks for. The question is answered when the numbers are equal.
	Approvals, Needed int
}

// Answered reports whether the question is answered.
func (o Outcome) Answered() bool { return o.Approvals >= o.Needed }

// String describes the approvals that are there, such as "1 of 2 people have approved".
func (o Outcome) String() string {
	return fmt.Sprintf("%d of %d people have given it", o.Approvals, o.Needed)
}

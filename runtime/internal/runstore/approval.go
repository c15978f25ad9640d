package runstore

import (
	"context"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/store"
)

// An Approval is an answer that several people have to give.
type Approval struct {
	// Hash identifies the question as the person saw it, and Vote what the answer says.
	Hash string `json:"hash"`
	Vote string `json:"vote"`
	// Needed is how many people have to give the answer.
	Needed int          `json:"needed"`
	Answer store.Answer `json:"answer"`
}

// An Approver is a store that counts approvals itself, without a Mailbox. The last one that is needed
// answers the question.
type Approver interface {
	// Approve records an approval, and reports false if the person has given it before.
	Approve(ctx context.Context, id string, a Approval) (added bool, err error)
	// Approvals returns the approvals of a run in the order in which they came.
	Approvals(ctx context.Context, id string) ([]Approval, error)
}

// Joined returns the answer that several people have given.
func Joined(a store.Answer, given []store.Answer) store.Answer {
	var by, from []string
	for _, one := range given {
		by, from = append(by, one.By), append(from, one.From)
	}
	a.By, a.From = strings.Join(by, ", "), strings.Join(slices.Compact(from), "; ")
	return a
}

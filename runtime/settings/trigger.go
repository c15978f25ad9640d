package settings

import "time"

// A Trigger starts runs of a workflow when something happens, or reports it to runs that wait
// for it: an entry of `triggers` in wfc.yaml.
type Trigger struct {
	// On is what happens.
	On TriggerSource
	// Inputs are the inputs of the runs that it starts.
	Inputs []MappedValue
	// Signal, if not nil, reports an event to waiting runs, in place of starting one.
	Signal *Signal
	// Answer are the users of the service who may answer questions of runs, in place of starting
	// one: with the buttons of notices on Slack, or with comments and checks on GitHub.
	Answer []ChatUser
}

// A ChatUser is a user of a service, and the person who that is.
type ChatUser struct {
	// User is the id of the user on Slack, or the name or the number of one on GitHub.
	User string
	// Name is the person's name, or "" for User. Roles are as in a file of users; none is approver.
	Name  string
	Roles []string
}

// A TriggerSource is what happens: an authentic request arrives (Webhook), a file changes
// (Files), or a branch gets another commit (Branch). Exactly one of the three is set.
type TriggerSource struct {
	// Webhook is github, gitlab, slack or hmac.
	Webhook WebhookKind
	// Path is the path of the URL at which the requests arrive, and SecretVariable the
	// environment variable with the secret that they are signed with.
	Path, SecretVariable string
	// Events are the events of the service that count; nil means all.
	Events []string
	// PerMinute limits the requests; 0 means DefaultPerMinute.
	PerMinute int
	// Signature describes the requests of a webhook of kind hmac.
	Signature Signature
	// Files is a pattern of files, relative to the project's folder.
	Files string
	// Branch is the name of a branch of Repository, a URL, a folder or the name of a remote;
	// "" is the remote origin of the project.
	Branch, Repository string
	// Every is the time between two looks at Files or Branch; 0 means a few seconds for files
	// and a minute for branches.
	Every time.Duration
}

// A WebhookKind is a service that sends webhooks, or its way to sign them.
type WebhookKind string

// The kinds of webhooks.
const (
	WebhookGitHub WebhookKind = "github"
	WebhookGitLab WebhookKind = "gitlab"
	WebhookSlack  WebhookKind = "slack"
	// WebhookHMAC is for every other service that signs the body of its requests by HMAC.
	WebhookHMAC WebhookKind = "hmac"
)

// DefaultPerMinute is how many authentic requests a webhook accepts per minute unless
// TriggerSource.PerMinute is set.
const DefaultPerMinute = 60

// A Signature says how a service signs its requests.
type Signature struct {
	// Header is the header with the signature, and Prefix the text before the signature
	// in it, such as "sha256=".
	Header, Prefix string
	// Algorithm is sha256 or sha512, and Encoding hex or base64; "" is the first.
	Algorithm, Encoding string
	// TimestampHeader is the header with the time in seconds since 1970. Then the service signs
	// the time, a point and the body; otherwise the body alone.
	TimestampHeader string
	// IDHeader is the header with the id of the delivery; without it, the signed content is
	// the id. EventHeader is the header with the name of the event, or "".
	IDHeader, EventHeader string
}

// A MappedValue is a value that a trigger takes from the payload of what happened.
type MappedValue struct {
	// Name is the input that gets the value or, in Signal.Match, the one that it equals.
	Name string
	// Pointer is the place of the value as a JSON Pointer (RFC 6901); "" is the whole payload.
	Pointer string
	// Literal is the JSON of a constant, in place of Pointer; "" is none.
	Literal string
	// Default is the JSON of the value if there is none at Pointer, or null. Without it, the
	// input's own default counts.
	Default string
}

// A Signal reports an event to runs.
type Signal struct {
	// Event is the name of the event that runs wait for.
	Event string
	// Run is the place of the run's id in the payload. Without it, Match selects the waiting
	// runs with inputs of these values.
	Run   string
	Match []MappedValue
	// Payload is the place of the value that the runs get; "" is the whole payload.
	Payload string
}

package api

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// Services keep no conversations, so the agents do: each turn is a file in conversations/
// of its run's folder with its messages and the name of the turn that it continues. A
// session is the name of a turn. No existing file changes: two nodes may continue one
// session at the same time, and a step that is performed again after a crash continues
// the same session as before, without the lost turn.
//
// Later runs, whose folders are beside, continue the sessions that prompts persist. So a
// session also names its run's folder. The agent copies turns from another run's folder,
// so that a run's conversations stay whole when an earlier run is removed.

// The roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// conversationsDir is the folder of conversations in a run's folder.
const conversationsDir = "conversations"

// header is the first line of a turn's file; each further line is a Message.
type header struct {
	Version int `json:"wfc"`
	// After is the session that the turn continues, of the same run, or "".
	After string `json:"after,omitempty"`
}

// conversationVersion is the version of the format.
const conversationVersion = 1

// nameLetters are what the names of turns are made of.
const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789"

// nameLength is the length of the name of a turn.
const nameLength = 12

// sessionFile returns the run's folder and the file of a session, if the run of dir may
// continue it: its own or one of a folder beside it.
func sessionFile(dir, session string) (folder, file string, ok bool) {
	i := strings.LastIndexByte(session, '/')
	if i <= 0 {
		return "", "", false
	}
	folder, name := session[:i], session[i+1:]
	if len(name) != nameLength || strings.Trim(name, nameLetters) != "" ||
		folder == "." || !filepath.IsLocal(folder) || strings.ContainsAny(folder, "/\\:\x00") {
		return "", "", false
	}
	return folder, filepath.Join(filepath.Dir(filepath.Clean(dir)), folder, conversationsDir, name+".jsonl"), true
}

func sessionGoneError(format string, args ...any) error {
	return &failures.SessionGone{Failure: failures.Fatal(format, args...)}
}

// loadConversation returns the messages up to a session, the earliest first.
func loadConversation(dir, session string) ([]Message, error) {
	var turns [][]Message
	seen := map[string]bool{}
	for at := session; at != ""; {
		_, file, ok := sessionFile(dir, at)
		if !ok || seen[at] {
			return nil, sessionGoneError("the session `%s` does not belong to this agent", session)
		}
		seen[at] = true
		text, err := wholefile.Output.Read(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, sessionGoneError("the session `%s` cannot be continued: its conversation is no longer in the state folder (%s is missing)", session, file)
		}
		if err != nil {
			return nil, fmt.Errorf("read the session `%s`: %w", session, err)
		}
		h, messages, err := parseTurn(text)
		if err != nil {
			return nil, sessionGoneError("the session `%s` cannot be continued: %s: %v", session, file, err)
		}
		turns = append(turns, messages)
		at = h.After
	}
	slices.Reverse(turns)
	return slices.Concat(turns...), nil
}

// parseTurn reads a turn's file.
func parseTurn(text []byte) (header, []Message, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&h); err != nil {
		return h, nil, fmt.Errorf("it is not a conversation: %w", plain.JSONError(err, ""))
	}
	if h.Version != conversationVersion {
		return h, nil, fmt.Errorf("it has version %d of the format, and wfc reads version %d", h.Version, conversationVersion)
	}
	var messages []Message
	for {
		var m Message
		err := d.Decode(&m)
		if err == io.EOF {
			break
		}
		if err != nil {
			return h, nil, fmt.Errorf("message %d: %w", len(messages)+1, plain.JSONError(err, ""))
		}
		want := roleUser
		if len(messages)%2 == 1 {
			want = roleAssistant
		}
		if m.Role != want {
			return h, nil, fmt.Errorf("message %d is of the role `%s` instead of `%s`", len(messages)+1, m.Role, want)
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 || len(messages)%2 == 1 {
		return h, nil, errors.New("its last message has no answer")
	}
	return h, messages, nil
}

// turnMessages is the number of messages of one turn.
const turnMessages = 2

// keepConversation writes the turn down that ends a conversation, and returns
// its session. It continues the session after, or none.
func keepConversation(dir, after string, conversation []Message) (session string, err error) {
	h := header{Version: conversationVersion}
	own := filepath.Base(filepath.Clean(dir))
	if folder, _, ok := sessionFile(dir, after); ok && folder == own {
		h.After = after
		conversation = conversation[len(conversation)-turnMessages:]
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		return "", err
	}
	for _, m := range conversation {
		if err := e.Encode(m); err != nil {
			return "", err
		}
	}
	session = own + "/" + newSessionName()
	_, file, ok := sessionFile(dir, session)
	if !ok {
		return "", fmt.Errorf("the run's folder %s cannot hold conversations", dir)
	}
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = wholefile.Write(file, text.Bytes(), 0o600, true)
	}
	if err != nil {
		return "", failures.New(failures.Classify(err), failures.ReasonAgent, "save the conversation: %v", err)
	}
	return session, nil
}

func newSessionName() string {
	var random [nameLength]byte
	_, _ = rand.Read(random[:]) // never fails
	for i, b := range random {
		random[i] = nameLetters[int(b)%len(nameLetters)]
	}
	return string(random[:])
}

// Package stamp is an MCP server with one tool, for tests: stamp writes its
// arguments to a file. It runs as a process or behind an address.
package stamp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

const (
	// File is the variable with the file that gets a line for each call.
	File = "STAMP_FILE"
	// Note is the variable with text for each line after the tool's argument,
	// separated by a |.
	Note = "STAMP_NOTE"
	// NoteHeader is the header in the place of the variable Note.
	NoteHeader = "Stamp-Note"
)

// Handler returns the server for clients that come over HTTP. It keeps no
// sessions and opens no streams.
func Handler(file string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var m message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if len(m.ID) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer, err := m.answer(file, r.Header.Get(NoteHeader))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
}

// Serve answers the messages of a client until it closes the input.
func Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if len(m.ID) == 0 {
			continue // a notification
		}
		answer, err := m.answer(os.Getenv(File), os.Getenv(Note))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", answer); err != nil {
			return err
		}
	}
}

// A message is a request or a notification.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Arguments       struct {
			Text string `json:"text"`
		} `json:"arguments"`
	} `json:"params"`
}

type object = map[string]any

// answer returns the answer to a request.
func (m *message) answer(file, note string) ([]byte, error) {
	result, err := m.result(file, note)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func (m *message) result(path, note string) (object, error) {
	switch m.Method {
	case "initialize":
		return object{"protocolVersion": m.Params.ProtocolVersion, "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "stamper", "version": "1"}}, nil
	case "tools/list":
		return object{"tools": []object{{"name": "stamp", "description": "Stamps a text.",
			"inputSchema": object{"type": "object", "properties": object{"text": object{"type": "string"}}, "required": []string{"text"}}}}}, nil
	case "tools/call":
		line := m.Params.Arguments.Text + "|" + note
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintln(file, line); err != nil {
			return nil, err
		}
		return object{"content": []object{{"type": "text", "text": "stamped " + line}}}, file.Close()
	}
	return object{}, nil
}

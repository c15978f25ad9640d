// Package stamp is an MCP server with one tool, for tests: stamp writes what it
// is called with to a file.
package stamp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// The server's variables.
const (
	// File is the file that gets a line for each call.
	File = "STAMP_FILE"
	// Note goes into each line behind the tool's argument, set apart by a |.
	Note = "STAMP_NOTE"
)

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
		result, err := m.answer()
		if err != nil {
			return err
		}
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
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

func (m *message) answer() (any, error) {
	switch m.Method {
	case "initialize":
		return object{"protocolVersion": m.Params.ProtocolVersion, "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "stamper", "version": "1"}}, nil
	case "tools/list":
		return object{"tools": []object{{"name": "stamp", "description": "Stamps a text.",
			"inputSchema": object{"type": "object", "properties": object{"text": object{"type": "string"}}, "required": []string{"text"}}}}}, nil
	case "tools/call":
		line := m.Params.Arguments.Text + "|" + os.Getenv(Note)
		file, err := os.OpenFile(os.Getenv(File), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
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

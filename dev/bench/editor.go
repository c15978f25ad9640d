//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/large"
)

// documentLines is the length of the documents by which the server is measured.
const documentLines = 2000

// editor measures the language server: requests, diagnostics after a key, and memory.
func (b *bench) editor() error {
	text := large.Prompts(documentLines)
	e, err := b.openEditor("large.yaml", text)
	if err != nil {
		return err
	}
	at := strings.Index(text, "when: $n60") + len("when: $n60")
	slowest, method := series(nil), ""
	for _, m := range editorRequests() {
		var taken series
		for range b.rounds {
			began := time.Now()
			if err := e.call("textDocument/"+m, e.params(m, text, at)); err != nil {
				return e.end(err)
			}
			taken = append(taken, sample{wall: time.Since(began)})
		}
		if method == "" || taken.median() > slowest.median() {
			slowest, method = taken, m
		}
	}
	b.table.add(row{"wfc lsp, slowest request on 2,000 lines", "50 ms", "", slowest.String(), method})
	keys, err := e.keys(text, "Be short.", 10*b.rounds)
	if err = e.end(err); err != nil {
		return err
	}
	b.table.add(row{"wfc lsp, key to diagnostics, 2,000 lines of prompts", "100 ms", "", keys.String(), ""})
	if err := b.pythonKeys(); err != nil {
		return err
	}
	return b.editorMemory()
}

// pythonKeys is the time from a key to the diagnostics with Python scripts. The key is in a
// prompt, and the scripts are as before.
func (b *bench) pythonKeys() error {
	text := large.Python(documentLines)
	e, err := b.openEditor("python.yaml", text)
	if err != nil {
		return err
	}
	keys, err := e.keys(text, "Be short.", 10*b.rounds)
	if err = e.end(err); err != nil {
		return err
	}
	b.table.add(row{"wfc lsp, key to diagnostics, 2,000 lines with Python", "100 ms", "", keys.String(), ""})
	return nil
}

// editorMemory compares the largest memory after 1,000 edits and after 10,000.
func (b *bench) editorMemory() error {
	text := sampleWorkflow(1)
	at := text[:strings.IndexByte(text, '\n')]
	var peaks []int64
	for _, edits := range []int{1_000, 10_000} {
		e, err := b.openEditor("sample.yaml", text)
		if err != nil {
			return err
		}
		_, err = e.keys(text, at, edits)
		used, closeErr := e.close()
		if err = errors.Join(err, closeErr); err != nil {
			return err
		}
		peaks = append(peaks, used.peak)
	}
	b.table.add(row{"wfc lsp, memory after 10,000 edits", "flat", "",
		fmt.Sprintf("%s; after 1,000 edits %s", megabytes(peaks[1]), megabytes(peaks[0])), ""})
	return nil
}

// editorRequests are the requests that editors send most.
func editorRequests() []string {
	return []string{"hover", "completion", "definition", "references", "documentHighlight", "documentSymbol", "foldingRange", "semanticTokens/full", "inlayHint", "rename"}
}

// An editorSession is a conversation with a server about one document.
type editorSession struct {
	cmd     *exec.Cmd
	result  string // the launcher's file
	in      io.WriteCloser
	out     *bufio.Reader
	uri     string
	id      int
	version int
}

// openEditor starts a server, opens a document and waits for its diagnostics.
func (b *bench) openEditor(name, text string) (*editorSession, error) {
	path := filepath.Join(b.dir, name)
	cmd, result, err := b.command(process{name: b.wfc, args: []string{"lsp"}, dir: b.dir})
	if err != nil {
		return nil, err
	}
	e := &editorSession{cmd: cmd, result: result, uri: "file://" + path, version: 1}
	e.cmd.Stderr = os.Stderr
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewReader(out)
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	err = errors.Join(
		e.call("initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}}),
		e.send(map[string]any{"method": "initialized", "params": map[string]any{}}),
		e.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{
			"textDocument": map[string]any{"uri": e.uri, "languageId": "yaml", "version": 1, "text": text},
		}}),
	)
	if err == nil {
		err = e.diagnostics()
	}
	if err != nil {
		return nil, e.end(err)
	}
	return e, nil
}

// close ends the server and returns its cost.
func (e *editorSession) close() (sample, error) {
	err := errors.Join(e.call("shutdown", nil), e.send(map[string]any{"method": "exit"}), e.in.Close(), e.cmd.Wait())
	s, readErr := readSample(e.result)
	return s, errors.Join(err, readErr)
}

// end ends the server after an error.
func (e *editorSession) end(err error) error {
	_, closeErr := e.close()
	return errors.Join(err, closeErr)
}

// keys types and removes a character behind the last place of a text, and measures the time
// until the diagnostics of each version.
func (e *editorSession) keys(text, behind string, count int) (series, error) {
	at := strings.LastIndex(text, behind) + len(behind)
	start, end := position(text, at), position(text, at)
	end["character"]++
	var taken series
	for i := range count {
		change := map[string]any{"range": map[string]any{"start": start, "end": start}, "text": "x"}
		if i%2 == 1 {
			change = map[string]any{"range": map[string]any{"start": start, "end": end}, "text": ""}
		}
		e.version++
		began := time.Now()
		if err := e.send(map[string]any{"method": "textDocument/didChange", "params": map[string]any{
			"textDocument": map[string]any{"uri": e.uri, "version": e.version}, "contentChanges": []any{change},
		}}); err != nil {
			return nil, err
		}
		if err := e.diagnostics(); err != nil {
			return nil, err
		}
		taken = append(taken, sample{wall: time.Since(began)})
	}
	return taken, nil
}

// position converts an offset of a text of ASCII.
func position(text string, at int) map[string]int {
	before := text[:min(at, len(text))]
	return map[string]int{"line": strings.Count(before, "\n"), "character": len(before) - strings.LastIndexByte(before, '\n') - 1}
}

// params are the parameters of a request at an offset.
func (e *editorSession) params(method, text string, at int) map[string]any {
	params := map[string]any{
		"textDocument": map[string]any{"uri": e.uri}, "position": position(text, at),
		"context": map[string]any{"includeDeclaration": true}, "newName": "renamed",
	}
	if method == "inlayHint" {
		params["range"] = map[string]any{"start": position(text, 0), "end": position(text, len(text))}
	}
	return params
}

// call sends a request and waits for its answer.
func (e *editorSession) call(method string, params any) error {
	e.id++
	message := map[string]any{"id": e.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if err := e.send(message); err != nil {
		return err
	}
	for {
		m, err := e.receive()
		switch {
		case err != nil:
			return err
		case m.Error != nil && m.ID == e.id:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case m.Method == "" && m.ID == e.id:
			return nil
		}
	}
}

// diagnostics waits for the diagnostics of the present version.
func (e *editorSession) diagnostics() error {
	for {
		m, err := e.receive()
		if err != nil || m.Method == "textDocument/publishDiagnostics" && m.Params.Version == e.version {
			return err
		}
	}
}

// A message is the part of a message that the bench reads.
type message struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Version int `json:"version"`
	} `json:"params"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (e *editorSession) send(m map[string]any) error {
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = e.in.Write(slices.Concat([]byte("Content-Length: "+strconv.Itoa(len(text))+"\r\n\r\n"), text))
	return err
}

func (e *editorSession) receive() (m message, err error) {
	header, err := textproto.NewReader(e.out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(e.out, text); err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

// Command inbox stands in for the services that the digest is delivered to: it
// prints what it gets at a port of this machine, and writes its address into a
// file first.
//
//	inbox ADDRESS-FILE
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "inbox: name the file for the address")
		os.Exit(2)
	}
	if err := serveInbox(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "inbox:", err)
		os.Exit(1)
	}
}

func serveInbox(file string) error {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// Rename, so that a reader never sees a partial file.
	if err := os.WriteFile(file+".new", []byte("http://"+at.Addr().String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(file+".new", file); err != nil {
		return err
	}
	return http.Serve(at, http.HandlerFunc(printMessage))
}

// printMessage prints a message with the path that it was sent to.
func printMessage(w http.ResponseWriter, r *http.Request) {
	var message struct{ Workflow, Step, Text string }
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
		http.Error(w, "no message: "+err.Error(), http.StatusBadRequest)
		return
	}
	about := message.Workflow
	if message.Step != "" {
		about += "/" + message.Step
	}
	text := strings.ReplaceAll(strings.TrimSpace(message.Text), "\n", "\n    ")
	fmt.Printf("%s got [%s]\n    %s\n", r.URL.Path, about, text)
}

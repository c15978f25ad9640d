// Command history prints the history of the workflow of a run as JSON: a recording for the
// replay test in runtime/engine/temporal/internal/durable.
//
//	history -address ADDRESS RUN
package main

import (
	"context"
	"flag"
	"log"
	"os"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"

	enumspb "go.temporal.io/api/enums/v1"
)

func main() {
	address := flag.String("address", "127.0.0.1:7233", "`ADDRESS` of the server")
	flag.Parse()
	if err := write(*address, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func write(address, run string) error {
	c, err := client.Dial(client.Options{HostPort: address})
	if err != nil {
		return err
	}
	defer c.Close()
	all := &historypb.History{}
	events := c.GetWorkflowHistory(context.Background(), run, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return err
		}
		all.Events = append(all.Events, e)
	}
	text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(all)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(text, '\n'))
	return err
}

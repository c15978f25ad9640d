// Command build writes the page of the playground to the file that its argument names. It
// runs in the root of the repository.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wfc-lang/wfc/dev/playground/page"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: build FILE")
		os.Exit(2)
	}
	if err := page.Write(context.Background(), ".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

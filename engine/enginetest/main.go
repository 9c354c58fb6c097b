// Command enginetest is a worker that knows the passes of the tests too.
package main

import (
	"context"
	"os"
	"strconv"

	"optcomplete/engine"
	_ "optcomplete/internal/passtest" // its passes
)

func main() {
	w := engine.NewWorker("test")
	var err error
	if len(os.Args) > 2 && os.Args[2] == "--serve" {
		watch, _ := strconv.Atoi(os.Args[5])
		err = w.Serve(context.Background(), os.Args[3], watch)
	} else {
		err = w.Forward(context.Background(), os.Stdin, os.Stdout)
	}
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

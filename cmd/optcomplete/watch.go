package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"

	"github.com/spf13/cobra"

	"optcomplete/internal/events"
	"optcomplete/internal/progress"
	"optcomplete/internal/settings"
	"optcomplete/model"
	"optcomplete/service"
)

// liveFlag is --watch: the page of a fit while it runs, and then of its model.
type liveFlag struct {
	address string
	server  *service.Server
	model   string // the name of what was fitted, once it is served
}

// wrap makes a verb take the flag.
func (f *liveFlag) wrap(cmd *cobra.Command, c *common, flags *settings.Flags) {
	flags.Bind("watch", &f.address)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.run(cmd, c, func() error { return run(cmd, args) })
	}
}

// run runs a verb, and shows it if that is asked for. In the end the page stays until an
// interrupt.
func (f *liveFlag) run(cmd *cobra.Command, c *common, do func() error) error {
	if f.address == "" {
		return do()
	}
	if _, _, err := net.SplitHostPort(f.address); err != nil || !service.IsLocal(f.address) {
		return usagef("--watch is %q, but must be an address of this machine and a port, such as 127.0.0.1:8080 (serve shows a model to others)", f.address)
	}
	if c.events != nil {
		return usagef("--watch is for the command line: here the events tell how a fit goes")
	}
	outer := cmd.Context()
	ctx, stop := context.WithCancel(outer)
	defer stop()
	fit := service.NewFit(cmd.Name(), stop)
	c.events = &events.Stream{Send: fit.Take}
	c.stderr = io.MultiWriter(c.stderr, plain{c.events})
	cmd.SetContext(progress.NewContext(ctx, both{c.progress, c.events}))
	var err error
	f.server, err = service.New(service.Settings{Fit: fit, Local: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	serving, end := context.WithCancel(context.WithoutCancel(outer))
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		ended <- f.server.Run(serving, service.Listen{Address: f.address}, func(at net.Addr) { ready <- at })
	}()
	defer func() {
		end()
		<-ended
	}()
	select {
	case at := <-ready:
		c.notef("Watch     http://%s/", at)
	case err := <-ended:
		ended <- nil
		return &usageError{fmt.Errorf("--watch %s: %w", f.address, err)}
	}
	err = do()
	if errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	if err != nil && !isEarly(err) {
		fit.Ended("", err)
		return err
	}
	fit.Ended(f.model, nil)
	if outer.Err() == nil {
		c.notef("Watch     the page stays until Ctrl-C")
		<-outer.Done()
	}
	return err
}

// open shows the model that was saved in a folder.
func (f *liveFlag) open(folder string) error {
	if f.server == nil || folder == "" {
		return nil
	}
	if err := f.server.Open(folder); err != nil {
		return err
	}
	f.model = f.server.Names()[0]
	return nil
}

// show shows what was fitted: the model that was saved, or the one in memory.
func (f *liveFlag) show(folder string, m *model.Model) error {
	if f.server == nil || folder != "" {
		return f.open(folder)
	}
	f.model = "fit"
	return f.server.Add(f.model, m)
}

// plain writes without what colours a terminal.
type plain struct{ to io.Writer }

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (p plain) Write(text []byte) (int, error) {
	_, err := p.to.Write(colours.ReplaceAll(text, nil))
	return len(text), err
}

// both reports to two.
type both [2]progress.Reporter

func (b both) Start(label string, total int64, unit string) progress.Task {
	return tasks{b[0].Start(label, total, unit), b[1].Start(label, total, unit)}
}

type tasks [2]progress.Task

func (t tasks) Add(n int64) { t[0].Add(n); t[1].Add(n) }

func (t tasks) To(done int64) { t[0].To(done); t[1].To(done) }

func (t tasks) Done() { t[0].Done(); t[1].Done() }

package main

import (
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/internal/settings"
	"optcomplete/spec"
)

// description is what a program needs to know about the verbs to offer them.
type description struct {
	Protocol int               `json:"protocol"`
	Version  string            `json:"version"`
	Verbs    []verbDescription `json:"verbs"`
}

type verbDescription struct {
	Verb     string               `json:"verb"`
	Use      string               `json:"use"`
	Short    string               `json:"short"`
	Settings []settingDescription `json:"settings"`
}

type settingDescription struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Range   string `json:"range,omitempty"`
	Group   string `json:"group"`
	Help    string `json:"help"`
}

// descriptionOf describes the verbs and their settings, in the order of the table.
func descriptionOf(root *cobra.Command) description {
	d := description{Protocol: protocolVersion, Version: spec.Version}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		verb := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), root.Name()), " ")
		if cmd.Name() == "completion" || cmd.Name() == "help" || verb == "serve" {
			return
		}
		if cmd.Runnable() && verb != "" {
			v := verbDescription{Verb: verb, Use: cmd.UseLine(), Short: cmd.Short, Settings: []settingDescription{}}
			for i := range table {
				s := &table[i]
				if flag := cmd.Flag(s.Name); flag != nil && settings.Of(flag) == s {
					v.Settings = append(v.Settings, settingDescription{s.Name, s.Type.String(), s.Default, s.Range, s.Group, s.Help})
				}
			}
			d.Verbs = append(d.Verbs, v)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return d
}

package textfile

import (
	"regexp"
	"strconv"
	"strings"
)

// yamlLine finds the line in an error of the YAML parser.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// YAMLFault is what an error of the YAML parser says, and its line; 0 if it names none.
func YAMLFault(err error) (line int, problem string) {
	text := err.Error()
	if found := yamlLine.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = strings.TrimPrefix(text, found[0])
	}
	return line, "is no YAML: " + text
}

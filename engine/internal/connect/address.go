package connect

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// Address is where a Spark Connect server is: sc://host:port/;key=value;…
type Address struct {
	Host  string // with the port
	SSL   bool
	User  string
	token string
}

// TokenVariable is the environment variable that may hold the token.
const TokenVariable = "SPARK_CONNECT_TOKEN"

// ParseAddress reads an address. The keys token, use_ssl and user_id are those of
// Spark's own clients; a token means SSL, but to this machine. It may come from
// the environment instead.
func ParseAddress(text string) (Address, error) {
	a := Address{User: "optcomplete"}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "sc" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return a, fmt.Errorf("an engine's address is sc://HOST:PORT, with ;key=value behind a slash (sc://head:15002/;use_ssl=true)")
	}
	a.Host = u.Host
	if u.Port() == "" {
		a.Host = net.JoinHostPort(u.Hostname(), "15002")
	}
	a.token = os.Getenv(TokenVariable)
	given := false
	for _, pair := range strings.Split(strings.TrimPrefix(u.Path, "/"), ";") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "":
		case "token":
			a.token = value
		case "use_ssl":
			given, a.SSL = true, strings.EqualFold(value, "true")
		case "user_id":
			a.User = value
		default:
			return a, fmt.Errorf("an engine's address has no key %q: token, use_ssl and user_id are known", key)
		}
	}
	local := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	if a.token != "" && !a.SSL {
		if given && !local {
			return a, fmt.Errorf("a token is sent only with use_ssl=true: otherwise everybody on the way could read it")
		}
		a.SSL = !local
	}
	return a, nil
}

// String is the address without its token.
func (a Address) String() string {
	s := "sc://" + a.Host
	if a.SSL {
		s += "/;use_ssl=true"
	}
	return s
}

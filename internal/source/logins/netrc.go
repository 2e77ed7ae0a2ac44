package logins

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// machine is what netrc says of a host. There is a module that reads the
// format, which a file that breaks off makes panic.
type machine struct {
	host, login string
	password    access.Secret
}

// ofNetrc is what netrc has for the host of an address. The file knows no
// schemes, so what it has is not sent in the clear; its entry for all other
// hosts is not used.
func (u *User) ofNetrc(at address.Address) access.Credential {
	if at.Scheme != "https" {
		return access.Credential{}
	}
	for _, m := range u.netrc() {
		if strings.EqualFold(m.host, at.Hostname()) && (at.User == "" || at.User == m.login) {
			return access.Credential{Username: m.login, Password: m.password}
		}
	}
	return access.Credential{}
}

func (u *User) readNetrc() []machine {
	name := os.Getenv("NETRC")
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		base := ".netrc"
		if runtime.GOOS == "windows" {
			base = "_netrc"
		}
		name = filepath.Join(home, base)
	}
	return parseNetrc(string(u.read(name)))
}

// parseNetrc reads words in pairs; a macro goes on to the next empty line.
func parseNetrc(text string) []machine {
	var all []machine
	open := false
	words := netrcWords(text)
	for i := 0; i < len(words); i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch words[i] {
		case "machine":
			all, open = append(all, machine{host: value}), true
		case "default":
			open = false
			continue
		case "login":
			if open {
				all[len(all)-1].login = value
			}
		case "password":
			if open {
				all[len(all)-1].password = access.Secret(value)
			}
		case "account":
		default:
			continue
		}
		i++
	}
	return all
}

// netrcWords are the words of a file without its comments and macros. A word in
// quotes may have spaces, and characters after a backslash.
func netrcWords(text string) []string {
	var words []string
	macro := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		macro = macro && line != ""
		if macro || strings.HasPrefix(line, "#") {
			continue
		}
		for line != "" {
			var word string
			word, line = netrcWord(line)
			if word == "macdef" {
				macro = true
				break
			}
			words = append(words, word)
		}
	}
	return words
}

func netrcWord(line string) (word, rest string) {
	if !strings.HasPrefix(line, `"`) {
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			return line, ""
		}
		return line[:end], strings.TrimLeft(line[end:], " \t")
	}
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			return b.String(), strings.TrimLeft(line[i+1:], " \t")
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

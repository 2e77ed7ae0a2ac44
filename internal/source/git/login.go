package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// patience bounds the question to the helpers of a person's configuration.
const patience = 30 * time.Second

// Login asks the credential helpers that the person who runs this process has
// configured, and no configuration of a repository. A helper that would have to
// ask by hand has nothing; none is told whether its answer was right.
func (c *Command) Login(ctx context.Context, at address.Address) (access.Credential, error) {
	none := access.Credential{}
	question, err := questionOf(at)
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := together(exec.CommandContext(ctx, "git", "credential", "fill"))
	cmd.Dir, cmd.Env = c.blank, c.personal()
	out, message := &bounded{limit: messageLimit}, &bounded{limit: messageLimit, cut: true}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(question), out, message
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return none, fmt.Errorf("no answer within %s", patience)
	case err != nil && bytes.Contains(message.Bytes(), []byte("terminal prompts disabled")):
		return none, nil // nobody has an answer
	case err != nil:
		// What a helper says may hold what it was asked for.
		return none, errors.New("git credential fill fails: try it in a terminal")
	}
	return answerOf(out.Bytes()), nil
}

// questionOf is what git credential reads. A line end would begin another line.
func questionOf(at address.Address) (string, error) {
	text := "protocol=" + at.Scheme + "\nhost=" + at.Host + "\npath=" + strings.TrimPrefix(at.Path, "/") + "\n"
	if at.User != "" {
		text += "username=" + at.User + "\n"
	}
	for _, part := range []string{at.Scheme, at.Host, at.Path, at.User} {
		if strings.ContainsAny(part, "\r\n\x00") {
			return "", errors.New("the address has a line end")
		}
	}
	return text, nil
}

func answerOf(text []byte) access.Credential {
	out := access.Credential{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
		switch key {
		case "username":
			out.Username = value
		case "password":
			out.Password = access.Secret(value)
		}
	}
	if out.Password == "" {
		return access.Credential{}
	}
	return out
}

// personal is the environment of the person, without what would name another
// repository and without what would ask by hand.
func (c *Command) personal() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") || configures(name) {
			env = append(env, kv)
		}
	}
	return append(env, "LC_ALL=C", "GIT_DIR="+c.blank, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never")
}

// configures reports whether a variable of Git's says what a person has configured.
func configures(name string) bool {
	switch name {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT":
		return true
	}
	return strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

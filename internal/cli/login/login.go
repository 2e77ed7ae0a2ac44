package login

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/client"
)

type loginFlags struct {
	*command.Global

	user  string
	paste bool
	sso   bool
	port  int
	// patience is how long somebody has to sign in with the issuer.
	patience time.Duration
}

// New returns the command login.
func New(g *command.Global) *cobra.Command {
	l := &loginFlags{Global: g, patience: ssoPatience}
	cmd := &cobra.Command{
		Use:   "login SERVER",
		Short: "Sign in at a server, for --server",
		Long: "Sign in with an account of the installation, and keep the token of the session in your own configuration\n" +
			"(readable by you alone). With --token, keep one that you have: an API key, or a token of Kubernetes or of the issuer\n" +
			"that people sign in with. Both are read from the standard input where nobody can be asked.\n\n" +
			"With --sso, sign in with the issuer (OpenID Connect) that the server names: a browser on this machine opens its page,\n" +
			"whose address is printed, too. The issuer has to know a client without a secret (cliClientID) that it sends back to\n" +
			"http://127.0.0.1 at any port, or with --sso-port to http://localhost at that one, both with /auth/callback.",
		Example: "  causeway login https://causeway.example.com --user ann\n  causeway login https://causeway.example.com --token < key.txt\n" +
			"  causeway login https://causeway.example.com --sso\n" +
			"  causeway get apps --server https://causeway.example.com",
		Args: command.One("a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if l.sso && (l.paste || cmd.Flags().Changed("user")) {
				return command.Usagef("with --sso the issuer says who you are: leave out --user and --token")
			}
			return l.run(cmd.Context(), args[0])
		},
	}
	cmd.Flags().StringVarP(&l.user, "user", "u", "admin", "account to sign in with")
	cmd.Flags().BoolVar(&l.paste, "token", false, "read a token instead of a password")
	cmd.Flags().BoolVar(&l.sso, "sso", false, "sign in with the issuer that the server names, in a browser on this machine")
	cmd.Flags().IntVar(&l.port, "sso-port", 0, "port of this machine that the issuer sends back to, where it does not take any: 8085 is that of Argo CD's command line")
	return cmd
}

func (l *loginFlags) run(ctx context.Context, server string) error {
	l.Server.Address = server
	kept, err := target.ReadLogins()
	if err != nil {
		return err
	}
	token, err := l.credential(ctx)
	if err != nil {
		return err
	}
	c, err := target.Dial(l.Global, token)
	if err != nil {
		return err
	}
	defer c.Close()
	is, err := c.Session(ctx)
	if err != nil {
		return fmt.Errorf("cannot sign in at %s: %w", c.Server(), err)
	}
	if is.User == nil {
		return fmt.Errorf("cannot sign in at %s: the server knows nobody by that", c.Server())
	}
	kept.Servers[c.Server()] = target.Login{User: is.User.Name, Token: token}
	if err := kept.Write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.Out, "signed in at %s as %s\n", c.Server(), is.User.Name)
	return err
}

// credential is the token that stands for whoever signs in.
func (l *loginFlags) credential(ctx context.Context) (string, error) {
	if l.sso {
		return l.byIssuer(ctx)
	}
	if l.port != 0 {
		return "", command.Usagef("--sso-port is for --sso")
	}
	what := "Password of " + l.user
	if l.paste {
		what = "Token"
	}
	secret, err := l.secret(what)
	if err != nil {
		return "", err
	}
	return l.prove(ctx, secret)
}

// prove turns what was typed into a token.
func (l *loginFlags) prove(ctx context.Context, secret string) (string, error) {
	if l.paste {
		return secret, nil
	}
	c, err := target.Dial(l.Global, "")
	if err != nil {
		return "", err
	}
	defer c.Close()
	if !c.Private() {
		return "", fmt.Errorf("cannot send a password to %s in the clear: name the server as https://", c.Server())
	}
	token, err := c.SignIn(ctx, l.user, secret)
	if err != nil {
		return "", fmt.Errorf("cannot sign in at %s as %s: %w", c.Server(), l.user, err)
	}
	return token, nil
}

// secret asks without showing what is typed, or reads one line.
func (l *loginFlags) secret(what string) (string, error) {
	var text string
	in, ok := l.In.(*os.File)
	if ok && term.IsTerminal(int(in.Fd())) {
		_, _ = fmt.Fprintf(l.Err, "%s: ", what)
		typed, err := term.ReadPassword(int(in.Fd()))
		_, _ = fmt.Fprintln(l.Err)
		if err != nil {
			return "", fmt.Errorf("cannot read what is typed: %w", err)
		}
		text = string(typed)
	} else {
		line, _ := bufio.NewReader(io.LimitReader(l.In, target.MaxTokenFile+1)).ReadString('\n') // what is there
		text = strings.TrimRight(line, "\r\n")
	}
	if len(text) > target.MaxTokenFile {
		return "", command.Usagef("cannot take the standard input for the %s: its first line has more than %d KiB", strings.ToLower(what), target.MaxTokenFile>>10)
	}
	if l.paste {
		text = strings.TrimSpace(text) // as of --token-file
	}
	if text == "" {
		return "", command.Usagef("nothing was typed: give the %s on the standard input, or on a terminal", strings.ToLower(what))
	}
	return text, nil
}

// NewLogout returns the command logout.
func NewLogout(g *command.Global) *cobra.Command {
	return &cobra.Command{
		Use: "logout SERVER", Short: "End the session of a login, and forget it", Args: command.One("a server"),
		Example: "  causeway logout https://causeway.example.com",
		RunE:    func(cmd *cobra.Command, args []string) error { return logout(cmd.Context(), g, args[0]) },
	}
}

func logout(ctx context.Context, g *command.Global, server string) error {
	g.Server.Address = server
	base, err := client.Base(server)
	if err != nil {
		return command.UsageError{Err: err}
	}
	kept, err := target.ReadLogins()
	if err != nil {
		return err
	}
	was, ok := kept.Servers[base.String()]
	if !ok {
		return fmt.Errorf("nobody is signed in at %s", base)
	}
	delete(kept.Servers, base.String())
	if err := kept.Write(); err != nil {
		return err
	}
	c, err := target.Dial(g, was.Token)
	if err == nil {
		defer c.Close()
		err = c.SignOut(ctx)
	}
	if client.Is(err, http.StatusUnauthorized) {
		_, err = fmt.Fprintf(g.Out, "the login at %s is forgotten here; its session had ended before\n", base)
		return err
	}
	if client.Is(err, http.StatusForbidden) {
		_, err = fmt.Fprintf(g.Out, "the login at %s is forgotten here; its token is no session, and goes on to count until it ends or is revoked\n", base)
		return err
	}
	if err != nil {
		return fmt.Errorf("the login at %s is forgotten here, and its session goes on there until it ends: %w", base, err)
	}
	_, err = fmt.Fprintf(g.Out, "signed out at %s\n", base)
	return err
}

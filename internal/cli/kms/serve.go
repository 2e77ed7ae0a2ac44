package kms

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/kms"
	"github.com/causeway-gitops/causeway/internal/kms/address"
)

const defaultSocket = "/run/causeway/kms.sock"

type serveFlags struct {
	*command.Global

	key       string
	socket    string
	listen    string
	logFormat string
	logLevel  string
}

// New returns the command kms.
func New(g *command.Global) *cobra.Command {
	s := &serveFlags{Global: g, socket: defaultSocket, logFormat: "text", logLevel: "info"}
	cmd := &cobra.Command{
		Use:   "kms",
		Short: "Encrypt Secrets at rest for an API server, as a KMS v2 plugin",
		Long: "Serve the KMS v2 API on a socket, for the EncryptionConfiguration of an API server on this machine, until\n" +
			"ctrl-c. The API server encrypts its objects itself, and has this encrypt the seeds of its keys. The key is one of:\n\n" +
			address.Forms + "\n\n" +
			"An address has no secrets: these are in files that others cannot read, and those of clouds where their own tools\n" +
			"find them. Files are read again when they have changed. A key that is away is told by the health that API servers\n" +
			"ask for, and does not end the command.",
		Example: "  causeway kms new-key /etc/causeway/kms.key\n  causeway kms --key age:/etc/causeway/kms.key\n" +
			"  causeway kms --key 'vault://vault.example.com:8200/transit/causeway?token-file=/etc/causeway/token'",
		Args: command.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.Emptied(cmd.Flags(), "key", "socket"); err != nil {
				return err
			}
			return s.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.key, "key", "", "address of the key that encrypts")
	f.StringVar(&s.socket, "socket", s.socket, "socket to serve on, which only this user reaches")
	f.StringVar(&s.listen, "listen", "", "address of metrics and health, as in 127.0.0.1:8082 (default: off)")
	f.StringVar(&s.logFormat, "log-format", s.logFormat, "text or json")
	f.StringVar(&s.logLevel, "log-level", s.logLevel, "debug, info, warn or error")
	cmd.AddCommand(newKey(g))
	return cmd
}

func (s *serveFlags) run(ctx context.Context) error {
	if s.key == "" {
		return command.Usagef("name the key with --key")
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return command.Usagef("cannot log at level %q: use debug, info, warn or error", s.logLevel)
	}
	log, err := command.LogTo(s.Err, s.logFormat, level)
	if err != nil {
		return err
	}
	key, err := address.Open(ctx, s.key)
	if err != nil {
		return err
	}
	socket, err := kms.Listen(ctx, s.socket)
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }() // what is not removed is met again by the next start
	measured := newMetrics()
	server := kms.New(key, kms.Options{Log: log, Observe: measured.observe})
	work, ctx := crew.WithContext(ctx)
	if s.listen != "" {
		l, err := listenOn(ctx, s.listen)
		if err != nil {
			return err
		}
		log.InfoContext(ctx, "metrics and health are served", "address", l.Addr().String())
		work.Go(func() error { return serveHTTP(ctx, l, routes(server, measured)) })
	}
	work.Go(func() error { return server.Serve(ctx, socket) })
	log.InfoContext(ctx, "API servers can encrypt", "socket", s.socket)
	work.Go(func() error {
		_, _ = server.Check(ctx) // it tells the log
		return nil
	})
	err = work.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// now is the clock of keys that are made.
var now = time.Now

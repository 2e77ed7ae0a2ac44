// Package sshtest is a Git host behind SSH, for tests: in this process, with
// git itself behind it. It reads whatever repository it is asked for.
package sshtest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Server runs git-upload-pack for whoever has the key.
type Server struct {
	// Addr is host:port, HostKey the server's in the form of authorized_keys.
	Addr, HostKey string
	// KnownHosts is the line by which clients know the server.
	KnownHosts string
}

// Start starts a server that ends with the test.
func Start(t testing.TB, client ssh.PublicKey) Server {
	t.Helper()
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("the ssh client is not installed")
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if string(k.Marshal()) != string(client.Marshal()) {
			return nil, errors.New("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(signer)
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { serveSSH(t.Context(), c, config) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	s := Server{Addr: l.Addr().String(), HostKey: string(ssh.MarshalAuthorizedKey(signer.PublicKey()))}
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	s.KnownHosts = fmt.Sprintf("[%s]:%s %s", host, port, s.HostKey)
	return s
}

func serveSSH(ctx context.Context, c net.Conn, config *ssh.ServerConfig) {
	defer c.Close()
	_, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { ssh.DiscardRequests(requests) })
	for ch := range channels {
		channel, in, err := ch.Accept()
		if err != nil {
			return
		}
		wg.Go(func() { serveSession(ctx, channel, in) })
	}
}

func serveSession(ctx context.Context, channel ssh.Channel, in <-chan *ssh.Request) {
	defer channel.Close()
	protocol := ""
	for req := range in {
		switch req.Type {
		case "env":
			var kv struct{ Name, Value string }
			if ssh.Unmarshal(req.Payload, &kv) == nil && kv.Name == "GIT_PROTOCOL" {
				protocol = kv.Value
			}
			_ = req.Reply(true, nil)
		case "exec":
			var line struct{ Command string }
			if ssh.Unmarshal(req.Payload, &line) != nil || !strings.HasPrefix(line.Command, "git-upload-pack '") {
				_ = req.Reply(false, nil)
				return
			}
			_ = req.Reply(true, nil)
			cmd := exec.CommandContext(ctx, "git", "-c", "safe.directory=*", "upload-pack", strings.Trim(strings.TrimPrefix(line.Command, "git-upload-pack "), "'"))
			cmd.Env = append(os.Environ(), "GIT_PROTOCOL="+protocol)
			cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
			// Not as cmd.Stdin: Run would wait for the client to end first.
			stdin, err := cmd.StdinPipe()
			if err != nil || cmd.Start() != nil {
				return
			}
			go func() { // ends with the channel
				_, _ = io.Copy(stdin, channel)
				_ = stdin.Close()
			}()
			status := struct{ Code uint32 }{}
			if cmd.Wait() != nil {
				status.Code = 1
			}
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
			return
		default:
			_ = req.Reply(false, nil)
		}
	}
}

// Key makes a pair of keys: the private one in the form of files, and the public one.
func Key(t testing.TB) (string, ssh.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block)), key
}

package credential

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Plugin is a program that prints a credential, as kubectl runs one.
type Plugin struct {
	Command string
	Args    []string
	Env     map[string]string
	// Version of the API between the two: one of Versions.
	Version string
	// Hint tells how to get the program when it is not there.
	Hint string
	// Cluster is what the program is told of the cluster: the JSON of
	// spec.cluster in an ExecCredential. It holds no secrets.
	Cluster map[string]any
	// within is how long it may take; pluginPatience when 0.
	within time.Duration
}

// Versions of the API between the engine and plugins.
var Versions = []string{"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}

// Bounds of a plugin.
const (
	pluginPatience = 30 * time.Second
	pluginOutput   = 1 << 20 // bytes
	pluginEnd      = 2 * time.Second
	mostOfHint     = 200 // bytes of what a Secret says
)

// printed is what a plugin prints.
type printed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Status     *struct {
		Expires     *time.Time `json:"expirationTimestamp"`
		Token       string     `json:"token"`
		Certificate string     `json:"clientCertificateData"`
		Key         string     `json:"clientKeyData"`
	} `json:"status"`
}

// Get runs the program. What it prints is never repeated.
func (p Plugin) Get(ctx context.Context) (Credential, error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience())
	defer cancel()
	info, err := json.Marshal(map[string]any{
		"apiVersion": p.Version, "kind": "ExecCredential", "spec": map[string]any{"interactive": false, "cluster": p.Cluster},
	})
	if err != nil {
		return Credential{}, fmt.Errorf("cannot describe the cluster to plugin %s: %w", p.Command, err)
	}
	out := &output{left: pluginOutput, over: cancel}
	cmd := exec.CommandContext(ctx, p.Command, p.Args...) // the list of commands that may run was asked before
	cmd.Env = append(os.Environ(), "KUBERNETES_EXEC_INFO="+string(info))
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		cmd.Env = append(cmd.Env, name+"="+p.Env[name])
	}
	cmd.Stdout, cmd.WaitDelay = out, pluginEnd
	if err := cmd.Run(); err != nil {
		return Credential{}, p.problem(ctx, out, err)
	}
	return p.read(out.text.Bytes())
}

func (p Plugin) patience() time.Duration { return cmp.Or(p.within, pluginPatience) }

func (p Plugin) problem(ctx context.Context, out *output, err error) error {
	var exit *exec.ExitError
	switch {
	case out.left < 0:
		return fmt.Errorf("plugin %s prints more than %d bytes", p.Command, pluginOutput)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("plugin %s does not end within %s", p.Command, p.patience())
	case errors.Is(err, exec.ErrNotFound) && p.Hint != "":
		return fmt.Errorf("there is no plugin %s in PATH: %s", p.Command, gitops.First(p.Hint, mostOfHint))
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no plugin %s in PATH", p.Command)
	case errors.As(err, &exit):
		return fmt.Errorf("plugin %s ends with status %d", p.Command, exit.ExitCode())
	}
	return fmt.Errorf("cannot run plugin %s: %w", p.Command, err)
}

func (p Plugin) read(text []byte) (Credential, error) {
	var in printed
	if err := json.Unmarshal(text, &in); err != nil || in.Kind != "ExecCredential" {
		return Credential{}, fmt.Errorf("plugin %s does not print an ExecCredential", p.Command)
	}
	if in.APIVersion != p.Version {
		return Credential{}, fmt.Errorf("plugin %s does not print version %s: correct execProviderConfig.apiVersion", p.Command, p.Version)
	}
	if in.Status == nil || in.Status.Token == "" && in.Status.Certificate == "" {
		return Credential{}, fmt.Errorf("plugin %s prints neither a token nor a certificate", p.Command)
	}
	out := Credential{Token: in.Status.Token}
	if in.Status.Expires != nil {
		out.Expires = *in.Status.Expires
	}
	if in.Status.Certificate == "" && in.Status.Key == "" {
		return out, nil
	}
	pair, err := tls.X509KeyPair([]byte(in.Status.Certificate), []byte(in.Status.Key))
	if err != nil {
		return Credential{}, fmt.Errorf("plugin %s prints a certificate and a key that do not belong together", p.Command)
	}
	out.Certificate = &pair
	return out, nil
}

// output takes what a program prints, and ends it when that is too much.
type output struct {
	text bytes.Buffer
	left int
	over func()
}

func (b *output) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.over()
		return len(p), nil
	}
	return b.text.Write(p)
}

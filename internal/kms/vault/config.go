package vault

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Config is a key of a server, and who asks for it. Secrets are in files, which are read when they are needed, so that
// another one can be put there.
type Config struct {
	// Server is the address: https://vault.example.com:8200.
	Server string
	// Namespace of Vault Enterprise, and of OpenBao.
	Namespace string
	// Mount is the path of the transit engine, Key the name of a key in it.
	Mount, Key string
	// CAFile has the authorities that the server's certificate is of; those of the machine if it is empty.
	CAFile string
	// TokenFile has a token. Of the three ways to say who asks, exactly one is given.
	TokenFile string
	// AppRole is the id of a role, whose secret id SecretIDFile has.
	AppRole, SecretIDFile string
	// Role of the Kubernetes method, for the token of a service account in JWTFile.
	Role, JWTFile string
	// AuthPath is where the method is mounted, if not where its name says.
	AuthPath string
}

// ofPod is where pods have the token of their service account.
const ofPod = "/var/run/secrets/kubernetes.io/serviceaccount/token"

func (c Config) check() error {
	server, err := url.Parse(c.Server)
	if err != nil || server.Host == "" || server.Scheme != "https" && server.Scheme != "http" {
		return fmt.Errorf("%q is no address of a server such as https://vault.example.com:8200", c.Server)
	}
	ways := 0
	for _, way := range []string{c.TokenFile, c.AppRole, c.Role} {
		if way != "" {
			ways++
		}
	}
	switch {
	case c.Mount == "" || c.Key == "" || strings.Contains(c.Key, "/"):
		return errors.New("name the mount of the transit engine and a key in it, such as transit/causeway")
	case ways != 1:
		return errors.New("say who asks in one of three ways: token-file, approle with secret-id-file, or kubernetes-role")
	case (c.AppRole == "") != (c.SecretIDFile == ""):
		return errors.New("approle and secret-id-file belong together: give both")
	case c.JWTFile != "" && c.Role == "":
		return errors.New("jwt-file belongs to kubernetes-role: give both")
	case c.AuthPath != "" && c.TokenFile != "":
		return errors.New("auth-path is that of a method to log in with, and a token needs none: leave it out")
	}
	return nil
}

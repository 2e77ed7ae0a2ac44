package up

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
)

// pagesAddress is where a local fleet's pages are, unless somebody is there.
const pagesAddress = "127.0.0.1:7080"

// hasPages reports whether pages are wanted.
func (u *upFlags) hasPages() bool { return u.serve != "" && !u.once }

// serving opens the address of the pages, and writes down how to sign in.
// Nothing is opened when pages are not wanted.
func (s *session) serving(ctx context.Context, hub *rest.Config) (listener.At, error) {
	if !s.up.hasPages() {
		return listener.At{}, nil
	}
	own, err := ownPassword(ctx, hub, s.fleet.Namespace)
	if err != nil {
		return listener.At{}, err
	}
	was, err := s.home.SignIn()
	if err != nil {
		return listener.At{}, err
	}
	in := signIn(was, own)
	at := listener.At{}
	if in.Password != "" {
		if at.First, err = password.New(in.Password); err != nil {
			return listener.At{}, err
		}
	}
	if at.Listener, err = s.up.pages(ctx); err != nil {
		return listener.At{}, err
	}
	in.URL = "http://" + at.Listener.Addr().String()
	if err := s.home.WriteSignIn(in); err != nil {
		_ = at.Listener.Close()
		return listener.At{}, err
	}
	return at, nil
}

// signIn is how admin signs in at this start: with the password of the one
// before, unless the account was given another one since. Own is a digest of
// the account's own password, empty where it has none.
func signIn(was *local.SignIn, own string) local.SignIn {
	in := local.SignIn{Username: account.Admin, Own: own}
	switch {
	case was == nil || own == "" && was.Password == "":
		in.Password = password.Generate()
	case own == "" || own == was.Own:
		in.Password = was.Password
	}
	return in
}

// ownPassword is a digest of the password that admin has in Argo CD's Secret.
func ownPassword(ctx context.Context, hub *rest.Config, namespace string) (string, error) {
	client, err := kubernetes.NewForConfig(hub)
	if err != nil {
		return "", fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	secret, err := client.CoreV1().Secrets(namespace).Get(ctx, account.Secret, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot read Secret %s of the hub, which may have a password of %s: %w", account.Secret, account.Admin, err)
	}
	text := secret.Data[account.AdminPassword]
	if len(text) == 0 {
		return "", nil
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// pages listens where the flag says; where it says nothing and somebody is
// there, at any free port.
func (u *upFlags) pages(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", u.serve)
	if err != nil && u.serve == pagesAddress {
		l, err = lc.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot serve pages at %s: %w; choose another address with --serve, or none with --serve ''", u.serve, err)
	}
	return l, nil
}
